// Explicit SIMD kernels and an ordinary kernel.
#include <sycl/ext/intel/esimd.hpp>
#include <sycl/sycl.hpp>

namespace esimd = sycl::ext::intel::esimd;

void run(sycl::queue &q, float *f) {
  q.parallel_for<class Vector>(sycl::range<1>(4), [=](sycl::id<1> i) SYCL_ESIMD_KERNEL {
    esimd::simd<float, 16> v(f + i * 16);
    v += 1.0f;
    v.copy_to(f + i * 16);
  });
  q.parallel_for<class Grf>(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> i) SYCL_ESIMD_KERNEL {
    esimd::simd<float, 32> v(f + i.get_global_id(0) * 32);
    esimd::simd<float, 32> w = esimd::sqrt(v);
    w.copy_to(f + i.get_global_id(0) * 32);
  });
  q.parallel_for<class Ordinary>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) { f[i.get_global_id(0)] += 1; });
}
