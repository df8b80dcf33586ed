// Arithmetic on values of a type, alone and with a required sub-group size.
//
// for T: char short int long half float double
// for SG: - 8 16 32
#ifdef SG
__attribute__((intel_reqd_sub_group_size(SG)))
#endif
kernel void calculate(global const T *in, global T *out, T factor) {
  size_t i = get_global_id(0);
  out[i] = in[i] * factor + out[i];
}
