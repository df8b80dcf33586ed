// Precedes DPC++'s header with this name, which prints a message if ranges are declared to fit in
// int and the compiler has no __builtin_assume.

#pragma once
#pragma GCC system_header

#include <sycl/detail/defines_elementary.hpp>

#if !defined(__clang__)
#pragma push_macro("__SYCL_ID_QUERIES_FIT_IN_INT__")
#pragma push_macro("__SYCL_ID_QUERIES_FIT_IN_UINT__")
#undef __SYCL_ID_QUERIES_FIT_IN_INT__
#undef __SYCL_ID_QUERIES_FIT_IN_UINT__
#endif
#include_next <sycl/detail/defines.hpp>
#if !defined(__clang__)
#pragma pop_macro("__SYCL_ID_QUERIES_FIT_IN_INT__")
#pragma pop_macro("__SYCL_ID_QUERIES_FIT_IN_UINT__")
#endif
