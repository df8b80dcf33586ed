// Precedes DPC++'s header with this name. libsycl's headers call KernelWrapper::wrap for each
// kernel that the host code submits. DPC++'s wrap adds functions and classes for each kernel, and
// does nothing on the host except to check the properties of the kernel, which the device compile
// also does.

#pragma once
#pragma GCC system_header

#define KernelWrapper KernelWrapperOfLibrary
#include_next <sycl/detail/kernel_launch_helper.hpp>
#undef KernelWrapper

#include <sycl/detail/cg_types.hpp>
#include <sycl/detail/compile_time_kernel_info.hpp>

#include <rules_sycl/find.hpp>
#include <rules_sycl/one_type.hpp>

namespace rules_sycl {

// The name of `here` records in the object file which kernel the host code submits: its type, its
// size, and a hash of the type's name in the integration header, or 0 if the header does not name
// it. 'devicec host' compares that with the device compilation.
template <class K, unsigned long Size, unsigned long Name>
struct Submitted {
  __attribute__((used, visibility("hidden"))) static inline char here = 0;
};

__attribute__((cold, noinline, unused)) static const char *device_name(Entry &entry) {
  const Kernel *kernel = find(entry.name().c_str());
  return kernel ? kernel->name : "";
}

template <class K>
const char *device_name() {
  if constexpr (described<K>)
    return sycl::detail::KernelInfo<K>::getName();
  else
    return device_name(entry<K>);
}

#if !defined(__clang__) || defined(RULES_SYCL_TABLE)
// check sets the layout of a kernel's class, which does not depend on the kernel's name. It throws
// if the device compilation has a different layout that the table does not describe.
__attribute__((noinline, unused)) static void check(const Info &kernel, Type &type) {
  if (__atomic_load_n(&type.checked, __ATOMIC_ACQUIRE)) return;
  const std::lock_guard<std::mutex> lock(mutex);
  if (type.checked) return;
  const long size = static_cast<long>(type.size);
  const std::string_view name = kernel.Name;
  const Layout *layout = kernels().layouts;
  while (layout->kernel && (layout->kernel != name || layout->host != size)) layout++;
  if (!layout->kernel) {
    layout = nullptr;
    if (kernel.KernelSize != size)
      fail(
          name.data() + 4,  // _ZTS
          "has %ld bytes of captures, but %ld in the device code, because g++ captures a constant "
          "that DPC++ does not; make the constant static constexpr, or move it out of the function",
          size, long{kernel.KernelSize});
  }
  type.layout = layout;
  __atomic_store_n(&type.checked, true, __ATOMIC_RELEASE);
}
#endif

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <WrapAs As, class K, class Type, class Element,
          class Properties = ext::oneapi::experimental::empty_properties_t>
struct KernelWrapper {
  static void wrap(const Type &) {
    (void)&rules_sycl::Submitted<K, sizeof(Type), rules_sycl::hash(KernelInfo<K>::getName())>::here;
#if defined(__GXX_RTTI)
    (void)&rules_sycl::OneType<K, Type>::here;
#endif
#if !defined(__clang__) || defined(RULES_SYCL_TABLE)
    rules_sycl::check(rules_sycl::info<K>(), rules_sycl::type<Type>);
#else
    if constexpr (!rules_sycl::described<K>) rules_sycl::find(rules_sycl::entry<K>);
#endif
#if !defined(__clang__) && !defined(RULES_SYCL_TABLE) && __GNUC__ < 13
    if constexpr (!rules_sycl::described<K>) (void)&rules_sycl::Listed<K>::here;
#endif
  }
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl
