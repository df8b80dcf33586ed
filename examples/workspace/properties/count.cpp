// A kernel with a device_global, which keeps its values between launches.
#include <sycl_lite.hpp>

namespace image {

using namespace sycl_lite;
using namespace sycl_lite::ext::oneapi::experimental;

class Count;

static device_global<int[16], decltype(properties{device_image_scope, host_access_none})> bins;

// One work-group counts values in the variable, and copies its current content.
void count(const int *values, std::size_t number, int *counts) {
  parallel_for<Count>(nd_range<1>{64, 64}, [values, number, counts](nd_item<1> it) {
    for (std::size_t i = it.get_local_id(0); i < number; i += it.get_local_range(0))
      atomic_ref<int, memory_order::relaxed, memory_scope::work_group>(bins[values[i] % 16])
          .fetch_add(1);
    group_barrier(it.get_group());
    for (std::size_t i = it.get_local_id(0); i < 16; i += it.get_local_range(0))
      counts[i] = bins[i];
  });
}

}  // namespace image
