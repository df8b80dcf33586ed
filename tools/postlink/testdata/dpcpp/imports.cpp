// Functions of other images. Options: -fsycl-allow-device-image-dependencies
#include <sycl/sycl.hpp>

SYCL_EXTERNAL float elsewhere(float x);
SYCL_EXTERNAL double far(double x);
SYCL_EXTERNAL float here(float x) { return elsewhere(x) + 1; }

void run(sycl::queue &q, float *f, double *d) {
  q.single_task<class Direct>([=] { f[0] = elsewhere(f[0]); });
  q.single_task<class Through>([=] { f[0] = here(f[0]); });
  q.single_task<class Double>([=] { d[0] = far(d[0]); });
}
