// Sub-group functions on types that not every device has.
//
// for T: half float double long
// for F: reduce_add scan_inclusive_max broadcast
// for SG: 16
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define broadcast(x) sub_group_broadcast(x, 0u)
#define reduce_add(x) sub_group_reduce_add(x)
#define scan_inclusive_max(x) sub_group_scan_inclusive_max(x)
#ifdef SG
__attribute__((intel_reqd_sub_group_size(SG)))
#endif
kernel void k(global T *x) {
  size_t i = get_global_id(0);
  x[i] = F(x[i]);
}
