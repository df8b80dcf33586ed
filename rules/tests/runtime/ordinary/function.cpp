// A kernel that is a free function, for programs that load it from a SYCLBIN.
#include <sycl/sycl.hpp>

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(
    (sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void twice(float *data) {
  data[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] *= 2;
}
