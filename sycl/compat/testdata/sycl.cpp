// SYCL kernels of the kind that programs have: function objects with captures, a
// library function, and a capture that the kernel does not use.
//
// for T: int long _Float16 float double
// for F: AXPY STENCIL REDUCE ATOMIC UNUSED MIXED POLYNOMIAL
#define AXPY 1
#define STENCIL 2
#define REDUCE 3
#define ATOMIC 4
#define UNUSED 5
#define MIXED 6
#define POLYNOMIAL 7
#define LOCAL [[clang::loader_uninitialized]] static __attribute__((opencl_local))

[[gnu::const]] unsigned long __spirv_BuiltInGlobalInvocationId(int) noexcept;
[[gnu::const]] unsigned long __spirv_BuiltInLocalInvocationId(int) noexcept;
void __spirv_ControlBarrier(unsigned, unsigned, unsigned) noexcept;

template <class Name, class Function>
[[clang::sycl_kernel_entry_point(Name)]] void launch(Function f) {
  f();
}

template <class V>
[[gnu::noinline]] V polynomial(V x, V a, V b, V c) {
  return (a * x + b) * x + c;
}

template <class V>
struct particle {
  V position[3];
  long id;
};

class Kernel;

void program(T *x, T *y, T factor, int *n, particle<T> *all) {
#if F == AXPY
  launch<Kernel>([=] {
    unsigned long i = __spirv_BuiltInGlobalInvocationId(0);
    y[i] = y[i] + factor * x[i];
  });
#elif F == STENCIL
  launch<Kernel>([=] {
    unsigned long i = __spirv_BuiltInGlobalInvocationId(0) + 1;
    y[i] = (x[i - 1] + x[i] + x[i + 1]) * factor;
  });
#elif F == REDUCE
  launch<Kernel>([=] {
    LOCAL T held[64];
    unsigned long i = __spirv_BuiltInGlobalInvocationId(0), l = __spirv_BuiltInLocalInvocationId(0);
    held[l] = x[i];
    for (unsigned long step = 32; step > 0; step /= 2) {
      __spirv_ControlBarrier(2, 2, 0x310);
      if (l < step) held[l] = held[l] + held[l + step];
    }
    if (l == 0) y[i / 64] = held[0];
  });
#elif F == ATOMIC
  launch<Kernel>([=] { __atomic_fetch_add(n, static_cast<int>(x[0]), __ATOMIC_RELAXED); });
#elif F == UNUSED
  launch<Kernel>([factor, n] {
    struct {
      T value;
    } unused{factor};
    (void)unused;
    n[__spirv_BuiltInGlobalInvocationId(0)] = 1;
  });
#elif F == MIXED
  launch<Kernel>([=] {
    unsigned long i = __spirv_BuiltInGlobalInvocationId(0);
    if (all[i].id > 3) n[i] = static_cast<int>(all[i].id);
  });
#else
  launch<Kernel>([=] {
    unsigned long i = __spirv_BuiltInGlobalInvocationId(0);
    y[i] = polynomial<T>(x[i], factor, factor, factor);
  });
#endif
}
