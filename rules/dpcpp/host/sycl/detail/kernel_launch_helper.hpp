// Precedes DPC++'s header with this name. libsycl's headers call KernelWrapper::wrap for
// each kernel that the host code submits.

#pragma once
#pragma GCC system_header

#define KernelWrapper KernelWrapperOfLibrary
#include_next <sycl/detail/kernel_launch_helper.hpp>
#undef KernelWrapper

#include <sycl/detail/cg_types.hpp>
#include <sycl/detail/compile_time_kernel_info.hpp>

#include <rules_sycl/find.hpp>
#include <rules_sycl/form.hpp>
#include <rules_sycl/one_type.hpp>

namespace rules_sycl {

// The name of `here` records in the object file which kernel the host code submits: its type, its
// size, a hash of the type's name in the integration header (0 if there is none), and the form of
// its class. 'devicec host' compares that with the device compilation.
template <class K, unsigned long Size, unsigned long Name, unsigned long Form>
struct Submitted {
  __attribute__((used, visibility("hidden"))) static inline char here = 0;
};

#if !defined(__clang__) || defined(RULES_SYCL_TABLE)
// layout_of returns the layout of a kernel of the given size. It throws if the device compilation
// has a different layout and the table has none.
__attribute__((noinline, unused)) static const Layout *layout_of(const Info &kernel,
                                                                 const char *type, long size) {
  for (const Layout *l = kernels().layouts; l->kernel; l++)
    if (l->kernel == std::string_view(kernel.Name) && l->host == size) return l;
  if (kernel.KernelSize != size)
    fail(type,
         "has %ld bytes of captures, but %ld in the device code, because g++ captures a constant "
         "that DPC++ does not; make the constant static constexpr, or move it out of the function",
         size, long{kernel.KernelSize});
  return nullptr;
}
#endif

// check throws if the device compilation does not have the kernel, or has a different layout.
template <class K, class Type>
bool check() {
#if defined(__clang__) && !defined(RULES_SYCL_TABLE)
  if constexpr (!described<K>) find<K>();
#else
#if !defined(RULES_SYCL_TABLE) && !defined(__clang__) && __GNUC__ < 13
  if constexpr (!described<K>) (void)&Listed<K>::here;
#endif
  layout<Type> = layout_of(info<K>(), type_name<K>(), sizeof(Type));
#endif
  return true;
}

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <WrapAs As, class K, class Type, class Element,
          class Properties = ext::oneapi::experimental::empty_properties_t>
struct KernelWrapper {
  static void wrap(const Type &kernel) {
    (void)&rules_sycl::Submitted<K, sizeof(Type), rules_sycl::hash(KernelInfo<K>::getName()),
                                 rules_sycl::form<Type>()>::here;
#if defined(__GXX_RTTI)
    (void)&rules_sycl::OneType<K, Type>::here;
#endif
    static const bool checked = rules_sycl::check<K, Type>();
    (void)checked;
    KernelWrapperOfLibrary<As, K, Type, Element, Properties>::wrap(kernel);
  }
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl
