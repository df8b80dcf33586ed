// Precedes DPC++'s header with this name, and adds operators for accessors without dimensions.
//
// A function template converts such an accessor to a reference to its element. clang uses this
// conversion for built-in operators if the other operand is a number, as in "accessor == 1" and
// "sum += accessor". g++ 12 to 16 do not.

#pragma once
#pragma GCC system_header
#include_next <sycl/accessor.hpp>

#if !defined(__clang__)
#include <type_traits>

namespace rules_sycl {

// The type of a reference to the element of an accessor without dimensions.
template <class Type>
struct Element {};

template <class T, sycl::access::mode Mode, sycl::access::target Target,
          sycl::access::placeholder Placeholder, class Properties>
struct Element<sycl::accessor<T, 0, Mode, Target, Placeholder, Properties>> {
  using type = std::conditional_t<Mode == sycl::access::mode::read, const T, T> &;
};

template <class T, sycl::access::mode Mode>
struct Element<sycl::host_accessor<T, 0, Mode>> {
  using type = std::conditional_t<Mode == sycl::access::mode::read, const T, T> &;
};

template <class T>
struct Element<sycl::local_accessor<T, 0>> {
  using type = T &;
};

// Enumerators that convert to numbers count as numbers.
template <class T>
constexpr bool is_number =
    std::is_arithmetic_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, long long>);

// A reference to an element, if the element and the other operand are numbers.
template <class Accessor, class Other, class Reference = typename Element<Accessor>::type>
using Operand =
    std::enable_if_t<is_number<std::remove_reference_t<Reference>> && is_number<Other>, Reference>;

}  // namespace rules_sycl

#define RULES_SYCL_OPERATOR(OP, ASSIGNED)                                                        \
  template <class Accessor, class Other, class Reference = rules_sycl::Operand<Accessor, Other>> \
  auto operator OP(const Accessor &a, Other b)->decltype(static_cast<Reference>(a) OP b) {       \
    return static_cast<Reference>(a) OP b;                                                       \
  }                                                                                              \
  template <class Other, class Accessor, class Reference = rules_sycl::Operand<Accessor, Other>> \
  auto operator OP(Other ASSIGNED a, const Accessor &b)                                          \
      ->decltype(a OP static_cast<Reference>(b)) {                                               \
    return a OP static_cast<Reference>(b);                                                       \
  }
#define RULES_SYCL_STEP(OP)                                                          \
  template <class Accessor, class Reference = rules_sycl::Operand<Accessor, int>>    \
  auto operator OP(const Accessor &a, int)->decltype(static_cast<Reference>(a) OP) { \
    return static_cast<Reference>(a) OP;                                             \
  }

namespace sycl {
inline namespace _V1 {
RULES_SYCL_OPERATOR(+, )
RULES_SYCL_OPERATOR(-, )
RULES_SYCL_OPERATOR(*, )
RULES_SYCL_OPERATOR(/, )
RULES_SYCL_OPERATOR(%, )
RULES_SYCL_OPERATOR(&, )
RULES_SYCL_OPERATOR(|, )
RULES_SYCL_OPERATOR(^, )
RULES_SYCL_OPERATOR(<<, )
RULES_SYCL_OPERATOR(>>, )
RULES_SYCL_OPERATOR(==, )
RULES_SYCL_OPERATOR(!=, )
RULES_SYCL_OPERATOR(<, )
RULES_SYCL_OPERATOR(>, )
RULES_SYCL_OPERATOR(<=, )
RULES_SYCL_OPERATOR(>=, )
RULES_SYCL_OPERATOR(+=, &)
RULES_SYCL_OPERATOR(-=, &)
RULES_SYCL_OPERATOR(*=, &)
RULES_SYCL_OPERATOR(/=, &)
RULES_SYCL_OPERATOR(%=, &)
RULES_SYCL_OPERATOR(&=, &)
RULES_SYCL_OPERATOR(|=, &)
RULES_SYCL_OPERATOR(^=, &)
RULES_SYCL_OPERATOR(<<=, &)
RULES_SYCL_OPERATOR(>>=, &)
RULES_SYCL_STEP(++)
RULES_SYCL_STEP(--)
}  // namespace _V1
}  // namespace sycl

#undef RULES_SYCL_STEP
#undef RULES_SYCL_OPERATOR
#endif
