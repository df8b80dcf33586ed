#pragma once

#include <vector>

// Computes y = a * x + y on the device that SYCL selects. Callers need not include SYCL's headers.
void axpy(float a, const std::vector<float> &x, std::vector<float> &y);
