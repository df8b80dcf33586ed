// Prints the devices that the SYCL runtime offers, one a line. Exit code 3: none.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <exception>

int main() {
  int count = 0;
  try {
    for (const sycl::device &device : sycl::device::get_devices()) {
      std::printf("%s (%s)\n", device.get_info<sycl::info::device::name>().c_str(),
                  device.get_platform().get_info<sycl::info::platform::name>().c_str());
      ++count;
    }
  } catch (const std::exception &e) {
    std::fprintf(stderr, "sycl_devices: %s\n", e.what());
    return 4;
  }
  return count > 0 ? 0 : 3;
}
