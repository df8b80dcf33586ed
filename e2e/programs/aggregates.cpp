// Captures of aggregates: classes of the standard library, nested classes, bindings, lambdas.
#include "check.hpp"

#include <array>
#include <optional>
#include <tuple>
#include <utility>

enum class Color : unsigned char { red = 7, green };
struct Inner {
  char c;
  double d;
  short s[3];
};
struct Outer : Inner {
  Color color;
  union {
    int i;
    float f;
  };
  bool a : 1, b : 3;
};

int main() {
  Run r;
  int *out = r.out;
  const std::array<int, 3> array{1, 2, 3};
  r.queue.submit([&](sycl::handler &h) { h.single_task([=] { out[0] = array[0] + array[1] * array[2]; }); });
  r.expect(7, "std::array");
  const std::pair<char, long> pair{'\3', 5};
  const std::optional<short> some = 6, none;
  r.queue.single_task([=] { out[0] = pair.first * static_cast<int>(pair.second) + some.value_or(0) + none.value_or(1); });
  r.expect(22, "std::pair, std::optional");
  const std::tuple<char, int, short> tuple{'\1', 2, 3};
  r.queue.single_task([=] { out[0] = std::get<0>(tuple) + std::get<1>(tuple) * std::get<2>(tuple); });
  r.expect(7, "std::tuple");
  Outer o{{1, 2.0, {3, 4, 5}}, Color::green, {6}, true, true};
  r.queue.single_task([=] { out[0] = o.c + static_cast<int>(o.d) + o.s[2] + static_cast<int>(o.color) + o.i + o.a; });
  r.expect(23, "base class, union, bits");
  Inner many[2][2] = {{{1, 1, {}}, {2, 2, {}}}, {{3, 3, {}}, {4, 4, {7, 8, 9}}}};
  r.queue.single_task([=] { out[0] = many[1][1].s[2] + many[1][0].c; });
  r.expect(12, "array of arrays");
  const auto [first, second] = std::pair{8, 9};
  r.queue.single_task([=, a = first, b = second] { out[0] = 10 * a + b; });
  r.expect(89, "structured bindings");
  const int step = 3;
  const auto scale = [=](int v) { return v * step; };
  const auto apply = [scale, add = 2](int v) { return scale(v) + add; };
  r.queue.single_task([=] { out[0] = apply(5); });
  r.expect(17, "lambda in a lambda");
  return result();
}
