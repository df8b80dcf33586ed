// sycl_lite.hpp: write SYCL kernels for stock clang, version 21 or newer.
//
// Clang compiles SYCL device code, but does not include SYCL's headers. This header
// provides ids and ranges, barriers, group algorithms, atomics, local memory, half,
// specialization constants and properties, named as in SYCL 2020 and its extensions. It has
// no queue: parallel_for adds a kernel to the device code and launches nothing. A host
// program loads the device code and launches the kernel through DPC++'s runtime, OpenCL or
// Level Zero, with any range.
//
//   #include <sycl_lite.hpp>
//
//   using namespace sycl_lite;
//   using namespace sycl_lite::ext::oneapi::experimental;  // properties
//
//   namespace stats {
//
//   class DotProduct;  // names the kernel; need not be defined
//
//   SYCL_EXTERNAL float weight(std::size_t i);  // defined in another source
//
//   void dot_product(const float *x, const float *y, float *result) {
//     parallel_for<DotProduct>(
//         nd_range<1>{1024, 64}, properties{work_group_size<64>, sub_group_size<16>},
//         [x, y, result](nd_item<1> it) {
//           SYCL_LITE_LOCAL float products[64];
//           std::size_t i = it.get_global_id(0), l = it.get_local_id(0);
//           products[l] = weight(i) * x[i] * y[i];
//           group_barrier(it.get_group());
//           float other = products[63 - l];
//           float sum = reduce_over_group(it.get_sub_group(), other, plus<>{});
//           if (it.get_sub_group().get_local_linear_id() == 0)
//             atomic_ref<float, memory_order::relaxed, memory_scope::device>(*result)
//                 .fetch_add(sum);
//         });
//   }
//
//   }  // namespace stats
//
// Requirements on host programs:
//
//  * In a SYCLBIN, a kernel is named "__sycl_kernel__ZTS" and the mangled name of its
//    name type: __sycl_kernel__ZTSN5stats10DotProductE, or
//    std::string("__sycl_kernel__ZTS") + typeid(T).name(). DPC++'s
//    ext_oneapi_get_kernel also accepts it without "__sycl_kernel_". If parallel_for
//    has required sizes without a list, the name type is kernel_with (see there).
//  * A kernel has one argument: the function object, by value. Its members are
//    laid out as in any C++ object. The members of a lambda are its captures, in the
//    order of the capture list; with [=], in the order in which variables are first used.
//    Pointers must come from unified shared memory or shared virtual memory.
//  * Sizes and ids start with the slowest dimension, as everywhere in SYCL.
//    OpenCL and Level Zero start with the fastest: {2, 64} here is {64, 2} there.
//
// All C++20 compilers accept the header, so that a host program can share types with its
// kernels. On the host, parallel_for does nothing, and calls of device functions fail to
// link.
#ifndef SYCL_LITE_HPP
#define SYCL_LITE_HPP

// DPC++ defines SYCL_EXTERNAL itself, and its own headers provide all of this.
#if defined(__SYCL_DEVICE_ONLY__) && defined(SYCL_EXTERNAL)
#error \
    "sycl_lite.hpp is for clang: give the target device_compiler = \"clang\", or include <sycl/sycl.hpp>"
// A missing file must stop the compilation, because dozens of errors would follow.
#include "see the error above"
#endif

#include <cstddef>
#include <type_traits>

#include "sycl_lite_properties.hpp"
#include "sycl_lite_types.hpp"

// SYCL_EXTERNAL marks a device function that is defined in one source and called in another.
// SYCL_LITE_DEVICE_HAS("fp64,fp16") before a function declares the aspects that it may
// use, like [[sycl::device_has()]]: the function counts as using them. Clang has no
// attributes for either, but keeps these annotations, which the build reads.
#ifdef __SYCL_DEVICE_ONLY__
#if __has_cpp_attribute(clang::sycl_external)
// Without it, clang 22 and newer omit functions that no kernel in the source calls.
#define SYCL_EXTERNAL [[clang::sycl_external]] [[clang::annotate("sycl-external")]]
#else
#define SYCL_EXTERNAL [[clang::annotate("sycl-external")]]
#endif
#define SYCL_LITE_DEVICE_HAS(aspects) [[clang::annotate("sycl-device-has:" aspects)]]
#else
#define SYCL_EXTERNAL
#define SYCL_LITE_DEVICE_HAS(aspects)
#endif

