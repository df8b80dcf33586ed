// A kernel with device variables: a counter that keeps its value between launches, and a constant
// table.
#include <sycl_lite.hpp>

namespace stats {

using namespace sycl_lite;

class Tally;

// Each device image has its own copy: kernels that share it must be in one image.
static int next_ticket = 7;
static constexpr int weights[4] = {1, 10, 100, 1000};

void tally(int *tickets, int *weighted, std::size_t count) {
  parallel_for<Tally>(nd_range<1>{1024, 64}, [tickets, weighted, count](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    if (i >= count) return;
    tickets[i] =
        atomic_ref<int, memory_order::relaxed, memory_scope::device>(next_ticket).fetch_add(1);
    weighted[i] = weights[i % 4] * static_cast<int>(i);
  });
}

}  // namespace stats
