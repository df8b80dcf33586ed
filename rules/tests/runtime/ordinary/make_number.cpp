#include <new>

#include "number.hpp"

void make(sycl::queue &queue, Number *number) {
  queue.single_task<class MakeNumber>([=] { new (number) Number(20); }).wait();
}
