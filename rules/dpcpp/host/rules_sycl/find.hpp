// Finds a kernel in the table of its source's kernels, by the name of its type.

#pragma once
#pragma GCC system_header

#include <rules_sycl/clash.hpp>
#include <sycl/exception.hpp>

#include <cxxabi.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace rules_sycl {

// described reports whether the integration header describes a kernel by its type, so that the
// compiler finds it.
template <class K>
constexpr bool described = *sycl::detail::KernelInfo<K>::getName() != '\0';

inline std::string readable(const char *type) {
  char *text = abi::__cxa_demangle(type, nullptr, nullptr, nullptr);
  const std::string out = text ? text : type;
  std::free(text);
  return out;
}

// NameType identifies the type that names a kernel, which may be incomplete or a reference.
struct NameType {
  const std::type_info *pointer;  // the type of a pointer to it; null without typeid
  char reference;                 // 'R' or 'O' if it is a reference
  const char *stable;             // its name in the device compilation; null with g++

  template <class K>
  static constexpr NameType of() {
    NameType out{};
#if defined(__GXX_RTTI)
    using Referred = std::remove_reference_t<K>;
    out.pointer = &typeid(Referred *);
    out.reference = __is_same(K, Referred) ? '\0' : std::is_lvalue_reference_v<K> ? 'R' : 'O';
#endif
#if __has_builtin(__builtin_sycl_unique_stable_name)
    out.stable = __builtin_sycl_unique_stable_name(K) + 4;  // _ZTS
#elif !defined(__GXX_RTTI)
    static_assert(described<K>,
                  "an unnamed kernel needs typeid; remove -fno-rtti, name the kernel, as in "
                  "parallel_for<class Name>(...), or compile the host code with clang");
#endif
    return out;
  }
};

inline std::mutex mutex;  // guards each Entry and Type

// Entry describes a kernel that the integration header does not describe.
struct Entry {
  NameType type;
  sycl::detail::kernel_param_desc_t (*parameter)(int);
  const Kernel *kernel;  // null until `info` is set
  const void *info;  // of type Info, which is declared later; null until a call of rules_sycl::info

  // name returns the mangled name of the kernel's type.
  __attribute__((noinline)) std::string name() const {
    // Names without a lambda come from typeid, which numbers classes K in blocks of a function.
    if (!type.pointer || (type.stable && std::strstr(type.stable, "Ul")))
      return type.stable ? type.stable : "";
    std::string name;
    if (type.reference) name += type.reference;
    name += type.pointer->name() + 1;  // skip P, which stands for the pointer
    return name;
  }
};

template <class K>
sycl::detail::kernel_param_desc_t parameter(int index);

template <class K>
inline Entry entry{NameType::of<K>(), parameter<K>, nullptr, nullptr};

template <class K>
sycl::detail::kernel_param_desc_t parameter(int index) {
  return entry<K>.kernel->parameter[index];
}

template <class Is>
const Kernel *the(Kernels all, Is is) {
  for (const Kernel *k = all.first; k != all.end; k++)
    if (k->name && is(*k)) return k;
  return nullptr;
}

#if defined(RULES_SYCL_TABLE)

// The table contains this compiler's names of types.
inline const Kernel *find(const char *type, Kernels all) {
  return the(all, [&](const Kernel &k) { return std::strcmp(k.type, type) == 0; });
}

#else

// Returns a name without the marks of internal linkage, which differ between compilers. The
// demangled name is less precise: it is the same for several local classes K of a function.
inline std::string unmarked(const char *type) {
  std::string out;
  for (; *type; type++)
    if (*type != 'L' || type[1] < '0' || type[1] > '9') out += *type;
  return out;
}

inline const Kernel *find(const char *type, Kernels all) {
  if (auto *k = the(all, [&](const Kernel &k) { return std::strcmp(k.type, type) == 0; })) return k;
  if (auto *k = the(all, [&](const Kernel &k) { return unmarked(k.type) == unmarked(type); }))
    return k;
  return the(all, [&](const Kernel &k) { return readable(k.type) == readable(type); });
}

#endif

