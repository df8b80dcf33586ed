#include "library.hpp"
#include "check.hpp"

void of_library(Run &r, int v) {
  r.queue.single_task([out = r.out, v] { out[0] = v * 3; });
}

void shared_in_library(Run &r, int v) {
  r.queue.submit([&](sycl::handler &h) { h.single_task(Shared{r.out, v}); });
}
