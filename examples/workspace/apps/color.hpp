// sRGB values (IEC 61966-2-1) are not proportional to light: the value 0.5 is a fifth of the light
// of 1. Code that adds light must convert values with these functions.
#pragma once

#include <sycl/sycl.hpp>

namespace color {

// SYCL_EXTERNAL makes a function callable from kernels in other sources. The host can also call it.

// Returns the light of a value from 0 to 1.
SYCL_EXTERNAL float to_light(float value);

// Returns the value of light. Light above 1 has the value 1.
SYCL_EXTERNAL float to_value(float light);

}  // namespace color
