// Stands in front of DPC++'s header of this name. HostKernel and HostKernelRef hold a kernel's lambda
// or class, whose bytes libsycl takes as arguments. Where the host's compiler has them at other
// places than DPC++, getPtr gives libsycl a copy with the bytes where DPC++ has them.

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

template <class Type>
class Arguments {
 public:
  // That of the kernels of this type; null when DPC++'s is the same.
  static inline const Layout *layout = nullptr;

  char *of(char *kernel) {
    if (!layout) return kernel;
    if (!copy_) copy_.reset(new char[layout->device]());
    for (int i = 0; i < layout->count; i++) {
      const Move &move = layout->moves[i];
      std::memcpy(copy_.get() + move.device, kernel + move.host, move.size);
    }
    return copy_.get();
  }

 private:
  std::unique_ptr<char[]> copy_;
};

// A kernel that libsycl's own class holds.
template <class Type>
class Held : public sycl::detail::HostKernelBase {
 public:
  explicit Held(std::unique_ptr<sycl::detail::HostKernelBase> kernel) : kernel_(std::move(kernel)) {}
  char *getPtr() override { return arguments_.of(kernel_->getPtr()); }

 private:
  std::unique_ptr<sycl::detail::HostKernelBase> kernel_;
  Arguments<Type> arguments_;
};

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <class Type, class Argument, int Dims>
class HostKernel : public HostKernelOfLibrary<Type, Argument, Dims> {
  using Base = HostKernelOfLibrary<Type, Argument, Dims>;

 public:
  using Base::Base;
  char *getPtr() override { return arguments_.of(Base::getPtr()); }

 private:
  rules_sycl::Arguments<Type> arguments_;
};

template <class Type, class Reference, class Argument, int Dims>
class HostKernelRef : public HostKernelRefOfLibrary<Type, Reference, Argument, Dims> {
  using Base = HostKernelRefOfLibrary<Type, Reference, Argument, Dims>;

 public:
  using Base::Base;
  char *getPtr() override { return arguments_.of(Base::getPtr()); }
  std::unique_ptr<HostKernelBase> takeOrCopyOwnership() const override {
    return std::make_unique<rules_sycl::Held<Type>>(Base::takeOrCopyOwnership());
  }

 private:
  rules_sycl::Arguments<Type> arguments_;
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

#endif
