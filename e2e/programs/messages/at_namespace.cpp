// clang 21 names the kernel without the variable, DPC++ with it.
#include <sycl/sycl.hpp>

auto submit = [](sycl::queue &queue) { queue.single_task([] {}); };

int main() {
  sycl::queue queue;
  submit(queue);
}
