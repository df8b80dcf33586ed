// The kernel requires a work-group size that no device supports. SPIR-V contains only the lower 32 bits, which are 0.
#include "check.hpp"

int main() {
  Run r;
  try {
    r.queue.parallel_for(sycl::nd_range<1>(8, 8), [=, out = r.out](sycl::nd_item<1>) [[sycl::reqd_work_group_size(4294967296)]] { out[0] = 1; });
    r.out[0] = 2;
  } catch (const sycl::exception &e) {
    r.out[0] = e.code() == sycl::errc::kernel_not_supported ? 3 : 4;
  }
  r.expect(3, "a kernel that requires 2^32 work-items");
  return result();
}
