// A header that must be included after a different header.
#pragma once

inline void fill(sycl::queue &queue, int *data) {
  queue.single_task([=] { data[0] = 1; });
}
