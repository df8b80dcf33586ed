// Kernels, variables and pointers with properties, in all ways that the device header has.
#include <sycl_lite.hpp>

using namespace sycl_lite;
using namespace sycl_lite::ext::oneapi::experimental;
using namespace sycl_lite::ext::intel::experimental;

namespace shop {

struct Item {
  int price;
  float weight[2];
};

static device_global<int, decltype(properties{device_image_scope, host_access_read})> sold{42};
device_global<int[4], decltype(properties{device_image_scope})> shelves;
device_global<Item, decltype(properties{host_access_write, device_image_scope})> items[2];
struct Till {
  static inline device_global<float, decltype(properties{device_image_scope})> cash{1.5f};
};

class Listed;
class Owned;
class Named;
class Plain;

struct Owner {
  float *x;
  auto get(properties_tag) const {
    return properties{sub_group_size<8>, device_has<aspect::fp16, aspect::gpu>};
  }
  void operator()(nd_item<1>) const { *x = 1; }
};

void kernels(float *x) {
  properties all{work_group_size<8, 4>,
                 work_group_size_hint<2, 2>,
                 sub_group_size<16>,
                 max_work_group_size<16, 8>,
                 max_linear_work_group_size<64>,
                 grf_size<256>,
                 fp_control<fp_mode::round_upward>,
                 device_has<>};
  parallel_for<Listed>(nd_range<2>{{8, 4}, {8, 4}}, all, [x](nd_item<2>, kernel_handler) {
    using aligned = decltype(properties{
        alignment<64>, read_hint<cache_control<cache_mode::cached, cache_level::L3>>});
    annotated_ptr<float, aligned> p(x);
    p[3] = p[4] + sold + shelves[2] + items[1]->weight[0] + Till::cash;
  });
  parallel_for<Owned>(nd_range<1>{64, 64}, properties{grf_size_automatic}, Owner{x});
  parallel_for<Named>(nd_range<1>{64, 64}, work_group_size<64>, sub_group_size<16>,
                      [x](nd_item<1>) { *x = 2; });
  parallel_for<Plain>(nd_range<1>{64, 64}, [x](nd_item<1>) { *x = 3; });
}

}  // namespace shop
