// Two sources whose kernels create objects of the same class.
#include <cstdio>
#include <new>

#include "number.hpp"

namespace exp = sycl::ext::oneapi::experimental;

struct Double : Number {
  using Number::Number;
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable)
  int get() const override { return 2 * value; }
};

struct Get {
  void operator()() const { *sum = first->get() + second->get() + third->get(); }
  auto get(exp::properties_tag) const { return exp::properties{exp::assume_indirect_calls}; }
  const Number *first, *second, *third;
  int *sum;
};

int main() {
  sycl::queue queue;
  Number *first = sycl::malloc_shared<Number>(1, queue),
         *second = sycl::malloc_shared<Number>(1, queue);
  Double *third = sycl::malloc_shared<Double>(1, queue);
  int *sum = sycl::malloc_shared<int>(1, queue);
  make(queue, first);
  queue
      .single_task<class MakeOthers>([=] {
        new (second) Number(2);
        new (third) Double(10);
      })
      .wait();
  queue.single_task(Get{first, second, third, sum}).wait();
  std::printf("%d\n", *sum);
  return *sum != 42;
}
