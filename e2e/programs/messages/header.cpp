#include <sycl/sycl.hpp>

#include "messages/header.hpp"

int main() {
  sycl::queue queue;
  fill(queue, sycl::malloc_shared<int>(1, queue));
}
