#include "scale.hpp"

SYCL_EXTERNAL float scaled(float value) { return 2 * value; }

namespace {
class Count;
}

void count(sycl::queue &queue, float *data, int size) {
  queue.parallel_for<Count>(size, [=](sycl::id<1> i) { data[i] = static_cast<float>(i[0]); })
      .wait();
}
