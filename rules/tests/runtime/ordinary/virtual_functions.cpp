// Kernels that call virtual functions in two sets. One of the functions uses a device global.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <new>

namespace exp = sycl::ext::oneapi::experimental;

class Doubles;

static exp::device_global<int> made;

struct Shape {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable)
  virtual float area() const { return 0; }
  // In a separate set, because not all devices support double.
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable_in<Doubles>)
  virtual double share(double whole) const { return area() / whole; }
};

struct Square : Shape {
  explicit Square(float side) : side(side) {}
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable)
  float area() const override { return side * side; }
  float side;
};

struct Ring : Shape {
  Ring(float outer, float inner) : outer(outer), inner(inner) {}
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(exp::indirectly_callable)
  float area() const override { return 3 * (outer * outer - inner * inner); }
  float outer, inner;
};

struct Make {
  void operator()() const {
    shapes[0] = new (square) Square(3);
    shapes[1] = new (ring) Ring(4, 2);
    made = 2;
  }
  Shape **shapes;
  Square *square;
  Ring *ring;
};

struct Areas {
  void operator()(sycl::id<1> i) const { out[i] = shapes[i]->area(); }
  auto get(exp::properties_tag) const { return exp::properties{exp::assume_indirect_calls}; }
  Shape **shapes;
  float *out;
};

struct Share {
  void operator()() const { out[2] = static_cast<float>(shapes[0]->share(out[0] + out[1])); }
  auto get(exp::properties_tag) const {
    return exp::properties{exp::assume_indirect_calls_to<void, Doubles>};
  }
  Shape **shapes;
  float *out;
};

int main() {
  sycl::queue queue;
  Shape **shapes = sycl::malloc_shared<Shape *>(2, queue);
  float *out = sycl::malloc_shared<float>(3, queue);
  queue
      .single_task(
          Make{shapes, sycl::malloc_shared<Square>(1, queue), sycl::malloc_shared<Ring>(1, queue)})
      .wait();
  queue.parallel_for(2, Areas{shapes, out}).wait();
  queue.single_task(Share{shapes, out}).wait();
  int count = 0;
  queue.copy(made, &count).wait();
  std::printf("%d shapes, areas %g and %g, a share of %g\n", count, out[0], out[1], out[2]);
  return count == 2 && out[0] == 9 && out[1] == 36 && out[2] == 0.2f ? 0 : 1;
}
