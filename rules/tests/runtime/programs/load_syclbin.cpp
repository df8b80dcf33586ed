// Hands SYCLBIN files to the SYCL runtime, runs the example's kernels and checks every number.
//
//   load_syclbin [--how HOW] [--content FILE] [--kernel NAME]... SYCLBIN...
//
// HOW says which way the files go until their kernels can run, and so which state they are in:
//
//   executable  loaded as they are; several are joined
//   build       state input: built
//   compile     state input: compiled, then linked
//   link        state object: linked
//
// Without --kernel, all of the example's kernels are run. --content writes the first file's
// bundle, in the state that it was loaded in, as the runtime serializes it. The device is the runtime's default one; ONEAPI_DEVICE_SELECTOR chooses.
//
// Each line of the output is one of
//
//   ok KERNEL: N numbers
//   KERNEL: ERRC: what the runtime says       also with "load" for KERNEL
//   KERNEL: wrong: I: got A, want B
//
// and the exit code is 0 when all of them are "ok", else 1; 2 on wrong usage.
#include <sycl/detail/core.hpp>
#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>
#include <sycl/half_type.hpp>
#include <sycl/usm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "errc.hpp"

namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using sycl::bundle_state;
using Executable = sycl::kernel_bundle<bundle_state::executable>;

// Memory that the host and the kernels see at the same address.
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

// A number that is not as expected.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a case needs: where to run, what to run, and how many numbers were right.
struct Run {
  sycl::queue &queue;
  sycl::kernel kernel;
  std::size_t checked = 0;

  // Runs the kernel. Its one argument is the function object of the source, so Arguments must
  // have the members that the lambda captures.
  template <class Arguments, int Dims>
  void launch(sycl::nd_range<Dims> range, const Arguments &arguments) {
    queue
        .submit([&](sycl::handler &h) {
          h.set_arg(0, arguments);
          h.parallel_for(range, kernel);
        })
        .wait_and_throw();
  }

  template <class T>
  void expect(std::size_t i, T got, T want) {
    ++checked;
    if (got == want) return;
    std::ostringstream s;
    s.precision(17);
    s << i << ": got " << +got << ", want " << +want;
    throw Wrong(s.str());
  }
};

constexpr std::size_t kItems = 1024;  // work-items of every launch
constexpr std::size_t kCount = 1000;  // numbers to work on: the last work-items have none
const sycl::nd_range<1> kRange{kItems, 64};

void vector_add(Run &run) {
  Shared<float> a(run.queue, kItems), b(run.queue, kItems), sum(run.queue, kItems);
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
  run.launch(kRange, arguments);
  for (std::size_t i = 0; i < kItems; ++i)
    run.expect(i, sum[i], i < kCount ? 3.5f * i + 1 : -1.0f);
}

void axpy(Run &run) {
  Shared<double> x(run.queue, kItems), y(run.queue, kItems);
  const double tiny = 0x1p-40;  // too small beside 1 for a float to keep
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
  run.launch(kRange, arguments);
  for (std::size_t i = 0; i < kItems; ++i)
    run.expect(i, y[i], i < kCount ? 1 + 3 * tiny * i : 1.0);
}

void total(Run &run) {
  Shared<std::int64_t> values(run.queue, kItems), result(run.queue, 1);
  std::int64_t want = result[0] = 7;
  for (std::size_t i = 0; i < kItems; ++i) {
    values[i] = (std::int64_t{1} << 40) + static_cast<std::int64_t>(i);
    if (i < kCount) want += values[i];
  }
  struct {
    const std::int64_t *values;
    std::int64_t *result;
    std::size_t count;
  } arguments{values.data(), result.data(), kCount};
  run.launch(kRange, arguments);
  run.expect(0, result[0], want);
}

void evaluate(Run &run) {
  Shared<float> coefficients(run.queue, 4), x(run.queue, kItems), y(run.queue, kItems);
  // 1 - 2x + 5x^2 + 3x^3: of small whole numbers, it is exact in float.
  const float numbers[] = {1, -2, 5, 3};
  std::copy_n(numbers, 4, coefficients.data());
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
  run.launch(kRange, arguments);
  for (std::size_t i = 0; i < kItems; ++i) {
    const int v = static_cast<int>(i % 101) - 50;
    run.expect(i, y[i], i < kCount ? float(1 - 2 * v + 5 * v * v + 3 * v * v * v) : -1.0f);
  }
}

