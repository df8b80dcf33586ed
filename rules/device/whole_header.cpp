// Instantiates all of sycl_lite.hpp for every supported type, to detect parts that no longer
// compile for a device. It is never run.
#include <array>

#include <sycl_lite.hpp>

using namespace sycl_lite;
using namespace sycl_lite::ext::intel::experimental;
using namespace sycl_lite::ext::oneapi::experimental;
namespace stats {
class DotProduct;
class D3;
template <class T>
class Atomics;
template <class T>
class Groups;
class Spec;
class Two;
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
    p[0] = it.get_global_id(0);
    p[1] = it.get_global_id(1);
    p[2] = it.get_global_id()[2];
    p[3] = it.get_local_linear_id();
    p[4] = it.get_group_linear_id();
    p[5] = it.get_local_range(2);
    p[6] = it.get_global_range(2);
    p[7] = it.get_group_range(1);
    p[8] = it.get_group(2);
    p[9] = it.get_group()[1];
  });
}
template <class T>
void atomics(T *o, T v) {
  parallel_for<Atomics<T>>(nd_range<1>{64, 64}, [o, v](nd_item<1> it) {
    T x = v * T(1 + it.get_global_id(0));
    auto at = [o](int i) {
      return atomic_ref<T, memory_order::acq_rel, memory_scope::work_group>(o[i]);
    };
    at(0).fetch_add(x);
    at(1).fetch_sub(x);
    at(2).fetch_min(x);
    at(3).fetch_max(x);
    at(4).store(v);
    at(5).exchange(at(6).load());
    if constexpr (std::is_integral_v<T>) {
      at(7).fetch_and(x);
      at(8).fetch_or(x);
      at(9).fetch_xor(x);
      T e = at(10).load();
      while (!at(10).compare_exchange_strong(e, e + x)) {
      }
    }
  });
}
template <class T>
void groups(T *o, T v) {
  parallel_for<Groups<T>>(nd_range<1>{64, 64}, sub_group_size<16>, [o, v](nd_item<1> it) {
    auto sg = it.get_sub_group();
    auto g = it.get_group();
    T x = o[it.get_global_id()];
    T r = reduce_over_group(sg, x, plus<>{}) + reduce_over_group(sg, x, minimum<>{}) +
          reduce_over_group(sg, x, maximum<>{});
    r += inclusive_scan_over_group(sg, x, plus<>{}) + exclusive_scan_over_group(sg, x, plus<>{});
    r += reduce_over_group(g, x, plus<T>{});
    r += group_broadcast(sg, x, 1) + select_from_group(sg, x, sg.get_local_linear_id() ^ 1) +
         permute_group_by_xor(sg, x, 2);
    group_barrier(sg);
    o[it.get_global_id()] =
        r + v +
        T(sg.get_max_local_range() + sg.get_group_linear_id() + sg.get_group_linear_range());
  });
}
void spec(float *x) {
  parallel_for<Spec>(
      nd_range<1>{64, 64}, sub_group_size<32>, work_group_size<64>, [x](nd_item<1> it) {
        for (int i = 0; i < specialization_constant<0, 16>(); ++i)
          x[it.get_global_id()] = specialization_constant<2, true>()
                                      ? x[it.get_global_id()] * specialization_constant<1, 1.5f>()
                                      : 0;
      });
}
struct Fun {
  int *x;
  void operator()(nd_item<2> it) const {
    x[it.get_global_linear_id()] = int(it.get_local_linear_id());
  }
};
void two(int *x) { parallel_for<Fun>(nd_range<2>{{4, 4}, {2, 2}}, Fun{x}); }
template void atomics(int *, int);
template void atomics(unsigned *, unsigned);
template void atomics(long *, long);
template void atomics(unsigned long *, unsigned long);
template void atomics(long long *, long long);
template void atomics(float *, float);
template void atomics(double *, double);
template void groups(int *, int);
template void groups(unsigned *, unsigned);
template void groups(long *, long);
template void groups(unsigned long long *, unsigned long long);
template void groups(float *, float);
template void groups(half *, half);
template void groups(double *, double);

