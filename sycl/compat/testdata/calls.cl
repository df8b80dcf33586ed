// A use that a kernel reaches through a function, two kernels of which one has
// the use, and a kernel that calls the function with the use in a branch.
//
// for T: half float double
// for HOW: FUNCTION SECOND BRANCH LOOP
#define FUNCTION 1
#define SECOND 2
#define BRANCH 3
#define LOOP 4
__attribute__((noinline)) T scale(T x) { return x * (T)3; }
#if HOW == FUNCTION
kernel void k(global T *x) {
  size_t i = get_global_id(0);
  x[i] = scale(x[i]);
}
#elif HOW == SECOND
kernel void plain(global int *x) { x[get_global_id(0)] = 1; }
kernel void k(global T *x) {
  size_t i = get_global_id(0);
  x[i] = scale(x[i]);
}
#elif HOW == BRANCH
kernel void k(global T *x, int wanted) {
  size_t i = get_global_id(0);
  if (wanted == 1) x[i] = scale(x[i]);
}
#else
kernel void k(global T *x, int turns) {
  size_t i = get_global_id(0);
  T held = x[i];
  for (int n = 0; n < turns; ++n) held = scale(held);
  x[i] = held;
}
#endif
