// A kernel that calls a device function of a different repository.
#include <scaling/scale.hpp>

namespace consumer {

using namespace sycl_lite;

class Scale;

void scale(float *data) {
  parallel_for<Scale>(nd_range<1>{1024, 64}, [data](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    data[i] = scaling::scale(data[i]);
  });
}

}  // namespace consumer
