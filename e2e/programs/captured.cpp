// Constants of a function in kernels inside a [&] lambda: g++ captures them, but DPC++ does not.
#include "check.hpp"

#include <complex>
#include <cstddef>

struct Pair {
  int first, second;
  int sum() const { return first + second; }
};

static int four() { return 4; }

template <class T>
void in_template(Run &r, T v) {
  constexpr long n = 4;
  r.queue.parallel_for(sycl::range<1>(32), [=, out = r.out](sycl::item<1> i) { if (i / n == 7) out[0] = static_cast<int>(v.real() + v.imag()); });
}

int main() {
  Run r;
  int *out = r.out;
  const int step = 3;
  constexpr double scale = 2.0;
  r.queue.submit([&](sycl::handler &h) {
    h.single_task([=] {
      int *const p = out;
      p[0] = step * static_cast<int>(scale);
    });
  });
  r.expect(6, "single_task");
  const int known = four();
  r.queue.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) { if (i.get_global_id(0) == step) out[0] = step + known; });
  });
  r.expect(7, "nd_range, beside a constant that is known when the program runs");
  r.queue.submit([&](sycl::handler &h) {
    h.single_task<class Named>([=] { if (step == 3) out[0] = 10 * step; });
  });
  r.expect(30, "with a name");
  int data[64] = {};
  {
    sycl::buffer<int> b(data, 64);
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      sycl::local_accessor<int> local(8, h);
      h.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) {
        local[i.get_local_id(0)] = step;
        a[i.get_global_id(0)] = local[i.get_local_id(0)] * static_cast<int>(scale);
      });
    });
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(b, h);
      h.parallel_for(50, [=](sycl::id<1> i) { a[i] += step; });
    });
  }
  r.out[0] = data[0] + data[49] + data[50];
  r.expect(24, "accessors");
  short small = 5;
  r.queue.submit([&](sycl::handler &h) {
    h.parallel_for(101, [=](sycl::id<1> i) { if (i == 100) out[0] = step + small; });
  });
  r.expect(8, "a range that is rounded up");
  r.queue.submit([&](sycl::handler &h) {
    h.single_task([=] { if (step == 3) out[0] = small; });
  });
  r.expect(5, "captures of one size at different places");
  r.queue.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::range<1>(40), sycl::reduction(out, sycl::plus<>()), [=](sycl::id<1>, auto &sum) { sum += step * small; });
  });
  r.expect(600, "reduction");
  constexpr std::complex<float> copied(3, 4);
  r.queue.submit([&](sycl::handler &h) {
    h.single_task([=] {
      const std::complex<float> value = copied;
      out[0] = small * step + static_cast<int>(value.imag());
    });
  });
  r.expect(19, "a constant that is copied");
  const Pair pair{7, 8};
  int Pair::*member = &Pair::second;
  int (Pair::*function)() const = &Pair::sum;
  std::nullptr_t none = nullptr;
  r.queue.submit([&](sycl::handler &h) { h.single_task([=] { out[0] = pair.*member * step + small; }); });
  r.expect(29, "a pointer to a member");
  r.queue.submit([&](sycl::handler &h) { h.single_task([=] { if (function) out[0] = step * small; }); });
  r.expect(15, "a pointer to a member function");
  r.queue.submit([&](sycl::handler &h) { h.single_task([=] { if (none == nullptr) out[0] = step * small; }); });
  r.expect(15, "std::nullptr_t");
  in_template(r, std::complex<double>(5, 6));
  r.expect(11, "a constant of a template");
  const auto kernel = [&](sycl::handler &h) { h.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) { if (i.get_local_id(0) == step) out[0] = step * small + known; }); };
  for (int k = 0; k < 3; k++) {
    r.queue.submit(kernel);
    r.expect(19, "the same kernel again");
  }
  return result();
}
