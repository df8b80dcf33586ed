// A header without kernels. Kernels capture its lambdas.
#pragma once

template <class... T>
auto make_sum(int n, T... v) {
  return [n, v...](int i) { return ((v * 10 + n * i) + ...); };
}

template <class... T>
auto make_digits(int n, T... v) {
  return [=] {
    int out = 0;
    ((out = out * 10 + v + n), ...);
    return out;
  };
}

template <class T>
auto make_choice(T n, short s) {
  const int ten = 10;
  return [=] {
    if constexpr (sizeof(T) == 1)
      return s + n;
    else
      return n * ten + s;
  };
}
