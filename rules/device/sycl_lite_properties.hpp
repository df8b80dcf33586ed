// sycl_lite_properties.hpp: compile-time properties of kernels, variables and pointers.
// sycl_lite.hpp includes it.
//
//   using namespace sycl_lite;
//   using namespace sycl_lite::ext::oneapi::experimental;
//
//   static device_global<int[16], decltype(properties{device_image_scope, host_access_read})> bins;
//
//   void count(const int *numbers) {
//     properties all{work_group_size<8, 4>, sub_group_size<16>, device_has<aspect::fp64>};
//     parallel_for<Count>(nd_range<2>{{64, 64}, {8, 4}}, all, [numbers](nd_item<2> it) {
//       annotated_ptr<const int, decltype(properties{alignment<64>})> line(numbers);
//       ...
//     });
//   }
//
// A function object can also have properties itself: its member function
// get(properties_tag) returns them.
//
// Names and meaning follow the extensions sycl_ext_oneapi_properties,
// sycl_ext_oneapi_kernel_properties, sycl_ext_oneapi_device_global,
// sycl_ext_oneapi_annotated_ptr, and sycl_ext_intel_grf_size, _fp_control and
// _cache_controls. docs/build/stock-clang.md lists the differences.
#ifndef SYCL_LITE_PROPERTIES_HPP
#define SYCL_LITE_PROPERTIES_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "sycl_lite_aspects.hpp"

// Stock clang has no attributes for properties. A kernel calls this function with each name
// and value instead; the build removes the calls and sets the property of the kernel.
// Variables and pointers have annotations at the places that use them.
void __sycl_lite_kernel_property(const char *name, const char *value) noexcept;

namespace sycl_lite {
namespace detail {

// A constant string of exact length, like a string literal.
template <class Source, class Indices = std::make_index_sequence<Source::size()>>
struct literal;
template <class Source, std::size_t... I>
struct literal<Source, std::index_sequence<I...>> {
  static constexpr char text[] = {Source::at(I)..., '\0'};
};

// Numbers in decimal, with commas between them.
template <auto... Numbers>
struct decimal {
  static constexpr std::size_t size() { return written().size; }
  static constexpr char at(std::size_t i) { return written().text[i]; }

 private:
  struct digits {
    char text[21 * sizeof...(Numbers) + 1] = {};
    std::size_t size = 0;

    constexpr void add(unsigned long long number) {
      if (size > 0) text[size++] = ',';
      char reversed[20] = {};
      int count = 0;
      do {
        reversed[count++] = static_cast<char>('0' + number % 10);
        number /= 10;
      } while (number > 0);
      while (count > 0) text[size++] = reversed[--count];
    }
  };
  static constexpr digits written() {
    digits d;
    (d.add(static_cast<unsigned long long>(Numbers)), ...);
    return d;
  }
};

constexpr bool same_text(const char *a, const char *b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// The kinds of objects that can have a property.
enum class owner { kernel, variable, pointer };

// The members of every property value: its key, and the value as text.
template <class Key, auto... Values>
struct property_value {
  using key_t = Key;
  static constexpr const auto &text = literal<decimal<Values...>>::text;
};

template <class T>
concept property = requires {
  typename T::key_t;
  T::key_t::name;
  T::text;
};

template <class P, owner Owner>
inline constexpr bool is_of = P::key_t::of == Owner;

// The number of these properties that have the same name as P.
template <class P, class... All>
inline constexpr int times =
    (0 + ... + static_cast<int>(same_text(P::key_t::name, All::key_t::name)));

// The number of dimensions that a property has sizes for, or 0 if it has no sizes.
template <class P>
constexpr int dimensions_of() {
  if constexpr (requires { P::dimensions; })
    return P::dimensions;
  else
    return 0;
}

template <auto... Sizes>
struct sizes {
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3, "expected one to three sizes");
  static_assert((... && (Sizes > 0)), "a work-group size must be at least 1");
  static_assert((... && (Sizes <= UINT32_MAX)), "a work-group size must fit in 32 bits");
  static constexpr int dimensions = sizeof...(Sizes);
};

}  // namespace detail

namespace ext::oneapi::experimental {

// A list of properties: properties{work_group_size<64>, sub_group_size<16>}.
template <detail::property... P>
class properties {
  static_assert((... && (detail::times<P, P...> == 1)), "duplicate property");

 public:
  constexpr properties() = default;
  constexpr properties(P...)
    requires(sizeof...(P) > 0)
  {}

