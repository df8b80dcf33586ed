// g++ captures both constants, DPC++ the second one: nothing tells g++'s two ints apart.
#include <sycl/sycl.hpp>

int four();

int main() {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(1, queue);
  const int step = 4, known = four();
  queue.submit([&](auto &h) { h.template single_task<class Named>([=] { out[0] = step + known; }); });
}
