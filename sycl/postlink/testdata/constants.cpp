// Specialization constants of the device header in all forms.
#include <sycl_lite.hpp>

using namespace sycl_lite;

enum class Kind : short { Low = -2, High = 7 };
struct Empty {};
struct Tail {
  int number;
  char letter;
};
struct Base {
  float weight;
  char letter;
};
struct Derived : Base {
  long total;
  char word[5];
};
struct Aligned {
  alignas(32) float values[3];
  Empty nothing;
  Tail tails[2];
  bool flag;
};
struct [[gnu::packed]] Packed {
  char letter;
  double number;
  short last;
};
struct Bits {
  unsigned low : 3, high : 7;
};
union Either {
  int number;
  float real;
};
typedef int vector __attribute__((ext_vector_type(3)));
struct Vectors {
  vector three;
  char letter;
};

namespace shop {
constexpr specialization_id<bool> open{true};
inline constexpr specialization_id<unsigned char> letter{200};
constexpr specialization_id<Kind> kind{Kind::Low};
}  // namespace shop
constexpr specialization_id<long> big{-5};
constexpr specialization_id<float> real{0.1f};
constexpr specialization_id<double> fine{1e300};
constexpr specialization_id<Tail> tail{Tail{5, 'c'}};
constexpr specialization_id<Derived> derived{Derived{{1.5f, 'b'}, 7, {'a', 'b'}}};
constexpr specialization_id<Aligned> aligned{Aligned{{1, 2, 3}, {}, {{1, 'x'}, {2, 'y'}}, true}};
constexpr specialization_id<Packed> packed{Packed{'p', 2.0, -1}};
constexpr specialization_id<Bits> bits{Bits{5, 65}};
constexpr specialization_id<Either> either{Either{.real = 1.0f}};
constexpr specialization_id<Vectors> vectors{Vectors{{1, 2, 3}, 'v'}};
constexpr specialization_id<vector> three{vector{4, 5, 6}};
constexpr specialization_id<Tail> zero{Tail{}};

// Each value goes to the host as it is in memory.
template <class T>
void put(char *out, const T &value) {
  *reinterpret_cast<T *>(out) = value;
}

class Numbers;
class Classes;

void run(char *out) {
  parallel_for<Numbers>(nd_range<1>{64, 64}, [=](nd_item<1>, kernel_handler h) {
    put(out, h.get_specialization_constant<shop::open>());
    put(out, h.get_specialization_constant<shop::letter>());
    put(out, h.get_specialization_constant<shop::kind>());
    put(out, h.get_specialization_constant<big>());
    put(out, h.get_specialization_constant<real>());
    put(out, h.get_specialization_constant<fine>());
    put(out, h.get_specialization_constant<big>());
  });
  parallel_for<Classes>(nd_range<1>{64, 64}, [=](nd_item<1>, kernel_handler h) {
    put(out, h.get_specialization_constant<tail>());
    put(out, h.get_specialization_constant<derived>());
    put(out, h.get_specialization_constant<aligned>());
    put(out, h.get_specialization_constant<packed>());
    put(out, h.get_specialization_constant<bits>());
    put(out, h.get_specialization_constant<either>());
    put(out, h.get_specialization_constant<vectors>());
    put(out, h.get_specialization_constant<three>());
    put(out, h.get_specialization_constant<zero>());
  });
}