#if !defined(RULES_SYCL_TABLE) && !defined(__clang__) && __GNUC__ < 13

// These releases number all lambdas of a function in one sequence. The device compile numbers
// lambdas with the same parameters separately. The order among such lambdas is the same, so a
// kernel is found by its rank.

namespace {

// The kernels that this source submits, listed before main.
std::vector<Entry *> &submitted() {
  static std::vector<Entry *> entries;
  return entries;
}

template <class K>
struct Listed {
  __attribute__((used)) static inline const bool here = (submitted().push_back(&entry<K>), true);
};

}  // namespace

// A readable name without the numbers of its lambdas, and these numbers.
struct Numbered {
  std::string name;
  std::vector<int> numbers;

  // The demanglers of these releases do not read all names of lambdas with parameters 'auto...'. In
  // a name that stays mangled, lambdas have the numbers E_, E0_, E1_ and so on.
  explicit Numbered(const char *type) {
    const std::string text = readable(type);
    const bool mangled = text == type;
    for (std::size_t i = 0; i < text.size();) {
      name += text[i];
      if (text[i++] != (mangled ? 'E' : '#')) continue;
      std::size_t end = i;
      int number = 0;
      for (; text[end] >= '0' && text[end] <= '9'; end++)
        number = (number * 10 + text[end] - '0') % 100000000;
      if (mangled && text[end] != '_') continue;
      numbers.push_back(end == i ? 0 : number + 1);
      i = end;
    }
  }
};

// The number of kernels with a name, and how many of them precede the kernel with given numbers.
struct Rank {
  const Numbered &wanted;
  std::size_t all = 0, before = 0;

  void count(const Numbered &other) {
    if (other.name != wanted.name) return;
    all++;
    if (other.numbers < wanted.numbers) before++;
  }
};

inline const Kernel *find(const char *type, Kernels all, const std::vector<Entry *> &entries) {
  const Numbered wanted(type);
  if (wanted.numbers.empty()) return find(type, all);
  Rank host{wanted};
  for (Entry *other : entries) host.count(Numbered(other->name().c_str()));
  return the(all, [&](const Kernel &k) {
    const Numbered candidate(k.type);
    if (candidate.name != wanted.name) return false;
    Rank device{candidate};
    the(all, [&](const Kernel &other) { return device.count(Numbered(other.type)), false; });
    return device.all == host.all && device.before == host.before;
  });
}

#endif

// fail throws an exception about the kernel of a type. It is not a template and does not use
// std::string, to keep compiles fast.
[[noreturn]] __attribute__((cold, noinline, unused)) static void fail(const char *type,
                                                                      const char *format, ...) {
  char *readable = abi::__cxa_demangle(type, nullptr, nullptr, nullptr), *rest = nullptr,
       *text = nullptr;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&rest, format, arguments) < 0) rest = nullptr;
  va_end(arguments);
  const char *source = kernels().source;
  if (asprintf(&text, "rules_sycl: the kernel '%s' of %s %s", readable ? readable : type, source,
               rest) < 0)
    text = nullptr;
  sycl::exception e(sycl::make_error_code(sycl::errc::kernel),
                    text ? text : "rules_sycl: out of memory");
  std::free(readable);
  std::free(rest);
  std::free(text);
  throw e;
}

// `found`, or throws.
__attribute__((noinline, unused)) static const Kernel &known(const Kernel *found,
                                                             const char *type) {
  if (!found)
    fail(type,
         "is submitted by the host code, but the device code does not have it; name it, as in "
         "parallel_for<class Name>(...), and remove code that only one of the two compiles sees, "
         "such as "
         "#ifdef __SYCL_DEVICE_ONLY__");
  return *found;
}

__attribute__((noinline, unused)) static const Kernel *find(const char *type) {
#if defined(RULES_SYCL_TABLE) || defined(__clang__) || __GNUC__ >= 13
  return find(type, kernels());
#else
  return find(type, kernels(), submitted());
#endif
}

__attribute__((noinline, unused)) static const Kernel &find(Entry &entry) {
  const std::string type = entry.name();
  return known(find(type.c_str()), type.c_str());
}

}  // namespace rules_sycl
