// Runs the example's kernels, whose images `packager wrap` embeds in this program, and checks
// every number.
//
//   run_wrapped
//
// Kernels are submitted as in a host program of DPC++: by a type, for which the compiler provides
// the kernel's name and parameters. The device is the runtime's default device, or the one that
// ONEAPI_DEVICE_SELECTOR selects. The output and the exit code are as in load_syclbin.
#include <sycl/detail/core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "device.hpp"
#include "host/numbers.hpp"

// The example's kernels. Their symbols start with the prefix for lookup in a SYCLBIN.
#define PREFIX "__sycl_kernel_"
struct VectorAdd {
  static constexpr char kSymbol[] = PREFIX "_ZTSN6linear9VectorAddE";
};
struct Axpy {
  static constexpr char kSymbol[] = PREFIX "_ZTSN6linear4AxpyE";
};
struct Total {
  static constexpr char kSymbol[] = PREFIX "_ZTSN5stats5TotalE";
};
struct Tally {
  static constexpr char kSymbol[] = PREFIX "_ZTSN5stats5TallyE";
};
struct Evaluate {
  static constexpr char kSymbol[] = PREFIX "_ZTSN10polynomial8EvaluateE";
};
struct Brighten {
  static constexpr char kSymbol[] = PREFIX "_ZTSN5image8BrightenE";
};
struct BlockReverse {
  static constexpr char kSymbol[] =
      PREFIX "_ZTSN9sycl_lite11kernel_withIN5image12BlockReverseELj64ELj1ELj1ELj0EEE";
};
struct Spread {
  static constexpr char kSymbol[] =
      PREFIX "_ZTSN9sycl_lite11kernel_withIN5stats6SpreadELj0ELj0ELj0ELj8EEE";
};
constexpr std::size_t kPrefix = sizeof PREFIX - 1;
#undef PREFIX

// A kernel whose only parameter is the function object of its source.
template <class Kernel, class Arguments>
class Submitted;

namespace sycl {
inline namespace _V1 {
namespace detail {

// A device compiler generates these.
template <class Kernel, class Arguments>
struct KernelInfo<Submitted<Kernel, Arguments>> {
  static constexpr unsigned getNumParams() { return 1; }
  static constexpr kernel_param_desc_t getParamDesc(int) {
    return {kernel_param_kind_t::kind_std_layout, sizeof(Arguments), 0};
  }
  static constexpr const char *getName() { return Kernel::kSymbol; }
  static constexpr bool isESIMD() { return false; }
  static constexpr const char *getFileName() { return ""; }
  static constexpr const char *getFunctionName() { return ""; }
  static constexpr unsigned getLineNumber() { return 0; }
  static constexpr unsigned getColumnNumber() { return 0; }
  static constexpr int64_t getKernelSize() { return sizeof(Arguments); }
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

namespace {

class Device {
 public:
  explicit Device(sycl::queue &queue) : queue_(queue) {}

  template <class T>
  Shared<T> shared(std::size_t count) {
    return Shared<T>(queue_, count);
  }

  template <class Kernel, std::size_t N, class Arguments, class... T>
  void run(const Kernel &, const numbers::Launch<N> &launch, const Arguments &arguments,
           Shared<T> &...) {
    const sycl::nd_range<N> range(to_range(launch.items), to_range(launch.group));
    // The runtime reads the arguments from the function object, but does not call it.
    const auto function = [arguments](sycl::nd_item<N>) {};
    static_assert(sizeof function == sizeof arguments);
    queue_
        .submit([&](sycl::handler &h) {
          h.template parallel_for<Submitted<Kernel, Arguments>>(range, function);
        })
        .wait_and_throw();
  }

 private:
  sycl::queue &queue_;
};

template <class Kernel>
bool run(Device &device, numbers::Numbers (*numbers)(Device &, const Kernel &)) {
  const std::string name = Kernel::kSymbol + kPrefix;
  return guarded(name, [&] { check(name, numbers(device, Kernel())); });
}

bool run_all() {
  sycl::queue queue;
  std::printf("device: %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
  Device device(queue);
  bool good = run<VectorAdd>(device, numbers::vector_add);
  good &= run<Axpy>(device, numbers::axpy);
  good &= run<Total>(device, numbers::total);
  good &= run<Tally>(device, numbers::tally);
  good &= run<Evaluate>(device, numbers::evaluate);
  good &= run<Brighten>(device, numbers::brighten);
  good &= run<BlockReverse>(device, numbers::block_reverse);
  good &= run<Spread>(device, numbers::spread);
  return good;
}

}  // namespace

int main() {
  bool good = false;
  return guarded("device", [&] { good = run_all(); }) && good ? 0 : 1;
}
