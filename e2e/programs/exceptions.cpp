// Errors in calls and tasks are reported, and kernels can be submitted afterwards.
#include "check.hpp"

#include <stdexcept>

int main() {
  Run r;
  int *out = r.out;
  try {
    r.queue.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8)]] { out[0] = -1; });
  } catch (const sycl::exception &e) {
    out[0] = e.code() == sycl::errc::nd_range;
  }
  r.expect(1, "groups of another size");
  int caught = 0;
  sycl::queue other(r.queue.get_context(), r.queue.get_device(), [&](sycl::exception_list list) {
    for (const std::exception_ptr &each : list) try {
        std::rethrow_exception(each);
      } catch (const std::runtime_error &) {
        caught++;
      }
  });
  other.submit([&](sycl::handler &h) { h.host_task([] { throw std::runtime_error("of a task"); }); });
  other.wait_and_throw();
  out[0] = caught;
  r.expect(1, "handler of a queue");
  other.single_task([=] { out[0] = 2; }).wait();
  r.expect(2, "kernel after an error");
  return result();
}
