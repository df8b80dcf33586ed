// Runs the workspace's kernels on an OpenCL CPU device and checks every number.
//
//   run_kernels_test KERNELS.syclbin [KERNEL...]
//
// runs those kernels, or all of them when none is named. The loader of rules_sycl finds in
// the SYCLBIN which SPIR-V module a kernel is in, and what its entry point is called.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <syclbin.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

void check(cl_int status, const std::string &what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(what + ": OpenCL error " + std::to_string(status));
}

// Memory that the host and the kernels see at the same address. It is the
// host's except while a kernel runs.
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
  std::size_t size() const { return count_; }

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
    // Without any platform the loader says CL_PLATFORM_NOT_FOUND_KHR, and count stays 0.
    clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    if (count > 0)
      check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
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

  // Builds a module and gives its kernel of that name.
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

  // Runs a kernel over all work-items. Its one argument is the function object of
  // the source, so Arguments must have the members that the lambda captures.
  template <class Arguments, class... T>
  void run(cl_kernel kernel, std::size_t items, const Arguments &arguments, Shared<T> &...memory) {
    check(clSetKernelArg(kernel, 0, sizeof arguments, &arguments), "clSetKernelArg");
    void *pointers[] = {memory.data()...};
    check(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers),
          "clSetKernelExecInfo");
    (memory.unmap(), ...);
    const std::size_t group = 64;
    check(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr),
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

  // Only the module with the kernel is built: the device need not be able to run all
  // the others. The device is no GPU that has native code in the file.
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

// Counts numbers that are not as expected, and prints the first of them.
class Numbers {
 public:
  template <class T>
  void expect(std::size_t i, T got, T want) {
    ++checked_;
    if (got == want) return;
    if (wrong_++ < 5)
      std::printf("  at %zu: got %.17g, want %.17g\n", i, static_cast<double>(got),
                  static_cast<double>(want));
  }
  std::size_t checked() const { return checked_; }
  std::size_t wrong() const { return wrong_; }

 private:
  std::size_t checked_ = 0, wrong_ = 0;
};

constexpr std::size_t kItems = 1024;  // work-items of every launch
constexpr std::size_t kCount = 1000;  // numbers to work on: the last work-items have none

Numbers vector_add(Device &device, cl_kernel kernel) {
  auto a = device.shared<float>(kItems), b = device.shared<float>(kItems),
       sum = device.shared<float>(kItems);
  for (std::size_t i = 0; i < kItems; ++i) {
    a[i] = 0.5f * i;
    b[i] = 3.0f * i + 1;
    sum[i] = -1;
  }
  struct {
    const float *a, *b;
    float *sum;
    std::size_t count;
  } arguments{a.data(), b.data(), sum.data(), kCount};
  device.run(kernel, kItems, arguments, a, b, sum);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i)
    numbers.expect(i, sum[i], i < kCount ? 3.5f * i + 1 : -1.0f);
  return numbers;
}

Numbers axpy(Device &device, cl_kernel kernel) {
  auto x = device.shared<double>(kItems), y = device.shared<double>(kItems);
  // Too small beside 1 for a float to keep.
  const double tiny = 0x1p-40;
  for (std::size_t i = 0; i < kItems; ++i) {
    x[i] = tiny * i;
    y[i] = 1;
  }
  struct {
    double factor;
    const double *x;
    double *y;
    std::size_t count;
  } arguments{3, x.data(), y.data(), kCount};
  device.run(kernel, kItems, arguments, x, y);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i)
    numbers.expect(i, y[i], i < kCount ? 1 + 3 * tiny * i : 1.0);
  return numbers;
}

Numbers total(Device &device, cl_kernel kernel) {
  auto values = device.shared<std::int64_t>(kItems), result = device.shared<std::int64_t>(1);
  std::int64_t want = 7;
  result[0] = want;
  for (std::size_t i = 0; i < kItems; ++i) {
    values[i] = (std::int64_t{1} << 40) + static_cast<std::int64_t>(i);
    if (i < kCount) want += values[i];
  }
  struct {
    const std::int64_t *values;
    std::int64_t *result;
    std::size_t count;
  } arguments{values.data(), result.data(), kCount};
  device.run(kernel, kItems, arguments, values, result);
  Numbers numbers;
  numbers.expect(0, result[0], want);
  return numbers;
}

