#include "apps/color.hpp"

namespace color {

float to_light(float value) {
  return value <= 0.04045f ? value / 12.92f : sycl::pow((value + 0.055f) / 1.055f, 2.4f);
}

float to_value(float light) {
  light = sycl::min(light, 1.0f);
  return light <= 0.0031308f ? light * 12.92f : 1.055f * sycl::pow(light, 1 / 2.4f) - 0.055f;
}

}  // namespace color
