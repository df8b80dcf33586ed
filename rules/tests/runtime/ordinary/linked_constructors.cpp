// A kernel calls a constructor and a destructor that a different source defines.
#include <cstdio>

#include "constructors.hpp"

int main() {
  sycl::queue queue;
  int *length = sycl::malloc_shared<int>(1, queue);
  queue
      .single_task([=] {
        Interval interval(3, 10);
        *length = interval.end - interval.begin;
      })
      .wait();
  if (*length != 7) std::printf("got length %d, want 7\n", *length);
  return *length != 7;
}
