// Types that SYCL adds to C++: half, bfloat16, vec, marray; and double if the device supports it.
#include "check.hpp"

int main() {
  Run r;
  int *out = r.out;
  r.queue.single_task([=] {
    const sycl::vec<int, 4> v{1, 2, 3, 4};
    const auto w = v * v;
    out[0] = w.x() + w.y() + w.z() + w.w();
  });
  r.expect(30, "vec");
  r.queue.single_task([=] {
    sycl::marray<int, 3> m{1, 2, 3};
    m += 1;
    out[0] = m[0] * m[1] * m[2];
  });
  r.expect(24, "marray");
  r.queue.single_task([=] { out[0] = static_cast<int>(static_cast<float>(sycl::ext::oneapi::bfloat16(1.5f)) * 2); });
  r.expect(3, "bfloat16");
  if (r.queue.get_device().has(sycl::aspect::fp64)) {
    r.queue.single_task([=, d = 2.25] { out[0] = static_cast<int>(sycl::sqrt(d) * 10); });
    r.expect(15, "double");
  }
  if (r.queue.get_device().has(sycl::aspect::fp16)) {
    r.queue.single_task([=] { out[0] = static_cast<int>(sycl::half(1.5f) + sycl::half(0.5f)); });
    r.expect(2, "half");
  }
  if (r.queue.get_device().has(sycl::aspect::atomic64)) {
    auto *sum = sycl::malloc_shared<long long>(1, r.queue);
    *sum = 0;
    r.queue.parallel_for(100, [=](sycl::id<1> i) {
      sycl::atomic_ref<long long, sycl::memory_order::relaxed, sycl::memory_scope::device> a(*sum);
      a += static_cast<long long>(i[0]);
    });
    r.queue.single_task([=] { out[0] = static_cast<int>(*sum); });
    r.expect(4950, "64-bit atomics");
    sycl::free(sum, r.queue);
  }
  return result();
}
