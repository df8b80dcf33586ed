// Functions of the OpenCL library.
//
// for T: half float double
// for F: sqrt exp sin floor fabs native
#ifdef F
#define native(x) fma(x, x, x)
kernel void apply(global T *x) {
  size_t i = get_global_id(0);
  x[i] = F(x[i]);
}
#endif
