// g++ numbers the kernels of this expression from last to first, and DPC++ from first to last.
#include <sycl/sycl.hpp>

template <class... Ts>
void each(sycl::queue &queue, int *out, Ts... values) {
  (queue.single_task([=] { out[0] = static_cast<int>(values); }), ...);
}

int main() {
  sycl::queue queue;
  each(queue, sycl::malloc_shared<int>(1, queue), 1, 2L);
}
