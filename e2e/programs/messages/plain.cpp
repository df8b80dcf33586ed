#include "messages/plain.hpp"

int main(int argc, char **) {
  sycl::queue q;
  int *value = sycl::malloc_shared<int>(1, q);
  if (argc > 5) increment(q, value);
  sycl::free(value, q);
}
