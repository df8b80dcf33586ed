// Constants of a function in kernels that all compilers lay out in the same way.
#include "check.hpp"

constexpr int outside = 3;

int main() {
  Run r;
  int *out = r.out;
  static constexpr int fixed = 4;
  const int known = 5;
  constexpr int expression = 6;
  r.queue.single_task([=] { out[0] = outside + fixed + known + expression; });
  r.expect(18, "kernel of a queue");
  r.queue.submit([&](sycl::handler &h) { h.single_task([=] { out[0] = outside + fixed; }); });
  r.expect(7, "kernel of a handler");
  r.queue.submit([=](sycl::handler &h) { h.single_task([=] { out[0] = known + expression; }); });
  r.expect(11, "constants of a function, copied");
  return result();
}
