// Precedes DPC++'s header with this name. HostKernel and HostKernelRef hold a kernel's lambda or
// class, whose bytes are the arguments for libsycl. If the host compiler's layout differs from
// DPC++'s, getPtr returns a copy in DPC++'s layout.

#pragma once
#pragma GCC system_header

#if defined(__clang__) && !defined(RULES_SYCL_TABLE)
#include_next <sycl/detail/cg_types.hpp>
#else

#define HostKernel HostKernelOfLibrary
#define HostKernelRef HostKernelRefOfLibrary
#include_next <sycl/detail/cg_types.hpp>
#undef HostKernel
#undef HostKernelRef

#include <sycl/detail/kernel_desc.hpp>

#include <cstring>
#include <memory>

namespace rules_sycl {

// The layout of the kernels of a type; null if it is the same as DPC++'s.
template <class Type>
inline const Layout *layout = nullptr;

// The classes below are instantiated for each kernel of a source. Code that does not depend on the
// kernel is here, out of line, so that it is compiled once.
class Arguments {
 public:
  Arguments() = default;
  Arguments(const Arguments &) = delete;
  __attribute__((noinline)) ~Arguments() { delete[] copy_; }

  __attribute__((noinline)) char *of(char *kernel, const Layout *layout) {
    if (!layout) return kernel;
    if (!copy_) copy_ = new char[layout->device]();
    for (int i = 0; i < layout->count; i++) {
      const Move &move = layout->moves[i];
      std::memcpy(copy_ + move.device, kernel + move.host, move.size);
    }
    return copy_;
  }

 private:
  char *copy_ = nullptr;
};

// A kernel that libsycl's own class holds.
class Held : public sycl::detail::HostKernelBase {
 public:
  Held(std::unique_ptr<sycl::detail::HostKernelBase> kernel, const Layout *layout)
      : kernel_(std::move(kernel)), layout_(layout) {}
  char *getPtr() override { return arguments_.of(kernel_->getPtr(), layout_); }

 private:
  std::unique_ptr<sycl::detail::HostKernelBase> kernel_;
  const Layout *layout_;
  Arguments arguments_;
};

__attribute__((noinline, unused)) static std::unique_ptr<sycl::detail::HostKernelBase> held(
    std::unique_ptr<sycl::detail::HostKernelBase> kernel, const Layout *layout) {
  if (!layout) return kernel;
  return std::make_unique<Held>(std::move(kernel), layout);
}

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <class Type, class Argument, int Dims>
class HostKernel : public HostKernelOfLibrary<Type, Argument, Dims> {
  using Base = HostKernelOfLibrary<Type, Argument, Dims>;

 public:
  using Base::Base;
  char *getPtr() override { return arguments_.of(Base::getPtr(), rules_sycl::layout<Type>); }

 private:
  rules_sycl::Arguments arguments_;
};

template <class Type, class Reference, class Argument, int Dims>
class HostKernelRef : public HostKernelRefOfLibrary<Type, Reference, Argument, Dims> {
  using Base = HostKernelRefOfLibrary<Type, Reference, Argument, Dims>;

 public:
  using Base::Base;
  char *getPtr() override { return arguments_.of(Base::getPtr(), rules_sycl::layout<Type>); }
  std::unique_ptr<HostKernelBase> takeOrCopyOwnership() const override {
    return rules_sycl::held(Base::takeOrCopyOwnership(), rules_sycl::layout<Type>);
  }

 private:
  rules_sycl::Arguments arguments_;
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

#endif
