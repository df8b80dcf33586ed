// A field of temperatures on a square grid.
#pragma once

#include <sycl/sycl.hpp>

namespace field {

// smooth simulates the flow of heat for some steps; the rim of the field keeps its temperature.
void smooth(sycl::queue &q, float *field, int side, int steps);

// norm returns the largest temperature.
float norm(sycl::queue &q, const float *field, int side);

}  // namespace field
