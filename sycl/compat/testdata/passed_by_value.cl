// Structures that functions take by value. A call that stays a call copies them, a
// call that is inlined need not, and a kernel gets its arguments from the host.
//
// for T: half float double long
// for HOW: CALLED INLINED KERNEL
// clang: -O1 -Xclang -disable-llvm-passes
#define CALLED 1
#define INLINED 2
#define KERNEL 3
struct pair {
  int key;
  T value;
};
#if HOW == CALLED
__attribute__((noinline))
#endif
int key(struct pair p) { return p.key; }
#if HOW == KERNEL
kernel void k(global int *out, struct pair p) { out[0] = p.key; }
#else
kernel void k(global int *out) {
  struct pair p;
  p.key = 7;
  out[0] = key(p);
}
#endif
