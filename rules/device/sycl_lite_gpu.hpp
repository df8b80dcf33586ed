// sycl_lite_gpu.hpp: the functions that sycl_lite.hpp calls, for NVIDIA and AMD GPUs. sycl_lite.hpp
// includes it when clang compiles for the triple nvptx64-nvidia-cuda or amdgcn-amd-amdhsa.
//
// Elsewhere these functions have no definition: the translators to SPIR-V replace calls by
// instructions. LLVM compiles PTX and AMD code objects without such a translator, so this file
// defines them with clang's built-in functions.
//
// Sub-groups are the warps of NVIDIA GPUs, which have 32 work-items, and the wavefronts of
// AMD GPUs, which have 32 or 64. The last sub-group of a work-group may have fewer.
#ifndef SYCL_LITE_GPU_HPP
#define SYCL_LITE_GPU_HPP

#include <cstddef>
#include <type_traits>

#include "sycl_lite_types.hpp"

#if !defined(__NVPTX__) && !defined(__AMDGCN__)
#error "sycl_lite_gpu.hpp is for the triples nvptx64-nvidia-cuda and amdgcn-amd-amdhsa"
#endif

#define SYCL_LITE_GPU [[gnu::always_inline]] inline

// A kernel cannot select the rounding mode of these GPUs, or how they treat denormal numbers.
#define SYCL_LITE_NO_FLOATING_POINT_CONTROL 1

// LLVM compiles operations that read and write for PTX with the scope of the device.
#ifdef __NVPTX__
#define SYCL_LITE_NO_SYSTEM_SCOPE 1
#endif

