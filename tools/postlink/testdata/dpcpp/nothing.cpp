// No kernels.
#include <sycl/sycl.hpp>

int half(int x) { return x / 2; }
