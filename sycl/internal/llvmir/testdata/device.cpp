// Kernels of stock clang, without a header.
template <class Name, class F>
[[clang::sycl_kernel_entry_point(Name)]] void launch(F f) { f(); }

struct Pair { double d; float f; };
__attribute__((opencl_global)) int counter = 3;
static float scale(float x) { return x * 2; }
static const int table[4] = {1, 2, 3, 4};

struct Plain;
struct Doubles;
void host(float *p, Pair *q, int n) {
  launch<Plain>([=] { p[n] = scale(p[n]) + table[n & 3]; counter += n; });
  launch<Doubles>([=] { q[n].d += q[n].f; __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED); });
}
