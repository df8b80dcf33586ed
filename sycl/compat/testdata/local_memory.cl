// Local memory of many sizes, in bytes; the compiler takes every size.
//
// for BYTES: 64 1024 16384 65536 131072
kernel void k(global int *x) {
  local int held[BYTES / 4];
  size_t i = get_global_id(0), l = get_local_id(0);
  held[l] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = held[BYTES / 4 - 1 - l];
}
