// The arguments of the kernels of this workspace, and the numbers that they must compute.
//
// A Device of any API has
//   device.shared<T>(count)    memory of host and device: data() and operator[]
//   device.run(kernel, launch, arguments, memory...)
// where arguments is the function object of the source: a struct with the members that
// the kernel's lambda captures.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string>

namespace numbers {

// Counts correct numbers, and describes the first five wrong numbers.
class Numbers {
 public:
  template <class T>
  void expect(std::size_t i, T got, T want) {
    ++checked_;
    if (got == want || wrong_++ >= 5) return;
    std::ostringstream text;
    text.precision(17);
    text << "; at " << i << ": got " << +got << ", want " << +want;
    details_ += text.str();
  }
  std::size_t checked() const { return checked_; }
  bool right() const { return checked_ > 0 && wrong_ == 0; }
  std::string text() const {
    return std::to_string(checked_ - wrong_) + " of " + std::to_string(checked_) +
           " numbers right" + details_;
  }

 private:
  std::size_t checked_ = 0, wrong_ = 0;
  std::string details_;
};

// The numbers of work-items in total and per work-group.
template <std::size_t Dimensions>
struct Launch {
  std::array<std::size_t, Dimensions> items, group;
};

constexpr std::size_t kItems = 1024;  // work-items of every launch of one dimension
constexpr std::size_t kCount = 1000;  // numbers to process; the last work-items have none
constexpr Launch<1> kLaunch{{kItems}, {64}};

template <class Device, class Kernel>
Numbers vector_add(Device &device, const Kernel &kernel) {
  auto a = device.template shared<float>(kItems), b = device.template shared<float>(kItems),
       sum = device.template shared<float>(kItems);
  for (std::size_t i = 0; i < kItems; ++i) {
    a[i] = 0.5f * i;
    b[i] = 3.0f * i + 1;
    sum[i] = -1;
  }
  struct {
    const float *a, *b;
    float *sum;
    std::size_t count;
  } arguments{a.data(), b.data(), sum.data(), kCount};
  device.run(kernel, kLaunch, arguments, a, b, sum);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i)
    numbers.expect(i, sum[i], i < kCount ? 3.5f * i + 1 : -1.0f);
  return numbers;
}

template <class Device, class Kernel>
Numbers axpy(Device &device, const Kernel &kernel) {
  auto x = device.template shared<double>(kItems), y = device.template shared<double>(kItems);
  // Too small to affect the sum of 1 and tiny in float.
  const double tiny = 1.0 / (std::int64_t{1} << 40);
  for (std::size_t i = 0; i < kItems; ++i) {
    x[i] = tiny * i;
    y[i] = 1;
  }
  struct {
    double factor;
    const double *x;
    double *y;
    std::size_t count;
  } arguments{3, x.data(), y.data(), kCount};
  device.run(kernel, kLaunch, arguments, x, y);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i)
    numbers.expect(i, y[i], i < kCount ? 1 + 3 * tiny * i : 1.0);
  return numbers;
}

template <class Device, class Kernel>
Numbers total(Device &device, const Kernel &kernel) {
  auto values = device.template shared<std::int64_t>(kItems);
  auto result = device.template shared<std::int64_t>(1);
  std::int64_t want = 7;
  result[0] = want;
  for (std::size_t i = 0; i < kItems; ++i) {
    values[i] = (std::int64_t{1} << 40) + static_cast<std::int64_t>(i);
    if (i < kCount) want += values[i];
  }
  struct {
    const std::int64_t *values;
    std::int64_t *result;
    std::size_t count;
  } arguments{values.data(), result.data(), kCount};
  device.run(kernel, kLaunch, arguments, values, result);
  Numbers numbers;
  numbers.expect(0, result[0], want);
  return numbers;
}

template <class Device, class Kernel>
Numbers evaluate(Device &device, const Kernel &kernel) {
  auto coefficients = device.template shared<float>(4), x = device.template shared<float>(kItems),
       y = device.template shared<float>(kItems);
  // 1 - 2x + 5x^2 + 3x^3, which is exact in float for small integers.
  coefficients[0] = 1;
  coefficients[1] = -2;
  coefficients[2] = 5;
  coefficients[3] = 3;
  for (std::size_t i = 0; i < kItems; ++i) {
    x[i] = static_cast<float>(i % 101) - 50;
    y[i] = -1;
  }
  struct {
    const float *coefficients;
    std::size_t degree;
    const float *x;
    float *y;
    std::size_t count;
  } arguments{coefficients.data(), 3, x.data(), y.data(), kCount};
  device.run(kernel, kLaunch, arguments, coefficients, x, y);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i) {
    const int v = static_cast<int>(i % 101) - 50;
    numbers.expect(i, y[i], i < kCount ? float(1 - 2 * v + 5 * v * v + 3 * v * v * v) : -1.0f);
  }
  return numbers;
}

template <class Device, class Kernel>
Numbers block_reverse(Device &device, const Kernel &kernel) {
  auto values = device.template shared<std::int32_t>(kItems);
  for (std::size_t i = 0; i < kItems; ++i) values[i] = static_cast<std::int32_t>(10 * i);
  struct {
    std::int32_t *values;
  } arguments{values.data()};
  device.run(kernel, kLaunch, arguments, values);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems; ++i)
    numbers.expect(i, values[i], static_cast<std::int32_t>(10 * (i / 64 * 64 + 63 - i % 64)));
  return numbers;
}

