// Specialization constants of each type that kernels read, in the device header's way.
#include <sycl_lite.hpp>

#include <array>

using namespace sycl_lite;
using namespace sycl_lite::ext::oneapi::experimental;

enum class Mode : unsigned char { off, on = 7 };
struct Inner {
  half h;
  bool b;
};
struct Deep {
  char c;
  Inner in[2];
  double d;
  long long l;
  float v[3];
};

namespace shop {

constexpr specialization_id<bool> flag{true};
constexpr specialization_id<unsigned short> stock{static_cast<unsigned short>(65535)};
inline constexpr specialization_id<long long> debt{-5};
constexpr specialization_id<half> rate{half(1.5)};
constexpr specialization_id<std::array<int, 4>> row{std::array<int, 4>{10, 20, 30, 40}};
struct Till {
  static constexpr specialization_id<float> price{2.5f};
};
namespace {
constexpr specialization_id<Mode> mode{Mode::on};
constexpr specialization_id<Deep> deep{Deep{'c', {{half(2), true}, {half(3), false}}, 4.5, -7, {1, 2, 3}}};
}  // namespace

class Sell;
class Buy;

void kernels(double *x) {
  parallel_for<Sell>(nd_range<1>{64, 64}, [x](nd_item<1>, kernel_handler h) {
    if (h.get_specialization_constant<flag>()) x[0] = h.get_specialization_constant<stock>();
    x[1] = static_cast<double>(h.get_specialization_constant<debt>());
    x[2] = h.get_specialization_constant<rate>();
    x[3] = h.get_specialization_constant<Till::price>();
    x[4] = static_cast<double>(h.get_specialization_constant<mode>());
    x[5] = std::get<3>(h.get_specialization_constant<row>());
    Deep d = h.get_specialization_constant<deep>();
    x[6] = d.c + d.in[0].h + d.in[1].b + d.d + static_cast<double>(d.l) + d.v[2];
  });
  parallel_for<Buy>(nd_range<1>{64, 64}, properties{sub_group_size<16>},
                    [x](nd_item<1>, kernel_handler h) { x[7] = h.get_specialization_constant<stock>(); });
}

}  // namespace shop
