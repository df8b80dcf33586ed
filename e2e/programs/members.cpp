// Kernels in member functions, with copies of the object, pointers to it, and its members.
#include "check.hpp"

struct Table {
  int *out;
  short factor = 3;
  double offset = 4;

  void copied(Run &r) {
    r.queue.single_task([*this] { out[0] = factor * 5 + static_cast<int>(offset); });
  }
  void pointed(Run &r) {
    r.queue.submit([&](sycl::handler &h) { h.single_task([this] { out[0] = factor++; }); });
  }
  void member(Run &r) const {
    const int step = 2;
    r.queue.submit([&](sycl::handler &h) { h.single_task([=, f = factor, out = out] { out[0] = f * step; }); });
  }
  Table(int *out) : out(out) {}
  Table(Run &r, int v) : out(r.out) {
    r.queue.single_task([o = out, v] { o[0] = v; });
  }
  ~Table() = default;
  static void fixed(Run &r) { r.queue.single_task([out = r.out] { out[0] = sizeof(Table); }); }
  void operator()(Run &r, sycl::id<1> at) const {
    r.queue.parallel_for(sycl::range<1>(8), [at, out = out](sycl::id<1> i) { if (i == at) out[0] = static_cast<int>(i[0]); });
  }
};

int main() {
  Run r;
  Table table(r.out);
  table.copied(r);
  r.expect(19, "copy of the object");
  auto *shared = sycl::malloc_shared<Table>(1, r.queue);
  new (shared) Table(r.out);
  shared->pointed(r);
  r.expect(3, "pointer to the object");
  r.out[0] = shared->factor;
  r.expect(4, "what the pointer's kernel wrote");
  sycl::free(shared, r.queue);
  table.member(r);
  r.expect(6, "member, with a constant of the function");
  Table(r, 8);
  r.expect(8, "constructor");
  Table::fixed(r);
  r.expect(static_cast<int>(sizeof(Table)), "static function");
  table(r, 7);
  r.expect(7, "operator");
  return result();
}
