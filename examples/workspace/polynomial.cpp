// A kernel that calls a device function in a different source.
#include "horner.hpp"

namespace polynomial {

using namespace sycl_lite;

class Evaluate;

void evaluate(const float *coefficients, std::size_t degree, const float *x, float *y,
              std::size_t count) {
  parallel_for<Evaluate>(nd_range<1>{1024, 64}, [coefficients, degree, x, y, count](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    if (i < count) y[i] = horner(coefficients, degree + 1, x[i]);
  });
}

}  // namespace polynomial
