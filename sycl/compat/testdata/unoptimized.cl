// What the optimizer would remove, and calls that it would inline.
//
// for T: half float double long
// for HOW: DEAD CALL CHAIN PARAMETER RESULT BYVALUE LOCAL CONSTANT TERNARY
// clang: -O0
#define DEAD 1
#define CALL 2
#define CHAIN 3
#define PARAMETER 4
#define RESULT 5
#define BYVALUE 6
#define CONSTANT 7
#define TERNARY 8
#define LOCAL 9
struct pair {
  int key;
  T value;
};
T sum(T a, T b) { return a + b; }
int steps(global const T *in) { return (int)sum(in[0], in[1]); }
int key(struct pair p) { return p.key; }
void ignore(T x) {}
T make(void) { return (T)3; }
kernel void k(global int *out, global const T *in) {
  size_t i = get_global_id(0);
#if HOW == DEAD
  T x = in[i];
  out[i] = 1;
#elif HOW == CALL
  out[i] = sum(in[i], in[i + 1]) > 0;
#elif HOW == CHAIN
  out[i] = steps(in + i);
#elif HOW == PARAMETER
  ignore(in[i]);
  out[i] = 1;
#elif HOW == RESULT
  make();
  out[i] = 1;
#elif HOW == BYVALUE
  struct pair p;
  p.key = 7;
  out[i] = key(p);
#elif HOW == LOCAL
  struct pair p;
  p.key = 7;
  out[i] = p.key;
#elif HOW == CONSTANT
  out[i] = (int)((T)1.5f * (T)4);
#else
  out[i] = in[i] > in[i + 1] ? 1 : 2;
#endif
}
