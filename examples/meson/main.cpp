#include <cstdio>
#include <vector>

#include "dot.hpp"

int main() {
  std::vector<float> values(1000, 2), ones(1000, 1);
  sycl::buffer<float> a(values), b(ones);
  sycl::queue q;
  float result = dot(q, a, b);
  std::printf("%g\n", result);
  return result == 2000 ? 0 : 1;
}
