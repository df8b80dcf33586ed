// A header that needs another one before it.
#pragma once

inline void fill(sycl::queue &queue, int *data) {
  queue.single_task([=] { data[0] = 1; });
}