  template <class Key>
  static constexpr bool has_property() {
    return (... || std::is_same_v<Key, typename P::key_t>);
  }
  // Returns the property itself, such as work_group_size<64>.
  template <class Key>
  static constexpr auto get_property() {
    static_assert(has_property<Key>(), "the list does not have this property");
    return find<Key, P...>();
  }

 private:
  template <class Key, class First, class... Rest>
  static constexpr auto find() {
    if constexpr (std::is_same_v<Key, typename First::key_t>)
      return First{};
    else
      return find<Key, Rest...>();
  }
};
template <class... P>
properties(P...) -> properties<P...>;

using empty_properties_t = properties<>;

// The argument of a function object's get, which returns its properties.
struct properties_tag {};

// Required sizes: the size of a kernel's work-groups, slowest dimension first, and of its
// sub-groups. A device without that sub-group size cannot run the kernel.
struct work_group_size_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-work-group-size";
  template <std::size_t... Sizes>
  struct value_t : detail::property_value<work_group_size_key, Sizes...>, detail::sizes<Sizes...> {
    constexpr std::size_t operator[](int dimension) const {
      constexpr std::size_t all[] = {Sizes...};
      return all[dimension];
    }
  };
};
struct sub_group_size_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-sub-group-size";
  template <std::uint32_t Size>
  struct value_t : detail::property_value<sub_group_size_key, Size> {
    static_assert(Size > 0, "a sub-group size must be at least 1");
    static constexpr std::uint32_t value = Size;
  };
};
template <std::size_t... Sizes>
inline constexpr work_group_size_key::value_t<Sizes...> work_group_size;
template <std::uint32_t Size>
inline constexpr sub_group_size_key::value_t<Size> sub_group_size;

// The work-group size with which the kernel is usually launched.
struct work_group_size_hint_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-work-group-size-hint";
  template <std::size_t... Sizes>
  struct value_t : detail::property_value<work_group_size_hint_key, Sizes...>,
                   detail::sizes<Sizes...> {};
};
template <std::size_t... Sizes>
inline constexpr work_group_size_hint_key::value_t<Sizes...> work_group_size_hint;

// The largest work-group size with which the kernel is launched: in each dimension, slowest first,
// and in total.
struct max_work_group_size_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-max-work-group-size";
  template <std::size_t... Sizes>
  struct value_t : detail::property_value<max_work_group_size_key, Sizes...>,
                   detail::sizes<Sizes...> {};
};
struct max_linear_work_group_size_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-max-linear-work-group-size";
  template <std::size_t Size>
  struct value_t : detail::property_value<max_linear_work_group_size_key, Size> {
    static_assert(Size > 0, "a work-group size must be at least 1");
    static_assert(Size <= UINT32_MAX, "a work-group size must fit in 32 bits");
  };
};
template <std::size_t... Sizes>
inline constexpr max_work_group_size_key::value_t<Sizes...> max_work_group_size;
template <std::size_t Size>
inline constexpr max_linear_work_group_size_key::value_t<Size> max_linear_work_group_size;

// The aspects that a kernel may use. The build warns if it uses other aspects.
struct device_has_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-device-has";
  template <aspect... Aspects>
  struct value_t : detail::property_value<device_has_key, Aspects...> {};
};
template <aspect... Aspects>
inline constexpr device_has_key::value_t<Aspects...> device_has;

// A device_global is a separate variable in each device image, not one variable of the device.
struct device_image_scope_key {
  static constexpr auto of = detail::owner::variable;
  static constexpr char name[] = "sycl-device-image-scope";
  struct value_t : detail::property_value<device_image_scope_key> {};
};
inline constexpr device_image_scope_key::value_t device_image_scope;

// How a host program accesses a device_global.
enum class host_access_enum : std::uint16_t { read, write, read_write, none };
struct host_access_key {
  static constexpr auto of = detail::owner::variable;
  static constexpr char name[] = "sycl-host-access";
  template <host_access_enum Access>
  struct value_t : detail::property_value<host_access_key, Access> {};
};
template <host_access_enum Access>
inline constexpr host_access_key::value_t<Access> host_access;
inline constexpr auto host_access_read = host_access<host_access_enum::read>;
inline constexpr auto host_access_write = host_access<host_access_enum::write>;
inline constexpr auto host_access_read_write = host_access<host_access_enum::read_write>;
inline constexpr auto host_access_none = host_access<host_access_enum::none>;

