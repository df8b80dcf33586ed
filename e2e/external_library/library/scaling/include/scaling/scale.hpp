// A device function that kernels of other projects call.
#ifndef SCALING_SCALE_HPP
#define SCALING_SCALE_HPP

#include <sycl_lite.hpp>

namespace scaling {

SYCL_EXTERNAL float scale(float x);

}  // namespace scaling

#endif  // SCALING_SCALE_HPP
