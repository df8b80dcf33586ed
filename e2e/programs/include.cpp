// Both compiles include the files of -include and -imacros before the source.
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
