// A kernel that calls a function in a library's source.
#include <cstdio>

#include "middle.hpp"
#include "scale.hpp"

int main() {
  sycl::queue queue;
  float *data = sycl::malloc_shared<float>(size(), queue);
  count(queue, data, size());
  queue.parallel_for<class Scale>(size(), [=](sycl::id<1> i) { data[i] = scaled(data[i]); }).wait();
  int wrong = 0;
  for (int i = 0; i < size(); i++) wrong += data[i] != 2 * i;
  std::printf("%d of %d numbers wrong\n", wrong, size());
  sycl::free(data, queue);
  return wrong != 0;
}
