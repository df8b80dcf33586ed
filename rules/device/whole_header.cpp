// Instantiates the whole of sycl_lite.hpp for every type that it supports, so that a
// part of it that no longer compiles for a device is found. Nothing runs it.
#include <sycl_lite.hpp>

using namespace sycl_lite;
namespace stats {
class DotProduct; class D3; template <class T> class Atomics; template <class T> class Groups; class Spec; class Two;
SYCL_EXTERNAL float weight(std::size_t i);
SYCL_EXTERNAL SYCL_LITE_DEVICE_HAS("fp64") float weight(std::size_t i) { return float(i) * 0.5f; }
void dot_product(const float *x, const float *y, float *result) {
  parallel_for<DotProduct>(
      nd_range<1>{1024, 64}, work_group_size<64>, sub_group_size<16>,
      [x, y, result](nd_item<1> it) {
        SYCL_LITE_LOCAL float products[64];
        std::size_t i = it.get_global_id(0), l = it.get_local_id(0);
        products[l] = weight(i) * x[i] * y[i];
        group_barrier(it.get_group());
        float other = products[63 - l];
        float sum = reduce_over_group(it.get_sub_group(), other, plus<>{});
        if (it.get_sub_group().get_local_linear_id() == 0)
          atomic_ref<float, memory_order::relaxed, memory_scope::device>(*result).fetch_add(sum);
      });
}
void d3(std::size_t *o) {
  parallel_for<D3>(nd_range<3>{{4, 4, 8}, {1, 2, 4}}, work_group_size<1, 2, 4>, [o](nd_item<3> it) {
    std::size_t *p = o + 10 * it.get_global_linear_id();
    p[0] = it.get_global_id(0); p[1] = it.get_global_id(1); p[2] = it.get_global_id()[2];
    p[3] = it.get_local_linear_id(); p[4] = it.get_group_linear_id();
    p[5] = it.get_local_range(2); p[6] = it.get_global_range(2); p[7] = it.get_group_range(1);
    p[8] = it.get_group(2); p[9] = it.get_group()[1];
  });
}
template <class T> void atomics(T *o, T v) {
  parallel_for<Atomics<T>>(nd_range<1>{64, 64}, [o, v](nd_item<1> it) {
    T x = v * T(1 + it.get_global_id(0));
    auto at = [o](int i) { return atomic_ref<T, memory_order::acq_rel, memory_scope::work_group>(o[i]); };
    at(0).fetch_add(x); at(1).fetch_sub(x); at(2).fetch_min(x); at(3).fetch_max(x);
    at(4).store(v); at(5).exchange(at(6).load());
    if constexpr (std::is_integral_v<T>) {
      at(7).fetch_and(x); at(8).fetch_or(x); at(9).fetch_xor(x);
      T e = at(10).load(); while (!at(10).compare_exchange_strong(e, e + x)) {}
    }
  });
}
template <class T> void groups(T *o, T v) {
  parallel_for<Groups<T>>(nd_range<1>{64, 64}, sub_group_size<16>, [o, v](nd_item<1> it) {
    auto sg = it.get_sub_group(); auto g = it.get_group();
    T x = o[it.get_global_id()];
    T r = reduce_over_group(sg, x, plus<>{}) + reduce_over_group(sg, x, minimum<>{}) + reduce_over_group(sg, x, maximum<>{});
    r += inclusive_scan_over_group(sg, x, plus<>{}) + exclusive_scan_over_group(sg, x, plus<>{});
    r += reduce_over_group(g, x, plus<T>{});
    r += group_broadcast(sg, x, 1) + select_from_group(sg, x, sg.get_local_linear_id() ^ 1) + permute_group_by_xor(sg, x, 2);
    group_barrier(sg);
    o[it.get_global_id()] = r + v + T(sg.get_max_local_range() + sg.get_group_linear_id() + sg.get_group_linear_range());
  });
}
void spec(float *x) {
  parallel_for<Spec>(nd_range<1>{64, 64}, sub_group_size<32>, work_group_size<64>, [x](nd_item<1> it) {
    for (int i = 0; i < specialization_constant<0, 16>(); ++i)
      x[it.get_global_id()] = specialization_constant<2, true>() ? x[it.get_global_id()] * specialization_constant<1, 1.5f>() : 0;
  });
}
struct Fun { int *x; void operator()(nd_item<2> it) const { x[it.get_global_linear_id()] = int(it.get_local_linear_id()); } };
void two(int *x) { parallel_for<Fun>(nd_range<2>{{4, 4}, {2, 2}}, Fun{x}); }
template void atomics(int *, int); template void atomics(unsigned *, unsigned);
template void atomics(long *, long); template void atomics(unsigned long *, unsigned long); template void atomics(long long *, long long);
template void atomics(float *, float); template void atomics(double *, double);
template void groups(int *, int); template void groups(unsigned *, unsigned); template void groups(long *, long); template void groups(unsigned long long *, unsigned long long);
template void groups(float *, float); template void groups(half *, half); template void groups(double *, double);
}
