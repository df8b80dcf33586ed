// g++ captures the constant first, DPC++ last: nothing tells the order in a lambda that is not a kernel.
#include <algorithm>
#include <sycl/sycl.hpp>

int four();

int main() {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(1, queue);
  const int step = 4;
  int limit = four();
  auto scaled = [=](int x) { return std::max(step, limit) * x; };
  queue.single_task<class Named>([=] { out[0] = scaled(2); });
}
