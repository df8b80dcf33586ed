// Precedes DPC++'s header with this name. If SYCL_LANGUAGE_VERSION is defined, that header uses
// [[deprecated]] at positions where g++ 12 does not support it. Integration headers define the
// macro after this header.

#pragma once
#pragma GCC system_header

#if !defined(__clang__)
#pragma push_macro("SYCL_LANGUAGE_VERSION")
#undef SYCL_LANGUAGE_VERSION
#endif
#include_next <sycl/detail/defines_elementary.hpp>
#if !defined(__clang__)
#pragma pop_macro("SYCL_LANGUAGE_VERSION")
#endif