// Specialization constants: all types of numbers, and classes and arrays of them.
enum class Mode : unsigned char { off, on };
struct Inner {
  bool flag;
  half small;
};
struct Outer {
  int a;
  Inner inner;
  std::array<float, 3> row;
  Mode mode;
};
inline constexpr specialization_id<bool> constant_bool{true};
inline constexpr specialization_id<signed char> constant_char{static_cast<signed char>(-1)};
inline constexpr specialization_id<short> constant_short{short(2)};
inline constexpr specialization_id<int> constant_int{3};
inline constexpr specialization_id<unsigned> constant_unsigned{4u};
inline constexpr specialization_id<long long> constant_long{1LL << 40};
inline constexpr specialization_id<half> constant_half{};
inline constexpr specialization_id<float> constant_float{1.5f};
inline constexpr specialization_id<double> constant_double{2.5};
inline constexpr specialization_id<Mode> constant_enum{Mode::on};
inline constexpr specialization_id<Outer> constant_class{Outer{1, {true, {}}, {1, 2, 3}, Mode::on}};
inline constexpr specialization_id<std::array<int, 2>> constant_array{std::array<int, 2>{5, 6}};
class Constants;
class ConstantsOfHandler;
void constants(double *o, Outer *outer) {
  parallel_for<Constants>(nd_range<1>{64, 64}, [o, outer](nd_item<1> it, kernel_handler kh) {
    double sum = kh.get_specialization_constant<constant_bool>() +
                 kh.get_specialization_constant<constant_char>() +
                 kh.get_specialization_constant<constant_short>() +
                 kh.get_specialization_constant<constant_int>() +
                 kh.get_specialization_constant<constant_unsigned>() +
                 kh.get_specialization_constant<constant_float>() +
                 kh.get_specialization_constant<constant_double>() +
                 double(kh.get_specialization_constant<constant_long>()) +
                 float(kh.get_specialization_constant<constant_half>()) +
                 kh.get_specialization_constant<constant_array>()[1];
    if (kh.get_specialization_constant<constant_enum>() == Mode::on)
      outer[it.get_global_id(0)] = kh.get_specialization_constant<constant_class>();
    o[it.get_global_id(0)] = sum;
  });
}
// A function object with properties and a kernel_handler.
struct WithHandler {
  int *o;
  auto get(properties_tag) const {
    return properties{sub_group_size<16>, work_group_size_hint<64>};
  }
  void operator()(nd_item<1> it, kernel_handler kh) const {
    o[it.get_global_id(0)] = kh.get_specialization_constant<constant_int>();
  }
};
void with_handler(int *o) {
  parallel_for<ConstantsOfHandler>(nd_range<1>{64, 64}, properties{max_linear_work_group_size<64>},
                                   WithHandler{o});
}

// Properties of kernels.
class Sizes;
class Largest;
class Registers;
class Automatic;
class Rounding;
class Declares;
class Empty;
void listed(double *o, [[maybe_unused]] float *f) {
  constexpr properties sizes{work_group_size<2, 8>, sub_group_size<16>};
  static_assert(sizes.has_property<work_group_size_key>() &&
                sizes.get_property<work_group_size_key>()[1] == 8);
  auto none = [o](auto it) { o[it.get_global_linear_id()] = 1; };
  parallel_for<Sizes>(nd_range<2>{{4, 8}, {2, 8}}, sizes, none);
  parallel_for<Largest>(nd_range<3>{{1, 4, 8}, {1, 4, 8}},
                        properties{max_work_group_size<1, 4, 8>, work_group_size_hint<1, 2, 8>},
                        none);
  parallel_for<Registers>(nd_range<1>{64, 64}, properties{grf_size<256>}, none);
  parallel_for<Automatic>(nd_range<1>{64, 64}, properties{grf_size_automatic}, none);
#if !defined(__NVPTX__) && !defined(__AMDGCN__)  // these GPUs have one rounding mode
  parallel_for<Rounding>(nd_range<1>{64, 64},
                         properties{fp_control<fp_mode::round_toward_zero | fp_mode::denorm_allow>},
                         [f](nd_item<1> it) { f[it.get_global_id(0)] *= 0.1f; });
#endif
  parallel_for<Declares>(nd_range<1>{64, 64},
                         properties{device_has<aspect::fp64, aspect::atomic64>}, none);
  parallel_for<Empty>(nd_range<1>{64, 64}, properties{}, none);
}

// Variables and pointers with properties.
struct Point {
  float x, y;
};
static device_global<int, decltype(properties{device_image_scope})> counter;
static device_global<Point, decltype(properties{device_image_scope, host_access_read})> middle{
    1.0f, 2.0f};
static device_global<int[4], decltype(properties{device_image_scope, host_access_write})> table;
device_global<long, decltype(properties{device_image_scope, host_access_read_write})> shared{7L};
static device_global<unsigned, decltype(properties{device_image_scope, host_access_none})> hidden;
class Variables;
class Pointers;
void variables(long *o) {
  parallel_for<Variables>(nd_range<1>{64, 64}, [o](nd_item<1> it) {
    atomic_ref<int, memory_order::relaxed, memory_scope::device>(counter.get())
        .fetch_add(table[it.get_global_id(0) % 4]);
    table[0] = int(middle->x) + int(middle.get().y);
    hidden = hidden.get() + 1u;
    shared = shared + 1;
    o[it.get_global_id(0)] = counter + shared + long(hidden.get());
  });
}
using Cached = decltype(properties{alignment<16>,
                                   read_hint<cache_control<cache_mode::cached, cache_level::L1>>});
using Once =
    decltype(properties{read_assertion<cache_control<cache_mode::invalidate, cache_level::L1>>});
using Written =
    decltype(properties{write_hint<cache_control<cache_mode::write_back, cache_level::L3>>});
void pointers(const int *a, const Point *b, int *o) {
  parallel_for<Pointers>(nd_range<1>{64, 64}, [a, b, o](nd_item<1> it) {
    annotated_ptr<const int, Cached> cached(a);
    annotated_ptr<const Point, Once> once(b);
    annotated_ptr<int, Written> written(o);
    annotated_ptr<int> bare(o);
    annotated_ptr<volatile int, Cached> watched(o);
    static_assert(cached.has_property<alignment_key>() && !written.has_property<alignment_key>());
    std::ptrdiff_t i = std::ptrdiff_t(it.get_global_id(0));
    auto next = cached + i;
    ++next, --next, next += 1, next -= 1;
    if (next && next - cached == i && next == cached + i)
      written[i] = *next + int(once->x + once[i].y);
    *(bare - i + i) = bare.get()[1] + *watched;
  });
}
}  // namespace stats
