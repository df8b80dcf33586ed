#include "parts.hpp"

int subtract(int a, int b) {
  return on_device([=] { return a - b; });
}
