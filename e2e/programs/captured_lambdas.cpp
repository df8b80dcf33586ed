// Kernels that capture lambdas. g++ and DPC++ lay out the captures of these lambdas differently.
#include <algorithm>
#include <array>
#include <tuple>

#include "check.hpp"
#include "makers.hpp"

template <class F>
void run(Run &r, F f) {
  int *out = r.out;
  r.queue.single_task([=] { out[0] = f(); });
}

template <class... T>
void packs(Run &r, int n, T... v) {
  run(r, [v..., n] {
    int out = n;
    ((out = out * 10 + v), ...);
    return out;
  });
  r.expect(9123, "listed pack first");
  run(r, [n, v...] {
    int out = 0;
    ((out = out * 10 + v), ...);
    return out * 10 + n;
  });
  r.expect(1239, "listed pack last");
  run(r, [=] {
    int out = n;
    ((out = out * 10 + v), ...);
    return out;
  });
  r.expect(9123, "right fold");
  run(r, [=] {
    int out = n;
    (..., (out = out * 10 + v));
    return out;
  });
  r.expect(9123, "left fold");
  run(r, [=] {
    int out = 0;
    ((out = out * 10 + v, out += n), ...);
    return out;
  });
  r.expect(1122, "variable after an element");
  run(r, [=] {
    int out = 0;
    ([&] { out = out * 10 + v; }(), ...);
    return out * 10 + n;
  });
  r.expect(1239, "lambda in a fold");
}

template <class T>
void branches(Run &r, T n, short s) {
  run(r, [=] {
    if constexpr (sizeof(T) == 1)
      return s + n;
    else
      return n * 10 + s;
  });
  r.expect(21, "branches");
  run(r, [=] {
    long unused = 0;
    if constexpr (sizeof(T) == 1) unused = s;
    return static_cast<int>(n * 10 + unused);
  });
  r.expect(20, "variable that only a discarded branch uses");
}

template <class... T>
void one(Run &r, T... v) {
  run(r, [=] { return (v + ...); });
  r.expect(7, "one element");
}

void constants(Run &r, int limit) {
  const int step = 4;
  const long wide = 7;
  auto scaled = [=](int x) { return std::max(step, limit) * x; };
  run(r, [=] { return scaled(2); });
  r.expect(18, "constant that is bound to a reference");
  auto nested = [=] { return [=](int x) { return x * step + static_cast<int>(wide) + limit; }(2); };
  run(r, nested);
  r.expect(24, "constants in a lambda in a lambda");
  std::array<decltype(nested), 2> array{nested, nested};
  std::tuple<int, decltype(nested), decltype(scaled)> tuple{1, nested, scaled};
  run(r, [=] { return array[1]() + std::get<1>(tuple)() + std::get<2>(tuple)(std::get<0>(tuple)); });
  r.expect(57, "lambdas in arrays and tuples");
  struct Derived : decltype(scaled) {
    int x;
  };
  run(r, [d = Derived{scaled, 3}] { return d(d.x); });
  r.expect(27, "class derived from a lambda");
}

struct __attribute__((packed)) Packed {
  char first;
  short second;
};
inline int value(int i) { return i; }
inline int value(Packed p) { return p.first + p.second; }

template <class... T>
void sizes(Run &r, T... v) {
  run(r, [=] {
    int out = 0;
    ((out = out * 10 + value(v)), ...);
    return out;
  });
  r.expect(1432, "packed class in a pack");
}

void other_orders(Run &r, int n, int w) {
  int *out = r.out;
  r.queue.single_task([=] {
    auto sum = [n, k = w](int j) { return n * 10 + k + j; };
    out[0] = sum(0);
  });
  r.expect(43, "initializer in a capture list");
  constexpr int list[2] = {1, 2};
  r.queue.single_task([=] { out[0] = std::max(list[0], w) * 10 + n; });
  r.expect(34, "array of constants");
  const int step = 1;
  auto sum = [=] { return std::max(step, n) * 10 + w; };
  decltype(sum) sums[2][3] = {{sum, sum, sum}, {sum, sum, sum}};
  run(r, [=] { return sums[1][2](); });
  r.expect(43, "array of arrays of lambdas");
  struct Bits {
    decltype(sum) f;
    unsigned low : 5, high : 7;
  } bits{sum, 6, 70};
  run(r, [=] { return bits.f() + static_cast<int>(bits.low + bits.high); });
  r.expect(119, "bit-fields beside a lambda");
}

int main() {
  Run r;
  packs(r, 9, 1, 2, 3);
  branches(r, 2, 1);
  one(r, 7);
  constants(r, 9);
  sizes(r, 'a' - 'a' + 1, Packed{1, 3}, 3, '\002');
  other_orders(r, 4, 3);
  auto sum = make_sum(2, 3);
  run(r, [=] { return sum(1); });
  r.expect(32, "lambda of a header");
  run(r, make_digits(1, short(1), 2L, 'A'));
  r.expect(296, "pack in a header");
  run(r, make_choice(2, 1));
  r.expect(21, "branches in a header");
  return result();
}
