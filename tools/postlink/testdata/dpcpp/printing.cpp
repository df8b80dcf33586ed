// printf and streams.
#include <sycl/sycl.hpp>

void run(sycl::queue &q, float *f) {
  q.single_task<class Prints>([=] { sycl::ext::oneapi::experimental::printf("%f\n", f[0]); });
  q.submit([&](sycl::handler &h) {
    sycl::stream out(1024, 128, h);
    h.single_task<class Streams>([=] { out << f[0] << sycl::endl; });
  });
}
