// A program with a kernel that calls a function in a library. It also runs the library's kernel.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

#include "shared/scale.hpp"

class Quadruple;

int main() {
  std::vector<float> values(4, 1.0f);
  {
    sycl::queue queue;
    sycl::buffer all(values);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor to(all, h, sycl::read_write);
      h.parallel_for<Quadruple>(values.size(), [=](sycl::id<1> i) {
        to[i] = statistics::twice(statistics::twice(to[i]));
      });
    });
  }
  statistics::double_all(values);
  std::printf("%g\n", values[3]);
  return values[3] == 8 ? 0 : 1;
}
