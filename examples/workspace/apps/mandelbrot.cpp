// Draws a part of the Mandelbrot set, called the seahorse valley.
//
//   mandelbrot [--output FILE.png]
//
// The function that colors a pixel is ordinary C++: the kernel calls it on the device,
// and the check calls it on the host.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "apps/check.hpp"
#include "apps/picture.hpp"

namespace mandelbrot {

class Draw;  // the kernel's name

namespace {

constexpr std::size_t kWidth = 1280, kHeight = 800;
constexpr int kSamples = 3;  // samples of a pixel, in each direction
constexpr int kIterations = 2000;
constexpr float kCenterX = -0.7465f, kCenterY = 0.1231f;
constexpr float kExtent = 0.0064f;  // from the upper edge to the lower

struct Color {
  float red, green, blue;
};

Color mix(Color a, Color b, float part) {
  return {a.red + part * (b.red - a.red), a.green + part * (b.green - a.green),
          a.blue + part * (b.blue - a.blue)};
}

// The colors are cyclic: midnight, blue, ice, gold, ember, and midnight again.
Color palette(float turns) {
  constexpr Color kStops[] = {{0.02f, 0.03f, 0.14f}, {0.10f, 0.32f, 0.70f}, {0.88f, 0.96f, 1.00f},
                              {1.00f, 0.72f, 0.22f}, {0.48f, 0.12f, 0.10f}, {0.02f, 0.03f, 0.14f}};
  const float at = 5 * (turns - sycl::floor(turns));
  const int stop = sycl::min(static_cast<int>(at), 4);
  const float part = at - stop;
  return mix(kStops[stop], kStops[stop + 1], part * part * (3 - 2 * part));
}

// Iterates z = z * z + c. The number of steps until z leaves determines the color. The direction in
// which z would leave sooner is a slope, lit from the upper left.
Color color_of(float cx, float cy) {
  float x = 0, y = 0, dx = 0, dy = 0;  // z and its derivative by c
  for (int i = 0; i < kIterations; ++i) {
    const float next_dx = 2 * (x * dx - y * dy) + 1;
    dy = 2 * (x * dy + y * dx);
    dx = next_dx;
    const float next_x = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next_x;
    const float square = x * x + y * y;
    if (square < 1e4f) continue;

    const float steps = i + 1 - sycl::log2(sycl::log2(square) / sycl::log2(1e4f));
    const float slope_x = x * dx + y * dy, slope_y = y * dx - x * dy;  // z / derivative, unscaled
    const float length = sycl::sqrt(slope_x * slope_x + slope_y * slope_y);
    const float light = length > 0 ? (0.6f * slope_y - 0.8f * slope_x) / length : 0;
    const float bright = 0.78f + 0.30f * light;
    const Color color = palette(0.35f * sycl::log2(steps + 1) - 1.7f);
    return {bright * color.red, bright * color.green, bright * color.blue};
  }
  return {0, 0, 0};
}

// The mean of several samples smooths edges.
void draw(std::size_t column, std::size_t row, std::uint8_t *rgb) {
  Color sum{0, 0, 0};
  constexpr float kStep = kExtent / kHeight;
  for (int i = 0; i < kSamples * kSamples; ++i) {
    const float across = column + (i % kSamples + 0.5f) / kSamples - 0.5f * kWidth;
    const float down = row + (i / kSamples + 0.5f) / kSamples - 0.5f * kHeight;
    const Color sample = color_of(kCenterX + kStep * across, kCenterY - kStep * down);
    sum = {sum.red + sample.red, sum.green + sample.green, sum.blue + sample.blue};
  }
  const float mean[] = {sum.red, sum.green, sum.blue};
  for (int channel = 0; channel < 3; ++channel) {
    const float value = mean[channel] / (kSamples * kSamples);
    rgb[channel] = static_cast<std::uint8_t>(255 * sycl::clamp(value, 0.0f, 1.0f) + 0.5f);
  }
}

// Checks every 101st pixel with a plain loop.
void check(const std::uint8_t *rgb, apps::Checks &checks) {
  std::vector<int> got, want;
  for (std::size_t pixel = 0; pixel < kWidth * kHeight; pixel += 101) {
    std::uint8_t expected[3];
    draw(pixel % kWidth, pixel / kWidth, expected);
    got.insert(got.end(), rgb + 3 * pixel, rgb + 3 * pixel + 3);
    want.insert(want.end(), expected, expected + 3);
  }
  checks.near("mandelbrot", got, want, 0.01);
}

}  // namespace
}  // namespace mandelbrot

int main(int argc, char **argv) try {
  using mandelbrot::kHeight, mandelbrot::kWidth;
  const auto path = apps::output_path(argc, argv, "mandelbrot.png");
  sycl::queue queue;
  apps::print_device(queue);

  std::uint8_t *rgb = sycl::malloc_shared<std::uint8_t>(3 * kWidth * kHeight, queue);
  queue
      .parallel_for<mandelbrot::Draw>(sycl::range<2>(kHeight, kWidth),
                                      [=](sycl::item<2> pixel) {
                                        mandelbrot::draw(pixel[1], pixel[0],
                                                         rgb + 3 * pixel.get_linear_id());
                                      })
      .wait_and_throw();

  apps::Checks checks;
  mandelbrot::check(rgb, checks);
  apps::write_picture(path, kWidth, kHeight, rgb);
  sycl::free(rgb, queue);
  return checks.exit_code();
} catch (const std::exception &e) {
  std::fprintf(stderr, "mandelbrot: %s\n", e.what());
  return 1;
}
