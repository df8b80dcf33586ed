// Functions for other images. Some are called here, and one requires fp64.
#include <sycl/sycl.hpp>

SYCL_EXTERNAL float called(float x) { return x + 1; }
SYCL_EXTERNAL float alone(float x) { return x + 2; }
SYCL_EXTERNAL double exact(double x) { return x / 3; }
SYCL_EXTERNAL float chain(float x) { return called(x) + static_cast<float>(exact(x)); }

void run(sycl::queue &q, float *f) {
  q.single_task<class Caller>([=] { f[0] = called(f[0]); });
}
