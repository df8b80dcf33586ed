// Required work-group sizes. The compiler takes every size.
//
// for X: 16 32 64 128 256 512 1024 2048
// for YZ: 1,1 2,1 2,2
#ifdef YZ
__attribute__((reqd_work_group_size(X, YZ)))
#endif
kernel void k(global int *x) {
  local int held[64];
  size_t i = get_global_id(0);
  held[i & 63] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = held[63 - (i & 63)];
}
