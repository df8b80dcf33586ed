// Compares the kernels with the same arithmetic on the host.
#include <cmath>
#include <cstdio>
#include <vector>

#include "field/field.hpp"
#include "field/weights.hpp"

int main() {
  constexpr int side = 17, steps = 9;
  std::vector<float> want(side * side);
  want[side * 8 + 8] = 100;
  sycl::queue q;
  float *got = sycl::malloc_shared<float>(side * side, q);
  q.copy(want.data(), got, want.size()).wait();
  field::smooth(q, got, side, steps);

  for (int step = 0; step < steps; step++) {
    std::vector<float> from = want;
    for (int y = 1; y < side - 1; y++)
      for (int x = 1; x < side - 1; x++) {
        int at = y * side + x;
        float around = from[at - 1] + from[at + 1] + from[at - side] + from[at + side];
        want[at] = from[at] + field::kFlow * (around - 4 * from[at]);
      }
  }
  float largest = 0;
  for (int i = 0; i < side * side; i++) {
    largest = std::fmax(largest, want[i]);
    if (std::fabs(got[i] - want[i]) > 1e-4f) {
      std::printf("%d: %g, not %g\n", i, got[i], want[i]);
      return 1;
    }
  }
  if (std::fabs(field::norm(q, got, side) - largest) > 1e-4f) {
    std::printf("norm: %g, not %g\n", field::norm(q, got, side), largest);
    return 1;
  }
  sycl::free(got, q);
}