Numbers evaluate(Device &device, cl_kernel kernel) {
  auto coefficients = device.shared<float>(4), x = device.shared<float>(kItems),
       y = device.shared<float>(kItems);
  // 1 - 2x + 5x^2 + 3x^3: of small whole numbers, it is exact in float.
  coefficients[0] = 1;
  coefficients[1] = -2;
  coefficients[2] = 5;
  coefficients[3] = 3;
  for (std::size_t i = 0; i < kItems; ++i) {
    x[i] = static_cast<float>(i % 101) - 50;
    y[i] = -1;
  }
  struct {
    const float *coefficients;
    std::size_t degree;
    const float *x;
    float *y;
    std::size_t count;
  } arguments{coefficients.data(), 3, x.data(), y.data(), kCount};
  device.run(kernel, kItems, arguments, coefficients, x, y);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i) {
    const int v = static_cast<int>(i % 101) - 50;
    numbers.expect(i, y[i], i < kCount ? float(1 - 2 * v + 5 * v * v + 3 * v * v * v) : -1.0f);
  }
  return numbers;
}

Numbers block_reverse(Device &device, cl_kernel kernel) {
  auto values = device.shared<std::int32_t>(kItems);
  for (std::size_t i = 0; i < kItems; ++i) values[i] = static_cast<std::int32_t>(10 * i);
  struct {
    std::int32_t *values;
  } arguments{values.data()};
  device.run(kernel, kItems, arguments, values);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i)
    numbers.expect(i, values[i], static_cast<std::int32_t>(10 * (i / 64 * 64 + 63 - i % 64)));
  return numbers;
}

// Two launches: the variable of the device starts at 7 and goes on where it was.
Numbers tally(Device &device, cl_kernel kernel) {
  auto tickets = device.shared<std::int32_t>(kItems), weighted = device.shared<std::int32_t>(kItems);
  struct {
    std::int32_t *tickets, *weighted;
    std::size_t count;
  } arguments{tickets.data(), weighted.data(), kCount};
  Numbers numbers;
  for (std::int32_t first : {7, 7 + static_cast<std::int32_t>(kCount)}) {
    for (std::size_t i = 0; i < kItems; ++i) tickets[i] = weighted[i] = -1;
    device.run(kernel, kItems, arguments, tickets, weighted);
    // Which work-item gets which ticket is open.
    std::sort(tickets.data(), tickets.data() + kCount);
    const std::int32_t weights[] = {1, 10, 100, 1000};
    for (std::size_t i = 0; i < kItems; ++i) {
      const std::int32_t n = static_cast<std::int32_t>(i);
      numbers.expect(i, tickets[i], i < kCount ? first + n : -1);
      numbers.expect(i, weighted[i], i < kCount ? weights[i % 4] * n : -1);
    }
  }
  return numbers;
}

struct Case {
  const char *name;
  Numbers (*run)(Device &, cl_kernel);
};

// The half-precision and the sub-group kernels are not among them: the CPU device
// that Debian has cannot build these.
const Case kCases[] = {
    {"_ZTSN6linear9VectorAddE", vector_add},
    {"_ZTSN6linear4AxpyE", axpy},
    {"_ZTSN5stats5TotalE", total},
    {"_ZTSN5stats5TallyE", tally},
    {"_ZTSN10polynomial8EvaluateE", evaluate},
    // The name type carries the required work-group size: 64, 1, 1.
    {"_ZTSN9sycl_lite11kernel_withIN5image12BlockReverseELj64ELj1ELj1ELj0EEE", block_reverse},
};

int run(const std::string &syclbin, const std::vector<std::string> &names,
        const fs::path &scratch) {
  const fs::path cache = scratch / "pocl";
  fs::create_directories(cache);
  setenv("POCL_CACHE_DIR", cache.c_str(), 1);

  const Kernels kernels(syclbin);
  Device device;
  int failed = 0;
  std::size_t ran = 0;
  for (const Case &c : kCases) {
    if (!names.empty() && std::find(names.begin(), names.end(), c.name) == names.end()) continue;
    ++ran;
    try {
      const Numbers numbers = c.run(device, kernels.kernel(device, c.name));
      const bool good = numbers.checked() > 0 && numbers.wrong() == 0;
      std::printf("%s %s: %zu of %zu numbers right\n", good ? "ok  " : "FAIL", c.name,
                  numbers.checked() - numbers.wrong(), numbers.checked());
      failed += !good;
    } catch (const std::exception &e) {
      std::printf("FAIL %s: %s\n", c.name, e.what());
      ++failed;
    }
  }
  if (!names.empty() && ran != names.size())
    throw std::runtime_error("no test knows one of the kernels");
  return failed > 0;
}

}  // namespace

int main(int argc, char **argv) {
  const char *scratch = std::getenv("TEST_TMPDIR");
  if (argc < 2 || !scratch) {
    std::fprintf(stderr, "usage: TEST_TMPDIR=FOLDER %s KERNELS.syclbin [KERNEL...]\n", argv[0]);
    return 2;
  }
  try {
    return run(argv[1], {argv + 2, argv + argc}, scratch);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "run_kernels_test: %s\n", e.what());
    return 1;
  }
}
