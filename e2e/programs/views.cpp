// Parts of buffers: ranges with offsets, sub-buffers, reinterpreted buffers.
#include "check.hpp"

#include <numeric>
#include <vector>

int main() {
  Run r;
  int *out = r.out;
  std::vector<int> data(64);
  std::iota(data.begin(), data.end(), 0);
  sycl::buffer<int, 2> b(data.data(), sycl::range<2>(8, 8));
  r.queue.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::range<2>(2, 3), sycl::id<2>(1, 2), sycl::read_write);
    h.parallel_for(sycl::range<2>(2, 3), [=](sycl::id<2> i) { a[i] = -a[i]; });
  });
  {
    const sycl::host_accessor a(b, sycl::read_only);
    out[0] = a[1][2] + a[2][4] + a[2][5];
  }
  r.expect(-10 - 20 + 21, "range with an offset");
  sycl::buffer<int, 1> flat = b.reinterpret<int, 1>(sycl::range<1>(64));
  sycl::buffer<int, 1> part(flat, sycl::id<1>(32), sycl::range<1>(32));
  r.queue.submit([&](sycl::handler &h) {
    sycl::accessor a(part, h);
    h.parallel_for(32, [=](sycl::id<1> i) { a[i] += 1000; });
  });
  r.queue.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h, sycl::read_only);
    h.single_task([=] { out[0] = a[3][7] + a[4][0]; });
  });
  r.expect(31 + 1032, "sub-buffer");
  sycl::buffer<short, 1> halves = b.reinterpret<short, 1>(sycl::range<1>(128));
  r.queue.submit([&](sycl::handler &h) {
    sycl::accessor a(halves, h, sycl::read_only);
    h.single_task([=] { out[0] = static_cast<int>(a.size()) + a[2 * 63]; });
  });
  r.expect(128 + 1063, "buffer of another type");
  const int five = 5;
  sycl::buffer<int> one(&five, 1);
  r.queue.submit([&](sycl::handler &h) {
    sycl::accessor<int, 0, sycl::access_mode::read> a(one, h);
    h.single_task([=] { out[0] = a; });
  });
  r.expect(5, "accessor without dimensions");
  return result();
}
