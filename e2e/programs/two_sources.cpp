// Two sources have the kernels of a header, and static functions of different names.
#include "shared.hpp"

static void first(Run &r) { r.queue.single_task([out = r.out] { out[0] = 1; }); }

int main() {
  Run r;
  first(r);
  r.expect(1, "first source");
  in_header(r, 2);
  r.expect(2, "header in the first source");
  in_template(r, 3);
  r.expect(6, "template in the first source");
  other(r);
  return result();
}
