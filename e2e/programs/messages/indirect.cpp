// The target depends on the library of the first header, but not on the second header's library.
#include "messages/direct.hpp"
#include "messages/below.hpp"

#include <sycl/sycl.hpp>

int main() {
  sycl::queue queue;
  int *data = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { data[0] = direct + below; }).wait();
}
