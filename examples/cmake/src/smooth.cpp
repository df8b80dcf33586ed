#include <utility>

#include "field/field.hpp"
#include "field/weights.hpp"

namespace field {

void smooth(sycl::queue &q, float *field, int side, int steps) {
  float *next = sycl::malloc_device<float>(side * side, q);
  q.copy(field, next, side * side).wait();
  float *from = field, *to = next;
  for (int step = 0; step < steps; step++) {
    q.parallel_for(sycl::range<2>(side, side), [=](sycl::item<2> it) {
       int y = it[0], x = it[1], at = y * side + x;
       if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
       float around = from[at - 1] + from[at + 1] + from[at - side] + from[at + side];
       to[at] = from[at] + kFlow * (around - 4 * from[at]);
     }).wait();
    std::swap(from, to);
  }
  if (from != field) q.copy(from, field, side * side).wait();
  sycl::free(next, q);
}

}  // namespace field
