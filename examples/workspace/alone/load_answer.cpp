#include <dlfcn.h>

#include <cstdio>

int main(int, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  auto *answer = library ? reinterpret_cast<int (*)()>(dlsym(library, "answer")) : nullptr;
  if (!answer) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  std::printf("%d %d\n", answer(), answer());
  return 0;
}
