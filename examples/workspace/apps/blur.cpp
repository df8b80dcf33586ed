// Draws the lights of a city at night, as seen through a lens that is out of focus.
//
//   blur [--output FILE.png]
//
// The device code is in three sources that are compiled separately: the kernels of this
// source and of lens.cpp both call color.cpp. The targets therefore set rdc = True.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "apps/check.hpp"
#include "apps/color.hpp"
#include "apps/lens.hpp"
#include "apps/picture.hpp"

namespace city {

class Sky;  // the kernel's name

constexpr std::size_t kWidth = 960, kHeight = 540;

// A sky at dusk, from dark blue to orange at the horizon.
float sky(std::size_t row, std::size_t channel) {
  constexpr float kTop[] = {0.04f, 0.05f, 0.16f}, kHorizon[] = {0.42f, 0.20f, 0.16f};
  const float down = float(row) / kHeight, part = down * down * down;
  return color::to_light(kTop[channel] + part * (kHorizon[channel] - kTop[channel]));
}

// Lamps and windows, most of them near the horizon.
void switch_on(float *light) {
  constexpr float kColors[][3] = {
      {1.0f, 0.55f, 0.16f}, {1.0f, 0.80f, 0.48f}, {0.45f, 0.70f, 1.0f}, {1.0f, 0.18f, 0.14f}};
  std::uint32_t random = 2026;
  const auto next = [&random] { return (random = random * 1664525 + 1013904223) >> 8; };
  for (int lamp = 0; lamp < 170; ++lamp) {
    const std::size_t x = next() % kWidth, above = next() % 1000 * (next() % 1000);
    const std::size_t y = kHeight - lens::kRadius - above * (kHeight - 80) / 1000000;
    const float *color = kColors[next() % 16 % 7 % 4];
    const float strength = 120 + next() % 300;
    for (int channel = 0; channel < 3; ++channel)
      light[3 * (y * kWidth + x) + channel] += strength * color[channel];
  }
}

}  // namespace city

int main(int argc, char **argv) try {
  using city::kHeight, city::kWidth;
  const auto path = apps::output_path(argc, argv, "blur.png");
  sycl::queue queue;
  apps::print_device(queue);

  constexpr std::size_t kCount = 3 * kWidth * kHeight;
  float *light = sycl::malloc_shared<float>(kCount, queue);
  std::uint8_t *rgb = sycl::malloc_shared<std::uint8_t>(kCount, queue);
  queue
      .parallel_for<city::Sky>(
          sycl::range<1>(kCount),
          [=](sycl::id<1> i) { light[i] = city::sky(i / (3 * kWidth), i % 3); })
      .wait_and_throw();

  apps::Checks checks;
  std::vector<float> got(light, light + kCount), want(kCount);
  for (std::size_t i = 0; i < kCount; ++i) want[i] = city::sky(i / (3 * kWidth), i % 3);
  checks.near("city::Sky", got, want, 1e-5);

  city::switch_on(light);
  lens::blur(queue, light, kWidth, kHeight, rgb).wait_and_throw();
  std::vector<int> some, expected;
  for (std::size_t i = 0; i < kCount; i += 211) {
    some.push_back(rgb[i]);
    expected.push_back(lens::blurred(light, kWidth, kHeight, i));
  }
  checks.near("lens::Blur", some, expected, 0.01);

  apps::write_picture(path, kWidth, kHeight, rgb);
  sycl::free(light, queue);
  sycl::free(rgb, queue);
  return checks.exit_code();
} catch (const std::exception &e) {
  std::fprintf(stderr, "blur: %s\n", e.what());
  return 1;
}
