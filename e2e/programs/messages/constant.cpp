// DPC++ captures the constant, because a lambda binds it to a reference. g++ does not.
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  std::size_t *out = sycl::malloc_shared<std::size_t>(1, queue);
  const std::size_t step = 4;
  queue.single_task<class Named>([=] {
    sycl::id<1> x(out[0]);
    out[0] = [=] {
      auto y = x;
      y += step;
      return y;
    }();
  });
}
