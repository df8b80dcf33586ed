#include <sycl/sycl.hpp>

class Widen;

int main() {
  float number = 1.5f;
  double result = 0;
  {
    sycl::queue queue;
    sycl::buffer<float> from(&number, 1);
    sycl::buffer<double> to(&result, 1);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor in(from, h, sycl::read_only);
      const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.single_task<Widen>([=] { out[0] = in[0] * 2; });
    });
  }
  return result == 3 ? 0 : 1;
}
