// Types that the source has and that no kernel comes to use.
//
// for T: half float double long
// for HOW: UNREACHED CONSTANT DEAD MEMBER POINTER SIZE BRANCH
#define UNREACHED 1
#define CONSTANT 2
#define DEAD 3
#define MEMBER 4
#define POINTER 5
#define SIZE 6
#define BRANCH 7
struct pair {
  int key;
  T value;
};
#if HOW == UNREACHED
__attribute__((noinline)) T twice(T x) { return x + x; }
kernel void k(global int *out) { out[get_global_id(0)] = 1; }
#elif HOW == CONSTANT
kernel void k(global int *out) { out[get_global_id(0)] = (int)((T)1.5f * (T)4); }
#elif HOW == DEAD
kernel void k(global int *out, global const T *in) {
  T x = in[0] + in[1];
  (void)x;
  out[get_global_id(0)] = 1;
}
#elif HOW == MEMBER
kernel void k(global int *out, global const struct pair *in) {
  size_t i = get_global_id(0);
  out[i] = in[i].key;
}
#elif HOW == POINTER
kernel void k(global int *out, global T *in) {
  size_t i = get_global_id(0);
  out[i] = (int)(size_t)(in + i);
}
#elif HOW == SIZE
kernel void k(global int *out) { out[get_global_id(0)] = sizeof(T); }
#else
kernel void k(global int *out, global T *in) {
  if (sizeof(T) == 3) in[0] = in[0] + in[1];
  out[get_global_id(0)] = 1;
}
#endif
