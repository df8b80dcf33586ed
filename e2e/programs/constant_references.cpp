// Constants that kernels bind to references: DPC++ captures these at the end of the expression, and
// g++ where they are first mentioned.
#include "constant_references.hpp"

#include <algorithm>

#include "check.hpp"

#define SUBMIT(...) r.queue.single_task([=] { __VA_ARGS__; })

struct Pair {
  int first, second;
};

int main() {
  Run r;
  int *out = r.out;
  int n = 6, m = 100;
  const int four = 4, variable = n + 1;
  const short seven = 7;
  constexpr Pair pair{2, 3};
  r.queue.single_task([=] { out[0] = std::max(four, n) * m; });
  r.expect(600, "before variables");
  r.queue.single_task([=] { out[0] = std::min(four, n) + std::min(seven, short(3)) * m; });
  r.expect(304, "two in an expression");
  r.queue.single_task([=] {
    int a = std::min(four, n);
    int b = std::min<int>(seven, m);
    out[0] = a * m + b;
  });
  r.expect(407, "two in two expressions");
  r.queue.single_task([=] {
    for (int i = 0; i < std::min(four, n); i++) out[0] = i * m;
  });
  r.expect(300, "in a condition");
  r.queue.single_task([=] { out[0] = [](const Pair &p) { return p.first; }(pair) * m + n; });
  r.expect(206, "an object");
  r.queue.single_task([=] { out[0] = std::max(variable, n) * m; });
  r.expect(700, "a constant variable");
  r.queue.single_task<class Named>([=] { out[0] = std::max(four, n) * m; });
  r.expect(600, "a kernel with a name");
  SUBMIT(out[0] = std::max(four, n) * m);
  r.expect(600, "in a macro");
  r.queue.parallel_for(sycl::range<1>(1), [=](sycl::id<1> i) { out[i] = std::min(four, n) + m; });
  r.expect(104, "a range");
  r.queue.parallel_for(sycl::nd_range<1>(1, 1), [=](auto i) { out[i.get_global_id()] = std::min(four, n) + m; });
  r.expect(104, "a range with groups");
  r.queue.submit([&](sycl::handler &h) { h.single_task([=] { out[0] = std::min(four, n) + m * std::min<int>(variable, 2); }); });
  r.expect(204, "a command group");
  [&](auto three) { r.queue.single_task([=] { out[0] = std::max(four, n) * m + three; }); }(3);
  r.expect(603, "a generic lambda");
  {
    sycl::buffer<int> buffer(out, 1);
    r.queue.submit([&](sycl::handler &h) {
      sycl::accessor numbers(buffer, h);
      h.single_task([=] { numbers[0] = std::max(four, n) * m; });
    });
  }
  r.expect(600, "an accessor");
  submit_template(r.queue, out, n, m);
  r.expect(603, "a template in a header");
  submit_range(r.queue, out, n, m);
  r.expect(600, "a range in a header");
  return result();
}
