#pragma once

#include <sycl/sycl.hpp>

struct Interval {
  SYCL_EXTERNAL Interval(int begin, int end);
  SYCL_EXTERNAL ~Interval();

  int begin, end;
};
