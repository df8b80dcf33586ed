// Reads the specialization constant of ordinary/constant.cpp, with its default and with values that
// the host sets.
//
//   set_constants                    the kernel's images in this program
//   set_constants INPUT EXECUTABLE   the SYCLBIN in input and in executable state
//
// A line of the output describes what was set and how, followed by ": " and the value that the
// kernel read, or the error.
#include <cstdint>
#include <cstdio>
#include <string>

#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>
#include <sycl/sycl.hpp>

inline constexpr sycl::specialization_id<int> size{7};
class Constant;

namespace sycl {
inline namespace _V1 {
namespace detail {

// A device compiler generates these.
template <>
inline const char *get_spec_constant_symbolic_ID_impl<::size>() {
  return "_Z4size";
}
template <>
struct KernelInfo<::Constant> {
  static constexpr unsigned getNumParams() { return 1; }
  static constexpr kernel_param_desc_t getParamDesc(int) {
    return {kernel_param_kind_t::kind_pointer, sizeof(void *), 0};
  }
  static constexpr const char *getName() { return "__sycl_kernel_constant"; }
  static constexpr bool isESIMD() { return false; }
  static constexpr const char *getFileName() { return ""; }
  static constexpr const char *getFunctionName() { return ""; }
  static constexpr unsigned getLineNumber() { return 0; }
  static constexpr unsigned getColumnNumber() { return 0; }
  static constexpr int64_t getKernelSize() { return sizeof(void *); }
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl
#include <sycl/detail/spec_const_integration.hpp>

namespace {

using State = sycl::bundle_state;

// report prints what a function returns or throws.
template <class Function>
void report(const char *what, Function function) {
  try {
    std::printf("%s: %d\n", what, function());
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", what, e.what());
  }
}

// submit runs a kernel and returns the value that it read.
template <class Submit>
int submit(sycl::queue &queue, Submit submit) {
  int *out = sycl::malloc_shared<int>(1, queue);
  *out = -1;
  queue.submit([&](sycl::handler &h) { submit(h, out); }).wait_and_throw();
  const int value = *out;
  sycl::free(out, queue);
  return value;
}

void of_program(sycl::queue &queue) {
  const auto read = [&](auto set) {
    return submit(queue, [&](sycl::handler &h, int *out) {
      set(h);
      h.single_task<Constant>([out] { (void)out; });
    });
  };
  report("default", [&] { return read([](sycl::handler &) {}); });
  report("handler",
         [&] { return read([](sycl::handler &h) { h.set_specialization_constant<size>(42); }); });
  report("bundle", [&] {
    auto bundle = sycl::get_kernel_bundle<State::input>(queue.get_context());
    bundle.set_specialization_constant<size>(43);
    auto built = sycl::build(bundle);
    return read([&](sycl::handler &h) { h.use_kernel_bundle(built); });
  });
  report("default again", [&] { return read([](sycl::handler &) {}); });
}

template <State state>
auto load(sycl::queue &queue, const char *file) {
  return sycl::ext::oneapi::experimental::get_kernel_bundle<state>(
      queue.get_context(), {queue.get_device()}, std::string(file));
}

void of_file(sycl::queue &queue, const char *input, const char *executable) {
  const auto read = [&](auto bundle, auto set) {
    const sycl::kernel kernel = bundle.ext_oneapi_get_kernel("constant");
    return submit(queue, [&](sycl::handler &h, int *out) {
      set(h);
      h.set_args(out);
      h.single_task(kernel);
    });
  };
  const auto nothing = [](sycl::handler &) {};
  report("default", [&] { return read(sycl::build(load<State::input>(queue, input)), nothing); });
  report("bundle has",
         [&] { return load<State::input>(queue, input).get_specialization_constant<size>(); });
  report("bundle", [&] {
    auto bundle = load<State::input>(queue, input);
    bundle.set_specialization_constant<size>(42);
    return read(sycl::build(bundle), nothing);
  });
  report("compiled and linked", [&] {
    auto bundle = load<State::input>(queue, input);
    bundle.set_specialization_constant<size>(43);
    return read(sycl::link(sycl::compile(bundle)), nothing);
  });
  report("executable", [&] { return read(load<State::executable>(queue, executable), nothing); });
  report("handler", [&] {
    return read(load<State::executable>(queue, executable),
                [](sycl::handler &h) { h.set_specialization_constant<size>(44); });
  });
}

}  // namespace

int main(int argc, char **argv) {
  sycl::queue queue;
  if (argc == 3)
    of_file(queue, argv[1], argv[2]);
  else
    of_program(queue);
}
