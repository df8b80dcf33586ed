#include <sycl_lite.hpp>

using namespace sycl_lite;

class Twice;

void twice(int *values) {
  parallel_for<Twice>(nd_range<1>{64, 64},
                      [values](nd_item<1> it) { values[it.get_global_id(0)] *= 2; });
}
