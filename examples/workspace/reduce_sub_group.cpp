// A kernel for devices with sub-groups of 8 work-items.
#include <sycl_lite.hpp>

namespace stats {

using namespace sycl_lite;

class Spread;

// For each sub-group, writes the difference between its largest and its smallest
// value.
void spread(const int *values, int *ranges) {
  parallel_for<Spread>(nd_range<1>{1024, 64}, sub_group_size<8>, [values, ranges](nd_item<1> it) {
    sub_group group = it.get_sub_group();
    std::size_t i = it.get_global_id(0);
    int low = reduce_over_group(group, values[i], minimum<>{});
    int high = reduce_over_group(group, values[i], maximum<>{});
    if (group.leader()) ranges[i / 8] = high - low;
  });
}

}  // namespace stats
