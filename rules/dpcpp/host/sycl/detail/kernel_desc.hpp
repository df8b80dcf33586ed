// Precedes DPC++'s header with this name if a compiler other than DPC++'s own compiles the host
// code.
//
// The device compilation names an unnamed kernel after its type, and its integration header
// describes it as KernelInfoData<'_', 'Z', ...>, with the characters of that name. Only clang can
// look that up at compile time. For other compilers, DPC++'s header declares KernelInfo, which they
// can read, and rules_sycl/kernels.hpp creates a table of the rest.
//
// With the macro RULES_SYCL_TABLE, the host code is compiled without an integration header, so that
// the device compilation can run at the same time. All kernels are then in a table that is linked
// to the object file later (Go package tools/internal/hostkernels).

#pragma once
#pragma GCC system_header

#if defined(__clang__) && !defined(RULES_SYCL_TABLE)
#include_next <sycl/detail/kernel_desc.hpp>
#else

#pragma push_macro("__SYCL_UNNAMED_LAMBDA__")
#undef __SYCL_UNNAMED_LAMBDA__
#include_next <sycl/detail/kernel_desc.hpp>
#pragma pop_macro("__SYCL_UNNAMED_LAMBDA__")

namespace sycl {
inline namespace _V1 {
namespace detail {

template <char...>
struct KernelInfoData {
  static constexpr const char *getName() { return ""; }
};

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

#endif

namespace rules_sycl {

// A kernel that the integration header describes by name only.
struct Kernel {
  const char *name;  // null for other kernels
  const char *type;  // as mangled by the host compiler
  unsigned parameters;
  bool esimd;
  const char *file, *function;
  unsigned line, column;
  long size;
  const sycl::detail::kernel_param_desc_t *parameter;
};

// The offsets of a capture of a kernel, if the host compiler's layout differs from DPC++'s.
struct Move {
  int host, device, size;  // in bytes; offsets are from the start of the kernel
};

struct Layout {
  const char *kernel;  // its name; null after the last one of a table
  int host, device;    // sizes
  const Move *moves;
  int count;
};

struct Kernels {
  const Kernel *first, *end;
  const Layout *layouts;
  const char *source;
};

#if defined(RULES_SYCL_TABLE)

// Mark preprocessed and assembler output, so that syclc++ builds no object from it, which would
// lack the device code (tools/syclcxx/mark.go).
#pragma rules_sycl host code
__asm__("\n# rules_sycl host code");

static_assert(sizeof(Kernel) == 64 && sizeof(Layout) == 32 && sizeof(Move) == 12 &&
                  sizeof(Kernels) == 32 && sizeof(sycl::detail::kernel_param_desc_t) == 12,
              "tools/internal/hostkernels/table.go writes different sizes");

// The linker places the Kernels of this source after it.
__attribute__((section("rules_sycl_kernels"), aligned(8))) static void *volatile before_kernels =
    nullptr;

// The kernels of the source that is being compiled.
static inline Kernels kernels() {
  void *volatile *at = &before_kernels;
  __asm__("" : "+r"(at));  // hides the object at the address from the compiler
  return *reinterpret_cast<const Kernels *>(const_cast<void **>(at) + 1);
}

#else

// The kernels of the source that is being compiled; rules_sycl/kernels.hpp defines it.
static Kernels kernels();

#endif

}  // namespace rules_sycl
