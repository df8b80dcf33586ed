#pragma once

#include <vector>

namespace statistics {

float mean(const std::vector<float> &values);

// Returns the number of calls of mean, which the library counts.
int means();

}  // namespace statistics
