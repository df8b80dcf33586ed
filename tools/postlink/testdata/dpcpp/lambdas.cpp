// Unnamed lambdas and function objects over ranges, and a reduction.
#include <sycl/sycl.hpp>

struct Triple {
  int *p;
  void operator()(sycl::item<2> i) const { p[i.get_linear_id()] *= 3; }
};

template <class T> void add(sycl::queue &q, T *p) {
  q.parallel_for(64, [=](sycl::id<1> i) { p[i] += 1; });
}

void run(sycl::queue &q, int *p, double *d) {
  q.parallel_for(64, [=](auto i) { p[i] = 1; });
  q.parallel_for(sycl::range<2>(8, 8), Triple{p});
  q.parallel_for(sycl::range<1>(64), sycl::reduction(p, sycl::plus<>()), [=](sycl::id<1> i, auto &sum) { sum += p[i]; });
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<int> local(16, h);
    h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
      local[i.get_local_id(0)] = p[i.get_global_id(0)];
      sycl::group_barrier(i.get_group());
      p[i.get_global_id(0)] = local[15 - i.get_local_id(0)];
    });
  });
  add(q, p);
  add(q, d);
}
