// Required sub-group sizes, also those that no device has, with functions that
// work on sub-groups.
//
// for SG: - 4 8 16 32 64
// for F: NONE REDUCE SHUFFLE BROADCAST BALLOT
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define NONE 1
#define REDUCE 2
#define SHUFFLE 3
#define BROADCAST 4
#define BALLOT 5
#ifdef SG
__attribute__((intel_reqd_sub_group_size(SG)))
#endif
kernel void k(global int *x) {
  size_t i = get_global_id(0);
#if F == NONE
  x[i] += 1;
#elif F == REDUCE
  x[i] = sub_group_reduce_add(x[i]);
#elif F == SHUFFLE
  x[i] = sub_group_shuffle(x[i], 3);
#elif F == BROADCAST
  x[i] = sub_group_broadcast(x[i], 2);
#else
  x[i] = sub_group_ballot(x[i] > 0).x;
#endif
}
