// Both compiles define icpx's macros, or neither does: a kernel that depends on one is in the host
// code and in an image, or in neither.
#include "check.hpp"

#include <cstring>

#if SYCL_LANGUAGE_VERSION != 202012L || !defined(__SYCL_COMPILER_VERSION)
#error "no macro of SYCL"
#endif

#ifndef SOURCE
#define SOURCE "macros.cpp"
#endif

int main() {
  Run r;
  int *out = r.out;
#ifdef __INTEL_LLVM_COMPILER
  r.queue.single_task([=] { out[0] = 1; });
#else
  r.queue.single_task([=] { out[0] = 2; });
#endif
#ifdef __INTEL_LLVM_COMPILER
  r.expect(1, "macro of icpx");
#else
  r.expect(2, "no macro of icpx");
#endif
  r.queue.single_task([=] {
    out[0] = 2;
#ifdef __SYCL_DEVICE_ONLY__
    out[0] = 3;
#endif
  });
  r.expect(3, "macro of the device compile");
  try {
    r.queue.parallel_for(sycl::range<1>(std::size_t{1} << 32), [=](sycl::id<1>) {});
    out[0] = 4;
  } catch (const sycl::exception &) {
    out[0] = 5;
  }
  r.expect(5, "a range that does not fit in an int");
  out[0] = std::strcmp(__BASE_FILE__, SOURCE) == 0 && std::strcmp(__FILE__, SOURCE) == 0;
  r.expect(1, "__BASE_FILE__ is the source");
  r.queue.single_task([=] { out[0] = sizeof __FILE__; });
  r.expect(sizeof SOURCE, "__FILE__ of the device compile");
  return result();
}