// Declares a variable that the work-items of a work-group share, in a kernel or at
// namespace scope: SYCL_LITE_LOCAL int tile[64]; Its initial value is undefined.
#ifdef __SYCL_DEVICE_ONLY__
// Local memory cannot be initialized; a variable would get zeros by default.
#define SYCL_LITE_LOCAL [[clang::loader_uninitialized]] static __attribute__((opencl_local))
#else
#define SYCL_LITE_LOCAL [[maybe_unused]] static
#endif

// SPIR-V translators replace calls of functions with these mangled names by
// instructions and built-in variables. The functions are declared for each type,
// because templates have different mangled names. There are no definitions, so that
// host code cannot call them by mistake.
#if defined(__SYCL_DEVICE_ONLY__) && (defined(__NVPTX__) || defined(__AMDGCN__))
// These targets have no SPIR-V translator.
#include "sycl_lite_gpu.hpp"
#else
[[gnu::const]] std::size_t __spirv_BuiltInGlobalInvocationId(int dimension) noexcept;
[[gnu::const]] std::size_t __spirv_BuiltInGlobalSize(int dimension) noexcept;
[[gnu::const]] std::size_t __spirv_BuiltInLocalInvocationId(int dimension) noexcept;
[[gnu::const]] std::size_t __spirv_BuiltInNumWorkgroups(int dimension) noexcept;
[[gnu::const]] std::size_t __spirv_BuiltInWorkgroupId(int dimension) noexcept;
[[gnu::const]] std::size_t __spirv_BuiltInWorkgroupSize(int dimension) noexcept;
[[gnu::const]] unsigned __spirv_BuiltInNumSubgroups() noexcept;
[[gnu::const]] unsigned __spirv_BuiltInSubgroupId() noexcept;
[[gnu::const]] unsigned __spirv_BuiltInSubgroupLocalInvocationId() noexcept;
[[gnu::const]] unsigned __spirv_BuiltInSubgroupMaxSize() noexcept;
[[gnu::const]] unsigned __spirv_BuiltInSubgroupSize() noexcept;

void __spirv_ControlBarrier(unsigned execution, unsigned memory, unsigned semantics) noexcept;

#define SYCL_LITE_DECLARE_EXCHANGE(T)                                            \
  T __spirv_AtomicLoad(const T *, unsigned scope, unsigned semantics) noexcept;  \
  void __spirv_AtomicStore(T *, unsigned scope, unsigned semantics, T) noexcept; \
  T __spirv_AtomicExchange(T *, unsigned scope, unsigned semantics, T) noexcept;
#define SYCL_LITE_DECLARE_COMMON(T)                                               \
  T __spirv_GroupBroadcast(unsigned scope, T, unsigned lane) noexcept;            \
  T __spirv_GroupNonUniformShuffle(unsigned scope, T, unsigned lane) noexcept;    \
  T __spirv_GroupNonUniformShuffleXor(unsigned scope, T, unsigned mask) noexcept; \
  T __spirv_SpecConstant(int id, T) noexcept;
#define SYCL_LITE_DECLARE_INTEGER(T, Sign)                                                        \
  SYCL_LITE_DECLARE_COMMON(T)                                                                     \
  SYCL_LITE_DECLARE_EXCHANGE(T)                                                                   \
  T __spirv_AtomicCompareExchange(T *, unsigned scope, unsigned equal, unsigned unequal, T value, \
                                  T expected) noexcept;                                           \
  T __spirv_AtomicIAdd(T *, unsigned scope, unsigned semantics, T) noexcept;                      \
  T __spirv_AtomicISub(T *, unsigned scope, unsigned semantics, T) noexcept;                      \
  T __spirv_Atomic##Sign##Min(T *, unsigned scope, unsigned semantics, T) noexcept;               \
  T __spirv_Atomic##Sign##Max(T *, unsigned scope, unsigned semantics, T) noexcept;               \
  T __spirv_AtomicAnd(T *, unsigned scope, unsigned semantics, T) noexcept;                       \
  T __spirv_AtomicOr(T *, unsigned scope, unsigned semantics, T) noexcept;                        \
  T __spirv_AtomicXor(T *, unsigned scope, unsigned semantics, T) noexcept;                       \
  T __spirv_GroupIAdd(unsigned scope, unsigned operation, T) noexcept;                            \
  T __spirv_Group##Sign##Min(unsigned scope, unsigned operation, T) noexcept;                     \
  T __spirv_Group##Sign##Max(unsigned scope, unsigned operation, T) noexcept;
#define SYCL_LITE_DECLARE_FLOAT_ATOMIC(T)                                       \
  SYCL_LITE_DECLARE_EXCHANGE(T)                                                 \
  T __spirv_AtomicFAddEXT(T *, unsigned scope, unsigned semantics, T) noexcept; \
  T __spirv_AtomicFMinEXT(T *, unsigned scope, unsigned semantics, T) noexcept; \
  T __spirv_AtomicFMaxEXT(T *, unsigned scope, unsigned semantics, T) noexcept;
