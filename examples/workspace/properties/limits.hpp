// Types shared by the kernel in threshold.cpp and the program that sets its constants.
#pragma once

#include <cstdint>

namespace image {

struct Limits {
  std::int32_t low, high;  // smaller values become 0, larger values white
  float gain;              // gain of the values in between
};

constexpr Limits default_limits{10, 200, 1};
constexpr std::int32_t default_white = 255;

}  // namespace image
