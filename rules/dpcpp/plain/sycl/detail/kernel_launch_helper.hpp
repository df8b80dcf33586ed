// Shadows DPC++'s header of the same name in targets that depend on libsycl. libsycl's
// headers call KernelWrapper::wrap for each kernel that the host code submits. In a target without
// device code, this is an error: the kernel could not run, and a program that links the same inline
// function from a SYCL target might use this copy of it. A target whose device images are linked
// separately, as from 'packager wrap', defines RULES_SYCL_ALLOW_KERNELS.

#pragma once
#pragma GCC system_header

#include <sycl/version.hpp>

// SYCL compiles define one of the first two macros. libsycl.so.8 (DPC++ 2025) has a different
// KernelWrapper.
#if defined(SYCL_LANGUAGE_VERSION) || defined(__SYCL_DEVICE_ONLY__) || \
    defined(RULES_SYCL_ALLOW_KERNELS) || __LIBSYCL_MAJOR_VERSION < 9
#include_next <sycl/detail/kernel_launch_helper.hpp>
#else

#define KernelWrapper KernelWrapperOfLibrary
#include_next <sycl/detail/kernel_launch_helper.hpp>
#undef KernelWrapper

namespace rules_sycl {

// Reports whether the compiled file is a header. Bazel's feature parse_headers compiles headers by
// themselves and emits no code.
constexpr bool compiles_header() {
  const char *extension = nullptr;
  for (const char *c = __BASE_FILE__; *c; c++) {
    if (*c == '/') extension = nullptr;
    if (*c == '.') extension = c + 1;
  }
  return !extension || *extension == 'h' || *extension == 'H' || *extension == 'i' ||
         *extension == 't';
}

template <class Kernel>
constexpr bool has_device_code = compiles_header();

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <WrapAs As, class K, class Type, class Element,
          class Properties = ext::oneapi::experimental::empty_properties_t>
struct KernelWrapper {
  static void wrap(const Type &kernel) {
    static_assert(
        rules_sycl::has_device_code<K>,
        "this target submits a SYCL kernel and has no device code; make it a sycl_cc_library, "
        "sycl_cc_binary or sycl_cc_test, or set features = [\"sycl\"]");
    KernelWrapperOfLibrary<As, K, Type, Element, Properties>::wrap(kernel);
  }
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

#endif
