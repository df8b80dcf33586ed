// A private header: users of the library do not include it.
#ifndef SCALING_DETAIL_FACTOR_HPP
#define SCALING_DETAIL_FACTOR_HPP

namespace scaling {

constexpr float factor = 2.5f;

}  // namespace scaling

#endif  // SCALING_DETAIL_FACTOR_HPP
