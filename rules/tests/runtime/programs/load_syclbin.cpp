// Loads SYCLBIN files into the SYCL runtime, runs the example's kernels and checks every number.
//
//   load_syclbin [--how HOW] [--content FILE] [--kernel NAME]... SYCLBIN...
//
// HOW is how the files become executable, which depends on their state:
//
//   executable  loaded as they are; several are joined
//   build       state input: built
//   compile     state input: compiled, then linked
//   link        state object: linked
//
// Without --kernel, all of the example's kernels are run. --content writes the first file's
// bundle, in the state that it was loaded in, as the runtime serializes it. The device is the
// runtime's default device; ONEAPI_DEVICE_SELECTOR selects a different one.
//
// Each line of the output is one of
//
//   ok KERNEL: N numbers
//   KERNEL: ERRC: what the runtime says       also with "load" for KERNEL
//   KERNEL: wrong: M of N numbers right; at I: got A, want B; ...
//
// and the exit code is 0 when all of them are "ok", else 1; 2 on wrong usage.
#include <sycl/detail/core.hpp>
#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "device.hpp"
#include "host/numbers.hpp"

namespace {

namespace syclex = sycl::ext::oneapi::experimental;
using sycl::bundle_state;
using Executable = sycl::kernel_bundle<bundle_state::executable>;

// Device runs kernels on the device of a queue.
class Device {
 public:
  explicit Device(sycl::queue &queue) : queue_(queue) {}

  template <class T>
  Shared<T> shared(std::size_t count) {
    return Shared<T>(queue_, count);
  }

  // Runs a kernel whose only argument is the function object of its source.
  template <std::size_t N, class Arguments, class... T>
  void run(const sycl::kernel &kernel, const numbers::Launch<N> &launch, const Arguments &arguments,
           Shared<T> &...) {
    const sycl::nd_range<N> range(to_range(launch.items), to_range(launch.group));
    queue_
        .submit([&](sycl::handler &h) {
          h.set_arg(0, arguments);
          h.parallel_for(range, kernel);
        })
        .wait_and_throw();
  }

 private:
  sycl::queue &queue_;
};

using Case = numbers::Case<Device, sycl::kernel>;

std::vector<char> read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Options {
  std::string how = "executable", content;
  std::vector<std::string> kernels, files;
};

// Returns the bundle as serialized by the runtime. Runtimes before 2026 do not support this.
template <class Bundle>
auto content(const Bundle &bundle, int) -> decltype(bundle.ext_oneapi_get_content()) {
  return bundle.ext_oneapi_get_content();
}
template <class Bundle>
std::vector<char> content(const Bundle &, long) {
  throw std::runtime_error("this runtime has no ext_oneapi_get_content");
}

// Returns the files as bundles of one state. Writes the first one to the file in the options.
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
  throw std::runtime_error("unknown value of --how: " + how);
}

bool run(const Options &options) {
  sycl::queue queue;
  std::printf("device: %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
  std::vector<Executable> loaded;
  if (!guarded("load", [&] { loaded.push_back(load(queue, options)); })) return false;
  bool good = true;
  Device device(queue);
  const auto one = [&](const std::string &name, const Case *known) {
    good &= guarded(name, [&] {
      const sycl::kernel kernel = loaded[0].ext_oneapi_get_kernel(name);
      if (!known) throw std::runtime_error("unknown kernel");
      check(name, known->run(device, kernel));
    });
  };
  if (options.kernels.empty())
    for (const Case &c : numbers::kCases<Device, sycl::kernel>) one(c.symbol, &c);
  for (const std::string &name : options.kernels)
    one(name, numbers::find<Device, sycl::kernel>(name));
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
    std::fprintf(stderr,
                 "usage: load_syclbin [--how HOW] [--content FILE] [--kernel NAME]... "
                 "SYCLBIN...\n");
    return 2;
  }
  bool good = false;
  return guarded("device", [&] { good = run(options); }) && good ? 0 : 1;
}
