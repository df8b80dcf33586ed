// Required work-group and sub-group sizes, and with both a type.
//
// for X: 64 512 1024 2048
// for SG: 8 16 32
// for T: int double
__attribute__((reqd_work_group_size(X, 1, 1), intel_reqd_sub_group_size(SG)))
kernel void k(global T *x) {
  size_t i = get_global_id(0);
  x[i] = x[i] + x[i ^ 1];
}
