// Values that work-items of a sub-group exchange.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  const auto launch = [&](auto of) {
    r.queue.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(16)]] {
      const auto sub = i.get_sub_group();
      const int value = of(sub, static_cast<int>(sub.get_local_linear_id()));
      if (sub.get_local_linear_id() == 5) out[0] = value;
    });
  };
  launch([](auto sub, int id) { return sycl::select_from_group(sub, 10 * id, 12); });
  r.expect(120, "select");
  launch([](auto sub, int id) { return sycl::shift_group_left(sub, id, 2); });
  r.expect(7, "shift");
  launch([](auto sub, int id) { return sycl::permute_group_by_xor(sub, id, 3); });
  r.expect(6, "permute");
  launch([](auto sub, int id) { return sycl::inclusive_scan_over_group(sub, id, sycl::plus<>()); });
  r.expect(15, "scan");
  launch([](auto sub, int id) { return sycl::any_of_group(sub, id == 9) + 2 * sycl::all_of_group(sub, id < 9); });
  r.expect(1, "votes");
  return result();
}
