#include "axpy.hpp"

#include <sycl/sycl.hpp>

void axpy(float a, const std::vector<float> &x, std::vector<float> &y) {
  sycl::queue queue;
  sycl::buffer in(x);
  sycl::buffer out(y);
  queue.submit([&](sycl::handler &h) {
    const sycl::accessor from(in, h, sycl::read_only);
    const sycl::accessor to(out, h, sycl::read_write);
    h.parallel_for(out.get_range(), [=](sycl::id<1> i) { to[i] += a * from[i]; });
  });
}
