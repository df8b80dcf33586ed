#include <cstdio>

extern "C" int answer();

// A static variable, because devices must also be available before main.
static const int early = answer();

int main() {
  std::printf("%d %d\n", early, answer());
  return 0;
}