namespace sycl_lite::gpu {

// Returns the value of a query for a dimension that is counted from the fastest.
#ifdef __NVPTX__
#define SYCL_LITE_GPU_QUERY(name, x, y, z)                                       \
  SYCL_LITE_GPU std::size_t name(int dimension) noexcept {                       \
    return static_cast<unsigned>(dimension == 0   ? __nvvm_read_ptx_sreg_##x()   \
                                 : dimension == 1 ? __nvvm_read_ptx_sreg_##y()   \
                                                  : __nvvm_read_ptx_sreg_##z()); \
  }
SYCL_LITE_GPU_QUERY(local_id, tid_x, tid_y, tid_z)
SYCL_LITE_GPU_QUERY(group_id, ctaid_x, ctaid_y, ctaid_z)
SYCL_LITE_GPU_QUERY(local_size, ntid_x, ntid_y, ntid_z)
SYCL_LITE_GPU_QUERY(group_count, nctaid_x, nctaid_y, nctaid_z)
SYCL_LITE_GPU std::size_t global_size(int dimension) noexcept {
  return group_count(dimension) * local_size(dimension);
}
#else
#define SYCL_LITE_GPU_QUERY(name, x, y, z)                                   \
  SYCL_LITE_GPU std::size_t name(int dimension) noexcept {                   \
    return static_cast<unsigned>(dimension == 0   ? __builtin_amdgcn_##x()   \
                                 : dimension == 1 ? __builtin_amdgcn_##y()   \
                                                  : __builtin_amdgcn_##z()); \
  }
SYCL_LITE_GPU_QUERY(local_id, workitem_id_x, workitem_id_y, workitem_id_z)
SYCL_LITE_GPU_QUERY(group_id, workgroup_id_x, workgroup_id_y, workgroup_id_z)
SYCL_LITE_GPU_QUERY(local_size, workgroup_size_x, workgroup_size_y, workgroup_size_z)
SYCL_LITE_GPU_QUERY(global_size, grid_size_x, grid_size_y, grid_size_z)
SYCL_LITE_GPU std::size_t group_count(int dimension) noexcept {
  return global_size(dimension) / local_size(dimension);
}
#endif
#undef SYCL_LITE_GPU_QUERY

// The number of work-items of a work-group, and the number of this work-item in it.
SYCL_LITE_GPU unsigned work_items() noexcept {
  return static_cast<unsigned>(local_size(0) * local_size(1) * local_size(2));
}
SYCL_LITE_GPU unsigned work_item() noexcept {
  return static_cast<unsigned>((local_id(2) * local_size(1) + local_id(1)) * local_size(0) +
                               local_id(0));
}

// The number of work-items of a whole sub-group, and the number of this work-item in its sub-group.
#ifdef __NVPTX__
SYCL_LITE_GPU unsigned lanes() noexcept { return 32; }
SYCL_LITE_GPU unsigned lane() noexcept {
  return static_cast<unsigned>(__nvvm_read_ptx_sreg_laneid());
}
#else
SYCL_LITE_GPU unsigned lanes() noexcept { return __builtin_amdgcn_wavefrontsize(); }
SYCL_LITE_GPU unsigned lane() noexcept {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}
#endif

SYCL_LITE_GPU unsigned sub_group_id() noexcept { return work_item() / lanes(); }
SYCL_LITE_GPU unsigned sub_group_count() noexcept { return (work_items() + lanes() - 1) / lanes(); }
SYCL_LITE_GPU unsigned sub_group_size() noexcept {
  unsigned rest = work_items() - sub_group_id() * lanes();
  return rest < lanes() ? rest : lanes();
}

#ifdef __NVPTX__
// A mask with one bit for each work-item of the sub-group.
SYCL_LITE_GPU unsigned members() noexcept { return ~0u >> (32 - sub_group_size()); }
#endif

// Waits for the work-items of a sub-group or a work-group, whose writes are then visible.
SYCL_LITE_GPU void sub_group_barrier() noexcept {
#ifdef __NVPTX__
  // LLVM supports the equivalent built-in function only for sm_70 and newer.
  asm volatile("bar.warp.sync %0;" ::"r"(members()) : "memory");
#else
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}
SYCL_LITE_GPU void work_group_barrier() noexcept {
#ifdef __NVPTX__
  __syncthreads();
#else
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#endif
}

// Returns the 32-bit value of a different work-item of the sub-group.
SYCL_LITE_GPU unsigned word_of(unsigned word, unsigned lane) noexcept {
#ifdef __NVPTX__
  return static_cast<unsigned>(
      __nvvm_shfl_sync_idx_i32(members(), static_cast<int>(word), static_cast<int>(lane), 31));
#else
  return static_cast<unsigned>(
      __builtin_amdgcn_ds_bpermute(static_cast<int>(lane << 2), static_cast<int>(word)));
#endif
}

// Returns the value of a different work-item of the sub-group.
template <class T>
SYCL_LITE_GPU T value_of(T value, unsigned lane) noexcept {
  if constexpr (sizeof(T) == 8) {
    unsigned long bits = __builtin_bit_cast(unsigned long, value);
    unsigned long low = word_of(static_cast<unsigned>(bits), lane);
    unsigned long high = word_of(static_cast<unsigned>(bits >> 32), lane);
    return __builtin_bit_cast(T, high << 32 | low);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, word_of(__builtin_bit_cast(unsigned, value), lane));
  } else {
    static_assert(sizeof(T) == 2);
    unsigned word = word_of(__builtin_bit_cast(unsigned short, value), lane);
    return __builtin_bit_cast(T, static_cast<unsigned short>(word));
  }
}

// The operations of group algorithms, each with its identity element.
template <class T>
inline constexpr bool real = !std::is_integral_v<T>;
template <class T>
constexpr T largest() {
  if constexpr (real<T>)
    return static_cast<T>(__builtin_inff());
  else if constexpr (std::is_signed_v<T>)
    return static_cast<T>(~std::make_unsigned_t<T>{0} >> 1);
  else
    return static_cast<T>(~T{0});
}
template <class T>
constexpr T smallest() {
  if constexpr (real<T>)
    return -largest<T>();
  else if constexpr (std::is_signed_v<T>)
    return static_cast<T>(-largest<T>() - 1);
  else
    return T{0};
}
struct add {
  template <class T>
  static constexpr T none = T{0};
  template <class T>
  SYCL_LITE_GPU static T of(T a, T b) noexcept {
    return a + b;
  }
};
struct min {
  template <class T>
  static constexpr T none = largest<T>();
  template <class T>
  SYCL_LITE_GPU static T of(T a, T b) noexcept {
    return b < a ? b : a;
  }
};
struct max {
  template <class T>
  static constexpr T none = smallest<T>();
  template <class T>
  SYCL_LITE_GPU static T of(T a, T b) noexcept {
    return a < b ? b : a;
  }
};

// The inclusive scan over a sub-group.
template <class Operation, class T>
SYCL_LITE_GPU T scan_sub_group(T value) noexcept {
  for (unsigned distance = 1; distance < lanes(); distance *= 2) {
    unsigned from = lane() - distance;
    T before = value_of(value, lane() < distance ? lane() : from);
    if (lane() >= distance) value = Operation::of(before, value);
  }
  return value;
}

// The exclusive scan over a sub-group, from the result of scan_sub_group.
template <class Operation, class T>
SYCL_LITE_GPU T before_in_sub_group(T scanned) noexcept {
  T before = value_of(scanned, lane() == 0 ? 0 : lane() - 1);
  return lane() == 0 ? Operation::template none<T> : before;
}

// A value for each sub-group of a work-group.
[[maybe_unused, clang::loader_uninitialized]] static
    __attribute__((opencl_local)) unsigned long one_for_each_sub_group[32];

// SPIR-V's numbers: the scope of a sub-group, and the operations of a group.
inline constexpr unsigned sub_group_scope = 3;
enum : unsigned { reduce, inclusive_scan, exclusive_scan };

template <class Operation, class T>
SYCL_LITE_GPU T over_sub_group(unsigned operation, T value) noexcept {
  T scanned = scan_sub_group<Operation>(value);
  if (operation == reduce) return value_of(scanned, sub_group_size() - 1);
  return operation == inclusive_scan ? scanned : before_in_sub_group<Operation>(scanned);
}

template <class Operation, class T>
SYCL_LITE_GPU T over_work_group(unsigned operation, T value) noexcept {
  T scanned = scan_sub_group<Operation>(value);
  T *values = (T *)one_for_each_sub_group;
  if (lane() == sub_group_size() - 1) values[sub_group_id()] = scanned;
  work_group_barrier();
  T before = Operation::template none<T>;
  unsigned count = operation == reduce ? sub_group_count() : sub_group_id();
  for (unsigned i = 0; i < count; ++i) before = Operation::of(before, values[i]);
  work_group_barrier();  // before the next call writes to values
  if (operation == reduce) return before;
  T own = operation == inclusive_scan ? scanned : before_in_sub_group<Operation>(scanned);
  return Operation::of(before, own);
}

template <class Operation, class T>
SYCL_LITE_GPU T over(unsigned scope, unsigned operation, T value) noexcept {
  if (scope == sub_group_scope) return over_sub_group<Operation>(operation, value);
  return over_work_group<Operation>(operation, value);
}

}  // namespace sycl_lite::gpu

SYCL_LITE_GPU std::size_t __spirv_BuiltInGlobalInvocationId(int dimension) noexcept {
  using namespace sycl_lite::gpu;
  return group_id(dimension) * local_size(dimension) + local_id(dimension);
}
SYCL_LITE_GPU std::size_t __spirv_BuiltInGlobalSize(int dimension) noexcept {
  return sycl_lite::gpu::global_size(dimension);
}
SYCL_LITE_GPU std::size_t __spirv_BuiltInLocalInvocationId(int dimension) noexcept {
  return sycl_lite::gpu::local_id(dimension);
}
SYCL_LITE_GPU std::size_t __spirv_BuiltInNumWorkgroups(int dimension) noexcept {
  return sycl_lite::gpu::group_count(dimension);
}
SYCL_LITE_GPU std::size_t __spirv_BuiltInWorkgroupId(int dimension) noexcept {
  return sycl_lite::gpu::group_id(dimension);
}
SYCL_LITE_GPU std::size_t __spirv_BuiltInWorkgroupSize(int dimension) noexcept {
  return sycl_lite::gpu::local_size(dimension);
}
SYCL_LITE_GPU unsigned __spirv_BuiltInNumSubgroups() noexcept {
  return sycl_lite::gpu::sub_group_count();
}
SYCL_LITE_GPU unsigned __spirv_BuiltInSubgroupId() noexcept {
  return sycl_lite::gpu::sub_group_id();
}
SYCL_LITE_GPU unsigned __spirv_BuiltInSubgroupLocalInvocationId() noexcept {
  return sycl_lite::gpu::lane();
}
SYCL_LITE_GPU unsigned __spirv_BuiltInSubgroupMaxSize() noexcept { return sycl_lite::gpu::lanes(); }
SYCL_LITE_GPU unsigned __spirv_BuiltInSubgroupSize() noexcept {
  return sycl_lite::gpu::sub_group_size();
}

SYCL_LITE_GPU void __spirv_ControlBarrier(unsigned execution, unsigned, unsigned) noexcept {
  if (execution == sycl_lite::gpu::sub_group_scope)
    sycl_lite::gpu::sub_group_barrier();
  else
    sycl_lite::gpu::work_group_barrier();
}

// Clang's atomic operations have different numbers for orders and scopes than SPIR-V. atomic_ref
// passes constants to the functions below.
namespace sycl_lite::gpu {
SYCL_LITE_GPU constexpr int order(unsigned semantics) noexcept {
  switch (semantics & 0x1e) {
    case 0x2:
      return __ATOMIC_ACQUIRE;
    case 0x4:
      return __ATOMIC_RELEASE;
    case 0x8:
      return __ATOMIC_ACQ_REL;
    case 0x10:
      return __ATOMIC_SEQ_CST;
  }
  return __ATOMIC_RELAXED;
}
SYCL_LITE_GPU constexpr int scope(unsigned spirv) noexcept {
  switch (spirv) {
    case 0:
      return __MEMORY_SCOPE_SYSTEM;
    case 2:
      return __MEMORY_SCOPE_WRKGRP;
    case sub_group_scope:
      return __MEMORY_SCOPE_WVFRNT;
    case 4:
      return __MEMORY_SCOPE_SINGLE;
  }
  return __MEMORY_SCOPE_DEVICE;
}

// LLVM compiles operations that read and write for PTX as if they were relaxed, except compare
// and exchange. Fences provide the rest of the requested order.
#ifdef __NVPTX__
SYCL_LITE_GPU constexpr int update_order(unsigned) noexcept { return __ATOMIC_RELAXED; }
SYCL_LITE_GPU void before_update(unsigned semantics) noexcept {
  if (semantics & 0x10)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (semantics & 0xc)
    __atomic_thread_fence(__ATOMIC_RELEASE);
}
SYCL_LITE_GPU void after_update(unsigned semantics) noexcept {
  if (semantics & 0x1a) __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
#else
SYCL_LITE_GPU constexpr int update_order(unsigned semantics) noexcept { return order(semantics); }
SYCL_LITE_GPU void before_update(unsigned) noexcept {}
SYCL_LITE_GPU void after_update(unsigned) noexcept {}
#endif
}  // namespace sycl_lite::gpu

#define SYCL_LITE_GPU_UPDATE(T, name, operation)                                           \
  SYCL_LITE_GPU T __spirv_Atomic##name(T *p, unsigned scope, unsigned semantics,           \
                                       T value) noexcept {                                 \
    sycl_lite::gpu::before_update(semantics);                                              \
    T old = __scoped_atomic_##operation(p, value, sycl_lite::gpu::update_order(semantics), \
                                        sycl_lite::gpu::scope(scope));                     \
    sycl_lite::gpu::after_update(semantics);                                               \
    return old;                                                                            \
  }
