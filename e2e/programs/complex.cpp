// Complex numbers in group algorithms, for which DPC++ extends <complex>.
#include <complex>

#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  r.queue.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) {
    const auto sum = sycl::reduce_over_group(i.get_group(), std::complex<float>(1, 2), sycl::plus<>());
    if (i.get_global_id(0) == 0) out[0] = static_cast<int>(sum.real() + sum.imag());
  });
  r.expect(24, "sum");
  r.queue.single_task([=] { out[0] = static_cast<int>(std::norm(std::complex<float>(3, 4))); });
  r.expect(25, "norm");
  return result();
}
