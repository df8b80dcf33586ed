// Buffers, accessors, local memory, and fills and copies that libsycl implements as kernels.
#include "check.hpp"

#include <vector>

int main() {
  Run r;
  int *out = r.out;
  {
    std::vector<int> data(64, 1);
    sycl::buffer<int> b(data);
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      sycl::local_accessor<int> local(8, h);
      h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) {
        const int at = static_cast<int>(i.get_local_id(0));
        local[at] = a[i.get_global_id(0)] + at;
        sycl::group_barrier(i.get_group());
        if (at == 0)
          for (int k = 1; k < 8; k++) local[0] += local[k];
        if (i.get_global_id(0) == 0) out[0] = local[0];
      });
    });
    r.expect(36, "local memory");
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.fill(a, 7);
    });
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_only);
      h.single_task([=] { out[0] = a[63]; });
    });
    r.expect(7, "fill of an accessor");
    // The runtime copies the kernel, so that it can be submitted again.
    sycl::accessor<int, 1> later(b);
    const auto increment = [=] { later[0] += 1; };
    for (int i = 0; i < 2; i++)
      r.queue.submit([&](sycl::handler &h) {
        h.require(later);
        h.single_task(increment);
      });
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h, sycl::read_only);
      h.single_task([=] { out[0] = a[0]; });
    });
    r.expect(9, "a kernel submitted twice");
  }
  struct Pair {
    int a, b;
  };
  Pair *pairs = sycl::malloc_shared<Pair>(4, r.queue);
  r.queue.fill(pairs, Pair{3, 4}, 4);
  r.queue.single_task([=] { out[0] = pairs[3].b; });
  r.expect(4, "fill with a local type");
  r.queue.wait();
  sycl::free(pairs, r.queue);
  return result();
}
