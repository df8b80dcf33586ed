// Free functions that are kernels, and a lambda.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>)) void scale(float *f, float by) {
  f[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0)] *= by;
}

namespace app {
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel)) void first(double *d) { d[0] = 1; }

template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<2>)) void fill(T *p, T value) {
  p[sycl::ext::oneapi::this_work_item::get_nd_item<2>().get_global_linear_id()] = value;
}
template void fill<int>(int *, int);
} // namespace app

void run(sycl::queue &q, float *f) {
  q.single_task<class Lambda>([=] { f[0] = 0; });
}
