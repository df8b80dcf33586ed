// This is auto-generated SYCL integration header.

#include <sycl/detail/defines_elementary.hpp>
#include <sycl/detail/kernel_desc.hpp>
#include <sycl/ext/oneapi/experimental/free_function_traits.hpp>
#include <sycl/access/access.hpp>

#ifndef SYCL_LANGUAGE_VERSION
#define SYCL_LANGUAGE_VERSION 202012L
#endif //SYCL_LANGUAGE_VERSION

// Forward declarations of templated kernel function types:
class S;

namespace sycl {
inline namespace _V1 {
namespace detail {
// names of all kernels defined in the corresponding source
static constexpr
const char* const kernel_names[] = {
  "_ZN15__sycl_kernel_n4iotaIiEEvT_PS1_",
  "_ZN15__sycl_kernel_n3oneE1P",
  "_ZTSZ4mainE1S",
  "",
};

static constexpr unsigned kernel_args_sizes[] = {2, 1, 0, 4294967295, 
};

// array representing signatures of all kernels defined in the
// corresponding source
static constexpr
const kernel_param_desc_t kernel_signatures[] = {
  //--- _ZN15__sycl_kernel_n4iotaIiEEvT_PS1_
  { kernel_param_kind_t::kind_std_layout, 4, 0 },
  { kernel_param_kind_t::kind_pointer, 8, 0 },

  //--- _ZN15__sycl_kernel_n3oneE1P
  { kernel_param_kind_t::kind_std_layout, 16, 0 },

  //--- _ZTSZ4mainE1S

  { kernel_param_kind_t::kind_invalid, -987654321, -987654321 }, 
};

} // namespace detail
} // namespace _V1
} // namespace sycl

// Definition of _ZN15__sycl_kernel_n4iotaIiEEvT_PS1_ as a free function kernel

// Forward declarations of kernel and its argument types:

namespace n {
template <class T> void iota(T, T *);
} // namespace n

static constexpr auto __sycl_shim1() {
  return (void (*)(int, int *))n::iota<int>;
}

namespace sycl {
inline namespace _V1 {
namespace detail {
//Free Function Kernel info specialization for shim1
template <> struct FreeFunctionInfoData<__sycl_shim1()> {
  __SYCL_DLL_LOCAL
  static constexpr unsigned getNumParams() { return 2; }
  __SYCL_DLL_LOCAL
  static constexpr const char *getFunctionName() { return "_ZN15__sycl_kernel_n4iotaIiEEvT_PS1_"; }
};
} // namespace detail
} // namespace _V1
} // namespace sycl

namespace sycl {
template <>
struct ext::oneapi::experimental::is_kernel<__sycl_shim1()> {
  static constexpr bool value = true;
};
template <>
struct ext::oneapi::experimental::is_nd_range_kernel<__sycl_shim1(), 1> {
  static constexpr bool value = true;
};
}

// Definition of _ZN15__sycl_kernel_n3oneE1P as a free function kernel

// Forward declarations of kernel and its argument types:
struct P;

namespace n {
void one(P p);
} // namespace n

static constexpr auto __sycl_shim2() {
  return (void (*)(struct P))n::one;
}

namespace sycl {
inline namespace _V1 {
namespace detail {
//Free Function Kernel info specialization for shim2
template <> struct FreeFunctionInfoData<__sycl_shim2()> {
  __SYCL_DLL_LOCAL
  static constexpr unsigned getNumParams() { return 1; }
  __SYCL_DLL_LOCAL
  static constexpr const char *getFunctionName() { return "_ZN15__sycl_kernel_n3oneE1P"; }
};
} // namespace detail
} // namespace _V1
} // namespace sycl

namespace sycl {
template <>
struct ext::oneapi::experimental::is_kernel<__sycl_shim2()> {
  static constexpr bool value = true;
};
template <>
struct ext::oneapi::experimental::is_single_task_kernel<__sycl_shim2()> {
  static constexpr bool value = true;
};
}

#include <sycl/kernel_bundle.hpp>
#include <sycl/detail/kernel_global_info.hpp>
namespace {
struct GlobalMapUpdater {
  GlobalMapUpdater() {
    sycl::detail::free_function_info_map::add(sycl::detail::kernel_names, sycl::detail::kernel_args_sizes, 3);
  }
  ~GlobalMapUpdater() {
    sycl::detail::free_function_info_map::remove(sycl::detail::kernel_names, sycl::detail::kernel_args_sizes, 3);
  }
};
static GlobalMapUpdater updater;
} // namespace
// Specializations of KernelInfo for kernel function types:
namespace sycl {
inline namespace _V1 {
namespace detail {
template <> struct KernelInfo<S> {
  __SYCL_DLL_LOCAL
  static constexpr const char* getName() { return "_ZTSZ4mainE1S"; }
  __SYCL_DLL_LOCAL
  static constexpr unsigned getNumParams() { return 0; }
  __SYCL_DLL_LOCAL
  static constexpr const kernel_param_desc_t& getParamDesc(unsigned i) {
    return kernel_signatures[i+3];
  }
  __SYCL_DLL_LOCAL
  static constexpr bool isESIMD() { return 0; }
  __SYCL_DLL_LOCAL
  static constexpr const char* getFileName() {
#ifndef NDEBUG
    return "ff2.cpp";
#else
    return "";
#endif
  }
  __SYCL_DLL_LOCAL
  static constexpr const char* getFunctionName() {
#ifndef NDEBUG
    return "S";
#else
    return "";
#endif
  }
  __SYCL_DLL_LOCAL
  static constexpr unsigned getLineNumber() {
#ifndef NDEBUG
    return 11;
#else
    return 0;
#endif
  }
  __SYCL_DLL_LOCAL
  static constexpr unsigned getColumnNumber() {
#ifndef NDEBUG
    return 52;
#else
    return 0;
#endif
  }
  // Returns the size of the kernel object in bytes.
  __SYCL_DLL_LOCAL
  static constexpr long getKernelSize() { return 1; }
};

} // namespace detail
} // namespace _V1
} // namespace sycl
