// Kernels that capture lambdas with parameter packs and branches. g++ rejects others, see messages/lambdas.cpp.
#include "check.hpp"
#include "makers.hpp"

template <class F>
void run(Run &r, F f) {
  int *out = r.out;
  r.queue.single_task([=] { out[0] = f(); });
}

template <class... T>
void listed(Run &r, int n, T... v) {
  run(r, [v..., n] {
    int out = n;
    ((out = out * 10 + v), ...);
    return out;
  });
  r.expect(9123, "pack first");
  run(r, [n, v...] {
    int out = 0;
    ((out = out * 10 + v), ...);
    return out * 10 + n;
  });
  r.expect(1239, "pack last");
  run(r, [=, w = n] {
    int out = n;
    if constexpr (sizeof...(v) == 1)
      out += w;
    else
      out -= w;
    return out;
  });
  r.expect(0, "branches after captures");
}

template <class T>
void branches(Run &r, T n, short s) {
  run(r, [n, s] {
    if constexpr (sizeof(T) == 1)
      return s + n;
    else
      return n * 10 + s;
  });
  r.expect(21, "listed captures in branches");
}

template <class... T>
void one(Run &r, T... v) {
  run(r, [=] { return (v + ...); });
  r.expect(7, "one element");
}

int main() {
  Run r;
  listed(r, 9, 1, 2, 3);
  branches(r, 2, 1);
  one(r, 7);
  auto sum = make_sum(2, 3);
  run(r, [=] { return sum(1); });
  r.expect(32, "lambda of a header");
  return result();
}
