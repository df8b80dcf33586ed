// Code of today compiles with -Wall -Wextra -Werror: libsycl's own calls of deprecated functions
// are no fault of it.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  r.queue.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) { if (i.get_global_id(0) == 63) out[0] = 1; });
  });
  r.expect(1, "nd_range");
  r.queue.single_task([=] { out[0] = 2; });
  r.expect(2, "single_task");
  r.queue.parallel_for(sycl::nd_range<1>(64, 8), sycl::reduction(out, sycl::plus<>()), [=](sycl::nd_item<1>, auto &sum) { sum += 1; });
  r.expect(64, "reduction");
  return result();
}
