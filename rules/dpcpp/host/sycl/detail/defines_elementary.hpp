// Precedes DPC++'s header with this name. If SYCL_LANGUAGE_VERSION is defined, that header marks
// what SYCL 2020 deprecates. g++ 12 does not support [[deprecated]] at some of the positions, and
// clang warns about the uses in DPC++'s own templates. The device compilation warns about uses in
// the source. Integration headers define the macro after this header.

#pragma once
#pragma GCC system_header

#pragma push_macro("SYCL_LANGUAGE_VERSION")
#undef SYCL_LANGUAGE_VERSION
#include_next <sycl/detail/defines_elementary.hpp>
#pragma pop_macro("SYCL_LANGUAGE_VERSION")
