// Kernels. run_ptx.py compares their results with numbers that it computes.
#include <sycl_lite.hpp>

SYCL_EXTERNAL int twice(int value);  // in twice.cpp

namespace check {

using namespace sycl_lite;
using namespace sycl_lite::ext::oneapi::experimental;

// clang-format off
class VectorAdd; class Axpy; class Brighten; class Total; class FloatTotal; class DoubleTotal;
class CallsTwice; class BlockReverse; class Ids; class Atomics; class Constants; class Tally;
class LastGroup;
template <class T> class SubGroup;
template <class T> class WorkGroup;
// clang-format on

template <class T>
using relaxed = atomic_ref<T, memory_order::relaxed, memory_scope::device>;

void vector_add(const int *a, const int *b, int *c, std::size_t count) {
  parallel_for<VectorAdd>(nd_range<1>{1024, 64}, [a, b, c, count](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    if (i < count) c[i] = a[i] + b[i];
  });
}

void axpy(double factor, const double *x, double *y) {
  parallel_for<Axpy>(nd_range<1>{1024, 64}, [factor, x, y](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    y[i] = factor * x[i] + y[i];
  });
}

void brighten(half *pixels, half gain, half offset) {
  parallel_for<Brighten>(nd_range<1>{1024, 64}, [pixels, gain, offset](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    pixels[i] = pixels[i] * gain + offset;
  });
}

void total(const long *values, long *result) {
  parallel_for<Total>(nd_range<1>{1024, 64}, [values, result](nd_item<1> it) {
    relaxed<long>(*result).fetch_add(values[it.get_global_id(0)]);
  });
}

void float_total(const float *values, float *result) {
  parallel_for<FloatTotal>(nd_range<1>{1024, 64}, [values, result](nd_item<1> it) {
    relaxed<float>(*result).fetch_add(values[it.get_global_id(0)]);
  });
}

void double_total(const double *values, double *result) {
  parallel_for<DoubleTotal>(nd_range<1>{1024, 64}, [values, result](nd_item<1> it) {
    relaxed<double>(*result).fetch_add(values[it.get_global_id(0)]);
  });
}

void calls_twice(int *values) {
  parallel_for<CallsTwice>(nd_range<1>{1024, 64}, [values](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    values[i] = twice(values[i]);
  });
}

void block_reverse(int *values) {
  parallel_for<BlockReverse>(nd_range<1>{1024, 64}, properties{work_group_size<64>},
                             [values](nd_item<1> it) {
                               SYCL_LITE_LOCAL int block[64];
                               std::size_t i = it.get_local_id(0);
                               block[i] = values[it.get_global_id(0)];
                               group_barrier(it.get_group());
                               values[it.get_global_id(0)] = block[63 - i];
                             });
}

// Writes ten numbers for each work-item: its ids and the sizes of its groups.
void ids(unsigned *out) {
  parallel_for<Ids>(nd_range<3>{{4, 6, 32}, {2, 3, 8}}, [out](nd_item<3> it) {
    unsigned *p = out + 12 * it.get_global_linear_id();
    for (int d = 0; d < 3; ++d) {
      p[d] = unsigned(it.get_global_id(d));
      p[3 + d] = unsigned(it.get_local_id(d));
      p[6 + d] = unsigned(it.get_group(d));
    }
    p[9] = unsigned(it.get_group_linear_id());
    p[10] =
        it.get_sub_group().get_group_linear_id() * 100 + it.get_sub_group().get_local_linear_id();
    p[11] = it.get_sub_group().get_group_linear_range() * 10000 +
            it.get_sub_group().get_local_linear_range() * 100 +
            it.get_sub_group().get_max_local_range();
  });
}

// All work-items apply every operation of atomic_ref to the same objects.
void atomics(int *o, float *f, unsigned *u) {
  parallel_for<Atomics>(nd_range<1>{1024, 64}, [o, f, u](nd_item<1> it) {
    int i = int(it.get_global_id(0));
    relaxed<int>(o[0]).fetch_add(i);
    relaxed<int>(o[1]).fetch_sub(i);
    relaxed<int>(o[2]).fetch_min(-i);
    relaxed<int>(o[3]).fetch_max(i);
    relaxed<int>(o[4]).fetch_and(~(1 << i % 20));
    relaxed<int>(o[5]).fetch_or(1 << i % 20);
    relaxed<int>(o[6]).fetch_xor(i);
    if (relaxed<int>(o[7]).exchange(1) == 0) relaxed<int>(o[8]).fetch_add(1);
    atomic_ref<int, memory_order::acq_rel, memory_scope::device> swapped(o[9]);
    int seen = swapped.load();
    while (!swapped.compare_exchange_strong(seen, seen + 3)) {
    }
    relaxed<float>(f[0]).fetch_min(-float(i));
    relaxed<float>(f[1]).fetch_max(float(i));
    relaxed<float>(f[2]).fetch_sub(1.0f);
    relaxed<unsigned>(u[0]).fetch_max(~unsigned(i));
    relaxed<unsigned>(u[1]).fetch_min(unsigned(i) + 5);
  });
}

constexpr specialization_id<int> steps{3};

void constants(float *values) {
  parallel_for<Constants>(nd_range<1>{1024, 64}, [values](nd_item<1> it, kernel_handler kh) {
    for (int i = 0; i < kh.get_specialization_constant<steps>(); ++i)
      values[it.get_global_id(0)] *= specialization_constant<1, 1.5f>();
  });
}

device_global<int[4], decltype(properties{device_image_scope, host_access_read})> bins;

void tally(const int *values) {
  parallel_for<Tally>(nd_range<1>{1024, 64}, [values](nd_item<1> it) {
    relaxed<int>(bins[values[it.get_global_id(0)] & 3]).fetch_add(1);
  });
}

// The work-group that finishes last adds the sums of all work-groups.
void last_group(const int *values, int *sums, int *finished, int *result) {
  parallel_for<LastGroup>(nd_range<1>{1024, 64}, [values, sums, finished, result](nd_item<1> it) {
    int sum = reduce_over_group(it.get_group(), values[it.get_global_id(0)], plus<>{});
    if (!it.get_group().leader()) return;
    sums[it.get_group(0)] = sum;
    atomic_ref<int, memory_order::acq_rel, memory_scope::device> count(*finished);
    if (count.fetch_add(1) + 1 != int(it.get_group_range(0))) return;
    for (std::size_t i = 0; i < it.get_group_range(0); ++i) *result += sums[i];
  });
}

// Sub-group algorithms, with eight results for each work-item.
template <class T>
void sub_groups(const T *values, T *out) {
  parallel_for<SubGroup<T>>(
      nd_range<1>{96, 48}, properties{sub_group_size<32>}, [values, out](nd_item<1> it) {
        sub_group group = it.get_sub_group();
        T value = values[it.get_global_id(0)];
        T *p = out + 8 * it.get_global_id(0);
        p[0] = reduce_over_group(group, value, plus<>{});
        p[1] = reduce_over_group(group, value, minimum<>{});
        p[2] = reduce_over_group(group, value, maximum<>{});
        p[3] = inclusive_scan_over_group(group, value, plus<>{});
        p[4] = exclusive_scan_over_group(group, value, plus<>{});
        p[5] = group_broadcast(group, value, 5);
        p[6] = select_from_group(group, value, group.get_local_linear_id() / 2);
        p[7] = permute_group_by_xor(group, value, 3);
        group_barrier(group);
      });
}

// Work-group algorithms, with six results.
template <class T>
void work_groups(const T *values, T *out) {
  parallel_for<WorkGroup<T>>(nd_range<2>{{8, 40}, {4, 20}}, [values, out](nd_item<2> it) {
    auto group = it.get_group();
    std::size_t i = it.get_group_linear_id() * 80 + it.get_local_linear_id();
    T value = values[i];
    T *p = out + 6 * i;
    p[0] = reduce_over_group(group, value, plus<>{});
    p[1] = reduce_over_group(group, value, minimum<>{});
    p[2] = reduce_over_group(group, value, maximum<>{});
    p[3] = inclusive_scan_over_group(group, value, plus<>{});
    p[4] = exclusive_scan_over_group(group, value, plus<>{});
    p[5] = inclusive_scan_over_group(group, value, maximum<>{});
  });
}

template void sub_groups(const int *, int *);
template void sub_groups(const long *, long *);
template void sub_groups(const half *, half *);
template void sub_groups(const double *, double *);
template void work_groups(const int *, int *);
template void work_groups(const float *, float *);
template void work_groups(const unsigned long *, unsigned long *);

}  // namespace check
