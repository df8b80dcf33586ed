// Atomic operations on floating-point numbers that every device has for a type it
// has, through integers where need be.
//
// for T: float double
// for F: fetch_add fetch_min fetch_max exchange load store
// for SPACE: global local
// spirv: --spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define JOIN(a, b) a##b
#define ATOMIC(t) JOIN(atomic_, t)
#define fetch_add(p) atomic_fetch_add(p, (T)3)
#define fetch_min(p) atomic_fetch_min(p, (T)3)
#define fetch_max(p) atomic_fetch_max(p, (T)3)
#define exchange(p) atomic_exchange(p, (T)3)
#define load(p) atomic_load(p)
#define store(p) (atomic_store(p, (T)3), 1)
kernel void k(SPACE ATOMIC(T) *p, global int *out) { out[get_global_id(0)] = (int)F(p + 1); }
