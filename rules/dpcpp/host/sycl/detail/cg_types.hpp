// Precedes DPC++'s header with this name. HostKernel and HostKernelRef hold a kernel's lambda or
// class, whose bytes are the arguments for libsycl. If the host compiler's layout differs from
// DPC++'s, getPtr returns a copy in DPC++'s layout.
//
// DPC++'s classes are templates, with several functions and a vtable for each kernel. These are
// not, so that the host compiler has less to do: a kernel has only a description of its class.

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

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace rules_sycl {

// Type describes the class of a kernel.
struct Type {
  std::size_t size, alignment;
  void (*construct)(void *to, void *from, bool move);  // null if the bytes are the object
  void (*destroy)(void *);
  bool checked;          // the layout is known
  const Layout *layout;  // null if it is the same as DPC++'s

  template <class T>
  static constexpr Type of() {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return {sizeof(T), alignof(T), nullptr, nullptr, false, nullptr};
    } else {
      return {sizeof(T),
              alignof(T),
              [](void *to, void *from, bool move) {
                if constexpr (std::is_copy_constructible_v<T>) {
                  if (!move) {
                    new (to) T(*static_cast<const T *>(from));
                    return;
                  }
                }
                new (to) T(std::move(*static_cast<T *>(from)));
              },
              [](void *object) { static_cast<T *>(object)->~T(); },
              false,
              nullptr};
    }
  }
};

template <class T>
__attribute__((visibility("hidden"))) inline Type type = Type::of<T>();

// Arguments are the bytes of a kernel in DPC++'s layout.
class __attribute__((visibility("hidden"))) Arguments {
 public:
  Arguments() = default;
  Arguments(const Arguments &) = delete;
  ~Arguments() { delete[] copy_; }

  char *of(void *kernel, const Layout *layout) {
    if (!layout) return static_cast<char *>(kernel);
    if (!copy_) copy_ = new char[layout->device]();
    for (int i = 0; i < layout->count; i++) {
      const Move &move = layout->moves[i];
      std::memcpy(copy_ + move.device, static_cast<char *>(kernel) + move.host, move.size);
    }
    return copy_;
  }

 private:
  char *copy_ = nullptr;
};

// KernelCopy owns a copy of a kernel.
class __attribute__((visibility("hidden"))) KernelCopy final : public sycl::detail::HostKernelBase {
 public:
  template <class T>
  explicit KernelCopy(T &&kernel)
      : KernelCopy(type<std::decay_t<T>>, const_cast<std::decay_t<T> *>(std::addressof(kernel)),
                   !std::is_lvalue_reference_v<T>) {}
  KernelCopy(const Type &type, void *from, bool move)
      : type_(type),
        kernel_(::operator new(type.size, std::align_val_t(type.alignment)),
                {std::align_val_t(type.alignment)}) {
    if (type.construct)
      type.construct(kernel_.get(), from, move);
    else
      std::memcpy(kernel_.get(), from, type.size);
  }
  ~KernelCopy() override {
    if (type_.destroy) type_.destroy(kernel_.get());
  }
  char *getPtr() override { return arguments_.of(kernel_.get(), type_.layout); }

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(void *memory) const { ::operator delete(memory, alignment); }
  };

  const Type &type_;
  std::unique_ptr<void, Free> kernel_;
  Arguments arguments_;
};

// KernelReference refers to a kernel while the program submits it.
class __attribute__((visibility("hidden"))) KernelReference final
    : public sycl::detail::HostKernelRefBase {
 public:
  template <class T>
  explicit KernelReference(T &&kernel)
      : type_(type<std::decay_t<T>>),
        kernel_(const_cast<std::decay_t<T> *>(std::addressof(kernel))),
        move_(!std::is_lvalue_reference_v<T>) {}
  char *getPtr() override { return arguments_.of(kernel_, type_.layout); }
  std::unique_ptr<sycl::detail::HostKernelBase> takeOrCopyOwnership() const override {
    return std::unique_ptr<sycl::detail::HostKernelBase>(new KernelCopy(type_, kernel_, move_));
  }

 private:
  const Type &type_;
  void *kernel_;
  bool move_;
  Arguments arguments_;
};

}  // namespace rules_sycl

namespace sycl {
inline namespace _V1 {
namespace detail {

template <class Type, class Argument, int Dims>
using HostKernel = rules_sycl::KernelCopy;

template <class Type, class Reference, class Argument, int Dims>
using HostKernelRef = rules_sycl::KernelReference;

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

#endif
