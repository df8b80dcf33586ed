#pragma once

#include <sycl/sycl.hpp>

#include <vector>

namespace statistics {

// Called by kernels of other sources.
SYCL_EXTERNAL float twice(float value);

// Doubles all values.
void double_all(std::vector<float> &values);

}  // namespace statistics
