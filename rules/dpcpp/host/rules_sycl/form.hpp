// Tells whether g++ may capture more in a kernel than DPC++.

#pragma once
#pragma GCC system_header

namespace rules_sycl {

// The form of a kernel's class: 2 for one without lambdas, whose members the source declares, 1 for
// a lambda of a function that is neither a template nor in a lambda, 0 for others. g++ can capture
// more than DPC++ in the last, and in lambdas with lambdas in them.
template <class Type>
constexpr unsigned long form() {
#if defined(__clang__)
  return 0;
#else
  int lambdas = 0, templates = 0;
  for (const char *c = __PRETTY_FUNCTION__; *c; c++) {
    if (c[0] == '<' && c[1] == 'l' && c[2] == 'a' && c[3] == 'm' && c[4] == 'b') lambdas++;
    if (c[0] == '[' && c[1] == 'w' && c[2] == 'i' && c[3] == 't' && c[4] == 'h') templates++;
    if (c[0] == 'a' && c[1] == 'u' && c[2] == 't' && c[3] == 'o') templates++;
  }
  return lambdas == 0 ? 2 : lambdas == 1 && templates == 1;  // this function is a template
#endif
}

}  // namespace rules_sycl