// The object that a pointer points to starts at a multiple of this many bytes.
struct alignment_key {
  static constexpr auto of = detail::owner::pointer;
  static constexpr char name[] = "sycl-alignment";
  template <int Bytes>
  struct value_t : detail::property_value<alignment_key, Bytes> {
    static_assert(Bytes > 0 && (Bytes & (Bytes - 1)) == 0, "an alignment must be a power of two");
  };
};
template <int Bytes>
inline constexpr alignment_key::value_t<Bytes> alignment;

enum class cache_level { L1, L2, L3, L4 };

}  // namespace ext::oneapi::experimental

namespace ext::intel::experimental {

// The registers of a work-item, on GPUs that let a kernel choose.
struct grf_size_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-grf-size";
  template <unsigned Size>
  struct value_t : detail::property_value<grf_size_key, Size> {
    static_assert(Size == 128 || Size == 256, "the number of registers must be 128 or 256");
  };
};
struct grf_size_automatic_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-grf-size";
  struct value_t : detail::property_value<grf_size_automatic_key, 0> {};
};
template <unsigned Size>
inline constexpr grf_size_key::value_t<Size> grf_size;
inline constexpr grf_size_automatic_key::value_t grf_size_automatic;

// The rounding mode of a kernel, and whether it preserves denormal numbers. By default, it
// rounds to nearest and flushes denormal numbers to zero.
enum class fp_mode : std::uint32_t {
  round_to_nearest = 1,
  round_upward = 1 << 1,
  round_downward = 1 << 2,
  round_toward_zero = 1 << 3,
  denorm_ftz = 1 << 4,
  denorm_d_allow = 1 << 5,
  denorm_f_allow = 1 << 6,
  denorm_hf_allow = 1 << 7,
  denorm_allow = denorm_d_allow | denorm_f_allow | denorm_hf_allow,
};
constexpr fp_mode operator|(fp_mode a, fp_mode b) {
  return static_cast<fp_mode>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
struct fp_control_key {
  static constexpr auto of = detail::owner::kernel;
  static constexpr char name[] = "sycl-floating-point-control";

 private:
  static constexpr std::uint32_t rounding = 0x0f, flush = 0x10, allow = 0xe0;
  static constexpr std::uint32_t whole(fp_mode mode) {
    std::uint32_t bits = static_cast<std::uint32_t>(mode);
    if ((bits & rounding) == 0) bits |= 0x01;
    if ((bits & (flush | allow)) == 0) bits |= flush;
    return bits;
  }

 public:
  template <fp_mode Mode>
  struct value_t : detail::property_value<fp_control_key, whole(Mode)> {
    static_assert((whole(Mode) & rounding & ((whole(Mode) & rounding) - 1)) == 0,
                  "fp_control accepts only one rounding mode");
    static_assert((whole(Mode) & flush) == 0 || (whole(Mode) & allow) == 0,
                  "fp_control: denorm_ftz cannot be combined with denorm_allow modes");
    static_assert((static_cast<std::uint32_t>(Mode) & ~(rounding | flush | allow)) == 0,
                  "fp_control: unknown fp_mode");
  };
};
template <fp_mode Mode>
inline constexpr fp_control_key::value_t<Mode> fp_control;

// How loads and stores through an annotated_ptr use the levels of the cache.
enum class cache_mode {
  uncached,
  cached,
  streaming,
  invalidate,
  constant,
  write_through,
  write_back
};
using oneapi::experimental::cache_level;
template <cache_mode Mode, cache_level... Levels>
struct cache_control {
  static_assert(sizeof...(Levels) > 0, "cache_control requires at least one cache level");
  static constexpr cache_mode mode = Mode;
  static constexpr std::uint32_t levels = (0 | ... | (1u << static_cast<int>(Levels)));
  static_assert((0 + ... + (1u << static_cast<int>(Levels))) == levels,
                "cache_control: duplicate cache level");
  static constexpr std::uint32_t encoding = levels << 4 * static_cast<int>(Mode);
};
}  // namespace ext::intel::experimental

namespace detail {

// The value of a cache property: a nibble for each mode, a bit for each level.
template <class... Controls>
struct cache_controls {
  static_assert(sizeof...(Controls) > 0, "a cache property requires at least one cache_control");
  static_assert((0u + ... + Controls::levels) == (0u | ... | Controls::levels),
                "a cache level can have only one mode");
  static constexpr std::uint32_t value = (0u | ... | Controls::encoding);
};

// True if a cache_control has one of these modes.
template <class Control, auto... Modes>
inline constexpr bool has_mode_of = (... || (Control::mode == Modes));

}  // namespace detail

