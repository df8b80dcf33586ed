#pragma once

#include <vector>

namespace statistics {

// Returns the mean of the squared distances from the mean.
float spread(const std::vector<float> &values);

}  // namespace statistics
