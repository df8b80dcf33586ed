#include <sycl/sycl.hpp>

// The target has -msse4.2 in host_copts.
#define WIDE
#if defined(WIDE) && defined(__SSE4_2__)
using Number = long;
#else
using Number = int;
#endif

int main() {
  sycl::queue q;
  Number *p = sycl::malloc_shared<Number>(1, q);
  q.single_task<class One>([=] { *p = 1; }).wait();
  return *p - 1;
}
