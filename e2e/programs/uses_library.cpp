// A plain C++ program that links a library with kernels.
#include "library.hpp"
#include "check.hpp"

int main() {
  Run r;
  of_library(r, 5);
  r.expect(15, "kernel of a library");
  return result();
}
