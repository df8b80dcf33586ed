// Code of today compiles with -Wall -Wextra -Werror: libsycl's own calls of deprecated functions
// are no fault of it, and attributes and pragmas are for the device compile.
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
  r.queue.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) [[sycl::reqd_work_group_size(8)]] {
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) sum += k;
    if (i.get_global_id(0) == 0) out[0] = sum;
  });
  r.expect(6, "attribute and pragma");
  return result();
}
