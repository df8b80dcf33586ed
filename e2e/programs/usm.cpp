// Device, host and shared memory, used in an order that events determine.
#include "check.hpp"

#include <numeric>
#include <vector>

int main() {
  Run r;
  int *out = r.out;
  sycl::queue q(r.queue.get_context(), r.queue.get_device());
  const std::size_t n = 1000;
  int *device = sycl::malloc_device<int>(n, q), *host = sycl::malloc_host<int>(n, q);
  std::iota(host, host + n, 0);
  const sycl::event there = q.copy(host, device, n);
  const sycl::event twice = q.submit([&](sycl::handler &h) {
    h.depends_on(there);
    h.parallel_for(n, [=](sycl::id<1> i) { device[i] *= 2; });
  });
  const sycl::event filled = q.parallel_for(n / 2, {twice}, [=](sycl::id<1> i) { device[i] = static_cast<int>(n); });
  q.copy(device, host, n, filled).wait();
  out[0] = host[0] + host[n / 2 - 1] + host[n / 2];
  r.expect(3000, "events");
  q.memset(device, 1, n * sizeof *device).wait();
  q.single_task([=] { out[0] = device[n - 1]; }).wait();
  r.expect(0x01010101, "memset");
  sycl::free(host, q);
  sycl::free(device, q);
  std::vector<int, sycl::usm_allocator<int, sycl::usm::alloc::shared>> list(64, 5, sycl::usm_allocator<int, sycl::usm::alloc::shared>(q));
  q.parallel_for(list.size(), [=, data = list.data()](sycl::id<1> i) { data[i] += static_cast<int>(i[0]); }).wait();
  out[0] = std::accumulate(list.begin(), list.end(), 0);
  r.expect(64 * 5 + 2016, "allocator");
  struct Node {
    int value;
    Node *next;
  };
  Node *nodes = sycl::malloc_shared<Node>(3, q);
  for (int i = 0; i < 3; i++) nodes[i] = {i + 1, i < 2 ? nodes + i + 1 : nullptr};
  q.single_task([=] {
    for (const Node *at = nodes; at; at = at->next) out[0] = 10 * out[0] + at->value;
  }).wait();
  r.expect(123, "pointers in memory");
  sycl::free(nodes, q);
  return result();
}
