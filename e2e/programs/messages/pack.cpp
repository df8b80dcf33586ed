// A parameter pack in a lambda from a macro: the source does not show the order in which DPC++ captures its elements.
#include <sycl/sycl.hpp>

#define KERNEL [=] { ((out[0] = 10 * out[0] + v), ...); }

template <class... T>
void pack(sycl::queue &queue, int *out, T... v) {
  queue.single_task(KERNEL);
}

int main() {
  sycl::queue queue;
  pack(queue, sycl::malloc_shared<int>(1, queue), 1, 2);
}
