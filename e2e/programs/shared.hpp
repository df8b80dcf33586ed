// Kernels without names that two sources have.
#pragma once
#include "check.hpp"

inline void in_header(Run &r, int v) {
  r.queue.single_task([out = r.out, v] { out[0] = v; });
}

template <class T>
void in_template(Run &r, T v) {
  r.queue.single_task([out = r.out, v] { out[0] = static_cast<int>(v * 2); });
}

void other(Run &r);
