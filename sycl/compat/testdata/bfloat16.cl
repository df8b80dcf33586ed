// Conversions between float and bfloat16, which SYCL has no aspect for.
//
// for F: to from
// spirv: --spirv-ext=+SPV_INTEL_bfloat16_conversion
#define to ushort
#define from float
short __attribute__((overloadable)) __spirv_ConvertFToBF16INTEL(float);
float __attribute__((overloadable)) __spirv_ConvertBF16ToFINTEL(short);
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define is_ushort 1
kernel void k(global float *x, global short *y) {
  size_t i = get_global_id(0);
#if JOIN(is_, F)
  y[i] = __spirv_ConvertFToBF16INTEL(x[i]);
#else
  x[i] = __spirv_ConvertBF16ToFINTEL(y[i]);
#endif
}
