#include "dot.hpp"

float dot(sycl::queue &q, sycl::buffer<float> &a, sycl::buffer<float> &b) {
  float result = 0;
  {
    sycl::buffer<float> sum(&result, 1);
    q.submit([&](sycl::handler &h) {
      sycl::accessor x(a, h, sycl::read_only), y(b, h, sycl::read_only);
      h.parallel_for(a.get_range(), sycl::reduction(sum, h, sycl::plus<float>()),
                     [=](sycl::id<1> i, auto &total) { total += x[i] * y[i]; });
    });
  }
  return result;
}
