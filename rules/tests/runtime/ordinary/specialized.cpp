// Specialization constants that the build sets: the values that kernels and the host read if the
// program sets nothing, and if it sets a value.
#include <cstdio>
#include <functional>

#include <sycl/sycl.hpp>

struct Tile {
  int x, y;
  bool padded;
};

constexpr sycl::specialization_id<int> width{7};                  // 42 in the build
constexpr sycl::specialization_id<Tile> tile{Tile{16, 8, true}};  // {32, 4, false}
constexpr sycl::specialization_id<float> factor{0.5f};            // not set in the build

// The values that a kernel reads.
struct Values {
  int width, x, y;
  bool padded;
  float factor;
};

int wrong = 0;

void expect(const char *what, double got, double want) {
  if (got == want) return;
  std::printf("%s: %g, not %g\n", what, got, want);
  wrong++;
}

void expect(const char *what, sycl::queue &queue, Values want,
            const std::function<void(sycl::handler &)> &set) {
  Values *out = sycl::malloc_shared<Values>(1, queue);
  queue.submit([&](sycl::handler &h) {
    set(h);
    h.single_task<class Specialized>([=](sycl::kernel_handler k) {
      Tile t = k.get_specialization_constant<tile>();
      *out = {k.get_specialization_constant<width>(), t.x, t.y, t.padded,
              k.get_specialization_constant<factor>()};
    });
  });
  queue.wait_and_throw();
  std::printf("%s\n", what);
  expect("  width", out->width, want.width);
  expect("  tile.x", out->x, want.x);
  expect("  tile.y", out->y, want.y);
  expect("  tile.padded", out->padded, want.padded);
  expect("  factor", out->factor, want.factor);
  sycl::free(out, queue);
}

int main() {
  sycl::queue queue;
  const Values built{42, 32, 4, false, 0.5f};
  Values set = built;
  set.width = 9;
  expect("the program sets nothing", queue, built, [](sycl::handler &) {});
  expect("the handler sets width", queue, set, [](sycl::handler &h) {
    h.set_specialization_constant<width>(9);
    expect("  the handler's width", h.get_specialization_constant<width>(), 9);
  });

  // The host does not read the values in the image.
  expect("the handler is asked for width", queue, built, [](sycl::handler &h) {
    expect("  the handler's width", h.get_specialization_constant<width>(), 7);
  });
  auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::input>(queue.get_context());
  expect("the bundle's width", bundle.get_specialization_constant<width>(), 7);
  expect("the bundle's tile.x", bundle.get_specialization_constant<tile>().x, 16);

  // Setting a constant in a bundle does not change the others.
  bundle.set_specialization_constant<width>(9);
  expect("the bundle's width when it is set", bundle.get_specialization_constant<width>(), 9);
  expect("the bundle's tile.x beside it", bundle.get_specialization_constant<tile>().x, 16);
  auto executable = sycl::build(bundle);
  expect("the bundle sets width", queue, set,
         [&](sycl::handler &h) { h.use_kernel_bundle(executable); });
  std::printf("%d numbers wrong\n", wrong);
  return wrong != 0;
}
