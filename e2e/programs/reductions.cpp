// Reductions, for which libsycl generates additional kernels.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  r.queue.parallel_for(sycl::range<1>(64), sycl::reduction(out, sycl::plus<>()), [=](sycl::id<1>, auto &sum) { sum += 1; });
  r.expect(64, "range");
  r.queue.parallel_for(sycl::nd_range<1>(64, 8), sycl::reduction(out, sycl::plus<>()), [=](sycl::nd_item<1>, auto &sum) { sum += 2; });
  r.expect(128, "nd_range");
  r.queue.parallel_for(sycl::range<2>(8, 8), sycl::reduction(out, sycl::maximum<>()), [=](sycl::item<2> i, auto &most) { most.combine(static_cast<int>(i.get_linear_id())); });
  r.expect(63, "maximum");
  r.queue.parallel_for<class Named>(sycl::range<1>(10), sycl::reduction(out, sycl::plus<>()), [=](sycl::id<1> i, auto &sum) { sum += static_cast<int>(i[0]); });
  r.expect(45, "with a name");
  r.queue.parallel_for(sycl::range<1>(64), sycl::reduction(out, sycl::plus<>()), sycl::reduction(out + 1, sycl::plus<>()),
                       [=](sycl::id<1>, auto &a, auto &b) { a += 1, b += 2; });
  r.queue.single_task([=] { out[0] += out[1]; });
  r.expect(192, "two at once");
  return result();
}
