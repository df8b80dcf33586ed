#include <cstdio>

extern "C" int answer();

// Static: the devices are there before main as well.
static const int early = answer();

int main() {
  std::printf("%d %d\n", early, answer());
  return 0;
}
