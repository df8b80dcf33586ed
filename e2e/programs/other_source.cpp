// Because of the word device_global, syclc++ compiles the host code of this source with the
// integration header, unlike the other source's.
#include "shared.hpp"

static void second(Run &r) { r.queue.single_task([out = r.out] { out[0] = 10; }); }

void other(Run &r) {
  r.queue.single_task<SameCode>([out = r.out, v = 8] { out[0] = v; });
  r.expect(8, "second kernel with the same code");
  second(r);
  r.expect(10, "second source");
  in_header(r, 20);
  r.expect(20, "header in the second source");
  in_class(r, 30);
  r.expect(31, "class in the second source");
  in_template(r, 30L);
  r.expect(60, "template in the second source");
}
