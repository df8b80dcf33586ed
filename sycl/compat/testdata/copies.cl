// Values that are only moved: by themselves, as the member of a structure, in
// private memory and in local memory.
//
// for T: half float double long half8
// for BY: VALUE STRUCT PRIVATE LOCAL BYTES
struct pair {
  int key;
  T value;
};
#if defined(VALUE)
#error the macro BY holds the name
#endif
#define VALUE 1
#define STRUCT 2
#define PRIVATE 3
#define LOCAL 4
#define BYTES 5
#if BY == VALUE
kernel void move(global const T *in, global T *out) {
  size_t i = get_global_id(0);
  out[i] = in[i];
}
#elif BY == STRUCT
kernel void move(global const struct pair *in, global struct pair *out) {
  size_t i = get_global_id(0);
  if (in[i].key != 0) out[i].value = in[i].value;
}
#elif BY == PRIVATE
kernel void move(global const T *in, global T *out, int turn) {
  T held[4];
  size_t i = get_global_id(0);
  for (int n = 0; n < 4; ++n) held[n] = in[4 * i + n];
  for (int n = 0; n < 4; ++n) out[4 * i + n] = held[n + turn & 3];
}
#elif BY == LOCAL
kernel void move(global const T *in, global T *out) {
  local T held[64];
  size_t i = get_global_id(0), l = get_local_id(0);
  held[l & 63] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = held[63 - l & 63];
}
#else
kernel void move(global const uchar *in, global uchar *out) {
  size_t i = get_global_id(0);
  for (size_t n = 0; n < sizeof(T); ++n) out[sizeof(T) * i + n] = in[sizeof(T) * i + n];
}
#endif
