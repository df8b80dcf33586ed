#ifndef SCALE_HPP
#define SCALE_HPP

#include <sycl/sycl.hpp>

// A device function in a different source.
SYCL_EXTERNAL float scaled(float value);

// Runs a kernel of the library: data[i] = i.
void count(sycl::queue &queue, float *data, int size);

#endif
