// Properties of pointers, arguments and variables.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;
namespace intel = sycl::ext::intel::experimental;

template <exp::cache_level L>
using cached = intel::cache_control<intel::cache_mode::cached, L>;

exp::device_global<int, decltype(exp::properties{exp::host_access_write, exp::device_image_scope})> written;
exp::device_global<int, decltype(exp::properties{exp::host_access_none})> hidden;

using Aligned = decltype(exp::properties{exp::alignment<64>});
using Cached = decltype(exp::properties{intel::read_hint<cached<exp::cache_level::L1>>});

void run(sycl::queue &q, float *f, exp::annotated_ptr<float, Aligned> aligned) {
  q.single_task<class AlignedPointer>([=] { *aligned = f[0]; });
  q.single_task<class CachedPointer>([=] { exp::annotated_ptr<float, Cached> p(f); f[1] = p[0]; });
  q.single_task<class Globals>([=] { hidden = written + 1; });
}
