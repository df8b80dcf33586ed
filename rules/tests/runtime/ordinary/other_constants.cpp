#include "constants.hpp"

constexpr sycl::specialization_id<long> count{70};

long other_count(sycl::queue &queue, const Set &set) {
  long *out = sycl::malloc_shared<long>(1, queue);
  queue.submit([&](sycl::handler &h) {
    set(h);
    h.single_task<class OtherCount>(
        [=](sycl::kernel_handler k) { *out = k.get_specialization_constant<count>(); });
  });
  queue.wait_and_throw();
  long value = *out;
  sycl::free(out, queue);
  return value;
}
