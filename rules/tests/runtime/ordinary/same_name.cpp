#include <sycl/sycl.hpp>

void set(sycl::queue &queue, int *to) {
  queue.submit([&](sycl::handler &h) { h.single_task<class Same>([=] { *to = 1; }); });
}
