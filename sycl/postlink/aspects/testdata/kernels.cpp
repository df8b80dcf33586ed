// Kernels for stock clang, each with the aspects that it needs.
using size_t = decltype(sizeof 0);

size_t __spirv_BuiltInGlobalInvocationId(int dimension) noexcept;
long __spirv_AtomicIAdd(long *, unsigned scope, unsigned semantics, long) noexcept;
int __spirv_AtomicIAdd(int *, unsigned scope, unsigned semantics, int) noexcept;
void __spirv_AtomicStore(long *, unsigned scope, unsigned semantics, long) noexcept;
long __spirv_AtomicCompareExchange(long *, unsigned scope, unsigned equal, unsigned unequal, long, long) noexcept;
double __spirv_AtomicFAddEXT(double *, unsigned scope, unsigned semantics, double) noexcept;
_Float16 __spirv_AtomicFAddEXT(_Float16 *, unsigned scope, unsigned semantics, _Float16) noexcept;
double __spirv_SpecConstant(int id, double) noexcept;

template <class Name, class Function>
[[clang::sycl_kernel_entry_point(Name)]] void launch(Function f) {
  f();
}

template <class T>
[[gnu::noinline]] T square(T x) {
  return x * x;
}

struct Pair {
  int i;
  double d;
};

[[gnu::noinline]] int first(Pair p) { return p.i; }
[[gnu::noinline]] double second(Pair p) { return p.d; }

template <class T>
struct Base {
  T x;
  T twice() const { return x + x; }
};

struct Table {
  double (*f)(double);
};

void kernels(float *f, double *d, _Float16 *h, long *l, int *i, Pair *p, int n) {
  launch<class Single>([=] { f[__spirv_BuiltInGlobalInvocationId(0)] *= 2.5f; });
  launch<class Double>([=] { d[__spirv_BuiltInGlobalInvocationId(0)] *= 2.5; });
  launch<class Half>([=] { h[__spirv_BuiltInGlobalInvocationId(0)] *= 2; });
  launch<class Both>([=] { d[0] = h[0]; });
  launch<class DoubleInCallee>([=] { f[0] = square<double>(f[0]); });
  launch<class HalfInCallee>([=] { f[0] = square<_Float16>(f[0]); });
  launch<class SingleInCallee>([=] { f[0] = square<float>(f[0]); });
  launch<class FoldedToSingle>([=] { f[0] = f[0] * (float)2.0; });
  launch<class OneMemberIsDouble>([=] { i[0] = p->i; });
  launch<class CopiesPair>([=] {
    Pair q = p[1];
    p[0] = q;
  });
  launch<class PassesPair>([=] { i[0] = first(p[0]); });
  launch<class ReadsPair>([=] { d[0] = second(p[0]); });
  launch<class ConvertsDouble>([=] { i[0] = static_cast<int>(d[0]); });
  launch<class StoresDouble>([=] { d[0] = 1.0; });
  launch<class StoresZero>([=] { d[0] = 0; });
  launch<class ComparesDouble>([=] { i[0] = d[0] < d[1]; });
  launch<class Branches>([=] { i[0] = n > 3 ? static_cast<int>(square<double>(n)) : 0; });
  launch<class LoopsOverDouble>([=] {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += d[k];
    f[0] = static_cast<float>(sum);
  });
  launch<class DoubleOnStack>([=] {
    double local[4] = {1, 2, 3, 4};
    f[0] = static_cast<float>(local[n & 3]);
  });
  launch<class DeadDouble>([=] {
    double dead = n;
    (void)dead;
    i[0] = n;
  });
  launch<class MemberFunction>([=] { h[0] = Base<_Float16>{h[1]}.twice(); });
  launch<class Atomic32>([=] { __spirv_AtomicIAdd(i, 1, 0, 1); });
  launch<class Atomic64>([=] { __spirv_AtomicIAdd(l, 1, 0, 1); });
  launch<class AtomicStore64>([=] { __spirv_AtomicStore(l, 1, 0, n); });
  launch<class AtomicExchange64>([=] { __spirv_AtomicCompareExchange(l, 1, 0, 0, n, 3); });
  launch<class AtomicDouble>([=] { __spirv_AtomicFAddEXT(d, 1, 0, n); });
  launch<class AtomicHalf>([=] { __spirv_AtomicFAddEXT(h, 1, 0, h[1]); });
  launch<class BuiltinAtomic>([=] { __atomic_fetch_add(l, 1, __ATOMIC_RELAXED); });
  launch<class BuiltinAtomic32>([=] { __atomic_fetch_add(i, 1, __ATOMIC_RELAXED); });
  launch<class BuiltinLoad>([=] { i[0] = static_cast<int>(__atomic_load_n(l, __ATOMIC_RELAXED)); });
  launch<class BuiltinStore>([=] { __atomic_store_n(l, 1, __ATOMIC_RELAXED); });
  launch<class BuiltinExchange>([=] {
    long expected = 1;
    __atomic_compare_exchange_n(l, &expected, 2, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  });
  launch<class SpecConstant>([=] { f[0] = static_cast<float>(__spirv_SpecConstant(1, 2.0)); });
  launch<class StoresSpecConstant>([=] { d[0] = __spirv_SpecConstant(2, 2.0) + 1; });
  launch<class AddsSpecConstant>([=] { d[0] += __spirv_SpecConstant(2, 2.0); });
  launch<class ComparesSpecConstant>([=] {
    if (__spirv_SpecConstant(3, 2.0) > 1) i[0] = 1;
  });
  launch<class Copies>([=] { __builtin_memcpy(d, f, 64); });
}
