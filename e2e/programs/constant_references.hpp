// Kernels in a header.
#pragma once

#include <algorithm>
#include <sycl/sycl.hpp>

template <class T>
void submit_template(sycl::queue &queue, T *out, T n, T m) {
  const T four = 4;
  const int three = 3;
  queue.single_task([=] { out[0] = std::max(four, n) * m + std::min(three, 7); });
}

inline void submit_range(sycl::queue &queue, int *out, int n, int m) {
  const int four = 4;
  queue.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::range<1>(1), [=](sycl::id<1> i) { out[i] = std::max(four, n) * m; });
  });
}
