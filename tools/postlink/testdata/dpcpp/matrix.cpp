// joint_matrix in two shapes.
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <sycl/sycl.hpp>

namespace matrix = sycl::ext::oneapi::experimental::matrix;
using sycl::ext::oneapi::bfloat16;

template <size_t M, size_t N, size_t K, class T, class R> void multiply(sycl::queue &q, T *a, T *b, R *c) {
  q.parallel_for(sycl::nd_range<2>({4, 64}, {1, 16}), [=](sycl::nd_item<2> i) [[sycl::reqd_sub_group_size(16)]] {
    auto group = i.get_sub_group();
    matrix::joint_matrix<sycl::sub_group, T, matrix::use::a, M, K, matrix::layout::row_major> x;
    matrix::joint_matrix<sycl::sub_group, T, matrix::use::b, K, N, matrix::layout::ext_intel_packed> y;
    matrix::joint_matrix<sycl::sub_group, R, matrix::use::accumulator, M, N> z;
    matrix::joint_matrix_fill(group, z, R(0));
    matrix::joint_matrix_load(group, x, sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(a), K);
    matrix::joint_matrix_load(group, y, sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(b), N * 2);
    matrix::joint_matrix_mad(group, z, x, y, z);
    matrix::joint_matrix_store(group, z, sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(c), N, matrix::layout::row_major);
  });
}

void run(sycl::queue &q, bfloat16 *a, bfloat16 *b, float *c, int8_t *d, int8_t *e, int *f) {
  multiply<8, 16, 16>(q, a, b, c);
  multiply<8, 16, 32>(q, d, e, f);
}
