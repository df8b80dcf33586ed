#pragma once

#include <vector>

namespace image {

// Adds by to all values, on a device.
void brighten(std::vector<float> &values, float by);

}  // namespace image
