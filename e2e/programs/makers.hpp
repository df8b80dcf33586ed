// A header without kernels, whose lambdas are captured by kernels.
#pragma once

template <class... T>
auto make_sum(int n, T... v) {
  return [n, v...](int i) { return ((v * 10 + n * i) + ...); };
}
