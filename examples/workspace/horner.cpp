// A device function that a kernel in a different source calls.
#include "horner.hpp"

namespace polynomial {

SYCL_EXTERNAL float horner(const float *coefficients, std::size_t count, float x) {
  float value = 0;
  while (count > 0) value = value * x + coefficients[--count];
  return value;
}

}  // namespace polynomial
