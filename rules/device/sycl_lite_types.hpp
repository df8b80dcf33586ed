// The types for which sycl_lite.hpp and sycl_lite_gpu.hpp declare device functions. sycl_lite.hpp
// undefines the macros behind the declarations.
#ifndef SYCL_LITE_TYPES_HPP
#define SYCL_LITE_TYPES_HPP

#define SYCL_LITE_FOR_INTEGERS(X) X(int, S) X(unsigned, U) X(long, S) X(unsigned long, U)
#define SYCL_LITE_FOR_FLOATS(X) X(float) X(double)
#ifdef __FLT16_MANT_DIG__  // the compiler has _Float16 on this target
#define SYCL_LITE_FOR_HALF(X) X(_Float16)
#else
#define SYCL_LITE_FOR_HALF(X)
#endif

#endif  // SYCL_LITE_TYPES_HPP
