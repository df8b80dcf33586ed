// Kernels in nested templates: packs, specializations, base classes with their derived class.
#include "check.hpp"

template <class... T>
void sum(Run &r, T... v) {
  r.queue.single_task([=, out = r.out] { out[0] = static_cast<int>((v + ...)); });
}

template <class... T>
void right_fold(Run &r, T... v) {
  r.queue.single_task([=, out = r.out] { ((out[0] = 10 * out[0] + v), ...); });
}

template <class... T>
void left_fold(Run &r, int scale, T... v) {
  r.queue.single_task([=, out = r.out] { (..., (out[0] = scale * out[0] + v)); });
}

// Classes without members. They have no name in the device code.
struct AddTen {
  void operator()(int *p) const { p[0] += 10; }
};
struct SetFive {
  template <class A>
  const A &operator=(const A &a) const {
    a[0] = 5;
    return a;
  }
};

template <class... T>
void empty_elements(Run &r, int n, T... v) {
  int *out = r.out;
  r.queue.single_task([=] {
    (v(out), ...);
    out[0] += n;
  });
}

template <class... T>
void fold_with_value(Run &r, T... v) {
  r.queue.submit([&](sycl::handler &h) {
    sycl::local_accessor<int, 1> local(1, h);
    int *out = r.out;
    h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { out[0] = (v = ... = local)[0]; });
  });
}

template <class T>
void ignore(const T &) {}

template <class... T>
void unused(Run &r, int n, T... v) {
  int *out = r.out;
  r.queue.single_task([=] {
    (ignore(v), ...);
    out[0] = n;
  });
}

template <int N>
void number(Run &r) {
  r.queue.single_task([out = r.out] { out[0] = 10 * out[0] + N; });
}

template <int... N>
void numbers(Run &r) {
  (number<N>(r), ...);
}

template <class Derived>
struct Base {
  void run(Run &r) const {
    r.queue.single_task([self = static_cast<const Derived &>(*this), out = r.out] { out[0] = self(); });
  }
};
struct Two : Base<Two> {
  int two = 2;
  int operator()() const { return two; }
};
struct Three : Base<Three> {
  long three[3] = {1, 2, 3};
  int operator()() const { return static_cast<int>(three[2]); }
};

template <template <class> class Of, class T>
struct Deep {
  template <class U>
  struct Inner {
    static void run(Run &r, Of<T> t, U u) {
      r.queue.submit([&](sycl::handler &h) {
        h.single_task([=, out = r.out] {
          if constexpr (sizeof(U) == 1)
            out[0] = t.v + u;
          else
            out[0] = t.v * static_cast<int>(u);
        });
      });
    }
  };
};
template <class T>
struct Value {
  T v;
};
template <>
struct Value<char> {
  int other, v;
};

int main() {
  Run r;
  sum(r, 1);
  r.expect(1, "pack of one");
  sum(r, 1, 2.5, 'A');
  r.expect(68, "pack of three");
  right_fold(r, 1, 2, 3);
  r.expect(123, "right fold");
  left_fold(r, 10, 1, 2, 3);
  r.expect(123, "left fold");
  empty_elements(r, 3, AddTen{}, AddTen{});
  r.expect(23, "empty elements");
  fold_with_value(r, SetFive{});
  r.expect(5, "fold with a value");
  unused(r, 4, 1, 2);
  r.expect(4, "unused elements");
  numbers<1, 2, 3>(r);
  r.expect(123, "pack of kernels");
  Two().run(r);
  r.expect(2, "base class");
  Three().run(r);
  r.expect(3, "base class of another one");
  Deep<Value, int>::Inner<char>::run(r, {4}, 5);
  r.expect(9, "nested template");
  Deep<Value, char>::Inner<double>::run(r, {1, 4}, 5);
  r.expect(20, "nested template, specialized");
  return result();
}
