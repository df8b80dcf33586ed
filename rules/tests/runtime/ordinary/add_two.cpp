#include "shared_kernel.hpp"

void add_two(sycl::queue &queue, float *data, int size) { add(queue, data, size, 2); }
