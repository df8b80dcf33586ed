#pragma once

#include <vector>

namespace statistics {

float mean(const std::vector<float> &values);

// The number of calls of mean, a variable of the library.
int means();

}  // namespace statistics
