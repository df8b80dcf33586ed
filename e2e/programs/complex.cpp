// Algorithms of groups over complex numbers: DPC++ has them in a <complex> in front of the host compiler's.
#include <complex>

#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  r.queue.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) {
    std::complex<float> sum = sycl::reduce_over_group(it.get_group(), std::complex<float>(1, 2), sycl::plus<>());
    out[0] = static_cast<int>(sum.real() + sum.imag());
  });
  r.expect(24, "sum over a group");
  r.queue.single_task([=] {
    std::complex<float> i(0, 1);
    out[0] = static_cast<int>((i * i).real());
  });
  r.expect(-1, "product");
  return result();
}
