// Memory that a work-group shares: with a fixed size, with a size that is set when the kernel is
// submitted, and with such a size but unused.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;

exp::work_group_static<int> known;

struct Known {
  int *p;
  void operator()(sycl::nd_item<1> item) const { p[item.get_global_id(0)] = known; }
};

struct Scratch {
  int *p;
  auto get(exp::properties_tag) const { return exp::properties{exp::work_group_scratch_size(4)}; }
  void operator()(sycl::nd_item<1> item) const { p[item.get_global_id(0)] = *static_cast<int *>(exp::get_work_group_scratch_memory()); }
};

struct Unused {
  int *p;
  auto get(exp::properties_tag) const { return exp::properties{exp::work_group_scratch_size(4)}; }
  void operator()(sycl::nd_item<1> item) const { p[item.get_global_id(0)] = 1; }
};

void run(sycl::queue &q, int *p) {
  q.parallel_for(sycl::nd_range<1>(8, 4), Known{p});
  q.parallel_for(sycl::nd_range<1>(8, 4), Scratch{p});
  q.parallel_for(sycl::nd_range<1>(8, 4), Unused{p});
}
