#pragma once

#include <vector>

namespace image {

// Adds a number to all values, on a device.
void brighten(std::vector<float> &values, float by);

}  // namespace image
