// Precedes DPC++'s header with this name, which g++ rejects with hundreds of errors.

#pragma once
#pragma GCC system_header
#if defined(__clang__)
#include_next <sycl/ext/intel/esimd.hpp>
#else
#error explicit SIMD requires clang as the host compiler; compile the host code with clang
#endif
