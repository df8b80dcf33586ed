// Loads the kernels of this directory into the SYCL runtime, runs them and checks every number.
//
//   run KERNELS.syclbin SETTABLE.syclbin SPECIALIZED.syclbin
//
// The specialization constants of KERNELS have the values in the source. SETTABLE is in input
// state: the program sets the constants, then builds the kernels. The constants of SPECIALIZED were
// set during the build.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "properties/limits.hpp"

namespace {

// The constants of threshold.cpp, with the same types, and with the names in the file.
constexpr sycl::specialization_id<image::Limits> limits{image::default_limits};
constexpr sycl::specialization_id<std::int32_t> white{image::default_white};

}  // namespace

namespace sycl::detail {
template <>
const char *get_spec_constant_symbolic_ID<limits>() {
  return "_ZN5image6limitsE";
}
template <>
const char *get_spec_constant_symbolic_ID<white>() {
  return "_ZN5image5whiteE";
}
}  // namespace sycl::detail

namespace {

using sycl::bundle_state;
using Executable = sycl::kernel_bundle<bundle_state::executable>;

constexpr std::size_t kItems = 1024;
constexpr std::size_t kCount = 1000;  // the last work-items are idle

class Device {
 public:
  template <bundle_state State>
  sycl::kernel_bundle<State> load(const std::filesystem::path &file) {
    return sycl::ext::oneapi::experimental::get_kernel_bundle<State>(queue_.get_context(),
                                                                     {queue_.get_device()}, file);
  }

  template <int Dimensions, class Arguments>
  void run(Executable &program, const char *kernel, sycl::nd_range<Dimensions> range,
           const Arguments &arguments) {
    queue_.submit([&](sycl::handler &h) {
      h.set_arg(0, arguments);
      h.parallel_for(range, program.ext_oneapi_get_kernel(kernel));
    });
    queue_.wait_and_throw();
  }

  std::int32_t *shared(std::size_t count) {
    auto *memory = sycl::malloc_shared<std::int32_t>(count, queue_);
    if (!memory) throw std::runtime_error("the device has no memory that it shares with the host");
    return memory;  // stays allocated until the program exits
  }

  void print_name() {
    std::printf("device: %s\n", queue_.get_device().get_info<sycl::info::device::name>().c_str());
  }

 private:
  sycl::queue queue_{sycl::default_selector_v};
};

// Counts and prints wrong numbers.
class Numbers {
 public:
  void expect(std::size_t i, std::int32_t got, std::int32_t want) {
    ++checked_;
    if (got != want && wrong_++ < 5) std::printf("  at %zu: got %d, want %d\n", i, got, want);
  }
  bool right(const char *what) const {
    std::printf("%s %s: %zu of %zu numbers right\n", wrong_ ? "FAIL   " : "ok     ", what,
                checked_ - wrong_, checked_);
    return checked_ > 0 && wrong_ == 0;
  }

 private:
  std::size_t checked_ = 0, wrong_ = 0;
};

bool threshold(Device &device, Executable &program, const char *what, image::Limits l,
               std::int32_t most) {
  std::int32_t *values = device.shared(kItems);
  for (std::size_t i = 0; i < kItems; ++i) values[i] = static_cast<std::int32_t>(i % 256);
  struct {
    std::int32_t *values;
    std::size_t count;
  } arguments{values, kCount};
  device.run(program, "_ZTSN5image9ThresholdE", sycl::nd_range<1>(kItems, 64), arguments);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i) {
    const auto v = static_cast<std::int32_t>(i % 256);
    const auto between = static_cast<std::int32_t>(l.gain * static_cast<float>(v));
    numbers.expect(i, values[i], i >= kCount ? v : v < l.low ? 0 : v > l.high ? most : between);
  }
  return numbers.right(what);
}

bool transpose(Device &device, Executable &program) {
  constexpr std::size_t side = 64;
  std::int32_t *values = device.shared(side * side), *transposed = device.shared(side * side);
  for (std::size_t i = 0; i < side * side; ++i) values[i] = static_cast<std::int32_t>(i);
  struct {
    const std::int32_t *values;
    std::int32_t *transposed;
  } arguments{values, transposed};
  device.run(program, "_ZTSN5image9TransposeE", sycl::nd_range<2>({side, side}, {8, 8}), arguments);
  Numbers numbers;
  for (std::size_t i = 0; i < side * side; ++i)
    numbers.expect(i, transposed[i], static_cast<std::int32_t>(i % side * side + i / side));
  return numbers.right("image::Transpose");
}

// Counts twice: the device variable keeps its value between launches.
bool count(Device &device, Executable &program) {
  std::int32_t *values = device.shared(kItems), *counts = device.shared(16);
  for (std::size_t i = 0; i < kItems; ++i) values[i] = static_cast<std::int32_t>(i * i % 101);
  std::int32_t want[16] = {};
  struct {
    const std::int32_t *values;
    std::size_t number;
    std::int32_t *counts;
  } arguments{values, kCount, counts};
  Numbers numbers;
  for (int time = 0; time < 2; ++time) {
    for (std::size_t i = 0; i < kCount; ++i) ++want[values[i] % 16];
    device.run(program, "_ZTSN5image5CountE", sycl::nd_range<1>(64, 64), arguments);
    for (std::size_t i = 0; i < 16; ++i) numbers.expect(i, counts[i], want[i]);
  }
  return numbers.right("image::Count");
}

bool run(const std::filesystem::path &kernels, const std::filesystem::path &settable,
         const std::filesystem::path &specialized) {
  Device device;
  device.print_name();
  Executable program = device.load<bundle_state::executable>(kernels);
  bool good = transpose(device, program);
  good = count(device, program) && good;
  good =
      threshold(device, program, "image::Threshold", image::default_limits, image::default_white) &&
      good;

  const image::Limits tight{50, 100, 0.5f};
  auto input = device.load<bundle_state::input>(settable);
  input.set_specialization_constant<limits>(tight);
  input.set_specialization_constant<white>(1000);
  Executable set = sycl::build(input);
  good =
      threshold(device, set, "image::Threshold with constants that are set", tight, 1000) && good;

  Executable fixed = device.load<bundle_state::executable>(specialized);
  return threshold(device, fixed, "image::Threshold with the build's constants", tight, 1000) &&
         good;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fputs("usage: run KERNELS.syclbin SETTABLE.syclbin SPECIALIZED.syclbin\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3]) ? 0 : 1;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "run: %s\n", e.what());
    return 1;
  }
}
