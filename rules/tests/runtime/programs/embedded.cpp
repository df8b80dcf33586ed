// Registers a SPIR-V module with the SYCL runtime like a host program of DPC++, submits one
// of the example's kernels, and prints the runtime's message.
//
//   embedded --kernel NAME [--target TARGET] [--aspects N,...] [--sub-group N]
//            [--work-group N,...] SPIRV
//
// TARGET is the image's target, spir64 by default. The other flags are the image's
// requirements. The output is "NAME: ERRC: message of the runtime". This is for
// kernels that the runtime rejects: the kernel has no arguments, so it cannot run.
#include <sycl/detail/core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "errc.hpp"

// A device compiler generates these.
class Axpy;
class Brighten;
class Spread;
class BlockReverse;
class Total;

namespace sycl {
inline namespace _V1 {
namespace detail {

#define KERNEL(type, name)                                                \
  template <>                                                             \
  struct KernelInfo<type> {                                               \
    static constexpr unsigned getNumParams() { return 0; }                \
    static constexpr kernel_param_desc_t getParamDesc(int) { return {}; } \
    static constexpr const char *getName() { return name; }               \
    static constexpr bool isESIMD() { return false; }                     \
    static constexpr const char *getFileName() { return ""; }             \
    static constexpr const char *getFunctionName() { return ""; }         \
    static constexpr unsigned getLineNumber() { return 0; }               \
    static constexpr unsigned getColumnNumber() { return 0; }             \
    static constexpr int64_t getKernelSize() { return 1; }                \
  };
KERNEL(Axpy, "_ZTSN6linear4AxpyE")
KERNEL(Brighten, "_ZTSN5image8BrightenE")
KERNEL(Spread, "_ZTSN9sycl_lite11kernel_withIN5stats6SpreadELj0ELj0ELj0ELj8EEE")
KERNEL(BlockReverse, "_ZTSN9sycl_lite11kernel_withIN5image12BlockReverseELj64ELj1ELj1ELj0EEE")
KERNEL(Total, "_ZTSN5stats5TotalE")
#undef KERNEL

}  // namespace detail
}  // namespace _V1
}  // namespace sycl

namespace {

// The tables that a program registers. Images have version 2, with a manifest, in releases before
// 2026, and version 3, without a manifest, in later ones.
struct Entry {
  void *address;
  const char *name;
  std::size_t size;
  std::int32_t flags, reserved;
};

struct Property {
  const char *name;
  const void *value;
  std::uint32_t type;
  std::uint64_t size;
};

struct PropertySet {
  const char *name;
  const Property *begin, *end;
};

struct Image {
  std::uint16_t version;
  std::uint8_t kind, format;
  const char *target, *compile_options, *link_options;
#ifdef IMAGE_WITH_MANIFEST
  const char *manifest_begin, *manifest_end;
#endif
  const char *begin, *end;
  const Entry *entries_begin, *entries_end;
  const PropertySet *sets_begin, *sets_end;
};

struct Images {
  std::uint16_t version, count;
  const Image *images;
  const Entry *host_begin, *host_end;
};

}  // namespace
extern "C" void __sycl_register_lib(const Images *);
namespace {

// Returns numbers as the value of a byte array: the number of bits, then the numbers.
template <class T>
std::string byte_array(const std::string &list) {
  std::string bytes(8, '\0');
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const T number = static_cast<T>(std::stoull(word));
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  const std::uint64_t bits = 8 * (bytes.size() - 8);
  std::memcpy(bytes.data(), &bits, 8);
  return bytes;
}

struct Options {
  std::string kernel, target = "spir64", aspects, sub_group, work_group, file;
};

// Submits the kernel if it has the given name.
template <class Kernel, int Dims>
void submit_if(sycl::queue &queue, const std::string &name, const sycl::range<Dims> &local) {
  if (name != sycl::detail::KernelInfo<Kernel>::getName()) return;
  queue.submit([&](sycl::handler &h) {
    h.parallel_for<Kernel>(sycl::nd_range<Dims>{local, local}, [](sycl::nd_item<Dims>) {});
  });
  throw std::runtime_error("the runtime accepts the kernel");
}

template <int Dims>
void submit(sycl::queue &queue, const std::string &name, const sycl::range<Dims> &local) {
  submit_if<Axpy>(queue, name, local);
  submit_if<Brighten>(queue, name, local);
  submit_if<Spread>(queue, name, local);
  submit_if<BlockReverse>(queue, name, local);
  submit_if<Total>(queue, name, local);
  throw std::runtime_error("unknown kernel");
}

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void run(const Options &o) {
  // The runtime keeps pointers to all of these.
  static const std::string code = read_file(o.file);
  static const std::string aspects = byte_array<std::uint32_t>(o.aspects);
  static const std::string work_group = byte_array<std::uint64_t>(o.work_group);
  static std::vector<Property> needs;
  if (!o.aspects.empty()) needs.push_back({"aspects", aspects.data(), 2, aspects.size()});
  if (!o.sub_group.empty())
    needs.push_back({"reqd_sub_group_size", nullptr, 1, std::stoull(o.sub_group)});
  if (!o.work_group.empty())
    needs.push_back({"reqd_work_group_size_uint64_t", work_group.data(), 2, work_group.size()});
  static const PropertySet sets[] = {
      {"SYCL/device requirements", needs.data(), needs.data() + needs.size()}};
  static const Entry entries[] = {{nullptr, o.kernel.c_str(), 0, 0, 0}};
  static Image image{};
#ifdef IMAGE_WITH_MANIFEST
  image.version = 2;
#else
  image.version = 3;
#endif
  image.kind = 4;    // SYCL
  image.format = 2;  // SPIR-V
  image.target = o.target.c_str();
  image.compile_options = image.link_options = "";
  image.begin = code.data();
  image.end = code.data() + code.size();
  image.entries_begin = entries;
  image.entries_end = entries + 1;
  image.sets_begin = sets;
  image.sets_end = sets + 1;
  static const Images images{1, 1, &image, nullptr, nullptr};
  __sycl_register_lib(&images);

  sycl::queue queue;
  // A required work-group size has as many dimensions as the kernel's range.
  switch (std::count(o.work_group.begin(), o.work_group.end(), ',')) {
    case 0:
      return submit(queue, o.kernel, sycl::range<1>{1});
    case 1:
      return submit(queue, o.kernel, sycl::range<2>{1, 1});
    default:
      return submit(queue, o.kernel, sycl::range<3>{1, 1, 1});
  }
}

}  // namespace

int main(int argc, char **argv) {
  Options o;
  const struct {
    const char *flag;
    std::string *value;
  } flags[] = {
      {"--kernel", &o.kernel},       {"--target", &o.target},         {"--aspects", &o.aspects},
      {"--sub-group", &o.sub_group}, {"--work-group", &o.work_group},
  };
  for (int i = 1; i < argc; ++i) {
    std::string *value = &o.file;
    for (const auto &f : flags)
      if (std::strcmp(argv[i], f.flag) == 0 && i + 1 < argc) value = f.value, ++i;
    *value = argv[i];
  }
  if (o.kernel.empty() || o.file.empty()) {
    std::fprintf(stderr, "usage: embedded --kernel NAME [FLAGS] SPIRV\n");
    return 2;
  }
  try {
    run(o);
  } catch (const sycl::exception &e) {
    std::printf("%s: %s: %s\n", o.kernel.c_str(), errc_name(e.code()).c_str(), e.what());
  } catch (const std::exception &e) {
    std::printf("%s: error: %s\n", o.kernel.c_str(), e.what());
  }
  return 1;
}
