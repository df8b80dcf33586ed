// Constants that kernels bind to references: DPC++ captures these at the end of the expression, and
// g++ where they are first mentioned.
#include "constant_references.hpp"

#include <algorithm>

#include "check.hpp"

#define SUBMIT(...) r.queue.single_task([=] { __VA_ARGS__; })

struct Pair {
  int first, second;
};

struct Sum {
  int value = 3;
  short more = 1;

  void run(Run &r) {
    int *out = r.out, n = 3;
    const int four = 4;
    r.queue.single_task([=, *this] { out[0] = value + more + n + 10 * std::max(four, n); });
  }
};

struct Range {
  sycl::accessor<int, 1> numbers;
  short scale;
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
  Sum().run(r);
  r.expect(47, "a member function");
  int array[3] = {1, 2, 3};
  r.queue.single_task([=] { out[0] = array[1] + std::max(four, array[2]) + n; });
  r.expect(12, "an array");
  {
    sycl::buffer<int> first(out, 1), second(out + 1, 1);
    r.queue.submit([&](sycl::handler &h) {
      Range range{sycl::accessor<int, 1>(first, h), 3};
      h.single_task([=] { range.numbers[0] = range.scale * std::max(four, n); });
    });
    r.queue.submit([&](sycl::handler &h) {
      auto fill = [&](auto... numbers) {
        h.single_task([=] {
          int i = 0;
          ((numbers[0] += 100 * ++i + m), ...);
        });
      };
      fill(sycl::accessor<int, 1>(first, h), sycl::accessor<int, 1>(second, h));
    });
  }
  if (out[1] != 300) std::printf("second accessor: wants 300, got %d\n", out[1]), wrong++;
  r.expect(218, "accessors");
  submit_template(r.queue, out, n, m);
  r.expect(603, "a template in a header");
  submit_range(r.queue, out, n, m);
  r.expect(600, "a range in a header");
  return result();
}
