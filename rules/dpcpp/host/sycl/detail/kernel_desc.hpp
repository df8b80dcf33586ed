// Stands in front of DPC++'s header of this name when a compiler other than DPC++'s own compiles
// the host code.
//
// The device compile names a kernel without a name after its type, and its integration header
// describes it by KernelInfoData<'_', 'Z', ...>, with the characters of that name. Only clang can
// look that up while it compiles. For the other compilers, DPC++'s header declares what they can
// read, KernelInfo, and rules_sycl/kernels.hpp makes a table of the rest.
//
// With the macro RULES_SYCL_TABLE the host code is compiled without integration header, so that
// the device compile can run at the same time. All kernels are then in a table that is linked to
// the object file later (go package tools/internal/hostkernels).

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

// A kernel that only its name describes, as the integration header has it.
struct Kernel {
  const char *name;  // null for other kernels
  const char *type;  // as the host's compiler mangles it
  unsigned parameters;
  bool esimd;
  const char *file, *function;
  unsigned line, column;
  long size;
  const sycl::detail::kernel_param_desc_t *parameter;
};

// Where the host's compiler has put the captures of a kernel, when that is not where DPC++ has
// them.
struct Move {
  int host, device, size;  // bytes from the begin of the kernel
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

static_assert(sizeof(Kernel) == 64 && sizeof(Layout) == 32 && sizeof(Move) == 12 &&
                  sizeof(Kernels) == 32 && sizeof(sycl::detail::kernel_param_desc_t) == 12,
              "hosttable writes other sizes");

// The linker puts the Kernels of this source behind it.
__attribute__((section("rules_sycl_kernels"), aligned(8))) static void *volatile before_kernels =
    nullptr;

// Those of the source that is compiled.
static inline Kernels kernels() {
  void *volatile *at = &before_kernels;
  __asm__("" : "+r"(at));  // hides from the compiler what the address is of
  return *reinterpret_cast<const Kernels *>(const_cast<void **>(at) + 1);
}

#else

// Those of the source that is compiled; rules_sycl/kernels.hpp defines it.
static Kernels kernels();

#endif

}  // namespace rules_sycl
