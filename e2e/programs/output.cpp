// Streams and host tasks.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  r.queue.submit([&](sycl::handler &h) {
    sycl::stream s(256, 64, h);
    h.single_task([=] {
      s << "from a kernel\n";
      out[0] = 1;
    });
  });
  r.expect(1, "stream");
  r.queue.submit([&](sycl::handler &h) { h.host_task([=] { out[0] = 2; }); });
  r.expect(2, "host task");
  return result();
}
