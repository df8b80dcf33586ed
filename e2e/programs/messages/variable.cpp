// Only the device code uses the variable.
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  [[maybe_unused]] int *out = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] {
#ifdef __SYCL_DEVICE_ONLY__
    out[0] = 1;
#endif
  });
}
