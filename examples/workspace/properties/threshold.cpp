// A kernel with specialization constants. They have these values unless the program that loads the
// file sets other values. The device's compiler treats the values as constants.
#include <sycl_lite.hpp>

#include "limits.hpp"

namespace image {

using namespace sycl_lite;

inline constexpr specialization_id<Limits> limits{default_limits};
inline constexpr specialization_id<std::int32_t> white{default_white};

class Threshold;

void threshold(std::int32_t *values, std::size_t count) {
  parallel_for<Threshold>(nd_range<1>{1024, 64},
                          [values, count](nd_item<1> it, kernel_handler handler) {
                            const std::size_t i = it.get_global_id(0);
                            if (i >= count) return;
                            const Limits l = handler.get_specialization_constant<limits>();
                            const std::int32_t v = values[i];
                            if (v < l.low)
                              values[i] = 0;
                            else if (v > l.high)
                              values[i] = handler.get_specialization_constant<white>();
                            else
                              values[i] = static_cast<std::int32_t>(l.gain * v);
                          });
}

}  // namespace image
