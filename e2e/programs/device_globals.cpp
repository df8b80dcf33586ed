// Device globals, with host code that copies to them.
#include "check.hpp"

namespace ext = sycl::ext::oneapi::experimental;

ext::device_global<int> counter;
static ext::device_global<int[4]> table;

// The host code needs the integration header, which cannot declare this kernel's name.
static void add(Run &r) {
  int *out = r.out;
  r.queue.submit([&](sycl::handler &h) { h.single_task<class OfFunction>([=] { out[0] = counter + 1; }); });
}

int main() {
  Run r;
  int *out = r.out;
  const int five = 5, four[4] = {1, 2, 3, 4};
  r.queue.copy(&five, counter).wait();
  r.queue.copy(four, table, 4).wait();
  // Without this wait, DPC++ 2026.2.0 sometimes throws UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST.
  r.queue.single_task([=] { counter += table[3]; }).wait();
  r.queue.single_task([=] { out[0] = counter; });
  r.expect(9, "device_global");
  add(r);
  r.expect(10, "a kernel that is named in a function");
  return result();
}
