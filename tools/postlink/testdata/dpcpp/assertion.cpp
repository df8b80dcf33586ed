// A kernel with an assertion, and a kernel that calls a function with an assertion.
#include <cassert>
#include <sycl/sycl.hpp>

void check(int x) { assert(x > 0 && "positive"); }

void run(sycl::queue &q, int *p) {
  q.parallel_for<class Asserts>(64, [=](sycl::id<1> i) { assert(p[i] != 3); });
  q.single_task<class Reaches>([=] { check(p[0]); });
  q.single_task<class Not>([=] { p[0] = 1; });
}
