// Accessors with zero dimensions, in expressions with numbers.
#include "check.hpp"

enum { ten = 10 };

int main() {
  Run r;
  int *out = r.out;
  int five = 5;
  float half = 0.5f;
  {
    sycl::buffer<int, 1> fives(&five, 1);
    sycl::buffer<float, 1> halves(&half, 1);
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor<int, 0> a(fives, h);
      sycl::accessor<float, 0, sycl::access_mode::read> b(halves, h);
      sycl::local_accessor<int, 0> local(h);
      h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        local = 3;
        local += 1;
        out[0] = (local << 1) + (7 % a) * 10 + (b * 4 > 1.5f) * 100 + (a == 5) * 1000 + (a != 5) * 10000;
        a -= 2;
      });
    });
    r.expect(1128, "in a kernel");
    sycl::host_accessor<int, 0> a(fives);
    out[0] = a + 1;
    r.expect(4, "on the host");
    a |= 8;
    out[0] = 20 - a;
    r.expect(9, "assigned on the host");
    int sum = 1;
    sum += a;
    a--;
    out[0] = sum * (a + ten);
    r.expect(240, "added on the host");
  }
  return result();
}
