// The target depends on the first header's library, and not on the second one's.
#include "messages/direct.hpp"
#include "messages/below.hpp"

#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  int *data = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { data[0] = direct + below; }).wait();
}
