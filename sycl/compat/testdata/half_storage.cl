// Half as a format for storage: vload_half and vstore_half compute in float.
//
// for F: LOAD STORE LOAD4 DOUBLE
#define LOAD 1
#define STORE 2
#define LOAD4 3
#define DOUBLE 4
kernel void k(global half *in, global float *out) {
  size_t i = get_global_id(0);
#if F == LOAD
  out[i] = vload_half(i, in);
#elif F == STORE
  vstore_half(out[i], i, in);
#elif F == LOAD4
  vstore4(vload_half4(i, in), i, out);
#else
  vstore_half((double)out[i], i, in);
#endif
}
