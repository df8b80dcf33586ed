// Precedes DPC++'s header with this name. If SYCL_LANGUAGE_VERSION is defined, that header marks
// the names that SYCL 2020 deprecates with [[deprecated]]. g++ 12 rejects the attribute at some
// positions, and clang warns about uses in DPC++'s own templates. The device compilation warns
// about uses in the source. Integration headers define the macro after this header.

#pragma once
#pragma GCC system_header

#pragma push_macro("SYCL_LANGUAGE_VERSION")
#undef SYCL_LANGUAGE_VERSION
#include_next <sycl/detail/defines_elementary.hpp>
#pragma pop_macro("SYCL_LANGUAGE_VERSION")
