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

#if defined(__GXX_RTTI)
// typeid_name returns the mangled name of a type, which may be incomplete or a reference.
template <class K>
const char *typeid_name() {
  if constexpr (std::is_reference_v<K>) {
    static const std::string name = std::string(std::is_lvalue_reference_v<K> ? "R" : "O") +
                                    typeid_name<std::remove_reference_t<K>>();
    return name.c_str();
  } else {
    return typeid(K *).name() + 1;  // P is for the pointer
  }
}
#endif

// type_name returns the mangled name of a type, which may be incomplete.
template <class K>
const char *type_name() {
#if __has_builtin(__builtin_sycl_unique_stable_name)
  const char *name = __builtin_sycl_unique_stable_name(K) + 4;  // _ZTS
#if defined(__GXX_RTTI)
  // Without a lambda in it: typeid has the numbers of several classes K in blocks of a function.
  if (!std::strstr(name, "Ul")) name = typeid_name<K>();
#endif
  return name;
#elif defined(__GXX_RTTI)
  return typeid_name<K>();
#else
  static_assert(described<K>,
                "a kernel without a name needs typeid; remove -fno-rtti, name the kernel, as in "
                "parallel_for<class Name>(...), or compile the host code with clang");
  return "";
#endif
}

template <class Is>
const Kernel *the(Kernels all, Is is) {
  for (const Kernel *k = all.first; k != all.end; k++)
    if (k->name && is(*k)) return k;
  return nullptr;
}

#if defined(RULES_SYCL_TABLE)

// The table has the names that this compiler gives to types.
inline const Kernel *find(const char *type, Kernels all) {
  return the(all, [&](const Kernel &k) { return std::strcmp(k.type, type) == 0; });
}

#else

// A name without the marks of internal functions. Compilers disagree on which ones have it. What is
// readable is less: several classes K in blocks of a function are alike there.
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

// These releases number the lambdas of a function in one sequence; the device compile numbers
// those of the same parameters. Among these, the order is the same, so that the second of three
// is the second of three.

namespace {

// The types of the kernels that this source submits, listed before main.
std::vector<const char *> &submitted() {
  static std::vector<const char *> types;
  return types;
}

template <class K>
struct Listed {
  __attribute__((used)) static inline const bool here =
      (submitted().push_back(type_name<K>()), true);
};

}  // namespace

// A readable name without the numbers of its lambdas, and these numbers.
struct Numbered {
  std::string name;
  std::vector<int> numbers;

  // The demanglers of these releases do not read all names of lambdas with parameters 'auto...'. A
  // name that stays mangled has the numbers of lambdas as E_, E0_, E1_ and so on.
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

// How many kernels have a name, and how many of them come before the one with some numbers.
struct Rank {
  const Numbered &wanted;
  std::size_t all = 0, before = 0;

  void count(const Numbered &other) {
    if (other.name != wanted.name) return;
    all++;
    if (other.numbers < wanted.numbers) before++;
  }
};

inline const Kernel *find(const char *type, Kernels all, const std::vector<const char *> &types) {
  const Numbered wanted(type);
  if (wanted.numbers.empty()) return find(type, all);
  Rank host{wanted};
  for (const char *other : types) host.count(Numbered(other));
  return the(all, [&](const Kernel &k) {
    const Numbered candidate(k.type);
    if (candidate.name != wanted.name) return false;
    Rank device{candidate};
    the(all, [&](const Kernel &other) { return device.count(Numbered(other.type)), false; });
    return device.all == host.all && device.before == host.before;
  });
}

#endif

// Throws with a text about the kernel of a type. It is no template, and has no strings of the C++
// library, so that it costs a compile little.
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

template <class K>
const Kernel &find() {
  const char *type = type_name<K>();
#if defined(RULES_SYCL_TABLE) || defined(__clang__) || __GNUC__ >= 13
  return known(find(type, kernels()), type);
#else
  return known(find(type, kernels(), submitted()), type);
#endif
}

}  // namespace rules_sycl
