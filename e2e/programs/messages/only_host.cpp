// The device compile does not see the kernel.
#include <sycl/sycl.hpp>

class Hidden;

int main() {
  sycl::queue queue;
#ifndef __SYCL_DEVICE_ONLY__
  queue.single_task<Hidden>([] {});
#endif
}