namespace ext::intel::experimental {

struct read_hint_key {
  static constexpr auto of = detail::owner::pointer;
  static constexpr char name[] = "sycl-cache-read-hint";
  template <class... Controls>
  struct value_t
      : detail::property_value<read_hint_key, detail::cache_controls<Controls...>::value> {
    static_assert((... && detail::has_mode_of<Controls, cache_mode::uncached, cache_mode::cached,
                                              cache_mode::streaming>),
                  "read_hint supports only the modes uncached, cached and streaming");
  };
};
struct read_assertion_key {
  static constexpr auto of = detail::owner::pointer;
  static constexpr char name[] = "sycl-cache-read-assertion";
  template <class... Controls>
  struct value_t
      : detail::property_value<read_assertion_key, detail::cache_controls<Controls...>::value> {
    static_assert((... &&
                   detail::has_mode_of<Controls, cache_mode::invalidate, cache_mode::constant>),
                  "read_assertion supports only the modes invalidate and constant");
  };
};
struct write_hint_key {
  static constexpr auto of = detail::owner::pointer;
  static constexpr char name[] = "sycl-cache-write-hint";
  template <class... Controls>
  struct value_t
      : detail::property_value<write_hint_key, detail::cache_controls<Controls...>::value> {
    static_assert((... &&
                   detail::has_mode_of<Controls, cache_mode::uncached, cache_mode::write_through,
                                       cache_mode::write_back, cache_mode::streaming>),
                  "write_hint supports only uncached, write_through, write_back and streaming");
  };
};
template <class... Controls>
inline constexpr read_hint_key::value_t<Controls...> read_hint;
template <class... Controls>
inline constexpr read_assertion_key::value_t<Controls...> read_assertion;
template <class... Controls>
inline constexpr write_hint_key::value_t<Controls...> write_hint;

}  // namespace ext::intel::experimental

// Clang 21 and 22 cannot annotate anything with arguments for the other triples: the bitcode
// contains calls that LLVM rejects. For NVIDIA and AMD GPUs, alignments and hints have no
// effect, and the build does not list device globals.
#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__) && !defined(__AMDGCN__)
#define SYCL_LITE_ANNOTATE(...) [[clang::annotate(__VA_ARGS__)]]
#else
#define SYCL_LITE_ANNOTATE(...)
#endif

namespace detail {

// The names and values of properties in one list, each value after its name.
template <const auto &...Texts>
struct texts {};
template <class List, class... P>
struct texts_of {
  using type = List;
};
template <const auto &...Texts, class First, class... Rest>
struct texts_of<texts<Texts...>, First, Rest...>
    : texts_of<texts<Texts..., First::key_t::name, First::text>, Rest...> {};
template <class... P>
using texts_of_t = typename texts_of<texts<>, P...>::type;

// An object whose address has properties: clang calls llvm.ptr.annotation for it.
template <class T, class Texts>
struct annotated;
template <class T, const auto &...NamesAndValues>
struct annotated<T, texts<NamesAndValues...>> {
  SYCL_LITE_ANNOTATE("sycl-properties", NamesAndValues...) T value;
};

// The same for a device_global: each use names the variable with the properties.
template <class T, class Texts>
struct annotated_variable;
template <class T, const auto &...NamesAndValues>
struct annotated_variable<T, texts<NamesAndValues...>> {
  SYCL_LITE_ANNOTATE("sycl-device-global", NamesAndValues...) T value;
};

// The size of a device_global, which the build needs in addition to its properties.
struct variable_size_key {
  static constexpr char name[] = "sycl-device-global-size";
};
template <class T>
using variable_size = property_value<variable_size_key, sizeof(T)>;

}  // namespace detail

namespace ext::oneapi::experimental {

// A variable at namespace scope, or a static member of a class, that kernels read and
// write and that a host program finds by its mangled name. Each device image has its own
// copy, with the value that it is declared with.
template <class T, class Properties = empty_properties_t>
class device_global {
  static_assert(!std::is_same_v<T, T>,
                "the properties of a device_global must be a list: properties<...>");
};
template <class T, class... P>
class device_global<T, properties<P...>> {
  using list = properties<P...>;
  static_assert((... && detail::is_of<P, detail::owner::variable>),
                "a device_global supports only device_image_scope and host_access");
  static_assert(list::template has_property<device_image_scope_key>(),
                "a device_global needs device_image_scope here: only DPC++'s own compiler makes "
                "variables that all images of a device share");
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "the type of a device_global must be trivially copyable and destructible");

