#include <sycl/detail/defines_elementary.hpp>
#include <sycl/detail/device_global_map.hpp>
namespace sycl::detail {

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wold-style-cast"
#endif // defined(__clang__)

namespace {
__sycl_device_global_registration::__sycl_device_global_registration() noexcept {
device_global_map::add((void *)&::g, "_Z1g");
}
} // namespace (unnamed)

#ifdef __clang__
#pragma clang diagnostic pop
#endif // defined(__clang__)

} // namespace sycl::detail
