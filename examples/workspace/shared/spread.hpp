#pragma once

#include <vector>

namespace statistics {

// The mean of the squared distances from the mean.
float spread(const std::vector<float> &values);

}  // namespace statistics
