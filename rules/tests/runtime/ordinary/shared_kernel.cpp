// Two libraries with images of the same kernel.
#include <cstdio>

#include "shared_kernel.hpp"

int main() {
  sycl::queue queue;
  float *data = sycl::malloc_shared<float>(16, queue);
  for (int i = 0; i < 16; i++) data[i] = i;
  add_one(queue, data, 16);
  add_two(queue, data, 16);
  int wrong = 0;
  for (int i = 0; i < 16; i++) wrong += data[i] != i + 3;
  std::printf("%d of 16 numbers wrong\n", wrong);
  sycl::free(data, queue);
  return wrong != 0;
}