// Two launches: the device variable starts at 7 and keeps its value between launches.
template <class Device, class Kernel>
Numbers tally(Device &device, const Kernel &kernel) {
  auto tickets = device.template shared<std::int32_t>(kItems),
       weighted = device.template shared<std::int32_t>(kItems);
  struct {
    std::int32_t *tickets, *weighted;
    std::size_t count;
  } arguments{tickets.data(), weighted.data(), kCount};
  Numbers numbers;
  for (std::int32_t first : {7, 7 + static_cast<std::int32_t>(kCount)}) {
    for (std::size_t i = 0; i < kItems; ++i) tickets[i] = weighted[i] = -1;
    device.run(kernel, kLaunch, arguments, tickets, weighted);
    // Any work-item can get any ticket.
    std::sort(tickets.data(), tickets.data() + kCount);
    const std::int32_t weights[] = {1, 10, 100, 1000};
    for (std::size_t i = 0; i < kItems; ++i) {
      const std::int32_t n = static_cast<std::int32_t>(i);
      numbers.expect(i, tickets[i], i < kCount ? first + n : -1);
      numbers.expect(i, weighted[i], i < kCount ? weights[i % 4] * n : -1);
    }
  }
  return numbers;
}

// Returns the bits in half precision of 0, or of an exactly representable number from 2^-14 to
// 65504.
inline std::uint16_t half(float number) {
  static_assert(sizeof(float) == sizeof(std::uint32_t));
  if (number == 0) return 0;
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  // A float has 13 more fraction bits, and an exponent bias of 127 instead of 15.
  return static_cast<std::uint16_t>((bits >> 13) - ((127 - 15) << 10));
}

template <class Device, class Kernel>
Numbers brighten(Device &device, const Kernel &kernel) {
  constexpr std::size_t side = 64, width = 80;  // the last 16 values of a row are padding
  auto pixels = device.template shared<std::uint16_t>(side * width);
  for (std::size_t i = 0; i < side * width; ++i) pixels[i] = half(i % 500);
  struct {
    std::uint16_t *pixels;
    std::size_t width;
    std::uint16_t gain, offset;
  } arguments{pixels.data(), width, half(2), half(0.5f)};
  device.run(kernel, Launch<2>{{side, side}, {8, 8}}, arguments, pixels);
  Numbers numbers;
  for (std::size_t i = 0; i < side * width; ++i) {
    const float old = i % 500;
    numbers.expect(i, pixels[i], half(i % width < side ? 2 * old + 0.5f : old));
  }
  return numbers;
}

template <class Device, class Kernel>
Numbers spread(Device &device, const Kernel &kernel) {
  constexpr std::size_t group = 8;
  auto values = device.template shared<std::int32_t>(kItems);
  auto ranges = device.template shared<std::int32_t>(kItems / group);
  for (std::size_t i = 0; i < kItems; ++i)
    values[i] = static_cast<std::int32_t>(i * i * 37 % 1009) - 500;
  struct {
    const std::int32_t *values;
    std::int32_t *ranges;
  } arguments{values.data(), ranges.data()};
  device.run(kernel, kLaunch, arguments, values, ranges);
  Numbers numbers;
  for (std::size_t i = 0; i < kItems / group; ++i) {
    const std::int32_t *first = values.data() + i * group;
    const auto [low, high] = std::minmax_element(first, first + group);
    numbers.expect(i, ranges[i], *high - *low);
  }
  return numbers;
}

// The feature that a device must support to run a kernel.
enum class Need { nothing, fp16, fp64, atomic64, work_group_64, sub_group_8 };

template <class Device, class Kernel>
struct Case {
  const char *name;    // as in the source
  const char *symbol;  // as in a SYCLBIN
  Need need;
  Numbers (*run)(Device &, const Kernel &);
};

// The names that sycl_lite generates contain required work-group and sub-group sizes.
template <class Device, class Kernel>
inline constexpr Case<Device, Kernel> kCases[] = {
    {"image::BlockReverse",
     "_ZTSN9sycl_lite11kernel_withIN5image12BlockReverseELj64ELj1ELj1ELj0EEE", Need::work_group_64,
     block_reverse},
    {"image::Brighten", "_ZTSN5image8BrightenE", Need::fp16, brighten},
    {"linear::Axpy", "_ZTSN6linear4AxpyE", Need::fp64, axpy},
    {"linear::VectorAdd", "_ZTSN6linear9VectorAddE", Need::nothing, vector_add},
    {"polynomial::Evaluate", "_ZTSN10polynomial8EvaluateE", Need::nothing, evaluate},
    {"stats::Spread", "_ZTSN9sycl_lite11kernel_withIN5stats6SpreadELj0ELj0ELj0ELj8EEE",
     Need::sub_group_8, spread},
    {"stats::Tally", "_ZTSN5stats5TallyE", Need::nothing, tally},
    {"stats::Total", "_ZTSN5stats5TotalE", Need::atomic64, total},
};

// Returns the kernel with this name or symbol, or nullptr.
template <class Device, class Kernel>
const Case<Device, Kernel> *find(const std::string &name) {
  const auto &all = kCases<Device, Kernel>;
  const auto found = std::find_if(std::begin(all), std::end(all), [&](const auto &c) {
    return name == c.name || name == c.symbol;
  });
  return found == std::end(all) ? nullptr : &*found;
}

}  // namespace numbers
