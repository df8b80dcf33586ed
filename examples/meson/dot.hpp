#pragma once

#include <sycl/sycl.hpp>

// dot returns the dot product of two vectors.
float dot(sycl::queue &q, sycl::buffer<float> &a, sycl::buffer<float> &b);
