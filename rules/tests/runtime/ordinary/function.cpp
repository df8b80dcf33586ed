// A kernel that is a function, as programs find it in a SYCLBIN.
#include <sycl/sycl.hpp>

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(
    (sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void twice(float *data) {
  data[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] *= 2;
}
