// Specialization constants: what is computed from them alone is known when the
// device's compiler runs.
//
// for T: half float double long
// for F: COMPARE CONVERT STORE COMBINE
#define COMPARE 1
#define CONVERT 2
#define STORE 3
#define COMBINE 4
T __attribute__((overloadable)) __spirv_SpecConstant(int, T);
kernel void k(global int *out, global T *in) {
  T chosen = __spirv_SpecConstant(0, (T)2);
  size_t i = get_global_id(0);
#if F == COMPARE
  out[i] = chosen > (T)3 ? out[i + 1] : out[i + 2];
#elif F == CONVERT
  out[i] = out[i + 1] * (int)(chosen / (T)2);
#elif F == STORE
  in[i] = chosen;
#else
  out[i] = in[i] > chosen;
#endif
}
