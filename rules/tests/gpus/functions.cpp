// Mathematical functions. run_ptx.py compares their results with Python's.
#include <cmath>
#include <sycl_lite.hpp>
#include <type_traits>

namespace check {

using namespace sycl_lite;

template <class T>
class Functions;

template <class T>
void functions(const T *values, T *results) {
  parallel_for<Functions<T>>(nd_range<1>{1024, 64}, [values, results](nd_item<1> it) {
    std::size_t i = it.get_global_id(0);
    T x = values[i];
    T *result = results + i * 14;
    *result++ = std::sin(x);
    *result++ = std::cos(x);
    *result++ = std::tan(x);
    *result++ = std::asin(x);
    *result++ = std::acos(x);
    *result++ = std::atan(x);
    *result++ = std::atan2(x, T(0.7));
    *result++ = std::tanh(x);
    *result++ = std::log(x);
    *result++ = std::log2(x);
    *result++ = std::log10(x);
    if constexpr (std::is_same_v<T, float>) {
      *result++ = std::sinh(x);
      *result++ = std::cosh(x);
      *result++ = std::pow(x, T(1.75));
    } else {
      *result++ = std::exp(x);
      *result++ = std::exp2(x);
    }
  });
}

template void functions(const float *, float *);
template void functions(const double *, double *);

}  // namespace check
