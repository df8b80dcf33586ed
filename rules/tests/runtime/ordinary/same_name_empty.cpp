#include <sycl/sycl.hpp>

void wait(sycl::queue &queue) {
  queue.submit([&](sycl::handler &h) { h.single_task<class Same>([=] {}); });
}
