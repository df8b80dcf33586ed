// Kernels that are free functions, from a kernel bundle.
#include "check.hpp"

namespace ext = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((ext::nd_range_kernel<1>))
void scale(int *out, int by) {
  const auto i = sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0);
  out[i] = static_cast<int>(i) * by;
}

int main() {
  Run r;
  auto bundle = ext::get_kernel_bundle<scale, sycl::bundle_state::executable>(r.queue.get_context());
  const sycl::kernel kernel = bundle.template ext_oneapi_get_kernel<scale>();
  r.queue.submit([&](sycl::handler &h) {
    h.set_args(r.out, 3);
    h.parallel_for(sycl::nd_range<1>(64, 8), kernel);
  });
  r.queue.wait();
  r.out[0] = r.out[63];
  r.expect(189, "function");
  return result();
}
