// Vectors of double whose elements are never taken apart.
//
// for N: 2 4 8
// for F: COPY ADD MULTIPLY SELECT LOCAL STRUCT
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(double, N) vector;
#define COPY 1
#define ADD 2
#define MULTIPLY 3
#define SELECT 4
#define LOCAL 5
#define STRUCT 6
struct pair {
  int key;
  vector value;
};
#if F == STRUCT
kernel void k(global const struct pair *in, global struct pair *out) {
  size_t i = get_global_id(0);
  if (in[i].key != 0) out[i].value = in[i].value;
}
#else
kernel void k(global const vector *in, global vector *out, int wanted) {
  size_t i = get_global_id(0);
#if F == COPY
  out[i] = in[i];
#elif F == ADD
  out[i] = in[i] + in[i + 1];
#elif F == MULTIPLY
  out[i] = in[i] * in[i + 1];
#elif F == SELECT
  out[i] = wanted == 1 ? in[i] : in[i + 1];
#else
  local vector held[64];
  held[i & 63] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = held[63 - (i & 63)];
#endif
}
#endif
