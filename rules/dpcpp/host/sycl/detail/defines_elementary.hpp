// Stands in front of DPC++'s header of this name. With SYCL_LANGUAGE_VERSION it marks what is
// deprecated at places where g++ 12 takes no such mark. Integration headers define that macro after
// this header.

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
