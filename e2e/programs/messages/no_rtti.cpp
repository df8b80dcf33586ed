// g++ needs typeid for a kernel without a name.
#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  queue.single_task([] {});
}
