// Two kernels of one module that require different sub-group sizes: a device must
// have both.
//
// for A: 8 16 32
// for B: 8 16 32
__attribute__((intel_reqd_sub_group_size(A))) kernel void a(global int *x) { x[get_global_id(0)] += 1; }
__attribute__((intel_reqd_sub_group_size(B))) kernel void b(global int *x) { x[get_global_id(0)] += 2; }
