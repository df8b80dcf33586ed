// Kernels for the tests of package spirv; build.sh makes one module of them.
// Only built-in types and functions, so that a stock clang compiles it.
using size_t = __SIZE_TYPE__;

__attribute__((const, nothrow)) size_t __spirv_BuiltInGlobalInvocationId(int);
int __spirv_SpecConstant(int id, int def);
float __spirv_SpecConstant(int id, float def);

template <class Name, class F>
[[clang::sycl_kernel_entry_point(Name)]] void enter(F f) { f(); }

inline size_t id() { return __spirv_BuiltInGlobalInvocationId(0); }

// A double in a member that no kernel touches.
struct Sample { double time; float value; };

// Not inlined: the only place where a double is used.
[[gnu::noinline]] double square(double x) { return x * x; }
[[gnu::noinline]] float viaDouble(float x) { return (float)square(x); }

int fromElsewhere(int);                   // defined in another module
double unreached(double x) { return x + 1; } // exported, called by nobody here

class Plain; class Untouched; class Folded; class Deep; class Half; class HalfPointer; class Sum64; class Exchange;
class Calls; class Spec;

void submit(float *f, double *d, _Float16 *h, long *l, int *i, Sample *s) {
  enter<Plain>([=] { f[id()] *= 2; });
  enter<Untouched>([=] { f[id()] = s[id()].value; });
  enter<Folded>([=] { f[id()] = (float)(1.0 / 3.0); });
  enter<Deep>([=] { f[id()] = viaDouble(f[id()]); });
  enter<Half>([=] { h[id()] = h[id()] * (_Float16)2; });
  enter<HalfPointer>([=] { if (h) f[id()] = 0; });
  enter<Sum64>([=] { __atomic_fetch_add(l, 1L, __ATOMIC_RELAXED); });
  enter<Exchange>([=] { __atomic_store_n(l, 7L, __ATOMIC_RELAXED); });
  enter<Calls>([=] { i[id()] = fromElsewhere(i[id()]); });
  enter<Spec>([=] { f[id()] = __spirv_SpecConstant(1, 1.5f) * __spirv_SpecConstant(0, 4); });
}
