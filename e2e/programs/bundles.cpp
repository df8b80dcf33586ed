// Kernel bundles: kernels by name, and kernels without names in a bundle.
#include "check.hpp"

class ById;

int main() {
  Run r;
  int *out = r.out;
  const sycl::context context = r.queue.get_context();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(context, {sycl::get_kernel_id<ById>()});
  r.queue.submit([&](sycl::handler &h) {
    h.use_kernel_bundle(bundle);
    h.single_task<ById>([=] { out[0] = 1; });
  });
  r.expect(1, "by name");
  const auto all = sycl::get_kernel_bundle<sycl::bundle_state::executable>(context);
  r.queue.submit([&](sycl::handler &h) {
    h.use_kernel_bundle(all);
    h.single_task([=] { out[0] = 2; });
  });
  r.expect(2, "without a name");
  return result();
}
