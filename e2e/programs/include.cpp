// -include and -imacros bring files in before the source, in both compiles.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
#ifdef WITH_KERNEL
  r.queue.single_task([=] { out[0] = doubled(DEFINED); });
#endif
  r.expect(42, "files of options");
  return result();
}
