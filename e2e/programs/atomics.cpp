// Atomics on global and local memory, and a fence.
#include "check.hpp"

template <class T, sycl::access::address_space Space = sycl::access::address_space::global_space>
using Atomic = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device, Space>;

int main() {
  Run r;
  int *out = r.out;
  r.queue.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> i) { Atomic<int>(out[0]).fetch_max(static_cast<int>(i * 7 % 1000)); });
  r.expect(999, "maximum");
  r.queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1>) {
    Atomic<int> a(out[0]);
    for (int old = a.load(); !a.compare_exchange_strong(old, old + 3);) {
    }
  });
  r.expect(192, "compare and exchange");
  auto *real = sycl::malloc_shared<float>(1, r.queue);
  *real = 0;
  r.queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1>) { Atomic<float>(*real) += 0.5f; });
  r.queue.single_task([=] { out[0] = static_cast<int>(*real); });
  r.expect(32, "float");
  r.queue.wait();
  sycl::free(real, r.queue);
  r.queue.submit([&](sycl::handler &h) {
    sycl::local_accessor<int> count(1, h);
    h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
      if (i.get_local_id(0) == 0) count[0] = 0;
      sycl::group_barrier(i.get_group());
      Atomic<int, sycl::access::address_space::local_space>(count[0])++;
      sycl::group_barrier(i.get_group());
      if (i.get_local_id(0) == 0) Atomic<int>(out[0]) += count[0];
    });
  });
  r.expect(64, "local memory");
  r.queue.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> i) {
    out[i.get_global_id(0) + 1] = 2;
    sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::work_group);
    sycl::group_barrier(i.get_group());
    if (i.get_global_id(0) == 0)
      for (int k = 1; k <= 16; k++) out[0] += out[k];
  });
  r.expect(32, "fence");
  return result();
}