#define SYCL_LITE_GPU_EXCHANGE(T)                                                               \
  SYCL_LITE_GPU T __spirv_AtomicLoad(const T *p, unsigned scope, unsigned semantics) noexcept { \
    T value;                                                                                    \
    __scoped_atomic_load(p, &value, sycl_lite::gpu::order(semantics),                           \
                         sycl_lite::gpu::scope(scope));                                         \
    return value;                                                                               \
  }                                                                                             \
  SYCL_LITE_GPU void __spirv_AtomicStore(T *p, unsigned scope, unsigned semantics,              \
                                         T value) noexcept {                                    \
    __scoped_atomic_store(p, &value, sycl_lite::gpu::order(semantics),                          \
                          sycl_lite::gpu::scope(scope));                                        \
  }                                                                                             \
  SYCL_LITE_GPU T __spirv_AtomicExchange(T *p, unsigned scope, unsigned semantics,              \
                                         T value) noexcept {                                    \
    T old;                                                                                      \
    sycl_lite::gpu::before_update(semantics);                                                   \
    __scoped_atomic_exchange(p, &value, &old, sycl_lite::gpu::update_order(semantics),          \
                             sycl_lite::gpu::scope(scope));                                     \
    sycl_lite::gpu::after_update(semantics);                                                    \
    return old;                                                                                 \
  }
