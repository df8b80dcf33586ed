// bfloat16. The device library implements its conversions in two versions.
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/sycl.hpp>

using sycl::ext::oneapi::bfloat16;

void run(sycl::queue &q, bfloat16 *b, float *f) {
  q.parallel_for<class Scale>(64, [=](sycl::id<1> i) { b[i] = b[i] * bfloat16(2.0f); });
  q.parallel_for<class Widen>(64, [=](sycl::id<1> i) { f[i] = b[i]; });
  q.parallel_for<class Plain>(64, [=](sycl::id<1> i) { f[i] = 1; });
}
