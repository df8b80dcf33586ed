// load_function FILE: runs the kernel of function.cpp from a SYCLBIN.
#include <cstdio>
#include <string>

#include <sycl/detail/core.hpp>
#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>
#include <sycl/usm.hpp>

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  sycl::queue queue;
  auto bundle = sycl::ext::oneapi::experimental::get_kernel_bundle<sycl::bundle_state::executable>(
      queue.get_context(), {queue.get_device()}, std::string(argv[1]));
  sycl::kernel kernel = bundle.ext_oneapi_get_kernel("twice");
  const int size = 16;
  float *data = sycl::malloc_shared<float>(size, queue);
  for (int i = 0; i < size; i++) data[i] = static_cast<float>(i);
  queue.submit([&](sycl::handler &h) {
    h.set_args(data);
    h.parallel_for(sycl::nd_range<1>(size, size), kernel);
  });
  queue.wait();
  int wrong = 0;
  for (int i = 0; i < size; i++) wrong += data[i] != 2 * i;
  std::printf("%d of %d numbers wrong\n", wrong, size);
  sycl::free(data, queue);
  return wrong != 0;
}
