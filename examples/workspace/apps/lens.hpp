// The effect of a lens that is out of focus.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>

namespace lens {

// Each point of light becomes a disc with this radius in pixels.
constexpr int kRadius = 17;

// Writes the picture of the light that falls on the pixels: red, green and blue, from 0 to
// any brightness. Both are memory that the device can reach.
sycl::event blur(sycl::queue &queue, const float *light, std::size_t width, std::size_t height,
                 std::uint8_t *rgb);

// Computes one byte of the same picture with a plain loop.
std::uint8_t blurred(const float *light, std::size_t width, std::size_t height, std::size_t index);

}  // namespace lens
