#include "field/field.hpp"

namespace field {

float norm(sycl::queue &q, const float *field, int side) {
  float *largest = sycl::malloc_shared<float>(1, q);
  *largest = 0;
  q.parallel_for(sycl::range<1>(side * side), sycl::reduction(largest, sycl::maximum<float>()),
                 [=](sycl::id<1> i, auto &max) { max.combine(field[i]); })
      .wait();
  float result = *largest;
  sycl::free(largest, q);
  return result;
}

}  // namespace field
