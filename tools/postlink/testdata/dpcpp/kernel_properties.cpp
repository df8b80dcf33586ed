// Properties of kernels: sizes and registers.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;
namespace intel = sycl::ext::intel::experimental;

// Submits one kernel for each list of properties.
template <int Dimensions, class Name, class Properties>
void launch(sycl::queue &q, float *f, Properties properties) {
  sycl::range<Dimensions> global, local;
  for (int i = 0; i < Dimensions; i++) global[i] = 64, local[i] = 2;
  q.parallel_for<Name>(sycl::nd_range<Dimensions>(global, local), properties,
                       [=](sycl::nd_item<Dimensions> i) { f[i.get_global_linear_id()] = 1; });
}

void run(sycl::queue &q, float *f) {
  launch<1, class One>(q, f, exp::properties{exp::work_group_size<4>});
  launch<2, class Two>(q, f, exp::properties{exp::work_group_size<4, 8>});
  launch<3, class Three>(q, f, exp::properties{exp::work_group_size<2, 4, 8>, exp::sub_group_size<8>});
  launch<3, class ThreeAgain>(q, f, exp::properties{exp::sub_group_size<8>, exp::work_group_size<2, 4, 8>});
  launch<2, class Hint>(q, f, exp::properties{exp::work_group_size_hint<4, 8>});
  launch<3, class Largest>(q, f, exp::properties{exp::max_work_group_size<2, 4, 8>});
  launch<1, class LargestLinear>(q, f, exp::properties{exp::max_linear_work_group_size<64>});
  launch<1, class Large>(q, f, exp::properties{intel::grf_size<256>});
  launch<1, class Automatic>(q, f, exp::properties{intel::grf_size_automatic});
  launch<1, class Plain>(q, f, exp::properties{});
  q.single_task<class Single>(exp::properties{exp::sub_group_size<16>}, [=] { f[0] = 1; });
}
