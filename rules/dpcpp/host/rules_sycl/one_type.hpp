// Terminates a program whose sources use one kernel name for function objects of two types with
// different code, such as the lambdas of two instances of a function template in a header: libsycl
// would run only one. The linker does not detect these kernels, because they have the same
// location.

#pragma once
#pragma GCC system_header

#include <rules_sycl/clash.hpp>

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <typeinfo>

namespace rules_sycl {

// FNV-1a, 0 for an empty text.
constexpr unsigned long hash(const char *text) {
  unsigned long out = *text ? 0xcbf29ce484222325 : 0;
  for (; *text; text++) out = (out ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return out;
}

#if defined(__GXX_RTTI)

// The type of the function objects that a process submits with the kernel name K. Its variable is
// shared by all libraries. Compilers mangle types differently, so only the objects of one compiler
// are compared.
template <class K, unsigned long Compiler>
struct __attribute__((visibility("default"))) FunctionType {
  static inline const char *name = nullptr;
};

template <class K>
const char *kernel_text() {
  return __PRETTY_FUNCTION__;  // "… [with K = NAME]", in clang "… [K = NAME]"
}

// Returns the name of the kernel K in device code, or "".
template <class K>
const char *device_name();

// Returns a type as text without the numbers of its lambdas, or null. Outside functions, these
// depend on the other lambdas of the source.
__attribute__((cold, noinline, unused)) static char *unnumbered(const char *type) {
  char *text = abi::__cxa_demangle(type, nullptr, nullptr, nullptr);
  if (!text) return nullptr;
  char *to = text;
  for (const char *from = text; *from;) {
    const bool number = *from == '#' || (*from == '_' && from > text && from[-1] == '$');
    *to++ = *from++;  // {lambda()#1}, in clang also $_1
    while (number && *from >= '0' && *from <= '9') from++;
  }
  *to = '\0';
  return text;
}

__attribute__((cold, noinline, unused)) static void compare_types(const char *kernel,
                                                                  const char *first,
                                                                  const char *second) {
  char *a = unnumbered(first), *b = unnumbered(second);
  if (a && b && std::strcmp(a, b)) {
    const char *name = std::strstr(kernel, "K = ") + 4;
    const int size = static_cast<int>(std::strlen(name)) - 1;
    std::fprintf(stderr,
                 "rules_sycl: two kernels have the name '%.*s', and the runtime would run only "
                 "one: %s and %s; use different names, such as Name<T> in a function template\n",
                 size, name, a, b);
    std::_Exit(1);
  }
  std::free(a);
  std::free(b);
}

inline bool has_type(const char *&known, const char *type, const char *kernel,
                     const char *(*device_name)()) {
  if (!known)
    known = type;
  else if (std::strcmp(known, type) && !clash::same_code(hash(device_name())))
    compare_types(kernel, known, type);
  return true;
}

// Compares the type with the types that other sources submit, before main.
template <class K, class Type>
struct OneType {
  __attribute__((used, visibility("hidden"))) static inline const bool here =
      has_type(FunctionType<K, hash(__VERSION__)>::name, typeid(Type).name(), kernel_text<K>(),
               device_name<K>);
};

#endif

}  // namespace rules_sycl
