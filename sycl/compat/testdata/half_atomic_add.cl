// Atomic addition of half, in global and in local memory.
//
// for SPACE: global local
// spirv: --spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float16_add
half __attribute__((overloadable)) __spirv_AtomicFAddEXT(SPACE half *, int, int, half);
kernel void k(SPACE half *p, global int *out) {
  out[get_global_id(0)] = (int)__spirv_AtomicFAddEXT(p, 1, 0, 3.0h);
}
