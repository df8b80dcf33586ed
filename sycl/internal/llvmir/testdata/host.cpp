// One of many things that host code can hold.
#include <cstdarg>

struct Base {
  virtual int f(int);
  virtual ~Base();
  int a;
  double d;
};
int Base::f(int x) {
  asm volatile("nop # %0" ::"r"(x) : "memory");
  return x + a;
}
Base::~Base() {}
struct Error {};
struct Guard {
  Base *b;
  ~Guard() { b->f(0); }
};

template <class F> int run(F f) { return f(3); }
int sum(int n, ...) {
  va_list l;
  va_start(l, n);
  int s = 0;
  for (int i = 0; i < n; i++) s += va_arg(l, int);
  va_end(l);
  return s;
}
thread_local int local = 5;
static const char *names[] = {"a", "b\n\"q\";"};
int catching(Base *v) {
  try {
    Guard g{v};
    auto l = [&](int z) { return names[v->f(1) & 1][0] + z; };
    return run(l) + sum(2, 1, 2);
  } catch (Error &) {
    return 1;
  } catch (...) {
    throw;
  }
}
int choose(int x) {
  switch (x) {
  case 1: return 5;
  case 2: return 7;
  case 100: return 9;
  default: return catching(nullptr);
  }
}
void *jump(int x) {
  static void *t[] = {&&a, &&b};
  goto *t[x];
a:
  return t;
b:
  return t + 1;
}
__attribute__((weak)) int weak() { return local; }
extern "C" int base() { return 3; }
extern "C" int other() __attribute__((alias("base")));
typedef float float4 __attribute__((vector_size(16)));
float4 vectors(float4 a, float4 b) { return __builtin_shufflevector(a * b + 1.0f, a, 3, 2, 1, 4); }
bool exchange(long *p, long e) { return __atomic_compare_exchange_n(p, &e, 4, false, 5, 5); }
