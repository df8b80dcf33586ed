// Counts how often each byte occurs in some data, and finds the sum and the largest byte.
//
// The kernel Count keeps one histogram for each work-group in local memory, so that most
// atomic additions stay within a work-group. The kernel Sum is a reduction.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "apps/check.hpp"

namespace histogram {

// The kernels' names.
class Count;
class Sum;

constexpr std::size_t kBins = 256, kGroups = 64, kGroupSize = 128;

std::vector<std::uint32_t> count(sycl::queue &queue, const std::vector<std::uint8_t> &data) {
  std::vector<std::uint32_t> result(kBins, 0);
  // The destructors of buffers wait for the kernels and copy the result back.
  sycl::buffer bytes(data);
  sycl::buffer bins(result);
  queue.submit([&](sycl::handler &h) {
    const sycl::accessor in(bytes, h, sycl::read_only);
    const sycl::accessor out(bins, h, sycl::read_write);
    const sycl::local_accessor<std::uint32_t> local(kBins, h);
    const std::size_t size = data.size();
    h.parallel_for<Count>(
        sycl::nd_range<1>(kGroups * kGroupSize, kGroupSize), [=](sycl::nd_item<1> item) {
          using sycl::memory_order, sycl::memory_scope;
          const std::size_t first = item.get_local_id(0);
          for (std::size_t bin = first; bin < kBins; bin += kGroupSize) local[bin] = 0;
          sycl::group_barrier(item.get_group());

          for (std::size_t i = item.get_global_id(0); i < size; i += kGroups * kGroupSize)
            ++sycl::atomic_ref<std::uint32_t, memory_order::relaxed, memory_scope::work_group>(
                local[in[i]]);
          sycl::group_barrier(item.get_group());

          for (std::size_t bin = first; bin < kBins; bin += kGroupSize)
            sycl::atomic_ref<std::uint32_t, memory_order::relaxed, memory_scope::device>(
                out[bin]) += local[bin];
        });
  });
  queue.throw_asynchronous();
  return result;
}

// Returns the sum and the largest of all bytes.
std::vector<std::uint32_t> sum(sycl::queue &queue, const std::vector<std::uint8_t> &data) {
  std::uint32_t total = 0, largest = 0;
  {
    sycl::buffer bytes(data);
    sycl::buffer<std::uint32_t> total_buffer(&total, 1), largest_buffer(&largest, 1);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor in(bytes, h, sycl::read_only);
      h.parallel_for<Sum>(sycl::range<1>(data.size()),
                          sycl::reduction(total_buffer, h, sycl::plus<>()),
                          sycl::reduction(largest_buffer, h, sycl::maximum<>()),
                          [=](sycl::id<1> i, auto &total, auto &largest) {
                            total += in[i];
                            largest.combine(in[i]);
                          });
    });
  }
  return {total, largest};
}

}  // namespace histogram

int main() try {
  sycl::queue queue;
  apps::print_device(queue);

  // A triangular distribution: the middle values are most frequent.
  std::vector<std::uint8_t> data(1'000'003);
  std::uint32_t random = 1;
  for (std::uint8_t &byte : data) {
    random = random * 1664525 + 1013904223;
    byte = ((random >> 24) + (random >> 16 & 0xff)) / 2;
  }

  std::vector<std::uint32_t> bins(histogram::kBins, 0), numbers(2, 0);
  for (const std::uint8_t byte : data) {
    ++bins[byte];
    numbers[0] += byte;
    numbers[1] = std::max<std::uint32_t>(numbers[1], byte);
  }
  apps::Checks checks;
  checks.near("histogram::Count", histogram::count(queue, data), bins, 0);
  checks.near("histogram::Sum", histogram::sum(queue, data), numbers, 0);
  return checks.exit_code();
} catch (const std::exception &e) {
  std::fprintf(stderr, "histogram: %s\n", e.what());
  return 1;
}
