#pragma once

#include <sycl/sycl.hpp>

inline void increment(sycl::queue &q, int *value) {
  q.single_task<class Increment>([=] { *value += 1; }).wait();
}
