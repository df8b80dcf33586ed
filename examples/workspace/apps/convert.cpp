// Converts numbers between float and double on the device, and calculates in float only.
//
// The BUILD file uses icpx options. With -fsycl-fp64-conv-emu, the
// kernels have images for GPUs without double, because the compiler replaces the conversions.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "apps/check.hpp"

namespace convert {

// The kernels' names.
class Widen;
class Narrow;

std::vector<double> widen(sycl::queue &queue, const std::vector<float> &data) {
  std::vector<double> result(data.size());
  sycl::buffer from(data);
  sycl::buffer to(result);
  queue.submit([&](sycl::handler &h) {
    const sycl::accessor in(from, h, sycl::read_only);
    const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    h.parallel_for<Widen>(sycl::range<1>(data.size()), [=](sycl::id<1> i) { out[i] = in[i] * 2; });
  });
  return result;
}

std::vector<float> narrow(sycl::queue &queue, const std::vector<double> &data) {
  std::vector<float> result(data.size());
  sycl::buffer from(data);
  sycl::buffer to(result);
  queue.submit([&](sycl::handler &h) {
    const sycl::accessor in(from, h, sycl::read_only);
    const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    h.parallel_for<Narrow>(sycl::range<1>(data.size()),
                           [=](sycl::id<1> i) { out[i] = float(in[i]) / 2; });
  });
  return result;
}

}  // namespace convert

int main() try {
  sycl::queue queue;
  apps::print_device(queue);

  std::vector<float> numbers(10'000);
  std::vector<double> doubled(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = float(i) / 8;
    doubled[i] = double(i) / 4;
  }
  apps::Checks checks;
  if (!queue.get_device().has(sycl::aspect::fp64))
    std::printf("the device's compiler replaces conversions of double\n");
  checks.near("convert::Widen", convert::widen(queue, numbers), doubled, 0);
  checks.near("convert::Narrow", convert::narrow(queue, doubled), numbers, 0);
  return checks.exit_code();
} catch (const std::exception &e) {
  std::fprintf(stderr, "convert: %s\n", e.what());
  return 1;
}
