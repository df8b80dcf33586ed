// Kernels and functions that declare aspects.
#include <sycl/sycl.hpp>

[[sycl::device_has(sycl::aspect::fp64)]] SYCL_EXTERNAL double twice(double x) { return 2 * x; }

void run(sycl::queue &q, float *f, double *d) {
  q.single_task<class Declares>([=]() [[sycl::device_has(sycl::aspect::gpu, sycl::aspect::fp16)]] { f[0] = 1; });
  q.single_task<class Calls>([=]() { d[0] = twice(d[0]); });
}
