// Hierarchical parallelism, sub-groups and group algorithms.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  r.queue.submit([&](sycl::handler &h) {
    h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(4), [=](sycl::group<1> g) {
      int shared = 5;
      g.parallel_for_work_item([&](sycl::h_item<1> i) { if (i.get_global_id(0) == 7) out[0] = shared; });
    });
  });
  r.expect(5, "work items");
  r.queue.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> i) {
    const int sum = sycl::reduce_over_group(i.get_group(), static_cast<int>(i.get_local_id(0)), sycl::plus<>());
    if (i.get_global_id(0) == 0) out[0] = sum;
  });
  r.expect(496, "sum of a group");
  r.queue.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> i) {
    const auto sub = i.get_sub_group();
    const int last = sycl::group_broadcast(sub, static_cast<int>(sub.get_local_linear_id()), sub.get_local_linear_range() - 1);
    if (i.get_global_id(0) == 0) out[0] = last + 1 == static_cast<int>(sub.get_local_linear_range());
  });
  r.expect(1, "sub-group");
  return result();
}