#define SYCL_LITE_DECLARE_FLOAT(T)                                     \
  SYCL_LITE_DECLARE_COMMON(T)                                          \
  T __spirv_GroupFAdd(unsigned scope, unsigned operation, T) noexcept; \
  T __spirv_GroupFMin(unsigned scope, unsigned operation, T) noexcept; \
  T __spirv_GroupFMax(unsigned scope, unsigned operation, T) noexcept;

SYCL_LITE_FOR_INTEGERS(SYCL_LITE_DECLARE_INTEGER)
SYCL_LITE_FOR_FLOATS(SYCL_LITE_DECLARE_FLOAT_ATOMIC)
SYCL_LITE_FOR_FLOATS(SYCL_LITE_DECLARE_FLOAT)
SYCL_LITE_FOR_HALF(SYCL_LITE_DECLARE_FLOAT)
bool __spirv_SpecConstant(int id, bool) noexcept;

#undef SYCL_LITE_DECLARE_EXCHANGE
#undef SYCL_LITE_DECLARE_COMMON
#undef SYCL_LITE_DECLARE_INTEGER
#undef SYCL_LITE_DECLARE_FLOAT_ATOMIC
#undef SYCL_LITE_DECLARE_FLOAT
#endif

// The post-link step replaces calls of these functions with the constants, and assigns ids to them.
template <class T>
T __sycl_getScalar2020SpecConstantValue(const char *name, const void *value, const void *buffer);
template <class T>
T __sycl_getComposite2020SpecConstantValue(const char *name, const void *value, const void *buffer);

#undef SYCL_LITE_FOR_INTEGERS
#undef SYCL_LITE_FOR_FLOATS
#undef SYCL_LITE_FOR_HALF

namespace sycl_lite {

#ifdef __FLT16_MANT_DIG__
using half = _Float16;
#endif

namespace detail {

template <class T>
inline constexpr bool scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;
#ifdef __FLT16_MANT_DIG__
template <>
inline constexpr bool scalar<half> = true;
#endif

template <int Dimensions>
class coordinates {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "SYCL has one to three dimensions");

 public:
  constexpr coordinates() = default;
  template <class... Values>
    requires(sizeof...(Values) == Dimensions && (std::is_convertible_v<Values, std::size_t> && ...))
  constexpr coordinates(Values... values) : values_{static_cast<std::size_t>(values)...} {}

  constexpr std::size_t get(int dimension) const { return values_[dimension]; }
  constexpr std::size_t operator[](int dimension) const { return values_[dimension]; }
  constexpr std::size_t &operator[](int dimension) { return values_[dimension]; }
  friend constexpr bool operator==(const coordinates &, const coordinates &) = default;

 private:
  std::size_t values_[Dimensions] = {};
};

}  // namespace detail

template <int Dimensions>
class id : public detail::coordinates<Dimensions> {
 public:
  using detail::coordinates<Dimensions>::coordinates;
  constexpr operator std::size_t() const
    requires(Dimensions == 1)
  {
    return this->get(0);
  }
};

template <int Dimensions>
class range : public detail::coordinates<Dimensions> {
 public:
  using detail::coordinates<Dimensions>::coordinates;
  constexpr std::size_t size() const {
    std::size_t product = 1;
    for (int d = 0; d < Dimensions; ++d) product *= this->get(d);
    return product;
  }
};

template <class... Values>
id(Values...) -> id<sizeof...(Values)>;
template <class... Values>
range(Values...) -> range<sizeof...(Values)>;

// The number of work-items, and the number of work-items in a work-group.
template <int Dimensions>
class nd_range {
 public:
  constexpr nd_range(range<Dimensions> global, range<Dimensions> local)
      : global_(global), local_(local) {}

  constexpr range<Dimensions> get_global_range() const { return global_; }
  constexpr range<Dimensions> get_local_range() const { return local_; }
  constexpr range<Dimensions> get_group_range() const {
    range<Dimensions> groups;
    for (int d = 0; d < Dimensions; ++d) groups[d] = global_[d] / local_[d];
    return groups;
  }

 private:
  range<Dimensions> global_, local_;
};

enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
enum class memory_scope { work_item, sub_group, work_group, device, system };

