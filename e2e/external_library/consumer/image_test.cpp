// A program that uses both libraries of a different module.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

#include "image/brighten.hpp"
#include "image/gamma.hpp"

int main() {
  std::vector<float> values{1, 2, 3};
  image::brighten(values, 1);
  {
    sycl::queue queue;
    sycl::buffer all(values);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor to(all, h, sycl::read_write);
      h.parallel_for<class Gamma>(values.size(),
                                  [=](sycl::id<1> i) { to[i] = image::gamma(to[i]); });
    });
  }
  std::printf("%g %g %g\n", values[0], values[1], values[2]);
  return values == std::vector<float>{4, 9, 16} ? 0 : 1;
}
