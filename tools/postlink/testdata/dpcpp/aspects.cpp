// Kernels that need fp64, fp16, 64-bit atomics or nothing.
#include <sycl/sycl.hpp>

void run(sycl::queue &q, float *f, double *d, sycl::half *h, long *l) {
  q.parallel_for<class Nothing>(64, [=](sycl::id<1> i) { f[i] *= 2; });
  q.parallel_for<class Double>(64, [=](sycl::id<1> i) { d[i] *= 2; });
  q.parallel_for<class Half>(64, [=](sycl::id<1> i) { h[i] = h[i] * sycl::half(2); });
  q.parallel_for<class Both>(64, [=](sycl::id<1> i) { d[i] = static_cast<float>(h[i]); });
  q.parallel_for<class Atomic>(64, [=](sycl::id<1>) {
    sycl::atomic_ref<long, sycl::memory_order::relaxed, sycl::memory_scope::device> total(l[0]);
    total.fetch_add(1);
  });
}
