#include "shared/mean.hpp"

#include <sycl/sycl.hpp>

#include "shared/sum.hpp"

namespace statistics {

class Divide;

static int calls = 0;

float mean(const std::vector<float> &values) {
  calls++;
  std::vector<float> parts(values.size());
  {
    sycl::queue queue;
    sycl::buffer in(values), out(parts);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor from(in, h, sycl::read_only);
      const sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      const float count = static_cast<float>(values.size());
      h.parallel_for<Divide>(values.size(), [=](sycl::id<1> i) { to[i] = from[i] / count; });
    });
  }
  return sum(parts);
}

int means() { return calls; }

}  // namespace statistics
