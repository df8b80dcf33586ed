// A kernel with a property list: it requires work-groups of 8 by 8 work-items, which share a tile,
// and no aspects.
#include <sycl_lite.hpp>

namespace image {

using namespace sycl_lite;
using namespace sycl_lite::ext::oneapi::experimental;

class Transpose;

void transpose(const int *values, int *transposed) {
  parallel_for<Transpose>(
      nd_range<2>{{64, 64}, {8, 8}}, properties{work_group_size<8, 8>, device_has<>},
      [values, transposed](nd_item<2> it) {
        SYCL_LITE_LOCAL int tile[8][8];
        const std::size_t y = it.get_local_id(0), x = it.get_local_id(1);
        tile[y][x] = values[it.get_global_linear_id()];
        group_barrier(it.get_group());
        const std::size_t row = 8 * it.get_group(1) + y, column = 8 * it.get_group(0) + x;
        transposed[row * it.get_global_range(0) + column] = tile[x][y];
      });
}

}  // namespace image
