#pragma once

#include <sycl/sycl.hpp>

template <class F>
int on_device(F f) {
  int value = 0;
  {
    sycl::buffer<int> buffer(&value, 1);
    sycl::queue().submit([&](sycl::handler &h) {
      sycl::accessor out(buffer, h, sycl::write_only);
      h.single_task([=] { out[0] = f(); });
    });
  }
  return value;
}
