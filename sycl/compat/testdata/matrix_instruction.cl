// The instruction for matrices that a sub-group holds, with the shape of devices
// with sub-groups of 16.
//
// spirv: --spirv-ext=+SPV_INTEL_subgroup_matrix_multiply_accumulate
int __attribute__((overloadable)) __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, short, int8, int, int);
__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global int *c, global const short *a, global const int8 *b) {
  size_t i = get_global_id(0);
  c[i] = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(32, a[i], b[i], c[i], 0x30);
}
