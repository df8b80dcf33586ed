// Variables and tables at program scope.
//
// for T: half float double long
// for F: TABLE VARIABLE UNUSED
#define TABLE 1
#define VARIABLE 2
#define UNUSED 3
constant T table[4] = {1, 2, 3, 4};
global T held = 5;
kernel void k(global int *out, int n) {
#if F == TABLE
  out[get_global_id(0)] = (int)table[n & 3];
#elif F == VARIABLE
  out[get_global_id(0)] = (int)held;
  held = (T)n;
#else
  out[get_global_id(0)] = 1;
#endif
}
