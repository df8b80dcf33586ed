// A function that a kernel in a different source calls.
#include <sycl_lite.hpp>

SYCL_EXTERNAL int twice(int value) { return 2 * value; }
