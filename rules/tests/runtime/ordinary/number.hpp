#ifndef NUMBER_HPP
#define NUMBER_HPP

#include <sycl/sycl.hpp>

struct Number {
  explicit Number(int value) : value(value) {}
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(sycl::ext::oneapi::experimental::indirectly_callable)
  virtual int get() const { return value; }
  int value;
};

// Creates a number on the device.
void make(sycl::queue &queue, Number *number);

#endif
