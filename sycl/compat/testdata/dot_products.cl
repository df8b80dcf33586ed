// Dot products of integers.
//
// for F: dot dot_acc_sat packed
// spirv: --spirv-ext=+SPV_KHR_integer_dot_product
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#define use_dot(i) (int)dot(a[i], b[i])
#define use_dot_acc_sat(i) (int)dot_acc_sat(a[i], b[i], 7u)
#define use_packed(i) (int)dot_4x8packed_uu_uint(as_uint(a[i]), as_uint(b[i]))
#define JOIN(a, b) a##b
#define USE(f) JOIN(use_, f)
kernel void k(global const uchar4 *a, global const uchar4 *b, global int *out) {
  size_t i = get_global_id(0);
  out[i] = USE(F)(i);
}
