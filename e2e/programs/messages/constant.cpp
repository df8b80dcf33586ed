// g++ captures the constant, DPC++ does not.
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(1, queue);
  const int step = 4;
  queue.submit([&](sycl::handler &h) { h.single_task<class Named>([=] { out[0] = step; }); });
  queue.submit([&](sycl::handler &h) { h.single_task([=] { out[0] = step; }); });
}
