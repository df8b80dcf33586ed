// Specialization constants that the program sets.
#include "check.hpp"

constexpr sycl::specialization_id<int> factor{2};

struct Named {
  int member;
};

int main() {
  Run r;
  int *out = r.out;
  for (int value : {0, 21}) {
    r.queue.submit([&](sycl::handler &h) {
      if (value) h.set_specialization_constant<factor>(value);
      h.single_task([=](sycl::kernel_handler k) { out[0] = 2 * k.get_specialization_constant<factor>(); });
    });
    r.expect(value ? 42 : 4, "constant");
  }
  // Names that are not valid in the integration header, which this source needs.
  r.queue.single_task<const Named *const>([=] { out[0] = 4; });
  r.expect(4, "a const pointer as the name");
  r.queue.single_task<int Named::*>([=] { out[0] = 5; });
  r.expect(5, "a pointer to a member as the name");
  return result();
}
