// A kernel for devices with 64-bit atomics.
#include <sycl_lite.hpp>

namespace stats {

using namespace sycl_lite;

class Total;

void total(const long *values, long *result, std::size_t count) {
  parallel_for<Total>(nd_range<1>{1024, 64}, [values, result, count](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    if (i >= count) return;
    atomic_ref<long, memory_order::relaxed, memory_scope::device>(*result).fetch_add(values[i]);
  });
}

}  // namespace stats
