// Stands in front of DPC++'s header of this name. CompileTimeKernelInfo<K> is where libsycl's
// headers look up what the integration header says of a kernel. For a kernel without a name, this
// one does so when the program runs: typeid names a type as the device compile does. With
// RULES_SYCL_TABLE, so it is for all kernels.

#pragma once
#pragma GCC system_header

#if defined(__clang__) && !defined(RULES_SYCL_TABLE)
#include_next <sycl/detail/compile_time_kernel_info.hpp>
#else

#define CompileTimeKernelInfo CompileTimeKernelInfoOfLibrary
#include_next <sycl/detail/compile_time_kernel_info.hpp>
#undef CompileTimeKernelInfo

#include <rules_sycl/find.hpp>

namespace rules_sycl {

using Info = sycl::detail::CompileTimeKernelInfoTy;

using Parameter = sycl::detail::kernel_param_desc_t (*)(int);

// What libsycl reads of a kernel in a table. Its constructor calls `parameter`.
__attribute__((noinline, unused)) static Info read(const Kernel &k, Parameter parameter) {
  const std::string_view name = k.name, file = k.file, function = k.function;
  return Info{name, k.parameters, k.esimd, file, function, k.line, k.column, k.size, parameter};
}

template <class K>
inline const Kernel *found = nullptr;

template <class K>
const Info &info() {
  if constexpr (described<K>) {
    return sycl::detail::CompileTimeKernelInfoOfLibrary<K>;
  } else {
    static const Info out =
        read(*(found<K> = &find<K>()), [](int index) { return found<K>->parameter[index]; });
    return out;
  }
}

template <class K>
struct Name {
  operator sycl::detail::string_view() const { return info<K>().Name; }
  friend constexpr bool operator==(Name, std::string_view) { return false; }
  friend constexpr bool operator!=(Name, std::string_view) { return true; }
};

// Equal to any size: kernel_launch_helper.hpp compares it, and says more than a static_assert can.
struct Size {
  friend constexpr bool operator==(unsigned long, Size) { return true; }
};

// What CompileTimeKernelInfo<K> is: the members that libsycl's headers read while they are
// compiled, and all others when the program runs.
template <class K>
struct Described {
  using Header = sycl::detail::KernelInfo<K>;
  rules_sycl::Name<K> Name;
  Size KernelSize;
#if defined(RULES_SYCL_TABLE)
  bool IsESIMD = true;  // allows all properties: the device compile has checked them
#else
  bool IsESIMD = Header::isESIMD();
#endif
  sycl::detail::string_view FileName = std::string_view(Header::getFileName());
  sycl::detail::string_view FunctionName = std::string_view(Header::getFunctionName());
  unsigned LineNumber = Header::getLineNumber();
  unsigned ColumnNumber = Header::getColumnNumber();
  operator const Info &() const { return info<K>(); }
};

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <class K>
inline constexpr rules_sycl::Described<K> CompileTimeKernelInfo{};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

#endif
