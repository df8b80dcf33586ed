// A kernel that is a function and reads a specialization constant.
#include <sycl/sycl.hpp>

inline constexpr sycl::specialization_id<int> size{7};

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(
    (sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void constant(int *out) {
  sycl::kernel_handler handler;
  *out = handler.get_specialization_constant<size>();
}
