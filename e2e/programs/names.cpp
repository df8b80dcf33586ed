// Named kernels: names in a namespace or a function, templates, references, and functors that are
// their own names.
#include "check.hpp"

class AtNamespace;
namespace deep::er {
class Nested;
}
template <class T, int N>
class Template;
template <class T>
class Of;

struct Functor {
  int *out;
  void operator()() const { out[0] = 5; }
};

template <class T>
void by_type(Run &r, int v) {
  r.queue.single_task<Of<T>>([out = r.out, v] { out[0] = v; });
}

int main() {
  Run r;
  int *out = r.out;
  r.queue.single_task<AtNamespace>([=] { out[0] = 1; });
  r.expect(1, "namespace");
  r.queue.single_task<class InMain>([=] { out[0] = 2; });
  r.expect(2, "function");
  r.queue.submit([&](sycl::handler &h) { h.single_task<class InLambda>([=] { out[0] = 3; }); });
  r.expect(3, "lambda");
  r.queue.single_task<deep::er::Nested>([=] { out[0] = 4; });
  r.expect(4, "nested namespace");
  r.queue.single_task(Functor{out});
  r.expect(5, "functor");
  r.queue.single_task<Template<float, 6>>([=] { out[0] = 6; });
  r.expect(6, "template");
  by_type<int>(r, 7);
  r.expect(7, "template of a type");
  by_type<double>(r, 8);
  r.expect(8, "template of another type");
  r.queue.parallel_for<class Ranged>(100, [=](sycl::id<1> i) { if (i == 99) out[0] = 9; });
  r.expect(9, "range that is rounded up");
  r.queue.single_task<void>([=] { out[0] = 13; });
  r.expect(13, "void");
  r.queue.single_task<int &>([=] { out[0] = 10; });
  r.expect(10, "reference");
  r.queue.single_task<const AtNamespace &>([=] { out[0] = 11; });
  r.expect(11, "reference to a class");
  r.queue.single_task<Of<int &> &&>([=] { out[0] = 12; });
  r.expect(12, "rvalue reference");
  return result();
}
