// Prints the devices that the SYCL runtime finds, one per line. Exit code 3: none.
#include <sycl/sycl.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>

// Prints the errors of drivers that OpenCL's loader should load, because the loader itself does not
// print them.
static void explain() {
  const char *names = std::getenv("OCL_ICD_FILENAMES");
  std::istringstream list(names ? names : "");
  for (std::string name; std::getline(list, name, ':');) {
    if (dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      std::fprintf(
          stderr, "sycl_devices: %s loads, but has no device that ONEAPI_DEVICE_SELECTOR selects\n",
          name.c_str());
    else
      std::fprintf(stderr, "sycl_devices: %s\n", dlerror());
  }
}

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
    explain();
    return 4;
  }
  if (count > 0) {
    return 0;
  }
  explain();
  return 3;
}
