// Values that are converted on their way.
//
// for FROM: char ulong half float double
// for TO: short half float double
kernel void convert(global const FROM *in, global TO *out) {
  size_t i = get_global_id(0);
  out[i] = (TO)in[i];
}
