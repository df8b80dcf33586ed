#pragma once

#include <sycl/sycl.hpp>
#include <vector>

// Returns the sum of all x[i] * y[i].
double dot(sycl::queue &queue, const std::vector<float> &x, const std::vector<float> &y);
