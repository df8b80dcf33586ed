// An ESIMD kernel and an ordinary kernel in one program. The device may not support ESIMD.
#include "check.hpp"

#include <sycl/ext/intel/esimd.hpp>

int main() {
  Run r;
  int *out = r.out;
  if (r.queue.get_device().has(sycl::aspect::ext_intel_esimd)) {
    r.queue.parallel_for(1, [=](sycl::id<1>) SYCL_ESIMD_KERNEL {
      sycl::ext::intel::esimd::simd<int, 16> v(1);
      v.copy_to(out);
    });
    r.expect(1, "ESIMD");
  }
  r.queue.single_task([=] { out[0] = 2; });
  r.expect(2, "beside ESIMD");
  return result();
}