namespace detail {

// Numbers of the SPIR-V specification: scopes, and bits of memory semantics.
inline constexpr unsigned device_scope = 1, work_group_scope = 2, sub_group_scope = 3;
inline constexpr unsigned sequentially_consistent = 0x10;
inline constexpr unsigned local_memory = 0x100, global_memory = 0x200;

constexpr unsigned spirv_scope(memory_scope scope) {
  switch (scope) {
    case memory_scope::work_item:
      return 4;
    case memory_scope::sub_group:
      return sub_group_scope;
    case memory_scope::work_group:
      return work_group_scope;
    case memory_scope::device:
      return device_scope;
    case memory_scope::system:
      break;
  }
  return 0;
}

constexpr unsigned spirv_semantics(memory_order order) {
  unsigned bits = local_memory | global_memory;
  switch (order) {
    case memory_order::relaxed:
      break;
    case memory_order::acquire:
      return bits | 0x2;
    case memory_order::release:
      return bits | 0x4;
    case memory_order::acq_rel:
      return bits | 0x8;
    case memory_order::seq_cst:
      return bits | sequentially_consistent;
  }
  return bits;
}

// A read cannot release and a write cannot acquire.
constexpr memory_order read_order(memory_order order) {
  return order == memory_order::acq_rel ? memory_order::acquire : order;
}
constexpr memory_order write_order(memory_order order) {
  return order == memory_order::acq_rel ? memory_order::release : order;
}

// `long long` is `long` on devices, which the built-in functions are declared for.
template <class T>
struct device_type {
  using type = T;
};
template <>
struct device_type<long long> {
  using type = long;
};
template <>
struct device_type<unsigned long long> {
  using type = unsigned long;
};
template <class T>
using device_type_t = typename device_type<T>::type;

// SYCL counts dimensions from the slowest, SPIR-V from the fastest. The query is a
// template argument because devices have no function pointers.
template <int Dimensions, auto Query>
id<Dimensions> from_spirv() {
  id<Dimensions> result;
  for (int d = 0; d < Dimensions; ++d) result[d] = Query(Dimensions - 1 - d);
  return result;
}

template <int Dimensions>
constexpr range<Dimensions> as_range(id<Dimensions> values) {
  range<Dimensions> result;
  for (int d = 0; d < Dimensions; ++d) result[d] = values[d];
  return result;
}

template <int Dimensions>
constexpr std::size_t linear(id<Dimensions> values, range<Dimensions> sizes) {
  std::size_t result = 0;
  for (int d = 0; d < Dimensions; ++d) result = result * sizes[d] + values[d];
  return result;
}

}  // namespace detail

// The work-items of a work-group that run together, in lock step on most devices.
class sub_group {
 public:
  static constexpr unsigned spirv_scope = detail::sub_group_scope;

  unsigned get_local_linear_id() const { return __spirv_BuiltInSubgroupLocalInvocationId(); }
  unsigned get_local_linear_range() const { return __spirv_BuiltInSubgroupSize(); }
  unsigned get_max_local_range() const { return __spirv_BuiltInSubgroupMaxSize(); }
  unsigned get_group_linear_id() const { return __spirv_BuiltInSubgroupId(); }
  unsigned get_group_linear_range() const { return __spirv_BuiltInNumSubgroups(); }
  bool leader() const { return get_local_linear_id() == 0; }
};

// A work-group.
template <int Dimensions>
class group {
 public:
  static constexpr unsigned spirv_scope = detail::work_group_scope;

  id<Dimensions> get_group_id() const {
    return detail::from_spirv<Dimensions, __spirv_BuiltInWorkgroupId>();
  }
  id<Dimensions> get_local_id() const {
    return detail::from_spirv<Dimensions, __spirv_BuiltInLocalInvocationId>();
  }
  range<Dimensions> get_group_range() const {
    return detail::as_range(detail::from_spirv<Dimensions, __spirv_BuiltInNumWorkgroups>());
  }
  range<Dimensions> get_local_range() const {
    return detail::as_range(detail::from_spirv<Dimensions, __spirv_BuiltInWorkgroupSize>());
  }
  std::size_t get_group_id(int dimension) const { return get_group_id()[dimension]; }
  std::size_t get_local_id(int dimension) const { return get_local_id()[dimension]; }
  std::size_t get_group_range(int dimension) const { return get_group_range()[dimension]; }
  std::size_t get_local_range(int dimension) const { return get_local_range()[dimension]; }
  std::size_t get_group_linear_id() const {
    return detail::linear(get_group_id(), get_group_range());
  }
  std::size_t get_local_linear_id() const {
    return detail::linear(get_local_id(), get_local_range());
  }
  std::size_t get_group_linear_range() const { return get_group_range().size(); }
  std::size_t get_local_linear_range() const { return get_local_range().size(); }
  std::size_t operator[](int dimension) const { return get_group_id(dimension); }
  bool leader() const { return get_local_linear_id() == 0; }
};

