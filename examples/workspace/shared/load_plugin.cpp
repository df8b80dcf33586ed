// A program without SYCL code that loads a library with kernels.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto *quadruple =
      library ? reinterpret_cast<float (*)(float)>(dlsym(library, "quadruple")) : nullptr;
  if (!quadruple) {
    std::fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: load_plugin LIBRARY");
    return 2;
  }
  const float value = quadruple(2);
  std::printf("%g\n", value);
  return value == 8 ? 0 : 1;
}
