// CPU options define macros, which must be the same in both compiles.
#include "check.hpp"

#ifdef __SSE4_2__
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif

int main() {
  Run run;
  int *out = run.out;
  run.queue.parallel_for<class Lanes>(64 / lanes, [=](sycl::id<1> i) {
    for (int k = 0; k < lanes; k++) out[i * lanes + k] = 1;
  });
  run.queue.single_task<class Sum>([=] {
    for (int i = 1; i < 64; i++) out[0] += out[i];
  });
  run.expect(64, "lanes of work-items");
  return result();
}
