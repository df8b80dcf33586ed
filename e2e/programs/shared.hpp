// Kernels in two sources. All except one are unnamed.
#pragma once
#include "check.hpp"

inline void in_header(Run &r, int v) {
  r.queue.single_task([out = r.out, v] { out[0] = v; });
}

class Named;
class SameCode;  // names two kernels with the same code
struct Add {
  int *out;
  int v;
  void operator()() const { out[0] = v + 1; }
};

inline void in_class(Run &r, int v) {
  r.queue.submit([&](sycl::handler &h) { h.single_task<Named>(Add{r.out, v}); });
}

template <class T>
void in_template(Run &r, T v) {
  r.queue.single_task([out = r.out, v] { out[0] = static_cast<int>(v * 2); });
}

void other(Run &r);
