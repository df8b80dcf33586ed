// g++ needs typeid for an unnamed kernel.
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  queue.single_task([] {});
}