// The work-item that runs the kernel's function.
template <int Dimensions>
class nd_item {
 public:
  id<Dimensions> get_global_id() const {
    return detail::from_spirv<Dimensions, __spirv_BuiltInGlobalInvocationId>();
  }
  range<Dimensions> get_global_range() const {
    return detail::as_range(detail::from_spirv<Dimensions, __spirv_BuiltInGlobalSize>());
  }
  std::size_t get_global_id(int dimension) const { return get_global_id()[dimension]; }
  std::size_t get_global_range(int dimension) const { return get_global_range()[dimension]; }
  std::size_t get_global_linear_id() const {
    return detail::linear(get_global_id(), get_global_range());
  }
  id<Dimensions> get_local_id() const { return get_group().get_local_id(); }
  range<Dimensions> get_local_range() const { return get_group().get_local_range(); }
  std::size_t get_local_id(int dimension) const { return get_local_id()[dimension]; }
  std::size_t get_local_range(int dimension) const { return get_local_range()[dimension]; }
  std::size_t get_local_linear_id() const { return get_group().get_local_linear_id(); }
  range<Dimensions> get_group_range() const { return get_group().get_group_range(); }
  std::size_t get_group_range(int dimension) const { return get_group_range()[dimension]; }
  std::size_t get_group(int dimension) const { return get_group().get_group_id(dimension); }
  std::size_t get_group_linear_id() const { return get_group().get_group_linear_id(); }
  group<Dimensions> get_group() const { return {}; }
  sub_group get_sub_group() const { return {}; }
};

// Waits for the other work-items of a group, and makes the writes of each visible to
// the others.
template <class Group>
void group_barrier(Group) {
  using namespace detail;
  __spirv_ControlBarrier(Group::spirv_scope, Group::spirv_scope,
                         sequentially_consistent | local_memory | global_memory);
}

template <class T = void>
struct plus {};
template <class T = void>
struct minimum {};
template <class T = void>
struct maximum {};

namespace detail {

enum group_operation : unsigned { reduce, inclusive_scan, exclusive_scan };

template <unsigned Scope, group_operation Operation, class T, class V>
T over_group(T value, plus<V>) {
  if constexpr (std::is_integral_v<T>)
    return __spirv_GroupIAdd(Scope, Operation, device_type_t<T>(value));
  else
    return __spirv_GroupFAdd(Scope, Operation, value);
}
template <unsigned Scope, group_operation Operation, class T, class V>
T over_group(T value, minimum<V>) {
  if constexpr (!std::is_integral_v<T>)
    return __spirv_GroupFMin(Scope, Operation, value);
  else if constexpr (std::is_signed_v<T>)
    return __spirv_GroupSMin(Scope, Operation, device_type_t<T>(value));
  else
    return __spirv_GroupUMin(Scope, Operation, device_type_t<T>(value));
}
template <unsigned Scope, group_operation Operation, class T, class V>
T over_group(T value, maximum<V>) {
  if constexpr (!std::is_integral_v<T>)
    return __spirv_GroupFMax(Scope, Operation, value);
  else if constexpr (std::is_signed_v<T>)
    return __spirv_GroupSMax(Scope, Operation, device_type_t<T>(value));
  else
    return __spirv_GroupUMax(Scope, Operation, device_type_t<T>(value));
}

}  // namespace detail

// Every work-item of the group must call these, each with the same operation:
// plus, minimum or maximum of int, long (signed or not), float, double or half.
template <class Group, class T, class Operation>
T reduce_over_group(Group, T value, Operation operation) {
  return detail::over_group<Group::spirv_scope, detail::reduce>(value, operation);
}
template <class Group, class T, class Operation>
T inclusive_scan_over_group(Group, T value, Operation operation) {
  return detail::over_group<Group::spirv_scope, detail::inclusive_scan>(value, operation);
}
template <class Group, class T, class Operation>
T exclusive_scan_over_group(Group, T value, Operation operation) {
  return detail::over_group<Group::spirv_scope, detail::exclusive_scan>(value, operation);
}

