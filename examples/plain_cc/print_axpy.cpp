// A program without kernels.
#include <cstdio>

#include "axpy.hpp"

int main() {
  std::vector<float> y = {1, 2, 3};
  axpy(10, {1, 1, 1}, y);
  std::printf("%g %g %g\n", y[0], y[1], y[2]);
}
