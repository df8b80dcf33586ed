// Captured lambdas whose captures g++ and DPC++ order differently.
#include <sycl/sycl.hpp>

template <class F>
void run(sycl::queue &queue, int *out, F f) {
  queue.single_task([=] { out[0] = f(); });
}

template <class... T>
void pack(sycl::queue &queue, int *out, int n, T... v) {
  run(queue, out, [=] { return ((v * 10 + n) + ...); });
}

template <class T>
void branch(sycl::queue &queue, int *out, T n, short s) {
  run(queue, out, [=] {
    if constexpr (sizeof(T) == 1)
      return s + n;
    else
      return n * 10 + s;
  });
}

int main() {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(1, queue);
  pack(queue, out, 1, 2);
  branch(queue, out, 1, 2);
}
