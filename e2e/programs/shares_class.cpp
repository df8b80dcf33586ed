// A program and a shared library submit kernels of the same class.
#include "check.hpp"
#include "library.hpp"

int main() {
  Run r;
  shared_in_library(r, 5);
  r.expect(5, "in the library");
  r.queue.submit([&](sycl::handler &h) { h.single_task(Shared{r.out, 6}); });
  r.expect(6, "in the program");
  return result();
}
