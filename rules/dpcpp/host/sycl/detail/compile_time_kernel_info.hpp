// Precedes DPC++'s header with this name. libsycl's headers look up the integration header's
// description of a kernel in CompileTimeKernelInfo<K>. For an unnamed kernel, this header does so
// at run time, because typeid names a type in the same way as the device compilation. With
// RULES_SYCL_TABLE, it does so for all kernels.

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

// info returns the description of a kernel in a table, for libsycl.
__attribute__((noinline, unused)) static const Info &info(Entry &entry) {
  const void *known = __atomic_load_n(&entry.info, __ATOMIC_ACQUIRE);
  if (!known) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!entry.info) {
      const Kernel &k = find(entry);
      entry.kernel = &k;  // Info's constructor calls `parameter`
      const std::string_view name = k.name, file = k.file, function = k.function;
      known = new Info{name,   k.parameters, k.esimd, file,           function,
                       k.line, k.column,     k.size,  entry.parameter};
      __atomic_store_n(&entry.info, known, __ATOMIC_RELEASE);
    }
    known = entry.info;
  }
  return *static_cast<const Info *>(known);
}

template <class K>
const Info &info() {
  if constexpr (described<K>)
    return sycl::detail::CompileTimeKernelInfoOfLibrary<K>;
  else
    return info(entry<K>);
}

// Name is the name of a kernel, which libsycl's headers compare with "" at compile time. They get
// it at run time.
struct Name {
  const Info &(*info)();
  operator sycl::detail::string_view() const { return info().Name; }
  friend constexpr bool operator==(Name, std::string_view) { return false; }
  friend constexpr bool operator!=(Name, std::string_view) { return true; }
};

// Equals any size. kernel_launch_helper.hpp compares the size, with a better message than a
// static_assert.
struct Size {
  friend constexpr bool operator==(unsigned long, Size) { return true; }
};

// Described stands for the description of a kernel: libsycl's headers read some members at compile
// time, and get all others at run time. It is not a template, because a class for each kernel would
// slow down compiles.
struct Described {
  rules_sycl::Name Name;
  bool IsESIMD;
  sycl::detail::string_view FileName, FunctionName;
  unsigned LineNumber, ColumnNumber;
  Size KernelSize;
  operator const Info &() const { return Name.info(); }
};

template <class K>
constexpr Described describe() {
#if defined(RULES_SYCL_TABLE)
  // IsESIMD allows all properties, because the device compile has checked them.
  return {{info<K>}, true, std::string_view(""), std::string_view(""), 0, 0, {}};
#else
  using Header = sycl::detail::KernelInfo<K>;
  return {{info<K>},
          Header::isESIMD(),
          std::string_view(Header::getFileName()),
          std::string_view(Header::getFunctionName()),
          Header::getLineNumber(),
          Header::getColumnNumber(),
          {}};
#endif
}

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <class K>
inline constexpr rules_sycl::Described CompileTimeKernelInfo = rules_sycl::describe<K>();

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

#endif
