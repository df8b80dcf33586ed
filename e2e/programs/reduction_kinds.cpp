// Reductions over buffers, spans and user-defined types, some with constants of the function.
#include "check.hpp"

#include <functional>

struct Most {
  int value, at;
};

int main() {
  Run r;
  int *out = r.out;
  int total = 0;
  {
    sycl::buffer<int> b(&total, 1);
    r.queue.submit([&](sycl::handler &h) {
      h.parallel_for(sycl::range<1>(100), sycl::reduction(b, h, sycl::plus<>()), [=](sycl::id<1> i, auto &sum) { sum += static_cast<int>(i[0]); });
    });
  }
  out[0] = total;
  r.expect(4950, "buffer");
  const int step = 3;
  r.queue.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::nd_range<1>(64, 8), sycl::reduction(sycl::span<int, 4>(out, 4), sycl::plus<int>()), [=](sycl::nd_item<1> i, auto &sums) { sums[i.get_global_id(0) % 4] += step; });
  });
  r.expect(48, "span, with a constant of the function");
  const auto larger = [](const Most &a, const Most &b) { return a.value > b.value ? a : b; };
  auto *most = sycl::malloc_shared<Most>(1, r.queue);
  *most = {-1, -1};
  r.queue.parallel_for(sycl::range<1>(64), sycl::reduction(most, Most{-1, -1}, larger), [=](sycl::id<1> i, auto &found) {
    const int at = static_cast<int>(i[0]);
    found.combine(Most{at * (60 - at), at});
  });
  r.queue.single_task([=] { out[0] = most->at; });
  r.expect(30, "class of the program");
  auto *parts = sycl::malloc_shared<Most>(2, r.queue);
  parts[0] = parts[1] = {-1, -1};
  r.queue.parallel_for(sycl::nd_range<1>(64, 8), sycl::reduction(sycl::span<Most, 2>(parts, 2), Most{-1, -1}, larger), [=](sycl::nd_item<1> i, auto &found) {
    const int at = static_cast<int>(i.get_global_id(0));
    found[at % 2].combine(Most{at, 2 * at});
  });
  r.queue.single_task([=] { out[0] = parts[0].at + parts[1].at; });
  r.expect(250, "span of a class, whose reduction has statements that are discarded");
  sycl::free(parts, r.queue);
  out[0] = 1000;
  r.queue.parallel_for(sycl::range<1>(64), sycl::reduction(out, sycl::plus<>(), sycl::property::reduction::initialize_to_identity()), sycl::reduction(out + 1, sycl::minimum<>()),
                       sycl::reduction(out + 2, sycl::bit_or<>()), [=](sycl::id<1> i, auto &sum, auto &least, auto &bits) {
                         const int v = static_cast<int>(i[0]) + step;
                         sum += 1, least.combine(-v), bits |= v;
                       });
  r.queue.single_task([=] { out[0] += -out[1] + out[2]; });
  r.expect(64 + 66 + 127, "three, one of them reinitialized");
  sycl::free(most, r.queue);
  return result();
}
