#include "collatz.hpp"

#include <sycl/sycl.hpp>

namespace {

sycl::queue &queue() {
  static sycl::queue q{sycl::property::queue::in_order()};
  return q;
}

}  // namespace

std::vector<std::int64_t> steps(const std::vector<std::int64_t> &numbers) {
  sycl::queue &q = queue();
  const std::size_t count = numbers.size();
  std::int64_t *list = sycl::malloc_device<std::int64_t>(count, q);
  q.copy(numbers.data(), list, count);
  q.parallel_for(count, [=](sycl::id<1> i) {
    std::int64_t n = 0;
    for (std::int64_t at = list[i]; at > 1; n++) at = at % 2 ? 3 * at + 1 : at / 2;
    list[i] = n;
  });
  std::vector<std::int64_t> result(count);
  q.copy(list, result.data(), count).wait();
  sycl::free(list, q);
  return result;
}

std::string device() { return queue().get_device().get_info<sycl::info::device::name>(); }
