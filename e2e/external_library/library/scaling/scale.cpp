// The first include uses a path from the repository root, the second a directory of `includes`.
#include "scaling/detail/factor.hpp"

#include <scaling/scale.hpp>

namespace scaling {

SYCL_EXTERNAL float scale(float x) { return x * factor; }

}  // namespace scaling
