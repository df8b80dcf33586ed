#include "shared_kernel.hpp"

void add_one(sycl::queue &queue, float *data, int size) { add(queue, data, size, 1); }
