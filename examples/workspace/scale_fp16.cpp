// A kernel for devices with half precision.
#include <sycl_lite.hpp>

namespace image {

using namespace sycl_lite;

class Brighten;

void brighten(half *pixels, std::size_t width, half gain, half offset) {
  parallel_for<Brighten>(nd_range<2>{{64, 64}, {8, 8}},
                         [pixels, width, gain, offset](nd_item<2> it) {
                           std::size_t i = it.get_global_id(0) * width + it.get_global_id(1);
                           pixels[i] = pixels[i] * gain + offset;
                         });
}

}  // namespace image