// The value of a different work-item of the sub-group: the same one for all, any one, or
// the one whose local id differs by the bits of a mask.
template <class T>
T group_broadcast(sub_group, T value, unsigned local_id = 0) {
  return __spirv_GroupBroadcast(detail::sub_group_scope, detail::device_type_t<T>(value), local_id);
}
template <class T>
T select_from_group(sub_group, T value, unsigned local_id) {
  return __spirv_GroupNonUniformShuffle(detail::sub_group_scope, detail::device_type_t<T>(value),
                                        local_id);
}
template <class T>
T permute_group_by_xor(sub_group, T value, unsigned mask) {
  return __spirv_GroupNonUniformShuffleXor(detail::sub_group_scope, detail::device_type_t<T>(value),
                                           mask);
}

// An object in local or global memory that several work-items access concurrently:
// integers of 32 and 64 bits, float and double. 64-bit types need the aspect
// atomic64.
template <class T, memory_order Order, memory_scope Scope>
class atomic_ref {
  using device = detail::device_type_t<T>;
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "atomic_ref supports integers and floating-point numbers of 32 and 64 bits");
#ifdef SYCL_LITE_NO_SYSTEM_SCOPE
  static_assert(Scope != memory_scope::system,
                "memory_scope::system is not supported for NVIDIA GPUs; use memory_scope::device");
#endif

 public:
  using value_type = T;

  explicit atomic_ref(T &object) : object_(reinterpret_cast<device *>(&object)) {}

  T load() const { return __spirv_AtomicLoad(object_, scope, read); }
  void store(T value) const { __spirv_AtomicStore(object_, scope, write, device(value)); }
  T exchange(T value) const {
    return __spirv_AtomicExchange(object_, scope, semantics, device(value));
  }
  bool compare_exchange_strong(T &expected, T value) const
    requires std::is_integral_v<T>
  {
    T found = __spirv_AtomicCompareExchange(object_, scope, semantics, read, device(value),
                                            device(expected));
    bool same = found == expected;
    expected = found;
    return same;
  }
  T fetch_add(T value) const {
    if constexpr (std::is_integral_v<T>)
      return __spirv_AtomicIAdd(object_, scope, semantics, device(value));
    else
      return __spirv_AtomicFAddEXT(object_, scope, semantics, value);
  }
  T fetch_sub(T value) const {
    if constexpr (std::is_integral_v<T>)
      return __spirv_AtomicISub(object_, scope, semantics, device(value));
    else
      return __spirv_AtomicFAddEXT(object_, scope, semantics, -value);
  }
  T fetch_min(T value) const {
    if constexpr (!std::is_integral_v<T>)
      return __spirv_AtomicFMinEXT(object_, scope, semantics, value);
    else if constexpr (std::is_signed_v<T>)
      return __spirv_AtomicSMin(object_, scope, semantics, device(value));
    else
      return __spirv_AtomicUMin(object_, scope, semantics, device(value));
  }
  T fetch_max(T value) const {
    if constexpr (!std::is_integral_v<T>)
      return __spirv_AtomicFMaxEXT(object_, scope, semantics, value);
    else if constexpr (std::is_signed_v<T>)
      return __spirv_AtomicSMax(object_, scope, semantics, device(value));
    else
      return __spirv_AtomicUMax(object_, scope, semantics, device(value));
  }
  T fetch_and(T value) const
    requires std::is_integral_v<T>
  {
    return __spirv_AtomicAnd(object_, scope, semantics, device(value));
  }
  T fetch_or(T value) const
    requires std::is_integral_v<T>
  {
    return __spirv_AtomicOr(object_, scope, semantics, device(value));
  }
  T fetch_xor(T value) const
    requires std::is_integral_v<T>
  {
    return __spirv_AtomicXor(object_, scope, semantics, device(value));
  }

 private:
  static constexpr unsigned scope = detail::spirv_scope(Scope);
  static constexpr unsigned semantics = detail::spirv_semantics(Order);
  static constexpr unsigned read = detail::spirv_semantics(detail::read_order(Order));
  static constexpr unsigned write = detail::spirv_semantics(detail::write_order(Order));

  device *object_;
};

// A value that is a constant for the device's compiler, and that a host program can set
// when it loads the device code. Declare it at namespace scope, or as a static member of
// a class: constexpr specialization_id<int> size{16}; Its name in a file with device code
// is the mangled name, _ZL4size. Two sources that declare the same name share the constant.
template <class T>
class specialization_id {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_reference_v<T>,
                "a specialization constant must be trivially copyable and not a reference");
  static_assert(!std::is_pointer_v<T>, "a specialization constant cannot be a pointer");
  static_assert(!std::is_array_v<T>, "specialization constants cannot be arrays; use std::array");
  static_assert(!std::is_same_v<T, long double>, "devices have no long double");

 public:
  using value_type = T;

  template <class... Values>
    requires(std::is_constructible_v<T, Values...>)
  explicit constexpr specialization_id(Values &&...values)
      : value_(static_cast<Values &&>(values)...) {}
  specialization_id(const specialization_id &) = delete;
  specialization_id &operator=(const specialization_id &) = delete;

  constexpr const T &default_value() const { return value_; }

 private:
  T value_;
};

