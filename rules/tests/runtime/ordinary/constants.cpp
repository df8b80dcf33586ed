// Specialization constants of all kinds of types, with their defaults, with values set in the
// handler, and with values set in a kernel bundle.
#include <array>
#include <cstdio>

#include "constants.hpp"

struct Pair {
  short first;
  double second;
  bool operator==(const Pair &o) const { return first == o.first && second == o.second; }
};

struct Nested {
  bool flag;
  Pair pair;
  float row[3];
  char last;
  bool operator==(const Nested &o) const {
    return flag == o.flag && pair == o.pair && row[0] == o.row[0] && row[1] == o.row[1] &&
           row[2] == o.row[2] && last == o.last;
  }
};

constexpr sycl::specialization_id<int> count{7};
constexpr sycl::specialization_id<bool> yes{true};
constexpr sycl::specialization_id<unsigned char> letter{'a'};
constexpr sycl::specialization_id<long> large{1L << 40};
constexpr sycl::specialization_id<float> factor{0.5f};
constexpr sycl::specialization_id<sycl::half> small{sycl::half{1.5f}};
constexpr sycl::specialization_id<std::array<int, 4>> array{std::array<int, 4>{1, 2, 3, 4}};
constexpr sycl::specialization_id<Nested> nested{Nested{true, {-3, 2.25}, {1, 2, 3}, 'z'}};
constexpr sycl::specialization_id<sycl::vec<float, 4>> vector{sycl::vec<float, 4>{1, 2, 3, 4}};
constexpr sycl::specialization_id<int> nothing;

// The values that a kernel reads.
struct Values {
  int count = 7;
  bool yes = true;
  unsigned char letter = 'a';
  long large = 1L << 40;
  float factor = 0.5f;
  std::array<int, 4> array{1, 2, 3, 4};
  Nested nested{true, {-3, 2.25}, {1, 2, 3}, 'z'};
  float vector[4] = {1, 2, 3, 4};
  int nothing = 0;
};

int wrong = 0;

template <class T>
void expect(const char *what, const T &got, const T &want) {
  if (got == want) return;
  std::printf("%s is not right\n", what);
  wrong++;
}

void expect(const Values &got, const Values &want) {
  expect("count", got.count, want.count);
  expect("yes", got.yes, want.yes);
  expect("letter", got.letter, want.letter);
  expect("large", got.large, want.large);
  expect("factor", got.factor, want.factor);
  expect("array", got.array, want.array);
  expect("nested", got.nested, want.nested);
  for (int i = 0; i < 4; i++) expect("vector", got.vector[i], want.vector[i]);
  expect("nothing", got.nothing, want.nothing);
}

// read returns the values that a kernel reads.
Values read(sycl::queue &queue, const Set &set) {
  Values *out = sycl::malloc_shared<Values>(1, queue);
  queue.submit([&](sycl::handler &h) {
    set(h);
    h.single_task<class All>([=](sycl::kernel_handler k) {
      out->count = k.get_specialization_constant<count>();
      out->yes = k.get_specialization_constant<yes>();
      out->letter = k.get_specialization_constant<letter>();
      out->large = k.get_specialization_constant<large>();
      out->factor = k.get_specialization_constant<factor>();
      out->array = k.get_specialization_constant<array>();
      out->nested = k.get_specialization_constant<nested>();
      auto v = k.get_specialization_constant<vector>();
      for (int i = 0; i < 4; i++) out->vector[i] = v[i];
      out->nothing = k.get_specialization_constant<nothing>();
    });
  });
  queue.wait_and_throw();
  Values values = *out;
  sycl::free(out, queue);
  return values;
}

// The kernel in read_half is in a separate image, because it requires fp16. It shares a constant
// with the kernel above.
float read_half(sycl::queue &queue, const Set &set) {
  float *out = sycl::malloc_shared<float>(1, queue);
  queue.submit([&](sycl::handler &h) {
    set(h);
    h.single_task<class Half>([=](sycl::kernel_handler k) {
      *out = float(k.get_specialization_constant<small>() * sycl::half(2)) +
             k.get_specialization_constant<count>();
    });
  });
  queue.wait_and_throw();
  float value = *out;
  sycl::free(out, queue);
  return value;
}

Values others() {
  Values v;
  v.count = -8;
  v.yes = false;
  v.letter = 'b';
  v.large = -(1L << 41);
  v.factor = 0.25f;
  v.array = {40, 30, 20, 10};
  v.nested = {false, {9, -1e100}, {-1, 0, 0.125f}, 'y'};
  for (int i = 0; i < 4; i++) v.vector[i] = 10.0f * i;
  v.nothing = 1;
  return v;
}

// set_all sets the other values in a handler or a bundle.
template <class Target>
void set_all(Target &t) {
  Values v = others();
  t.template set_specialization_constant<count>(v.count);
  t.template set_specialization_constant<yes>(v.yes);
  t.template set_specialization_constant<letter>(v.letter);
  t.template set_specialization_constant<large>(v.large);
  t.template set_specialization_constant<factor>(v.factor);
  t.template set_specialization_constant<array>(v.array);
  t.template set_specialization_constant<nested>(v.nested);
  t.template set_specialization_constant<vector>(
      sycl::vec<float, 4>(v.vector[0], v.vector[1], v.vector[2], v.vector[3]));
  t.template set_specialization_constant<nothing>(v.nothing);
}

int main() {
  sycl::queue queue;
  auto defaults = [](sycl::handler &) {};
  expect(read(queue, defaults), Values{});
  expect(read(queue, [](sycl::handler &h) { set_all(h); }), others());
  Values one;
  one.count = 1000;
  expect(read(queue, [](sycl::handler &h) { h.set_specialization_constant<count>(1000); }), one);
  expect(read(queue, defaults), Values{});

  auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::input>(queue.get_context());
  expect("a constant of the bundle", bundle.has_specialization_constant<array>(), true);
  expect("the default that the bundle has", bundle.get_specialization_constant<array>(),
         std::array<int, 4>{1, 2, 3, 4});
  expect("the nested default that the bundle has", bundle.get_specialization_constant<nested>(),
         Values{}.nested);
  set_all(bundle);
  auto built = sycl::build(bundle);
  expect(read(queue, [&](sycl::handler &h) { h.use_kernel_bundle(built); }), others());

  expect("the other source's count", other_count(queue, defaults), 70L);
  expect("the other source's count, with a bundle of this source",
         other_count(queue, [&](sycl::handler &h) { h.use_kernel_bundle(built); }), 70L);

  if (queue.get_device().has(sycl::aspect::fp16)) {
    expect("half", read_half(queue, defaults), 3.0f + 7);
    expect("half of the handler",
           read_half(queue,
                     [](sycl::handler &h) {
                       h.set_specialization_constant<small>(sycl::half(-4.0f));
                       h.set_specialization_constant<count>(100);
                     }),
           -8.0f + 100);
  } else {
    std::printf("the device has no fp16: skipping half\n");
  }
  std::printf("%d numbers wrong\n", wrong);
  return wrong != 0;
}
