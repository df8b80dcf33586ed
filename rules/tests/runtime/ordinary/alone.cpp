// A plain C++ program with a library that contains its own device images.
#include <cstdio>

#include "middle.hpp"
#include "scale.hpp"

int main() {
  sycl::queue queue;
  float *data = sycl::malloc_shared<float>(size(), queue);
  count(queue, data, size());
  int wrong = 0;
  for (int i = 0; i < size(); i++) wrong += data[i] != i;
  std::printf("%d of %d numbers wrong\n", wrong, size());
  sycl::free(data, queue);
  return wrong != 0;
}
