#include "apps/lens.hpp"

#include "apps/color.hpp"

namespace lens {

class Blur;  // the kernel's name

sycl::event blur(sycl::queue &queue, const float *light, std::size_t width, std::size_t height,
                 std::uint8_t *rgb) {
  return queue.parallel_for<Blur>(sycl::range<1>(3 * width * height), [=](sycl::id<1> index) {
    rgb[index] = blurred(light, width, height, index);
  });
}

std::uint8_t blurred(const float *light, std::size_t width, std::size_t height, std::size_t index) {
  const int w = width, h = height, channel = index % 3, x = index / 3 % w, y = index / 3 / w;
  float sum = 0, whole = 0;
  for (int v = -kRadius; v <= kRadius; ++v)
    for (int u = -kRadius; u <= kRadius; ++u) {
      // The approximate part of the pixel that the disc covers. Beyond the edge, the picture
      // continues with the pixels at the edge.
      const float part = sycl::clamp(kRadius - sycl::sqrt(float(u * u + v * v)), 0.0f, 1.0f);
      const int row = sycl::clamp(y + v, 0, h - 1), column = sycl::clamp(x + u, 0, w - 1);
      sum += part * light[3 * (row * w + column) + channel];
      whole += part;
    }
  return static_cast<std::uint8_t>(255 * color::to_value(sum / whole) + 0.5f);
}

}  // namespace lens
