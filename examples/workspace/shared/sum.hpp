#pragma once

#include <vector>

namespace statistics {

// Used by the host code of several libraries.
inline float sum(const std::vector<float> &values) {
  float total = 0;
  for (float value : values) total += value;
  return total;
}

}  // namespace statistics
