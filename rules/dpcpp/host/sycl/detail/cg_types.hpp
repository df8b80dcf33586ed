// Precedes DPC++'s header with this name. DPC++'s HostKernel and HostKernelRef are class templates,
// so that each kernel adds functions and vtables. Here they are two classes for all kernels, and
// type<T> describes the class of a kernel. libsycl reads the arguments of a kernel from the bytes
// that getPtr returns. If the host compiler's layout differs from DPC++'s, getPtr returns a copy in
// DPC++'s layout.

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

// The functions below use the compilers' own traits: those of older libstdc++ add about ten classes
// for each kernel.
#if defined(__clang__)
template <class T>
constexpr bool trivially_destructible = __is_trivially_destructible(T);
#else
template <class T>
constexpr bool trivially_destructible = __has_trivial_destructor(T);
#endif

// Type describes the class of a kernel. Its variables have the visibility of the functions that use
// them: if libsycl's functions for a kernel are shared by several libraries, so is its Type.
struct Type {
  std::size_t size, alignment;
  void (*destroy)(void *);  // null if there is nothing to do
  bool checked;             // whether `layout` is set
  const Layout *layout;     // null if it is the same as DPC++'s

  template <class T>
  static constexpr Type of() {
    Type out{sizeof(T), alignof(T), nullptr, false, nullptr};
    if constexpr (!trivially_destructible<T>)
      out.destroy = [](void *object) { static_cast<T *>(object)->~T(); };
    return out;
  }
};

template <class T>
inline Type type = Type::of<T>();

// Construct copies or moves a kernel to other memory. Null stands for a copy of the bytes.
using Construct = void (*)(void *to, void *from);

// Class is the class of a kernel that is passed as an argument of type Argument &&.
template <class Argument>
using Class = std::remove_cv_t<std::remove_reference_t<Argument>>;

// constructor returns how to keep a kernel that is passed as an argument of type Argument &&.
template <class Argument>
constexpr Construct constructor() {
  using T = Class<Argument>;
  if constexpr (__is_trivially_copyable(T))
    return nullptr;
  else if constexpr (__is_same(Argument, T))
    return [](void *to, void *from) { ::new (to) T(std::move(*static_cast<T *>(from))); };
  else
    return [](void *to, void *from) { ::new (to) T(*static_cast<const T *>(from)); };
}

// address returns the address of a kernel without const.
template <class T>
void *address(const T &kernel) {
  return const_cast<T *>(__builtin_addressof(kernel));
}

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
  explicit KernelCopy(T &&kernel) : KernelCopy(type<Class<T>>, constructor<T>(), address(kernel)) {}
  KernelCopy(const Type &described, Construct construct, void *from)
      : type_(described), memory_(new char[described.size + described.alignment]) {
    const auto begin = reinterpret_cast<std::size_t>(memory_.get());
    kernel_ = memory_.get() + (described.alignment - begin % described.alignment);
    if (construct)
      construct(kernel_, from);
    else
      std::memcpy(kernel_, from, described.size);
  }
  ~KernelCopy() override {
    if (type_.destroy) type_.destroy(kernel_);
  }
  char *getPtr() override { return arguments_.of(kernel_, type_.layout); }

 private:
  const Type &type_;
  std::unique_ptr<char[]> memory_;
  char *kernel_;  // in memory_, aligned
  Arguments arguments_;
};

// KernelReference refers to a kernel during its submission.
class __attribute__((visibility("hidden"))) KernelReference final
    : public sycl::detail::HostKernelRefBase {
 public:
  template <class T>
  explicit KernelReference(T &&kernel)
      : type_(type<Class<T>>), construct_(constructor<T>()), kernel_(address(kernel)) {}
  char *getPtr() override { return arguments_.of(kernel_, type_.layout); }
  std::unique_ptr<sycl::detail::HostKernelBase> takeOrCopyOwnership() const override {
    return std::unique_ptr<sycl::detail::HostKernelBase>(
        new KernelCopy(type_, construct_, kernel_));
  }

 private:
  const Type &type_;
  Construct construct_;
  void *kernel_;
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
