// Runs the workspace's kernels on an OpenCL CPU device and checks every number.
//
//   run_kernels_test KERNELS.syclbin [KERNEL...]
//
// runs these kernels, or, if none is named, all kernels that Debian's CPU device can build. The
// loader of rules_sycl finds the SPIR-V module of a kernel, and its entry point, in the SYCLBIN.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <syclbin.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/numbers.hpp"

namespace {

namespace fs = std::filesystem;

void check(cl_int status, const std::string &what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(what + ": OpenCL error " + std::to_string(status));
}

// Memory that has the same address on the host and in kernels. The host may access it only while no
// kernel runs.
template <class T>
class Shared {
 public:
  Shared(cl_context context, cl_command_queue queue, std::size_t count)
      : context_(context), queue_(queue), count_(count) {
    data_ = static_cast<T *>(clSVMAlloc(context, CL_MEM_READ_WRITE, count * sizeof(T), 0));
    if (!data_) throw std::runtime_error("clSVMAlloc: no shared virtual memory");
    map();
  }
  ~Shared() {
    unmap();
    clFinish(queue_);
    clSVMFree(context_, data_);
  }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;

  T &operator[](std::size_t i) { return data_[i]; }
  T *data() { return data_; }

  void map() {
    check(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, data_, count_ * sizeof(T), 0,
                          nullptr, nullptr),
          "clEnqueueSVMMap");
  }
  void unmap() {
    check(clEnqueueSVMUnmap(queue_, data_, 0, nullptr, nullptr), "clEnqueueSVMUnmap");
  }

 private:
  cl_context context_;
  cl_command_queue queue_;
  std::size_t count_;
  T *data_;
};

class Device {
 public:
  Device() {
    cl_uint count = 0;
    // Without a platform, the loader returns CL_PLATFORM_NOT_FOUND_KHR, and count stays 0.
    clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    if (count > 0) check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (cl_platform_id platform : platforms)
      if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_, nullptr) == CL_SUCCESS) break;
    if (!device_)
      throw std::runtime_error(
          "no OpenCL CPU device among " + std::to_string(count) + " OpenCL platforms; " +
          "install one (Debian: pocl-opencl-icd) and mount /sys, which it reads");

    char name[256] = "";
    check(clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof name - 1, name, nullptr),
          "clGetDeviceInfo");
    std::printf("device: %s\n", name);
    cl_int status;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
    check(status, "clCreateCommandQueueWithProperties");
  }

  template <class T>
  Shared<T> shared(std::size_t count) {
    return Shared<T>(context_, queue_, count);
  }

  // Builds a module and returns its kernel with the given name.
  cl_kernel kernel(const void *module, std::size_t size, const std::string &name) {
    cl_int status;
    cl_program program = clCreateProgramWithIL(context_, module, size, &status);
    check(status, "clCreateProgramWithIL");
    status = clBuildProgram(program, 1, &device_, "", nullptr, nullptr);
    if (status != CL_SUCCESS) {
      std::size_t size = 0;
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
      std::string log(size, '\0');
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
      throw std::runtime_error("clBuildProgram: OpenCL error " + std::to_string(status) + "\n" +
                               log);
    }
    cl_kernel kernel = clCreateKernel(program, name.c_str(), &status);
    check(status, "clCreateKernel " + name);
    return kernel;
  }

  // Runs a kernel whose only argument is the function object of its source.
  template <std::size_t N, class Arguments, class... T>
  void run(cl_kernel kernel, const numbers::Launch<N> &launch, const Arguments &arguments,
           Shared<T> &...memory) {
    check(clSetKernelArg(kernel, 0, sizeof arguments, &arguments), "clSetKernelArg");
    void *pointers[] = {memory.data()...};
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers),
          "clSetKernelExecInfo");
    (memory.unmap(), ...);
    // OpenCL's first dimension is SYCL's last.
    const std::vector<std::size_t> items(launch.items.rbegin(), launch.items.rend()),
        group(launch.group.rbegin(), launch.group.rend());
    check(clEnqueueNDRangeKernel(queue_, kernel, N, nullptr, items.data(), group.data(), 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue_), "clFinish");
    (memory.map(), ...);
  }

 private:
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

// A SYCLBIN in memory.
class Kernels {
 public:
  explicit Kernels(const std::string &name) {
    std::ifstream in(name, std::ios::binary);
    if (!in) throw std::runtime_error(name + ": cannot be read");
    bytes_.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    syclbin_error error;
    if (syclbin_open(bytes_.data(), bytes_.size(), &file_, &error) != SYCLBIN_OK)
      throw std::runtime_error(name + ": offset " + std::to_string(error.offset) + ": " +
                               error.message);
    std::printf("%u abstract modules in %s\n", file_.module_count, name.c_str());
  }
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  // Only the module with the kernel is built, because the device may not support the other modules.
  // The file has no native code for the device.
  cl_kernel kernel(Device &device, const char *name) const {
    const syclbin_device any = {};
    syclbin_choice choice;
    syclbin_error error;
    if (syclbin_find(&file_, name, &any, &choice, &error) != SYCLBIN_OK)
      throw std::runtime_error(error.message);
    return device.kernel(choice.image.data, choice.image.size,
                         std::string(choice.kernel.data, choice.kernel.size));
  }

 private:
  std::vector<char> bytes_;
  syclbin_file file_;
};

using Case = numbers::Case<Device, cl_kernel>;

// Returns the kernels with these names. Without names, returns all kernels except the
// half-precision and sub-group kernels, which Debian's CPU device cannot build.
std::vector<Case> chosen(const std::vector<std::string> &names) {
  std::vector<Case> cases;
  if (names.empty())
    for (const Case &c : numbers::kCases<Device, cl_kernel>)
      if (c.need != numbers::Need::fp16 && c.need != numbers::Need::sub_group_8) cases.push_back(c);
  for (const std::string &name : names) {
    const Case *found = numbers::find<Device, cl_kernel>(name);
    if (!found) throw std::runtime_error(name + " is not a kernel of this workspace");
    cases.push_back(*found);
  }
  return cases;
}

int run(const std::string &syclbin, const std::vector<std::string> &names,
        const fs::path &scratch) {
  const fs::path cache = scratch / "pocl";
  fs::create_directories(cache);
  setenv("POCL_CACHE_DIR", cache.c_str(), 1);

  const Kernels kernels(syclbin);
  Device device;
  int failed = 0;
  for (const Case &c : chosen(names)) {
    try {
      const numbers::Numbers n = c.run(device, kernels.kernel(device, c.symbol));
      std::printf("%s %s: %s\n", n.right() ? "ok  " : "FAIL", c.name, n.text().c_str());
      failed += !n.right();
    } catch (const std::exception &e) {
      std::printf("FAIL %s: %s\n", c.name, e.what());
      ++failed;
    }
  }
  return failed > 0;
}

}  // namespace

int main(int argc, char **argv) {
  const char *scratch = std::getenv("TEST_TMPDIR");
  if (argc < 2 || !scratch) {
    std::fprintf(stderr, "usage: TEST_TMPDIR=DIRECTORY %s KERNELS.syclbin [KERNEL...]\n", argv[0]);
    return 2;
  }
  try {
    return run(argv[1], {argv + 2, argv + argc}, scratch);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "run_kernels_test: %s\n", e.what());
    return 1;
  }
}
