// A kernel that requires work-groups of 64 work-items, which share local memory.
#include <sycl_lite.hpp>

namespace image {

using namespace sycl_lite;

class BlockReverse;

void block_reverse(int *values) {
  parallel_for<BlockReverse>(nd_range<1>{1024, 64}, work_group_size<64>, [values](nd_item<1> it) {
    SYCL_LITE_LOCAL int block[64];
    std::size_t i = it.get_local_id(0);
    block[i] = values[it.get_global_id(0)];
    group_barrier(it.get_group());
    values[it.get_global_id(0)] = block[63 - i];
  });
}

}  // namespace image