#define SYCL_LITE_GPU_GROUP(T, name, operation)                                                \
  SYCL_LITE_GPU T __spirv_Group##name(unsigned scope, unsigned operation_, T value) noexcept { \
    return sycl_lite::gpu::over<sycl_lite::gpu::operation>(scope, operation_, value);          \
  }

// Specialization constants have their default values, because nothing sets them at run
// time. The build does the same for kernel_handler.
#define SYCL_LITE_GPU_COMMON(T)                                                                  \
  SYCL_LITE_GPU T __spirv_GroupBroadcast(unsigned, T value, unsigned lane) noexcept {            \
    return sycl_lite::gpu::value_of(value, lane);                                                \
  }                                                                                              \
  SYCL_LITE_GPU T __spirv_GroupNonUniformShuffle(unsigned, T value, unsigned lane) noexcept {    \
    return sycl_lite::gpu::value_of(value, lane);                                                \
  }                                                                                              \
  SYCL_LITE_GPU T __spirv_GroupNonUniformShuffleXor(unsigned, T value, unsigned mask) noexcept { \
    return sycl_lite::gpu::value_of(value, sycl_lite::gpu::lane() ^ mask);                       \
  }                                                                                              \
  SYCL_LITE_GPU T __spirv_SpecConstant(int, T value) noexcept { return value; }
