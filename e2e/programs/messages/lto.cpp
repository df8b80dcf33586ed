// The device compile does not see the kernel, and the linker compiles the host code.
#include <sycl/sycl.hpp>

class Late;

int main() {
  sycl::queue queue;
#ifndef __SYCL_DEVICE_ONLY__
  queue.single_task<Late>([] {});
#endif
}
