// Arithmetic on vectors.
//
// for T: half float double long
// for N: 2 3 4 8 16
#define JOIN(a, b) a##b
#define VECTOR(t, n) JOIN(t, n)
kernel void calculate(global const VECTOR(T, N) *in, global VECTOR(T, N) *out) {
  size_t i = get_global_id(0);
  out[i] = in[i] * in[i] + out[i];
}
