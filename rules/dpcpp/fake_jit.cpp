// A fake libsycl-jit, with the same interface and without a compiler. It executes the commands
// in the source or the bitcode, one per line. Other lines are code.
//
//	code N           return this error code.
//	log TEXT         add a line to the log; \t is a tab.
//	print TEXT       print a line, as LLVM does before it aborts.
//	options          print the options.
//	die N            terminate by signal N.
//	exit N           terminate with exit code N.
//	touch NAME       create a file.
//	temporary NAME   create a file in $TMPDIR.
//	sleep N          wait for N seconds.
//	nobitcode        return no bitcode.
//	image FORMAT     start an image.
//	symbol NAME      add a symbol to the image.
//	set NAME         start a property set of the image.
//	number NAME N    add a property to the set.
//	bytes NAME HEX   add a property to the set, which starts with its bit count.
//
// An option "-Xclang -fsycl-int-header=FILE" or -footer= writes the source to FILE, and
// "-MF FILE" a rule with three headers, one of them as if it were in memory.

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

// As in the real library, the classes have constructors and destructors.
template <class T>
class DynArray {
 public:
  DynArray() = default;
  DynArray(DynArray &&o)
      : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
  ~DynArray() { delete[] data_; }

  void take(std::vector<T> list) {
    data_ = new T[list.size()];
    size_ = list.size();
    for (size_t i = 0; i < size_; i++) {
      data_[i].~T();
      new (&data_[i]) T(std::move(list[i]));
    }
  }

 private:
  T *data_ = nullptr;
  size_t size_ = 0;
};

class String {
 public:
  String() = default;
  String(const std::string &s) : data_(strdup(s.c_str())) {}
  String(String &&o) : data_(std::exchange(o.data_, nullptr)) {}
  String &operator=(String &&o) {
    std::swap(data_, o.data_);
    return *this;
  }
  ~String() { std::free(data_); }

 private:
  char *data_ = nullptr;
};

struct Property {
  String name;
  bool is_number = false;
  uint32_t number = 0;
  DynArray<uint8_t> bytes;
};

struct PropertySet {
  String name;
  DynArray<Property> properties;
};

struct Image {
  uint32_t format = 2;
  uint64_t address_bits = 64;
  const uint8_t *data = nullptr;
  uint64_t size = 0;
  DynArray<String> symbols;
  DynArray<PropertySet> properties;
};

struct Result {
  int code = 0;
  DynArray<Image> images;
  String options;
  DynArray<char> bitcode;
  String log;
};

struct File {
  const char *path, *contents;
};

template <class T>
class View {
 public:
  View(const T *data, size_t size) : data(data), size(size) {}
  const T *const data;
  const size_t size;
};

