// Unnamed kernels in all places where C++ allows lambdas.
#include "check.hpp"

template <class F>
void run(sycl::queue &q, F f) { q.single_task(f); }

template <class T>
struct Holder {
  T value;
  void run(Run &r) const {
    q_of(r).single_task([out = r.out, v = value] { out[0] = static_cast<int>(v); });
  }
  template <class U>
  void convert(Run &r, U u) const {
    q_of(r).single_task([out = r.out, u] { out[0] = static_cast<int>(u) + 1; });
  }
  static sycl::queue &q_of(Run &r) { return r.queue; }
};

template <int N>
void numbered(Run &r) {
  r.queue.single_task([out = r.out] { out[0] = N; });
}

void overloaded(Run &r, int v) { r.queue.single_task([=, out = r.out] { out[0] = v; }); }
void overloaded(Run &r, double v) { r.queue.single_task([=, out = r.out] { out[0] = static_cast<int>(v) * 2; }); }

namespace {
void hidden(Run &r) { r.queue.single_task([out = r.out] { out[0] = 31; }); }
struct Hidden {
  int *out;
  void operator()() const { out[0] = 32; }
};
}  // namespace

static void internal(Run &r) { r.queue.single_task([out = r.out] { out[0] = 33; }); }
inline void inlined(Run &r) { r.queue.single_task([out = r.out] { out[0] = 34; }); }
inline auto at_namespace = [](Run &r) { r.queue.single_task([out = r.out] { out[0] = 35; }); };

// Nothing calls these functions, but their kernels are still compiled.
[[maybe_unused]] static void never(Run &r) { r.queue.single_task([out = r.out] { out[0] = 1; }); }
struct Never {
  void run(Run &r) { r.queue.single_task([out = r.out] { out[0] = 1; }); }
};

struct Functor {
  int *out;
  void operator()(sycl::id<1> i) const {
    if (i[0] == 0) out[0] = 36;
  }
};

void by_default(Run &r, void (*f)(Run &) = [](Run &r) { r.queue.single_task([out = r.out] { out[0] = 37; }); }) { f(r); }

struct Initialized {
  Run &r;
  sycl::event e = r.queue.single_task([out = r.out] { out[0] = 38; });
};

int main() {
  Run r;
  sycl::queue &queue = r.queue;
  int *out = r.out;

  queue.single_task([=] { out[0] = 1; });
  r.expect(1, "lambda");
  queue.single_task([=] { out[0] = 2; });
  r.expect(2, "second lambda of the same parameters");
  queue.parallel_for(64, [=](sycl::id<1> i) { if (i[0] == 5) out[0] = 3; });
  r.expect(3, "id");
  queue.parallel_for(64, [=](sycl::item<1> i) { if (i.get_id(0) == 5) out[0] = 4; });
  r.expect(4, "item");
  queue.parallel_for(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) { if (i.get_global_id(0) == 5) out[0] = 5; });
  r.expect(5, "nd_item");
  queue.parallel_for(64, [=](sycl::id<1> i) { if (i[0] == 5) out[0] = 6; });
  r.expect(6, "second id");
  queue.parallel_for(64, [=](auto i) { if (i[0] == 5) out[0] = 7; });
  r.expect(7, "generic");
  queue.submit([&](sycl::handler &h) { h.single_task([=] { out[0] = 8; }); });
  r.expect(8, "in submit");
  queue.submit([&](sycl::handler &h) { h.single_task([=] { out[0] = 9; }); });
  r.expect(9, "in a second submit");
  queue.submit([&](auto &h) { h.single_task([=] { out[0] = 10; }); });
  r.expect(10, "in a generic submit");
  run(queue, [=] { out[0] = 11; });
  r.expect(11, "through a template");
  run(queue, Hidden{out});
  r.expect(32, "functor of an unnamed namespace");
  Holder<int>{12}.run(r);
  r.expect(12, "member of a template");
  Holder<double>{13.5}.run(r);
  r.expect(13, "member of a template, double");
  Holder<int>{0}.convert(r, 13.5f);
  r.expect(14, "member template");
  numbered<15>(r);
  r.expect(15, "template with a number");
  numbered<16>(r);
  r.expect(16, "template with another number");
  overloaded(r, 17);
  r.expect(17, "overload int");
  overloaded(r, 9.0);
  r.expect(18, "overload double");
  hidden(r);
  r.expect(31, "unnamed namespace");
  internal(r);
  r.expect(33, "static function");
  inlined(r);
  r.expect(34, "inline function");
  at_namespace(r);
  r.expect(35, "lambda of a namespace");
  queue.parallel_for(64, Functor{out});
  r.expect(36, "functor");
  by_default(r);
  r.expect(37, "default argument");
  {
    Initialized i{r};
    queue.wait();
  }
  r.expect(38, "initialiser of a member");
  struct Local {
    int *out;
    void operator()() const { out[0] = 40; }
  };
  queue.single_task(Local{out});
  r.expect(40, "local class");
  int array[4] = {41, 42, 43, 44};
  queue.single_task([=] { out[0] = array[2]; });
  r.expect(43, "captured array");
  queue.single_task([o = out, twice = 21 * 2] { o[0] = twice; });
  r.expect(42, "init capture");
  [&] { [&] { queue.single_task([=] { out[0] = 45; }); }(); }();
  r.expect(45, "nested");
  queue.parallel_for(sycl::range<2>(8, 8), [=](sycl::item<2> i) { if (i.get_linear_id() == 9) out[0] = 48; });
  r.expect(48, "two dimensions");
  auto call = [&](auto v) { queue.single_task([=] { out[0] = static_cast<int>(v) + static_cast<int>(sizeof v); }); };
  call(1);
  r.expect(5, "generic lambda, int");
  call(1.0);
  r.expect(9, "generic lambda, double");
  return result();
}
