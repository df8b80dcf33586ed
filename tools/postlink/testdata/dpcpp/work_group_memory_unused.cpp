// Memory that a work-group shares and that no kernel of the source uses, so it has no parameter.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;

struct Unused {
  int *p;
  auto get(exp::properties_tag) const { return exp::properties{exp::work_group_scratch_size(4)}; }
  void operator()(sycl::nd_item<1> item) const { p[item.get_global_id(0)] = 1; }
};

void run(sycl::queue &q, int *p) { q.parallel_for(sycl::nd_range<1>(8, 4), Unused{p}); }
