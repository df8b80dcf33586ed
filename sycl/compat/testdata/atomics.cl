// Atomic operations on integers.
//
// for T: int long ulong
// for F: fetch_add fetch_min fetch_xor exchange load store compare
// for SPACE: global local
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define JOIN(a, b) a##b
#define ATOMIC(t) JOIN(atomic_, t)
#define fetch_add(p) atomic_fetch_add(p, (T)3)
#define fetch_min(p) atomic_fetch_min(p, (T)3)
#define fetch_xor(p) atomic_fetch_xor(p, (T)3)
#define exchange(p) atomic_exchange(p, (T)3)
#define load(p) atomic_load(p)
#define store(p) (atomic_store(p, (T)3), 1)
#define compare(p) atomic_compare_exchange_strong(p, &expected, (T)3)
kernel void k(SPACE ATOMIC(T) *p, global int *out) {
  T expected = 1;
  out[get_global_id(0)] = (int)F(p + 1);
}
