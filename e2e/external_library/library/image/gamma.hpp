#pragma once

#include <sycl/sycl.hpp>

namespace image {

// Called by kernels.
SYCL_EXTERNAL float gamma(float value);

}  // namespace image
