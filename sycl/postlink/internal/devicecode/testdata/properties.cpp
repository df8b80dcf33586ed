// Properties of kernels and variables, as the header of DPC++ has them and as attributes
// that name any property.
#include <sycl/sycl.hpp>

#include <sycl/ext/intel/experimental/grf_size_properties.hpp>
#include <sycl/ext/intel/experimental/maximum_registers_properties.hpp>

namespace one = sycl::ext::oneapi::experimental;
namespace intel = sycl::ext::intel::experimental;

one::device_global<int, decltype(one::properties{one::device_image_scope, one::host_access_read})> only_read;
one::device_global<int, decltype(one::properties{one::host_access_write})> written;
one::device_global<int, decltype(one::properties{one::host_access_none})> hidden;
one::device_global<int> plain;

struct Sizes {
  int *p;
  void operator()(sycl::nd_item<2> it) const { p[it.get_global_linear_id()] = only_read + written + hidden + plain; }
  auto get(one::properties_tag) const {
    return one::properties{one::work_group_size<8, 4>,     one::work_group_size_hint<8, 4>,        one::sub_group_size<16>,
                           one::max_work_group_size<16, 4>, one::max_linear_work_group_size<64>, intel::grf_size<256>};
  }
};

struct OneSize {
  int *p;
  void operator()(sycl::nd_item<1> it) const { p[it.get_global_linear_id()] = 1; }
  auto get(one::properties_tag) const { return one::properties{one::work_group_size<8>, intel::maximum_registers<128>}; }
};

struct ThreeSizes {
  int *p;
  void operator()(sycl::nd_item<3> it) const { p[it.get_global_linear_id()] = 1; }
  auto get(one::properties_tag) const { return one::properties{one::work_group_size<8, 9, 10>, intel::maximum_registers_automatic}; }
};

#define PROPERTIES(...) extern "C" SYCL_EXTERNAL [[__sycl_detail__::add_ir_attributes_function(__VA_ARGS__)]] void
PROPERTIES("sycl-single-task-kernel", "sycl-streaming-interface", "sycl-pipelined", "sycl-grf-size", "sycl-floating-point-control", 0, 1, 3, 512, 255)
streams(int *p) { *p = 1; }
PROPERTIES("sycl-single-task-kernel", "sycl-register-map-interface", "sycl-pipelined", "sycl-grf-size", "sycl-floating-point-control", 0, 1, -1, 128, 17)
maps(int *p) { *p = 2; }
PROPERTIES("sycl-single-task-kernel", "sycl-streaming-interface", "sycl-pipelined", "sycl-grf-size", "sycl-single-task", 0, nullptr, 0, 0, nullptr)
stops(int *p) { *p = 3; }
PROPERTIES("sycl-single-task-kernel", "sycl-max-work-group-size", "sycl-alignment", "sycl-maximum-registers", 0, "8", 16, 512)
bounds(int *p) { *p = 4; }

#define VARIABLE(NAME, ...)                                                                                                   \
  struct [[__sycl_detail__::add_ir_attributes_global_variable(__VA_ARGS__)]] [[__sycl_detail__::global_variable_allowed]]     \
  [[__sycl_detail__::device_global]] type_of_##NAME {                                                                         \
    int value;                                                                                                                \
    constexpr type_of_##NAME() : value(0) {}                                                                                  \
  };                                                                                                                          \
  type_of_##NAME NAME;
VARIABLE(initialized, "sycl-init-mode", "sycl-implement-in-csr", 1, true)
VARIABLE(in_memory, "sycl-implement-in-csr", "sycl-buffer-location", "sycl-conduit", false, 3, true)
VARIABLE(of_host, "sycl-awidth", "sycl-dwidth", "sycl-latency", "sycl-read-write-mode", "sycl-maxburst", "sycl-wait-request", 32, 64, 1, 2, 3, 1)
VARIABLE(stable, "sycl-stable", "sycl-register-map", "sycl-strict", "sycl-alignment", nullptr, 1, true, 64)
VARIABLE(sized, "sycl-device-global-size", "sycl-host-access", "sycl-init-mode", 4, 1, 0)

void run(sycl::queue q, int *p) {
  q.parallel_for(sycl::nd_range<2>({8, 4}, {8, 4}), Sizes{p});
  q.parallel_for(sycl::nd_range<1>(8, 8), OneSize{p});
  q.parallel_for(sycl::nd_range<3>({8, 9, 10}, {8, 9, 10}), ThreeSizes{p});
  q.single_task([=] { *p = initialized.value + in_memory.value + of_host.value + stable.value + sized.value; });
}
