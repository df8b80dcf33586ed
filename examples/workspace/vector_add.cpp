// A kernel that every device runs.
#include <sycl_lite.hpp>

namespace linear {

using namespace sycl_lite;

class VectorAdd;

void vector_add(const float *a, const float *b, float *sum, std::size_t count) {
  parallel_for<VectorAdd>(nd_range<1>{1024, 64}, [a, b, sum, count](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    if (i < count) sum[i] = a[i] + b[i];
  });
}

}  // namespace linear
