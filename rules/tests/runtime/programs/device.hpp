// Shared by the programs that run the example's kernels with the SYCL runtime.
#pragma once

#include <sycl/detail/core.hpp>
#include <sycl/usm.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>

#include "errc.hpp"
#include "host/numbers.hpp"

// Memory that has the same address on the host and in kernels.
template <class T>
class Shared {
 public:
  Shared(sycl::queue &queue, std::size_t count)
      : queue_(queue), data_(sycl::malloc_shared<T>(count, queue)) {
    if (!data_) throw std::runtime_error("no shared memory");
  }
  ~Shared() { sycl::free(data_, queue_); }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;

  T &operator[](std::size_t i) { return data_[i]; }
  T *data() { return data_; }

 private:
  sycl::queue &queue_;
  T *data_;
};

// Converts the sizes of a launch to the runtime's types.
inline sycl::range<1> to_range(const std::array<std::size_t, 1> &sizes) { return {sizes[0]}; }
inline sycl::range<2> to_range(const std::array<std::size_t, 2> &sizes) {
  return {sizes[0], sizes[1]};
}

// Thrown if a kernel computed wrong numbers.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Prints that a kernel computed the expected numbers, or throws Wrong.
inline void check(const std::string &name, const numbers::Numbers &n) {
  if (!n.right()) throw Wrong(n.text());
  std::printf("ok %s: %zu numbers\n", name.c_str(), n.checked());
}

// Calls a function and prints its error on one line. Returns whether there was no error.
inline bool guarded(const std::string &what, const std::function<void()> &f) {
  std::string text;
  try {
    f();
    return true;
  } catch (const sycl::exception &e) {
    text = errc_name(e.code()) + ": " + e.what();
  } catch (const Wrong &e) {
    text = std::string("wrong: ") + e.what();
  } catch (const std::exception &e) {
    text = std::string("error: ") + e.what();
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::printf("%s: %s\n", what.c_str(), text.c_str());
  return false;
}
