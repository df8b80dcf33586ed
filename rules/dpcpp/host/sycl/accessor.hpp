// Precedes DPC++'s header with this name. It adds operators for accessors without dimensions, and
// changes calls between constructors of host_accessor.
//
// A function template converts such an accessor to a reference to its element. clang uses this
// conversion for built-in operators if the other operand is a number, as in "accessor == 1" and
// "sum += accessor". g++ 12 to 16 do not.
//
// Constructors of host_accessor pass {} for an id to another constructor. g++ 12 to 16 also
// consider the constructor with a tag instead of the id, and the call is ambiguous. clang does not,
// because the default constructor of a tag is explicit.

#pragma once
#pragma GCC system_header

#if defined(__clang__)
#include_next <sycl/accessor.hpp>
#else
#include <sycl/id.hpp>

#include <type_traits>

namespace rules_sycl {

template <int Dimensions>
sycl::id<Dimensions> offset(sycl::id<Dimensions> of) {
  return of;
}

}  // namespace rules_sycl

// In "host_accessor(BufferRef, AccessRange, {}, PropertyList, CodeLoc)", makes the third argument
// an id. Other parameter lists start with a type, and the calls without an offset have at most four
// arguments.
#define host_accessor(...) RULES_SYCL_KIND(__VA_ARGS__, )(__VA_ARGS__)
#define RULES_SYCL_KIND(FIRST, ...) RULES_SYCL_SECOND(RULES_SYCL_##FIRST, RULES_SYCL_OTHER, )
#define RULES_SYCL_SECOND(...) RULES_SYCL_SECOND_OF(__VA_ARGS__)
#define RULES_SYCL_SECOND_OF(FIRST, SECOND, ...) SECOND
#define RULES_SYCL_BufferRef , RULES_SYCL_CALL
#define RULES_SYCL_OTHER(...) host_accessor(__VA_ARGS__)
#define RULES_SYCL_CALL(...)                                                       \
  RULES_SYCL_SEVENTH(__VA_ARGS__, RULES_SYCL_WITH_HANDLER, RULES_SYCL_WITH_OFFSET, \
                     RULES_SYCL_OTHER, RULES_SYCL_OTHER, )                         \
  (__VA_ARGS__)
#define RULES_SYCL_SEVENTH(A, B, C, D, E, F, KIND, ...) KIND
#define RULES_SYCL_WITH_OFFSET(BUFFER, RANGE, OFFSET, ...) \
  host_accessor(BUFFER, RANGE, rules_sycl::offset<Dimensions>(OFFSET), __VA_ARGS__)
#define RULES_SYCL_WITH_HANDLER(BUFFER, HANDLER, RANGE, OFFSET, ...) \
  host_accessor(BUFFER, HANDLER, RANGE, rules_sycl::offset<Dimensions>(OFFSET), __VA_ARGS__)
#include_next <sycl/accessor.hpp>
#undef host_accessor
#undef RULES_SYCL_KIND
#undef RULES_SYCL_SECOND
#undef RULES_SYCL_SECOND_OF
#undef RULES_SYCL_BufferRef
#undef RULES_SYCL_OTHER
#undef RULES_SYCL_CALL
#undef RULES_SYCL_SEVENTH
#undef RULES_SYCL_WITH_OFFSET
#undef RULES_SYCL_WITH_HANDLER

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
