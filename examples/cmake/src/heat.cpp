// heat SIDE STEPS: a hot spot in the middle of a cold field.
#include <cstdio>
#include <cstdlib>

#include "field/field.hpp"

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: heat SIDE STEPS\n");
    return 2;
  }
  int side = std::atoi(argv[1]), steps = std::atoi(argv[2]);
  sycl::queue q;
  float *field = sycl::malloc_shared<float>(side * side, q);
  q.fill(field, 0.0f, side * side).wait();
  q.single_task([=] { field[side / 2 * side + side / 2] = 1000; }).wait();
  field::smooth(q, field, side, steps);
  std::printf("%s: %.3f degrees after %d steps\n",
              q.get_device().get_info<sycl::info::device::name>().c_str(),
              field::norm(q, field, side), steps);
  sycl::free(field, q);
}
