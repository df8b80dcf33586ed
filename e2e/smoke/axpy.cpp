// A kernel that needs double.
#include <sycl_lite.hpp>

namespace linear {

using namespace sycl_lite;

class Axpy;

void axpy(double factor, const double *x, double *y, std::size_t count) {
  parallel_for<Axpy>(nd_range<1>{1024, 64}, [factor, x, y, count](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    if (i < count) y[i] += factor * x[i];
  });
}

}  // namespace linear
