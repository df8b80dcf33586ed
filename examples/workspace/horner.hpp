// Polynomials on the device.
#ifndef HORNER_HPP
#define HORNER_HPP

#include <sycl_lite.hpp>

namespace polynomial {

// Returns the polynomial's value at x. The first coefficient is the constant term.
SYCL_EXTERNAL float horner(const float *coefficients, std::size_t count, float x);

}  // namespace polynomial

#endif  // HORNER_HPP