namespace {

struct OpenSet {
  std::string name;
  std::vector<Property> properties;
};

struct OpenImage {
  uint32_t format;
  std::vector<String> symbols;
  std::vector<OpenSet> sets;
};

std::string word(std::string &line) {
  size_t end = line.find(' ');
  std::string first = line.substr(0, end);
  line = end == std::string::npos ? "" : line.substr(end + 1);
  return first;
}

Property number(std::string line) {
  Property p;
  p.name = String(word(line));
  p.is_number = true;
  p.number = std::strtoul(line.c_str(), nullptr, 10);
  return p;
}

Property bytes(std::string line) {
  Property p;
  p.name = String(word(line));
  std::vector<uint8_t> list;
  for (size_t i = 0; i + 1 < line.size(); i += 2)
    list.push_back(std::strtoul(line.substr(i, 2).c_str(), nullptr, 16));
  uint64_t bits = list.size() * 8;
  for (int i = 7; i >= 0; i--) list.insert(list.begin(), bits >> 8 * i & 0xff);
  p.bytes.take(std::move(list));
  return p;
}

void write(const char *name, const std::string &text) {
  FILE *f = std::fopen(name, "wb");
  if (!f) return;
  std::fwrite(text.data(), 1, text.size(), f);
  std::fclose(f);
}

void die(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

// An empty SPIR-V module: the header, capabilities and the memory model.
constexpr uint32_t kModule[] = {0x07230203, 0x00010400,   0, 1, 0, 2 << 16 | 17, 4, 2 << 16 | 17,
                                6,          3 << 16 | 14, 2, 2};

Image close(OpenImage &open) {
  Image image;
  image.format = open.format;
  image.data = reinterpret_cast<const uint8_t *>(kModule);
  image.size = sizeof kModule;
  image.symbols.take(std::move(open.symbols));
  std::vector<PropertySet> sets;
  for (OpenSet &s : open.sets) {
    sets.emplace_back();
    sets.back().name = String(s.name);
    sets.back().properties.take(std::move(s.properties));
  }
  image.properties.take(std::move(sets));
  return image;
}

void write_outputs(View<const char *> options, const std::string &text) {
  for (size_t i = 0; i + 1 < options.size; i++) {
    const char *value = options.data[i + 1];
    for (const char *name : {"-fsycl-int-header=", "-fsycl-int-footer="})
      if (std::strncmp(value, name, std::strlen(name)) == 0) write(value + std::strlen(name), text);
    if (std::strcmp(options.data[i], "-MF") == 0)
      write(
          value,
          "out: a\\ b.cpp \\\n"
          "  /sycl-jit-toolchain//bin/compiler/../../include/sycl/sycl.hpp c.hpp /new\nline.hpp\n");
  }
}

// obey executes the commands in a text.
Result obey(const std::string &text, View<const char *> options) {
  Result result;
  std::string log;
  std::vector<OpenImage> images;
  bool bitcode = true;
  for (size_t at = 0; at < text.size();) {
    std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    const std::string what = word(line);
    if (what == "code") result.code = std::atoi(line.c_str());
    if (what == "log") {
      for (size_t tab; (tab = line.find("\\t")) != std::string::npos;) line.replace(tab, 2, "\t");
      log += line + "\n";
    }
    if (what == "print") std::fprintf(stderr, "%s\n", line.c_str());
    if (what == "options")
      for (size_t i = 0; i < options.size; i++) std::printf("option %s\n", options.data[i]);
    if (what == "die") die(std::atoi(line.c_str()));
    if (what == "exit") std::exit(std::atoi(line.c_str()));
    if (what == "touch") write(line.c_str(), "");
    if (what == "temporary") write((std::string(std::getenv("TMPDIR")) + "/" + line).c_str(), "");
    if (what == "sleep") sleep(std::atoi(line.c_str()));
    if (what == "nobitcode") bitcode = false;
    if (what == "image") images.push_back({uint32_t(std::atoi(line.c_str())), {}, {}});
    if (what == "symbol") images.back().symbols.push_back(String(line));
    if (what == "set") images.back().sets.push_back({line, {}});
    if (what == "number") images.back().sets.back().properties.push_back(number(line));
    if (what == "bytes") images.back().sets.back().properties.push_back(bytes(line));
  }
  if (result.code == 0) write_outputs(options, text);
  std::vector<Image> closed;
  for (OpenImage &open : images) closed.push_back(close(open));
  result.images.take(std::move(closed));
  if (bitcode) {
    const std::string data = "BC\xc0\xde" + text;
    result.bitcode.take(std::vector<char>(data.begin(), data.end()));
  }
  result.log = String(log);
  return result;
}

}  // namespace

extern "C" Result compileSYCL(File source, View<File> headers, View<const char *> options,
                              View<char> bitcode, bool give_bitcode, uint32_t format) {
  if (headers.size != 0 || !give_bitcode || format != 2) die(SIGABRT);
  if (bitcode.size == 0) return obey(source.contents, options);
  const std::string text(bitcode.data, bitcode.size);
  if (text.compare(0, 4, "BC\xc0\xde") == 0) return obey(text.substr(4), options);
  // The log of the real library if the source does not compile, either.
  return obey(
      "code 1\nlog Device compilation failed\nlog Detailed information:\n"
      "log \\tLoading of cached device code failed\nlog Detailed information:\n"
      "log \\tInvalid bitcode signature\nlog in.bc:1:2: error: \n",
      options);
}
