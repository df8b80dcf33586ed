// Functions of the C library, which device libraries implement.
#include <cmath>
#include <complex>
#include <cstring>
#include <sycl/sycl.hpp>

void run(sycl::queue &q, float *f, double *d, std::complex<float> *c) {
  q.parallel_for<class Sine>(64, [=](sycl::id<1> i) { f[i] = std::sin(f[i]); });
  q.parallel_for<class Power>(64, [=](sycl::id<1> i) { d[i] = std::pow(d[i], 1.5); });
  q.parallel_for<class Complex>(64, [=](sycl::id<1> i) { c[i] = c[i] * c[0] / c[1]; });
  q.single_task<class Copy>([=] { std::memcpy(f, f + 64, sizeof(float) * 64); });
}
