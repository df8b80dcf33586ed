// A program with its own kernel, which also runs kernels of a library.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

#include "shared/mean.hpp"
#include "shared/spread.hpp"

class Odd;

int main() {
  std::vector<float> values(4);
  {
    sycl::queue queue;
    sycl::buffer out(values);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for<Odd>(values.size(), [=](sycl::id<1> i) {
        to[i] = 1 + 2 * static_cast<float>(static_cast<std::size_t>(i));
      });
    });
  }
  const float spread = statistics::spread(values);
  std::printf("spread: %g, computed with %d means\n", spread, statistics::means());
  return spread == 5 && statistics::means() == 2 ? 0 : 1;
}
