// Kernels that require sub-group and work-group sizes.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;

void run(sycl::queue &q, float *f) {
  sycl::nd_range<1> r1{64, 32};
  sycl::nd_range<3> r3{{4, 8, 16}, {1, 4, 8}};
  q.parallel_for<class Plain>(r1, [=](sycl::nd_item<1> i) { f[i.get_global_id(0)] = 1; });
  q.parallel_for<class SubGroup8>(r1, [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(8)]] { f[i.get_global_id(0)] = 8; });
  q.parallel_for<class SubGroup16>(r1, [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(16)]] { f[i.get_global_id(0)] = 16; });
  q.parallel_for<class WorkGroup32>(r1, [=](sycl::nd_item<1> i) [[sycl::reqd_work_group_size(32)]] { f[i.get_global_id(0)] = 1; });
  q.parallel_for<class WorkGroup148>(r3, [=](sycl::nd_item<3> i) [[sycl::reqd_work_group_size(1, 4, 8)]] { f[i.get_global_linear_id()] = 1; });
  q.parallel_for<class Hint>(r1, [=](sycl::nd_item<1> i) [[sycl::work_group_size_hint(32)]] { f[i.get_global_id(0)] = 1; });
  q.parallel_for<class All>(r1, exp::properties{exp::work_group_size<32>, exp::sub_group_size<16>}, [=](sycl::nd_item<1> i) { f[i.get_global_id(0)] = 1; });
}
