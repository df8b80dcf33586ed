#include <sycl/detail/defines_elementary.hpp>
namespace sycl {
inline namespace _V1 {
namespace detail {
template<>
inline const char *get_spec_constant_symbolic_ID_impl<::id>() {
  return "uid1____ZL2id";
}
} // namespace detail
} // namespace _V1
} // namespace sycl
#include <sycl/detail/spec_const_integration.hpp>
