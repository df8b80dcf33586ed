// A library that programs load at run time, such as a plugin or a Python module.
#include <sycl/sycl.hpp>

#include "shared/scale.hpp"

class Plugin;

extern "C" float quadruple(float value) {
  {
    sycl::queue queue;
    sycl::buffer all(&value, sycl::range(1));
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor to(all, h, sycl::read_write);
      h.parallel_for<Plugin>(
          1, [=](sycl::id<1> i) { to[i] = statistics::twice(statistics::twice(to[i])); });
    });
  }
  return value;
}
