// A program whose kernels are all in a shared library.
#include <cstdio>

#include "shared/mean.hpp"
#include "shared/spread.hpp"

int main() {
  const float spread = statistics::spread({1, 3, 5, 7});
  std::printf("spread: %g, computed with %d means\n", spread, statistics::means());
  return spread == 5 && statistics::means() == 2 ? 0 : 1;
}
