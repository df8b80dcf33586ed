// Accessors to a range of a buffer, with tags for the access mode.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  int numbers[] = {1, 2, 3, 4};
  {
    sycl::buffer<int, 1> buffer(numbers, 4);
    {
      sycl::host_accessor a(buffer, sycl::range<1>(2), sycl::read_only);
      out[0] = a[0] + a[1];
      r.expect(3, "read");
      sycl::host_accessor b(buffer, sycl::range<1>(2), sycl::id<1>(1), sycl::read_only);
      out[0] = b[0] + b[1];
      r.expect(5, "read at an offset");
    }
    auto tag = sycl::read_write;
    tag = sycl::mode_tag_t<sycl::access_mode::read_write>{};
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(buffer, h, sycl::range<1>(3), tag);
      h.parallel_for(sycl::range<1>(3), [=](sycl::id<1> i) { a[i] *= 10; });
    });
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor a(buffer, h, sycl::range<1>(1), sycl::read_only_host_task);
      h.host_task([=] { out[0] = a[0]; });
    });
    r.expect(10, "in a host task");
    sycl::accessor later(buffer, sycl::range<1>(3), sycl::read_only);
    r.queue.submit([&](sycl::handler &h) {
      h.require(later);
      h.single_task([=] { out[0] = later[0] + later[1] + later[2]; });
    });
    r.expect(60, "in a kernel");
    sycl::host_accessor a(buffer, sycl::range<1>(4), sycl::write_only, sycl::no_init);
    for (int i = 0; i < 4; i++) a[i] = i;
  }
  out[0] = numbers[2] + numbers[3];
  r.expect(5, "written");
  return result();
}
