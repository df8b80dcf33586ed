// The output of the programs in this directory: their device, and a line for each check.
#pragma once

#include <sycl/sycl.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>

namespace apps {

inline void print_device(const sycl::queue &queue) {
  const sycl::device device = queue.get_device();
  std::printf("device: %s (%s)\n", device.get_info<sycl::info::device::name>().c_str(),
              device.get_platform().get_info<sycl::info::platform::name>().c_str());
}

// Checks the numbers of a device against a plain loop.
class Checks {
 public:
  // A number may differ by the tolerance, and above 1 by the tolerance times the number.
  template <class Got, class Want>
  void near(const char *what, const Got &got, const Want &want, double tolerance) {
    std::size_t wrong = 0, count = got.size(), first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double allowed = tolerance * std::fmax(1, std::fabs(double(want[i])));
      if (std::fabs(double(got[i]) - double(want[i])) <= allowed) continue;
      if (wrong++ == 0) first = i;
    }
    const bool good = wrong == 0 && count > 0 && count == want.size();
    std::printf("%s %s: %zu of %zu numbers right (within %g)", good ? "ok     " : "FAIL   ", what,
                count - wrong, want.size(), tolerance);
    if (wrong > 0)
      std::printf("; number %zu is %.9g, not %.9g", first, double(got[first]), double(want[first]));
    std::printf("\n");
    good_ = good_ && good;
  }

  // Returns the exit code for main.
  int exit_code() const { return good_ ? 0 : 1; }

 private:
  bool good_ = true;
};

}  // namespace apps