 public:
  using element_type = std::remove_extent_t<T>;

  constexpr device_global() = default;
  template <class... Values>
    requires(sizeof...(Values) > 0)
  explicit constexpr device_global(Values &&...values)
      : variable_{{static_cast<Values &&>(values)...}} {}
  device_global(const device_global &) = delete;
  device_global &operator=(const device_global &) = delete;
  T &get() noexcept { return variable_.value; }
  const T &get() const noexcept { return variable_.value; }
  operator T &() noexcept { return variable_.value; }
  operator const T &() const noexcept { return variable_.value; }
  device_global &operator=(const T &value)
    requires(!std::is_array_v<T>)
  {
    variable_.value = value;
    return *this;
  }
  auto &operator[](std::ptrdiff_t i) noexcept
    requires std::is_array_v<T>
  {
    return variable_.value[i];
  }
  const auto &operator[](std::ptrdiff_t i) const noexcept
    requires std::is_array_v<T>
  {
    return variable_.value[i];
  }
  T *operator->() noexcept
    requires std::is_class_v<T>
  {
    return &variable_.value;
  }
  const T *operator->() const noexcept
    requires std::is_class_v<T>
  {
    return &variable_.value;
  }

  template <class Key>
  static constexpr bool has_property() {
    return list::template has_property<Key>();
  }
  template <class Key>
  static constexpr auto get_property() {
    return list::template get_property<Key>();
  }

 private:
  detail::annotated_variable<T, detail::texts_of_t<detail::variable_size<T>, P...>> variable_{};
};

// A pointer to objects that all have the properties. Loads and stores through it are compiled with
// the properties; the pointer itself is an ordinary pointer.
template <class T, class Properties = empty_properties_t>
class annotated_ptr {
  static_assert(!std::is_same_v<T, T>,
                "the properties of an annotated_ptr must be a list: properties<...>");
};
template <class T, class... P>
class annotated_ptr<T, properties<P...>> {
  static_assert((... && detail::is_of<P, detail::owner::pointer>),
                "an annotated_ptr supports only alignment, read_hint, read_assertion and "
                "write_hint");
  static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                "an annotated_ptr must point to an object type other than an array");

 public:
  annotated_ptr() noexcept = default;
  explicit annotated_ptr(T *pointer) noexcept : pointer_(pointer) {}

  T *get() const noexcept { return pointer_; }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }
  T &operator*() const noexcept { return at(pointer_); }
  T *operator->() const noexcept { return &at(pointer_); }
  T &operator[](std::ptrdiff_t i) const noexcept { return at(pointer_ + i); }

  annotated_ptr &operator++() noexcept { return ++pointer_, *this; }
  annotated_ptr &operator--() noexcept { return --pointer_, *this; }
  annotated_ptr &operator+=(std::ptrdiff_t i) noexcept { return pointer_ += i, *this; }
  annotated_ptr &operator-=(std::ptrdiff_t i) noexcept { return pointer_ -= i, *this; }
  friend annotated_ptr operator+(annotated_ptr p, std::ptrdiff_t i) noexcept { return p += i; }
  friend annotated_ptr operator-(annotated_ptr p, std::ptrdiff_t i) noexcept { return p -= i; }
  friend std::ptrdiff_t operator-(annotated_ptr a, annotated_ptr b) noexcept {
    return a.pointer_ - b.pointer_;
  }
  friend bool operator==(annotated_ptr, annotated_ptr) noexcept = default;

  template <class Key>
  static constexpr bool has_property() {
    return properties<P...>::template has_property<Key>();
  }
  template <class Key>
  static constexpr auto get_property() {
    return properties<P...>::template get_property<Key>();
  }

 private:
  static T &at(T *pointer) noexcept {
    if constexpr (sizeof...(P) == 0) {
      return *pointer;
    } else {
      using annotated = detail::annotated<T, detail::texts_of_t<P...>>;
      // The member has the qualifiers of T.
      return reinterpret_cast<annotated *>(const_cast<std::remove_cv_t<T> *>(pointer))->value;
    }
  }

  T *pointer_ = nullptr;
};

}  // namespace ext::oneapi::experimental
}  // namespace sycl_lite

#endif  // SYCL_LITE_PROPERTIES_HPP