#define SYCL_LITE_GPU_INTEGER(T, Sign)                                                            \
  SYCL_LITE_GPU_COMMON(T)                                                                         \
  SYCL_LITE_GPU_EXCHANGE(T)                                                                       \
  SYCL_LITE_GPU T __spirv_AtomicCompareExchange(T *p, unsigned scope, unsigned equal,             \
                                                unsigned unequal, T value, T expected) noexcept { \
    __scoped_atomic_compare_exchange(p, &expected, &value, false, sycl_lite::gpu::order(equal),   \
                                     sycl_lite::gpu::order(unequal),                              \
                                     sycl_lite::gpu::scope(scope));                               \
    return expected;                                                                              \
  }                                                                                               \
  SYCL_LITE_GPU_UPDATE(T, IAdd, fetch_add)                                                        \
  SYCL_LITE_GPU_UPDATE(T, ISub, fetch_sub)                                                        \
  SYCL_LITE_GPU_UPDATE(T, Sign##Min, fetch_min)                                                   \
  SYCL_LITE_GPU_UPDATE(T, Sign##Max, fetch_max)                                                   \
  SYCL_LITE_GPU_UPDATE(T, And, fetch_and)                                                         \
  SYCL_LITE_GPU_UPDATE(T, Or, fetch_or)                                                           \
  SYCL_LITE_GPU_UPDATE(T, Xor, fetch_xor)                                                         \
  SYCL_LITE_GPU_GROUP(T, IAdd, add)                                                               \
  SYCL_LITE_GPU_GROUP(T, Sign##Min, min)                                                          \
  SYCL_LITE_GPU_GROUP(T, Sign##Max, max)
#define SYCL_LITE_GPU_FLOAT_ATOMIC(T)         \
  SYCL_LITE_GPU_EXCHANGE(T)                   \
  SYCL_LITE_GPU_UPDATE(T, FAddEXT, fetch_add) \
  SYCL_LITE_GPU_UPDATE(T, FMinEXT, fetch_min) \
  SYCL_LITE_GPU_UPDATE(T, FMaxEXT, fetch_max)
#define SYCL_LITE_GPU_FLOAT(T)      \
  SYCL_LITE_GPU_COMMON(T)           \
  SYCL_LITE_GPU_GROUP(T, FAdd, add) \
  SYCL_LITE_GPU_GROUP(T, FMin, min) \
  SYCL_LITE_GPU_GROUP(T, FMax, max)

SYCL_LITE_FOR_INTEGERS(SYCL_LITE_GPU_INTEGER)
SYCL_LITE_FOR_FLOATS(SYCL_LITE_GPU_FLOAT_ATOMIC)
SYCL_LITE_FOR_FLOATS(SYCL_LITE_GPU_FLOAT)
SYCL_LITE_FOR_HALF(SYCL_LITE_GPU_FLOAT)
SYCL_LITE_GPU bool __spirv_SpecConstant(int, bool value) noexcept { return value; }

#undef SYCL_LITE_GPU
#undef SYCL_LITE_GPU_UPDATE
#undef SYCL_LITE_GPU_EXCHANGE
#undef SYCL_LITE_GPU_GROUP
#undef SYCL_LITE_GPU_COMMON
#undef SYCL_LITE_GPU_INTEGER
#undef SYCL_LITE_GPU_FLOAT_ATOMIC
#undef SYCL_LITE_GPU_FLOAT

#endif  // SYCL_LITE_GPU_HPP
