// Kernels with properties, from a member of the functor and from launch configurations.
#include "check.hpp"

namespace ext = sycl::ext::oneapi::experimental;

struct Sized {
  int *out;
  void operator()(sycl::nd_item<1> i) const { if (i.get_global_id(0) == 0) out[0] = static_cast<int>(i.get_local_range(0)); }
  auto get(ext::properties_tag) const { return ext::properties{ext::work_group_size<16>}; }
};

int main() {
  Run r;
  int *out = r.out;
  r.queue.parallel_for(sycl::nd_range<1>(64, 16), Sized{out});
  r.expect(16, "member");
  ext::nd_launch(r.queue, sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) { if (i.get_global_id(0) == 0) out[0] = 8; });
  r.expect(8, "nd_launch");
  ext::single_task(r.queue, [=] { out[0] = 9; });
  r.expect(9, "single_task of the extension");
  r.queue.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) [[sycl::reqd_work_group_size(8)]] { if (i.get_global_id(0) == 0) out[0] = 10; });
  r.expect(10, "attribute");
  return result();
}