void block_reverse(Run &run) {
  Shared<std::int32_t> values(run.queue, kItems);
  for (std::size_t i = 0; i < kItems; ++i) values[i] = static_cast<std::int32_t>(10 * i);
  struct {
    std::int32_t *values;
  } arguments{values.data()};
  run.launch(kRange, arguments);
  for (std::size_t i = 0; i < kItems; ++i)
    run.expect(i, values[i], static_cast<std::int32_t>(10 * (i / 64 * 64 + 63 - i % 64)));
}

// Two launches: the variable of the device starts at 7 and goes on where it was.
void tally(Run &run) {
  Shared<std::int32_t> tickets(run.queue, kItems), weighted(run.queue, kItems);
  struct {
    std::int32_t *tickets, *weighted;
    std::size_t count;
  } arguments{tickets.data(), weighted.data(), kCount};
  for (std::int32_t first : {7, 7 + static_cast<std::int32_t>(kCount)}) {
    for (std::size_t i = 0; i < kItems; ++i) tickets[i] = weighted[i] = -1;
    run.launch(kRange, arguments);
    // Which work-item gets which ticket is open.
    std::sort(tickets.data(), tickets.data() + kCount);
    const std::int32_t weights[] = {1, 10, 100, 1000};
    for (std::size_t i = 0; i < kItems; ++i) {
      const std::int32_t n = static_cast<std::int32_t>(i);
      run.expect(i, tickets[i], i < kCount ? first + n : -1);
      run.expect(i, weighted[i], i < kCount ? weights[i % 4] * n : -1);
    }
  }
}

void brighten(Run &run) {
  constexpr std::size_t kSide = 64, kWidth = 80;  // the last 16 of a row are not the image's
  Shared<sycl::half> pixels(run.queue, kSide * kWidth);
  for (std::size_t i = 0; i < kSide * kWidth; ++i) pixels[i] = static_cast<float>(i % 100);
  struct {
    sycl::half *pixels;
    std::size_t width;
    sycl::half gain, offset;
  } arguments{pixels.data(), kWidth, 2.0f, 0.5f};
  run.launch(sycl::nd_range<2>{{kSide, kSide}, {8, 8}}, arguments);
  for (std::size_t i = 0; i < kSide * kWidth; ++i) {
    const float old = static_cast<float>(i % 100);
    run.expect(i, static_cast<float>(pixels[i]), i % kWidth < kSide ? 2 * old + 0.5f : old);
  }
}

void spread(Run &run) {
  Shared<std::int32_t> values(run.queue, kItems), ranges(run.queue, kItems / 8);
  for (std::size_t i = 0; i < kItems; ++i)
    values[i] = static_cast<std::int32_t>(i % 8 * (i / 8 + 1)) - 500;
  struct {
    const std::int32_t *values;
    std::int32_t *ranges;
  } arguments{values.data(), ranges.data()};
  run.launch(kRange, arguments);
  for (std::size_t i = 0; i < kItems / 8; ++i)
    run.expect(i, ranges[i], static_cast<std::int32_t>(7 * (i + 1)));
}

struct Case {
  const char *name;
  void (*check)(Run &);
};

const Case kCases[] = {
    {"_ZTSN6linear9VectorAddE", vector_add},
    {"_ZTSN6linear4AxpyE", axpy},
    {"_ZTSN5stats5TotalE", total},
    {"_ZTSN5stats5TallyE", tally},
    {"_ZTSN10polynomial8EvaluateE", evaluate},
    {"_ZTSN5image8BrightenE", brighten},
    // These name types carry the required work-group size and sub-group size.
    {"_ZTSN9sycl_lite11kernel_withIN5image12BlockReverseELj64ELj1ELj1ELj0EEE", block_reverse},
    {"_ZTSN9sycl_lite11kernel_withIN5stats6SpreadELj0ELj0ELj0ELj8EEE", spread},
};