namespace detail {

template <class T>
struct is_specialization_id : std::false_type {};
template <class T>
struct is_specialization_id<specialization_id<T>> : std::true_type {};

#ifdef __SYCL_DEVICE_ONLY__
// The mangled name of a variable, extracted from the name of a type that has it as template
// argument: _ZTSN9sycl_lite6detail11name_holderIL_ZL4sizeEEE for _ZL4size.
template <const auto &Variable>
struct name_holder;
template <const auto &Variable>
struct mangled_name {
  static constexpr std::size_t size() { return length(whole()) - before - after; }
  static constexpr char at(std::size_t i) { return whole()[before + i]; }
  static constexpr bool found() {
    const char *text = whole();
    return length(text) > before + after && text[before - 2] == 'I' && text[before - 1] == 'L' &&
           text[before] == '_';
  }

 private:
  static constexpr const char *whole() {
    return __builtin_sycl_unique_stable_name(name_holder<Variable>);
  }
  static constexpr std::size_t length(const char *text) {
    std::size_t n = 0;
    while (text[n] != '\0') ++n;
    return n;
  }
  static constexpr std::size_t before = sizeof "_ZTSN9sycl_lite6detail11name_holderIL" - 1;
  static constexpr std::size_t after = sizeof "EEE" - 1;
};
#endif

}  // namespace detail

// The second argument of a kernel's function, with which it reads specialization constants:
// kh.get_specialization_constant<size>().
class kernel_handler {
 public:
  template <const auto &Id>
  [[gnu::always_inline]] auto get_specialization_constant() const {
    using id = std::remove_cvref_t<decltype(Id)>;
    static_assert(detail::is_specialization_id<id>::value,
                  "get_specialization_constant requires a variable of type specialization_id");
    using T = typename id::value_type;
#if defined(__SYCL_DEVICE_ONLY__) && !defined(SYCL_LITE_GPU_HPP)
    using name = detail::mangled_name<Id>;
    static_assert(name::found(), "a specialization_id must be a variable, not a part of one");
    if constexpr (detail::scalar<T>)
      return __sycl_getScalar2020SpecConstantValue<T>(detail::literal<name>::text, &Id, nullptr);
    else
      return __sycl_getComposite2020SpecConstantValue<T>(detail::literal<name>::text, &Id, nullptr);
#else
    // Host code has no kernels, and nothing sets constants for NVIDIA and AMD GPUs.
    return T(Id.default_value());
#endif
  }
};

// A specialization constant with a SPIR-V id, for programs that use OpenCL or Level
// Zero: specialization_constant<0, 16>(). The type is the default's. Kernels in one
// device image must use either these or kernel_handler, for which the build chooses ids.
template <unsigned Id, auto Default>
[[gnu::always_inline]] inline auto specialization_constant() {
  // The translators need literals here, and template arguments always are.
  return __spirv_SpecConstant(static_cast<int>(Id), Default);
}

// The name type of a kernel that requires a work-group size X, Y, Z (counted from
// the fastest dimension, as in SPIR-V; 0 means no requirement) or a sub-group size (0 means
// no requirement). Clang has no attributes for them in SYCL code. A kernel's mangled name
// contains its name type's arguments, from which the build derives the execution modes.
template <class Name, unsigned X, unsigned Y, unsigned Z, unsigned SubGroup>
struct kernel_with {};

using ext::oneapi::experimental::sub_group_size;
using ext::oneapi::experimental::sub_group_size_key;
using ext::oneapi::experimental::work_group_size;
using ext::oneapi::experimental::work_group_size_key;

