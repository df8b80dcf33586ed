// Calls a library and a shared library, and submits its own kernel.
#include <cstdio>
#include <sycl/sycl.hpp>
#include <vector>

#include "axpy.hpp"
#include "dot.hpp"

int main() {
  constexpr int kSize = 1000;
  sycl::queue queue;
  std::printf("device: %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
  std::vector<float> x(kSize), y(kSize, 1);
  {
    sycl::buffer out(x);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor to(out, h, sycl::write_only);
      h.parallel_for(out.get_range(),
                     [=](sycl::id<1> i) { to[i] = static_cast<float>(i[0] % 10); });
    });
  }
  axpy(2, x, y);
  double expected = 0;
  for (int i = 0; i < kSize; ++i) {
    if (y[i] != 2 * (i % 10) + 1) {
      std::printf("y[%d] is %g\n", i, y[i]);
      return 1;
    }
    expected += (i % 10) * (2 * (i % 10) + 1);
  }
  const double found = dot(queue, x, y);
  std::printf("dot: %g, expected %g\n", found, expected);
  return found == expected ? 0 : 1;
}
