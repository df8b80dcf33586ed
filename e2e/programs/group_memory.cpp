// Work-group memory that a kernel declares, and copies into this memory.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  for (int i = 0; i < 64; i++) out[i + 64] = i;
  r.queue.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
    auto &reversed = *sycl::ext::oneapi::group_local_memory_for_overwrite<int[16]>(i.get_group());
    reversed[15 - i.get_local_id(0)] = out[i.get_global_id(0) + 64];
    sycl::group_barrier(i.get_group());
    if (i.get_global_id(0) == 16) out[0] = reversed[0];
  });
  r.expect(31, "memory of the group");
  for (int i = 0; i < 64; i++) out[i + 64] = i;
  r.queue.submit([&](sycl::handler &h) {
    sycl::local_accessor<int> local(16, h);
    h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
      const auto group = i.get_group();
      const auto from = sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::yes>(out + 64 + 16 * group.get_group_id(0));
      i.async_work_group_copy(local.get_multi_ptr<sycl::access::decorated::yes>(), from, 16).wait();
      if (group.get_group_id(0) == 3 && group.leader()) out[0] = local[15];
    });
  });
  r.expect(63, "copy of a group");
  return result();
}
