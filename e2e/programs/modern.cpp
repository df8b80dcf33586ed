// C++20: lambda templates, concepts, spans. The program also compiles with -std=c++23.
#include "check.hpp"

#include <concepts>
#include <span>

template <std::integral T>
void constrained(Run &r, T v) {
  r.queue.single_task([out = r.out, v] { out[0] = static_cast<int>(v) + 1; });
}

int main() {
  Run r;
  int *out = r.out;
  r.queue.parallel_for(8, [=]<int D>(sycl::item<D> i) { if (i.get_linear_id() == 0) out[0] = 1; });
  r.expect(1, "template of a lambda");
  constrained(r, 1L);
  r.expect(2, "concept");
  const std::span<int> all(out, 256);
  r.queue.single_task([=] { all[0] = static_cast<int>(all.size()); });
  r.expect(256, "span");
  r.queue.single_task([=, value = [](auto v) consteval { return v * 2; }(21)] { out[0] = value; });
  r.expect(42, "consteval");
  return result();
}
