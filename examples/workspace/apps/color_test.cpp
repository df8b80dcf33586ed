// Tests the functions of color.hpp in a kernel.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "apps/check.hpp"
#include "apps/color.hpp"

class ToLight;
class ThereAndBack;

int main() try {
  sycl::queue queue;
  apps::print_device(queue);

  const std::vector<float> values = {0, 0.04f, 0.5f, 1};
  std::vector<float> light(values.size()), back(values.size());
  {
    sycl::buffer in(values), out(light), again(back);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor from(in, h, sycl::read_only);
      const sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for<ToLight>(from.size(),
                              [=](sycl::id<1> i) { to[i] = color::to_light(from[i]); });
    });
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor from(out, h, sycl::read_only);
      const sycl::accessor to(again, h, sycl::write_only, sycl::no_init);
      h.parallel_for<ThereAndBack>(from.size(),
                                   [=](sycl::id<1> i) { to[i] = color::to_value(from[i]); });
    });
  }
  apps::Checks checks;
  checks.near("color::to_light", light, std::vector<float>{0, 0.0030960f, 0.2140411f, 1}, 1e-5);
  checks.near("color::to_value", back, values, 1e-5);
  return checks.exit_code();
} catch (const std::exception &e) {
  std::fprintf(stderr, "color_test: %s\n", e.what());
  return 1;
}
