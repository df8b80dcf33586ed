// Multiplies two matrices in tiles: the work-items of a work-group load a square of each matrix
// into local memory once, and then all of them read it from there.
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "apps/check.hpp"

namespace matrix {

class Multiply;  // the kernel's name

constexpr std::size_t kTile = 16;

// Returns the product of a (rows x inner) and b (inner x columns). The three sizes are multiples of
// the tile size.
std::vector<float> multiply(sycl::queue &queue, const std::vector<float> &a,
                            const std::vector<float> &b, std::size_t rows, std::size_t inner,
                            std::size_t columns) {
  std::vector<float> product(rows * columns);
  sycl::buffer<float, 2> a_buffer(a.data(), {rows, inner}), b_buffer(b.data(), {inner, columns}),
      product_buffer(product.data(), {rows, columns});
  queue.submit([&](sycl::handler &h) {
    const sycl::accessor in_a(a_buffer, h, sycl::read_only), in_b(b_buffer, h, sycl::read_only);
    const sycl::accessor out(product_buffer, h, sycl::write_only, sycl::no_init);
    const sycl::local_accessor<float, 2> tile_a({kTile, kTile}, h), tile_b({kTile, kTile}, h);
    h.parallel_for<Multiply>(
        sycl::nd_range<2>({rows, columns}, {kTile, kTile}), [=](sycl::nd_item<2> item) {
          const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
          const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
          float sum = 0;
          for (std::size_t start = 0; start < inner; start += kTile) {
            tile_a[y][x] = in_a[row][start + x];
            tile_b[y][x] = in_b[start + y][column];
            sycl::group_barrier(item.get_group());  // the tiles are complete
            for (std::size_t k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
            sycl::group_barrier(item.get_group());  // all work-items have read the tiles
          }
          out[row][column] = sum;
        });
  });
  queue.throw_asynchronous();
  return product;
}

// Computes the same product with a plain loop, in double precision.
std::vector<double> expected(const std::vector<float> &a, const std::vector<float> &b,
                             std::size_t rows, std::size_t inner, std::size_t columns) {
  std::vector<double> product(rows * columns, 0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t column = 0; column < columns; ++column)
        product[row * columns + column] += double{a[row * inner + k]} * b[k * columns + column];
  return product;
}

}  // namespace matrix

int main() try {
  sycl::queue queue;
  apps::print_device(queue);

  constexpr std::size_t kRows = 128, kInner = 192, kColumns = 256;
  std::vector<float> a(kRows * kInner), b(kInner * kColumns);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = (i * 37 % 101) / 101.0f;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = (i * 53 % 103) / 103.0f - 0.25f;

  apps::Checks checks;
  checks.near("matrix::Multiply", matrix::multiply(queue, a, b, kRows, kInner, kColumns),
              matrix::expected(a, b, kRows, kInner, kColumns), 1e-5);
  return checks.exit_code();
} catch (const std::exception &e) {
  std::fprintf(stderr, "matrix_multiply: %s\n", e.what());
  return 1;
}
