// A source without deprecated calls compiles with -Wall -Wextra -Werror: deprecated names in
// libsycl's headers, attributes and pragmas of device code do not cause warnings.
#include "check.hpp"

template <typename T> T stored(sycl::queue &queue) {
  sycl::buffer<T> b{1};
  queue.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.single_task([=] { a[0] = 3; });
  });
  return sycl::host_accessor(b)[0];
}

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
  *out = static_cast<int>(stored<unsigned>(r.queue));
  r.expect(3, "accessor in a template");
  return result();
}
