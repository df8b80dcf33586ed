// Device globals: with and without properties, used and unused.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;

exp::device_global<int> plain;
exp::device_global<int[4], decltype(exp::properties{exp::device_image_scope})> scoped;
exp::device_global<float, decltype(exp::properties{exp::host_access_read})> decorated;
exp::device_global<int> unused;
static exp::device_global<long> internal;
namespace deep { exp::device_global<const int> constant; }

void run(sycl::queue &q, int *p) {
  q.single_task<class Plain>([=] { plain = p[0] + deep::constant; });
  q.single_task<class Scoped>([=] { scoped[1] = p[0]; });
  q.single_task<class Others>([=] { p[0] = static_cast<int>(decorated.get()) + static_cast<int>(internal.get()); });
}