namespace detail {

using ext::oneapi::experimental::properties;
using ext::oneapi::experimental::properties_tag;

// A property that can be part of a kernel's name.
template <class P>
concept required_size = property<P> && (std::is_same_v<typename P::key_t, work_group_size_key> ||
                                        std::is_same_v<typename P::key_t, sub_group_size_key>);

// The size of work-groups in a dimension, counted from the fastest.
template <class P>
constexpr unsigned work_group_of(int from_fastest) {
  constexpr int dimensions = dimensions_of<P>();
  if constexpr (dimensions == 0)
    return 0;
  else
    return from_fastest < dimensions ? P{}[dimensions - 1 - from_fastest] : 1;
}

template <class P>
constexpr unsigned sub_group_of() {
  if constexpr (std::is_same_v<typename P::key_t, sub_group_size_key>)
    return P::value;
  else
    return 0;
}

template <class Name, class... P>
struct kernel_name {
  using type = kernel_with<Name, (work_group_of<P>(0) + ...), (work_group_of<P>(1) + ...),
                           (work_group_of<P>(2) + ...), (sub_group_of<P>() + ...)>;
};
template <class Name>
struct kernel_name<Name> {
  using type = Name;
};

#ifdef SYCL_LANGUAGE_VERSION
// Clang 23 compiles the host entry point to a call of this function, which it looks up by name.
// With sycl_lite, the host launches kernels differently.
template <class Name, class... Arguments>
void sycl_kernel_launch(const char *, Arguments &&...) {}

template <class Name, class Item, class... P, class Function>
[[clang::sycl_kernel_entry_point(Name)]] void kernel(Function function) {
  (__sycl_lite_kernel_property(P::key_t::name, P::text), ...);
  if constexpr (std::is_invocable_v<const Function &, Item, kernel_handler>)
    function(Item{}, kernel_handler{});
  else
    function(Item{});
}
#endif

template <int Dimensions, class... P>
constexpr void check_properties(properties<P...>) {
  static_assert((... && is_of<P, owner::kernel>), "a kernel cannot have this property");
#ifdef SYCL_LITE_NO_FLOATING_POINT_CONTROL
  static_assert(
      (... && !std::is_same_v<typename P::key_t, ext::intel::experimental::fp_control_key>),
      "fp_control is only for Intel GPUs; NVIDIA and AMD GPUs always round to nearest");
#endif
  static_assert((... && (dimensions_of<P>() == 0 || dimensions_of<P>() == Dimensions)),
                "the number of work-group sizes must match the dimensions of the range");
}

template <class Name, int Dimensions, class... P, class Function>
void define_kernel([[maybe_unused]] Function function, properties<P...>) {
  using item = nd_item<Dimensions>;
  static_assert(std::is_invocable_v<const Function &, item> ||
                    std::is_invocable_v<const Function &, item, kernel_handler>,
                "a kernel's function must accept an nd_item with the dimensions of its range, and "
                "optionally a kernel_handler");
  static_assert(std::is_trivially_copyable_v<Function>,
                "a kernel's captures must be trivially copyable");
#ifdef SYCL_LANGUAGE_VERSION
  kernel<Name, item, P...>(function);
#endif
}

template <class... P, class... Q>
constexpr auto joined(properties<P...>, properties<Q...>) {
  return properties<P..., Q...>{};
}

// The properties of a function object.
template <class Function>
constexpr auto own_properties(const Function &function) {
  if constexpr (requires { function.get(properties_tag{}); })
    return std::remove_cvref_t<decltype(function.get(properties_tag{}))>{};
  else
    return properties{};
}

// InName are properties that become part of the kernel's name, List are the others.
template <class Name, int Dimensions, class... InName, class List, class Function>
void define(List list, Function function) {
  constexpr auto all = joined(list, own_properties(function));
  check_properties<Dimensions>(joined(properties<InName...>{}, all));
  define_kernel<typename kernel_name<Name, InName...>::type, Dimensions>(function, all);
}

}  // namespace detail

// Turns a function object that takes an nd_item, or an nd_item and a kernel_handler, into a
// kernel. Only the number of dimensions of the range matters: the host program chooses the
// sizes.
template <class Name, int Dimensions, class Function>
void parallel_for(nd_range<Dimensions>, Function function) {
  detail::define<Name, Dimensions>(detail::properties{}, function);
}

// The same for a kernel with properties, in a list:
//   parallel_for<Name>(range, properties{work_group_size<64>, sub_group_size<16>}, function)
template <class Name, int Dimensions, detail::property... P, class Function>
void parallel_for(nd_range<Dimensions>, ext::oneapi::experimental::properties<P...> list,
                  Function function) {
  detail::define<Name, Dimensions>(list, function);
}

// Without a list, required sizes become part of the kernel's name, see kernel_with.
template <class Name, int Dimensions, detail::required_size P, class Function>
void parallel_for(nd_range<Dimensions>, P, Function function) {
  detail::define<Name, Dimensions, P>(detail::properties{}, function);
}
template <class Name, int Dimensions, detail::required_size P, detail::required_size Q,
          class Function>
void parallel_for(nd_range<Dimensions>, P, Q, Function function) {
  detail::define<Name, Dimensions, P, Q>(detail::properties{}, function);
}

}  // namespace sycl_lite

#endif  // SYCL_LITE_HPP
