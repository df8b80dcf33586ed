#include "shared/spread.hpp"

#include <sycl/sycl.hpp>

#include "shared/mean.hpp"

namespace statistics {

class Distance;

float spread(const std::vector<float> &values) {
  const float middle = mean(values);
  std::vector<float> squares(values.size());
  {
    sycl::queue queue;
    sycl::buffer in(values), out(squares);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor from(in, h, sycl::read_only);
      const sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for<Distance>(values.size(), [=](sycl::id<1> i) {
        const float distance = from[i] - middle;
        to[i] = distance * distance;
      });
    });
  }
  return mean(squares);
}

}  // namespace statistics
