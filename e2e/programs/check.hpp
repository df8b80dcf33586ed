// Shared by the programs of this directory: a queue, numbers that kernels write, and a count of
// wrong numbers.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdio>

inline int wrong = 0, checked = 0;

struct Run {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *out = sycl::malloc_shared<int>(256, queue);

  Run() { clear(); }
  ~Run() { sycl::free(out, queue); }

  void clear() {
    for (int i = 0; i < 256; i++) out[i] = 0;
  }

  // expect compares the first number, which a kernel has set, and clears all numbers.
  void expect(int want, const char *what) {
    queue.wait_and_throw();
    checked++;
    if (out[0] != want) std::printf("%s: wants %d, got %d\n", what, want, out[0]), wrong++;
    clear();
  }
};

inline int result() {
  std::printf("%d of %d right\n", checked - wrong, checked);
  return wrong != 0 || checked == 0;
}
