// Loads SYCLBINs into the SYCL runtime, runs their kernels and checks every number.
//
//   run_kernels [--state input|object|executable] FILE.syclbin... [KERNEL...]
//
// runs the named kernels, by default all kernels of this workspace, on the device that the runtime
// selects (see ONEAPI_DEVICE_SELECTOR). It reports and skips a kernel that the device cannot run.
// --state is the state of the files, executable by default.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/numbers.hpp"

namespace {

using sycl::bundle_state;
using Executable = sycl::kernel_bundle<bundle_state::executable>;

// Memory shared by the host and the device.
template <class T>
class Shared {
 public:
  Shared(sycl::queue queue, std::size_t count)
      : queue_(queue), data_(sycl::malloc_shared<T>(count, queue)) {
    if (!data_) throw std::runtime_error("the device has no memory that it shares with the host");
  }
  ~Shared() { sycl::free(data_, queue_); }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;

  T &operator[](std::size_t i) { return data_[i]; }
  T *data() { return data_; }

 private:
  sycl::queue queue_;
  T *data_;
};

class Device {
 public:
  template <class T>
  Shared<T> shared(std::size_t count) {
    return Shared<T>(queue_, count);
  }

  // Runs a kernel whose only argument is the function object of its source.
  template <std::size_t N, class Arguments, class... T>
  void run(const sycl::kernel &kernel, const numbers::Launch<N> &launch, const Arguments &arguments,
           Shared<T> &...) {
    sycl::range<N> items = range(launch.items), group = range(launch.group);
    queue_.submit([&](sycl::handler &h) {
      h.set_arg(0, arguments);
      h.parallel_for(sycl::nd_range<N>(items, group), kernel);
    });
    queue_.wait_and_throw();
  }

  // Returns the feature that a kernel with this need lacks on the device, or "".
  std::string lacks(numbers::Need need) const {
    const sycl::device device = queue_.get_device();
    const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
    switch (need) {
      case numbers::Need::fp16:
        return device.has(sycl::aspect::fp16) ? "" : "fp16";
      case numbers::Need::fp64:
        return device.has(sycl::aspect::fp64) ? "" : "fp64";
      case numbers::Need::atomic64:
        return device.has(sycl::aspect::atomic64) ? "" : "atomic64";
      case numbers::Need::sub_group_8:
        return std::count(sizes.begin(), sizes.end(), 8) ? "" : "sub-groups of 8";
      case numbers::Need::work_group_64:
        return device.get_info<sycl::info::device::max_work_group_size>() >= 64
                   ? ""
                   : "work-groups of 64";
      case numbers::Need::nothing:
        break;
    }
    return "";
  }

  // Loads a file in executable state, which needs no further steps.
  Executable load(const std::filesystem::path &file) { return get<bundle_state::executable>(file); }

  // Loads files of any state. Files in input state are built in both possible ways, and files in
  // object state are linked into one program.
  std::vector<Executable> load(const std::vector<std::string> &files, const std::string &state) {
    std::vector<Executable> loaded;
    std::vector<sycl::kernel_bundle<bundle_state::object>> objects;
    for (const std::string &file : files) {
      if (state == "executable") {
        loaded.push_back(load(file));
      } else if (state == "input") {
        const auto input = get<bundle_state::input>(file);
        loaded.push_back(sycl::build(input));
        loaded.push_back(sycl::link(sycl::compile(input)));
      } else {
        objects.push_back(get<bundle_state::object>(file));
      }
    }
    if (!objects.empty()) loaded.push_back(sycl::link(objects));
    return loaded;
  }

  std::string name() const {
    return queue_.get_device().get_info<sycl::info::device::name>() + " (" +
           queue_.get_device().get_platform().get_info<sycl::info::platform::name>() + ")";
  }

 private:
  template <bundle_state State>
  sycl::kernel_bundle<State> get(const std::filesystem::path &file) {
    return sycl::ext::oneapi::experimental::get_kernel_bundle<State>(queue_.get_context(),
                                                                     {queue_.get_device()}, file);
  }

  static sycl::range<1> range(const std::array<std::size_t, 1> &sizes) { return {sizes[0]}; }
  static sycl::range<2> range(const std::array<std::size_t, 2> &sizes) {
    return {sizes[0], sizes[1]};
  }

  sycl::queue queue_{sycl::default_selector_v};
};

using Case = numbers::Case<Device, sycl::kernel>;

// Runs a kernel of each program that has it. Returns whether all numbers are correct.
bool run(Device &device, std::vector<Executable> &loaded, const Case &c) {
  if (const std::string what = device.lacks(c.need); !what.empty()) {
    std::printf("skipped %s: the device has no %s\n", c.name, what.c_str());
    return true;
  }
  bool found = false, good = true;
  for (Executable &program : loaded) {
    if (!program.ext_oneapi_has_kernel(c.symbol)) continue;
    found = true;
    const numbers::Numbers n = c.run(device, program.ext_oneapi_get_kernel(c.symbol));
    std::printf("%s %s: %s\n", n.right() ? "ok     " : "FAIL   ", c.name, n.text().c_str());
    good = good && n.right();
  }
  if (!found) std::printf("FAIL    %s: no file contains this kernel for the device\n", c.name);
  return found && good;
}

// Returns the kernels with these names, or all kernels if there are no names.
std::vector<Case> chosen(const std::vector<std::string> &names) {
  const auto &all = numbers::kCases<Device, sycl::kernel>;
  if (names.empty()) return {std::begin(all), std::end(all)};
  std::vector<Case> cases;
  for (const std::string &name : names) {
    const Case *found = numbers::find<Device, sycl::kernel>(name);
    if (!found) throw std::runtime_error(name + " is not a kernel of this workspace");
    cases.push_back(*found);
  }
  return cases;
}

bool run_all(const std::vector<std::string> &files, const std::string &state,
             const std::vector<std::string> &names) {
  const std::vector<Case> cases = chosen(names);
  Device device;
  std::printf("device: %s\n", device.name().c_str());
  std::vector<Executable> loaded = device.load(files, state);
  bool good = true;
  for (const Case &c : cases) {
    try {
      good = run(device, loaded, c) && good;
    } catch (const std::exception &e) {
      std::printf("FAIL    %s: %s\n", c.name, e.what());
      good = false;
    }
  }
  return good;
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<std::string> files, names;
  std::string state = "executable";
  bool right = true;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--state" && i + 1 < argc) {
      state = argv[++i];
    } else if (std::filesystem::path(word).extension() == ".syclbin") {
      files.push_back(word);
    } else {
      right = right && word.substr(0, 1) != "-";
      names.push_back(word);
    }
  }
  right = right && (state == "input" || state == "object" || state == "executable");
  if (!right || files.empty()) {
    std::fputs("usage: run_kernels [--state input|object|executable] FILE.syclbin... [KERNEL...]\n",
               stderr);
    return 2;
  }
  try {
    return run_all(files, state, names) ? 0 : 1;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "run_kernels: %s\n", e.what());
    return 1;
  }
}
