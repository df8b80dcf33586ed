// Checks whether the device accepts the option in the BUILD file. The argument is known or unknown.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <string>

class Set;

int main(int argc, char **argv) {
  const bool known = argc == 2 && std::string(argv[1]) == "known";
  int result = 0;
  try {
    sycl::queue queue;
    sycl::buffer<int> buffer(&result, 1);
    queue.submit([&](sycl::handler &h) {
      const sycl::accessor out(buffer, h, sycl::write_only, sycl::no_init);
      h.single_task<Set>([=] { out[0] = 42; });
    });
    queue.wait_and_throw();
  } catch (const sycl::exception &e) {
    const std::string text = e.what();
    std::printf("%s\n", text.c_str());
    return !known && text.find("-no-such-option") != text.npos ? 0 : 1;
  }
  return known && result == 42 ? 0 : 1;
}
