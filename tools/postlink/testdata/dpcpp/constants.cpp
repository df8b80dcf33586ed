// Specialization constants: scalars, a struct, and two constants of one type.
#include <sycl/sycl.hpp>

struct Size { int x, y; float scale; };
constexpr sycl::specialization_id<int> count{7};
constexpr sycl::specialization_id<double> factor{0.5};
constexpr sycl::specialization_id<Size> size{Size{1, 2, 3.0f}};
constexpr sycl::specialization_id<int> other;

void run(sycl::queue &q, float *f) {
  q.submit([&](sycl::handler &h) {
    h.single_task<class One>([=](sycl::kernel_handler k) { f[0] = k.get_specialization_constant<count>(); });
  });
  q.submit([&](sycl::handler &h) {
    h.single_task<class Many>([=](sycl::kernel_handler k) {
      Size s = k.get_specialization_constant<size>();
      f[0] = s.x * s.scale + k.get_specialization_constant<factor>() + k.get_specialization_constant<other>();
    });
  });
  q.single_task<class None>([=] { f[0] = 0; });
}
