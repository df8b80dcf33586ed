// Two sources with the kernels of a header, and static functions with different names. The program
// also has sources for the host only, in C and in assembler.
#include "in_c.h"
#include "shared.hpp"

static void first(Run &r) { r.queue.single_task([out = r.out] { out[0] = 1; }); }

static void same_code(Run &r) {
  r.queue.single_task<SameCode>([out = r.out, v = 7] { out[0] = v; });
}

int main() {
  Run r;
  same_code(r);
  r.expect(7, "first kernel with the same code");
  first(r);
  r.expect(1, "first source");
  in_header(r, 2);
  r.expect(2, "header in the first source");
  in_class(r, 3);
  r.expect(4, "class in the first source");
  in_template(r, 3);
  r.expect(6, "template in the first source");
  other(r);
  r.queue.single_task([out = r.out, v = in_c(1)] { out[0] = v; });
  r.expect(43, "sources for the host alone");
  return result();
}
