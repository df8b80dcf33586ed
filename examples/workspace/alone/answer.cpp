#include <sycl/sycl.hpp>

#include <algorithm>
#include <string>

class Answer;

// Returns a number from Intel's CPU device, which DPC++ includes, or 0 if it is not found.
extern "C" int answer() {
  const auto devices = sycl::device::get_devices();
  const auto cpu = std::find_if(devices.begin(), devices.end(), [](const sycl::device &d) {
    return d.is_cpu() &&
           d.get_platform().get_info<sycl::info::platform::name>() == "Intel(R) OpenCL";
  });
  if (cpu == devices.end()) return 0;
  int number = 0;
  {
    sycl::queue queue(*cpu);
    sycl::buffer buffer(&number, sycl::range(1));
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor to(buffer, h, sycl::write_only, sycl::no_init);
      h.single_task<Answer>([=] { to[0] = 42; });
    });
  }
  return number;
}
