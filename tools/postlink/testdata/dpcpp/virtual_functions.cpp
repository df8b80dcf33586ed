// Virtual functions in two sets. One set requires fp64.
#include <sycl/sycl.hpp>

namespace exp = sycl::ext::oneapi::experimental;
struct Doubles;

struct Shape {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable) virtual float area(float x) const = 0;
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable_in<Doubles>) virtual double exact(double x) const = 0;
};
struct Circle : Shape {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable) float area(float x) const override { return 3.14f * x * x; }
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable_in<Doubles>) double exact(double x) const override { return 3.14159 * x * x; }
};
struct Square : Shape {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable) float area(float x) const override { return x * x; }
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable_in<Doubles>) double exact(double x) const override { return x * x; }
};

void run(sycl::queue &q, void *room, Shape **shape, float *f, double *d, int which) {
  q.single_task<class Make>([=] {
    if (which) *shape = new (room) Circle;
    else *shape = new (room) Square;
  });
  q.single_task<class Area>(exp::properties{exp::assume_indirect_calls}, [=] { f[0] = (*shape)->area(f[0]); });
  q.single_task<class Exact>(exp::properties{exp::assume_indirect_calls_to<Doubles>}, [=] { d[0] = (*shape)->exact(d[0]); });
}
