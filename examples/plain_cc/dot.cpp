#include "dot.hpp"

// A kernel that needs double precision, which some GPUs lack.
class Dot;

double dot(sycl::queue &queue, const std::vector<float> &x, const std::vector<float> &y) {
  double sum = 0;
  {
    sycl::buffer a(x), b(y);
    sycl::buffer<double> result(&sum, 1);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor from_a(a, h, sycl::read_only), from_b(b, h, sycl::read_only);
      const auto reduction = sycl::reduction(result, h, sycl::plus<>());
      h.parallel_for<Dot>(a.get_range(), reduction, [=](sycl::id<1> i, auto &total) {
        total += static_cast<double>(from_a[i]) * from_b[i];
      });
    });
  }
  return sum;
}
