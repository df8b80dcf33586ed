// Atomic operations on half. SYCL has an aspect for them; devices differ in the
// addition alone.
//
// for F: load store exchange fetch_min fetch_max
// spirv: --spirv-ext=+SPV_EXT_shader_atomic_float_min_max
#define load __spirv_AtomicLoad(p, 1, 0)
#define store (__spirv_AtomicStore(p, 1, 0, 3.0h), 1.0h)
#define exchange __spirv_AtomicExchange(p, 1, 0, 3.0h)
#define fetch_min __spirv_AtomicFMinEXT(p, 1, 0, 3.0h)
#define fetch_max __spirv_AtomicFMaxEXT(p, 1, 0, 3.0h)
half __attribute__((overloadable)) __spirv_AtomicLoad(global half *, int, int);
void __attribute__((overloadable)) __spirv_AtomicStore(global half *, int, int, half);
half __attribute__((overloadable)) __spirv_AtomicExchange(global half *, int, int, half);
half __attribute__((overloadable)) __spirv_AtomicFMinEXT(global half *, int, int, half);
half __attribute__((overloadable)) __spirv_AtomicFMaxEXT(global half *, int, int, half);
kernel void k(global half *p, global int *out) { out[get_global_id(0)] = (int)F; }
