// Specialization constants that the program sets.
#include "check.hpp"

constexpr sycl::specialization_id<int> factor{2};

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
  return result();
}