std::vector<char> read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Options {
  std::string how = "executable", content;
  std::vector<std::string> kernels, files;
};

// The bundle as the runtime serializes it. Runtimes before 2026 cannot.
template <class Bundle>
auto content(const Bundle &bundle, int) -> decltype(bundle.ext_oneapi_get_content()) {
  return bundle.ext_oneapi_get_content();
}
template <class Bundle>
std::vector<char> content(const Bundle &, long) {
  throw std::runtime_error("this runtime has no ext_oneapi_get_content");
}

// The files as bundles of one state. Writes the first of them where the options say.
template <bundle_state State>
std::vector<sycl::kernel_bundle<State>> bundles(sycl::queue &queue, const Options &options) {
  std::vector<sycl::kernel_bundle<State>> all;
  for (const std::string &file : options.files) {
    std::vector<char> bytes = read_file(file);
    all.push_back(syclex::get_kernel_bundle<State>(queue.get_context(), {queue.get_device()},
                                                   sycl::span<char>(bytes.data(), bytes.size())));
  }
  if (!options.content.empty()) {
    const std::vector<char> bytes = content(all.front(), 0);
    std::ofstream file(options.content, std::ios::binary);
    if (!file.write(bytes.data(), bytes.size()).flush())
      throw std::runtime_error("cannot write " + options.content);
  }
  return all;
}

template <bundle_state State>
sycl::kernel_bundle<State> joined(sycl::queue &queue, const Options &options) {
  auto all = bundles<State>(queue, options);
  return all.size() == 1 ? all[0] : sycl::join(all);
}

Executable load(sycl::queue &queue, const Options &options) {
  const std::string &how = options.how;
  if (how == "executable") return joined<bundle_state::executable>(queue, options);
  if (how == "build") return sycl::build(joined<bundle_state::input>(queue, options));
  if (how == "compile")
    return sycl::link(sycl::compile(joined<bundle_state::input>(queue, options)));
  if (how == "link") return sycl::link(bundles<bundle_state::object>(queue, options));
  throw std::runtime_error("there is no way " + how);
}

// Runs something and prints its errors, one line each. Says whether there were none.
bool guarded(const std::string &what, const std::function<void()> &f) {
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

bool run(const Options &options) {
  sycl::queue queue;
  std::printf("device: %s\n",
              queue.get_device().get_info<sycl::info::device::name>().c_str());
  std::vector<Executable> loaded;
  if (!guarded("load", [&] { loaded.push_back(load(queue, options)); })) return false;
  bool good = true;
  const auto one = [&](const std::string &name, void (*check)(Run &)) {
    good &= guarded(name, [&] {
      Run run{queue, loaded[0].ext_oneapi_get_kernel(name)};
      if (!check) throw std::runtime_error("no case knows this kernel");
      check(run);
      std::printf("ok %s: %zu numbers\n", name.c_str(), run.checked);
    });
  };
  for (const Case &c : kCases)
    if (options.kernels.empty()) one(c.name, c.check);
  for (const std::string &name : options.kernels) {
    const Case *known = std::find_if(std::begin(kCases), std::end(kCases),
                                     [&](const Case &c) { return c.name == name; });
    one(name, known == std::end(kCases) ? nullptr : known->check);
  }
  return good;
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      options.files.push_back(word);
    } else if (i + 1 == argc) {
      std::fprintf(stderr, "load_syclbin: %s has no value\n", word.c_str());
      return 2;
    } else if (word == "--how") {
      options.how = argv[++i];
    } else if (word == "--content") {
      options.content = argv[++i];
    } else if (word == "--kernel") {
      options.kernels.push_back(argv[++i]);
    } else {
      std::fprintf(stderr, "load_syclbin: unknown flag %s\n", word.c_str());
      return 2;
    }
  }
  if (options.files.empty()) {
    std::fprintf(stderr, "usage: load_syclbin [--how HOW] [--content FILE] [--kernel NAME]... "
                         "SYCLBIN...\n");
    return 2;
  }
  bool good = false;
  return guarded("device", [&] { good = run(options); }) && good ? 0 : 1;
}
