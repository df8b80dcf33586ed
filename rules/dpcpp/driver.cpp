// driver runs libsycl-jit, the library that contains DPC++'s device compiler, as a program
// that a build can call: source to bitcode ('compile'), bitcode to device images
// ('post-link'), both at once ('build'), and a test of the library ('check').
//
// The library is loaded when the driver runs, so that one driver supports several releases.
// Its interface is in intel/llvm, sycl-jit/jit-compiler/include/RTC.h. This C++ interface is
// not stable. Therefore 'check' compiles a kernel and inspects the image.
//
// A child process does the work: if the library crashes, the driver can still report it, and
// no output is left incomplete.

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bitcode.hpp"
#include "classes.hpp"
#include "compare.hpp"
#include "files.hpp"

namespace {

namespace fs = std::filesystem;

// -- the part of libsycl-jit's interface that the driver uses --
//
// Memory from the library is never freed, because the process exits soon.

namespace jit {

struct File {
  const char *path;
  const char *contents;  // NUL-terminated
};

template <class T>
struct View {
  const T *data;
  size_t size;
};

template <class T>
struct Array {
  T *data;
  size_t size;

  const T *begin() const { return data; }
  const T *end() const { return data + size; }
};

struct String {
  const char *data;  // NULL if empty

  std::string_view view() const { return data ? data : ""; }
};

struct Property {
  String name;
  bool is_number;
  uint32_t number;
  Array<unsigned char> bytes;  // starts with the number of bits, as in property files
};

struct PropertySet {
  String name;
  Array<Property> properties;
};

struct Image {
  uint32_t format;
  uint64_t address_bits;
  const unsigned char *data;
  uint64_t size;
  Array<String> symbols;
  Array<PropertySet> properties;
};

enum Code : int { kSuccess, kBuildFailed, kInvalidOptions };

struct Result {
  int code;
  Array<Image> images;
  String options;
  Array<char> bitcode;
  String log;
};

constexpr uint32_t kSPIRV = 2;

// The library's own class has a destructor, so functions return it in memory. This class is
// returned in the same way.
using Compile = Result(File source, View<File> headers, View<const char *> options,
                       View<char> bitcode, bool give_bitcode, uint32_t format);

}  // namespace jit

// -- failures --

// print prints the message of a failure, which may be empty.
void print(const Failure &f) {
  if (!f.text.empty())
    std::fprintf(stderr, "%s%s", f.text.c_str(), f.text.back() == '\n' ? "" : "\n");
}

// -- text --

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// lines_of returns the lines of text, without line terminators.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// -- diagnostics --

// The path of the library's own headers, which are in memory.
constexpr std::string_view kToolchain = "/sycl-jit-toolchain/";

// short_paths shortens paths of the library's own headers to the form in an #include:
// /sycl-jit-toolchain//bin/compiler/../../include/sycl/queue.hpp becomes <sycl/queue.hpp>.
std::string short_paths(std::string_view line) {
  std::string out;
  for (size_t at; (at = line.find(kToolchain)) != line.npos;) {
    size_t end = std::min(line.find_first_of(":'\" \t", at), line.size());
    std::string_view path = line.substr(at, end - at);
    size_t include = path.rfind("/include/");
    out.append(line.substr(0, at));
    if (include == path.npos)
      out.append(path);
    else
      out.append("<").append(path.substr(include + 9)).append(">");
    line.remove_prefix(end);
  }
  return out.append(line);
}

// unwrapped removes the title and the tab that the library adds to clang's output:
//
//	Device compilation failed
//	Detailed information:
//		a.cpp:1:10: fatal error: 'cmat' file not found
std::string unwrapped(std::string_view log) {
  constexpr std::string_view mark = "Detailed information:\n";
  size_t at = log.find(mark);
  if (at != log.npos) {
    log.remove_prefix(at + mark.size());
    if (has_prefix(log, "\t")) log.remove_prefix(1);
  }
  while (!log.empty() && log.back() == '\n') log.remove_suffix(1);
  std::string out;
  for (std::string_view line : lines_of(log)) out.append(short_paths(line)).append("\n");
  return out;
}

// An Advice is a note for logs that contain two texts.
struct Advice {
  std::string_view first, second;
  std::string_view text;
};

constexpr Advice kAdvice[] = {
    {"unnamed type", "is invalid; provide a kernel name",
     "name the kernel, as in q.parallel_for<class Name>(...), or compile the host code "
     "with clang 21 or newer"},
    {"unknown argument", "",
     "the device compiler does not support this option; pass it to the host compiler only"},
    {"is not supported for SYCL runtime compilation", "",
     "the build controls this option; remove it"},
};

constexpr std::string_view kStandardHeaders[] = {
    "algorithm", "array",    "cassert",  "chrono",   "cmath",       "complex",    "cstddef",
    "cstdint",   "cstdio",   "cstdlib",  "cstring",  "exception",   "fstream",    "functional",
    "iomanip",   "iostream", "iterator", "limits",   "map",         "memory",     "mutex",
    "numeric",   "optional", "random",   "sstream",  "stdexcept",   "string",     "string_view",
    "thread",    "tuple",    "utility",  "vector",   "type_traits", "features.h", "math.h",
    "stddef.h",  "stdint.h", "stdio.h",  "stdlib.h", "string.h",
};

// missing_header returns the header that was not found, or "".
std::string_view missing_header(std::string_view log) {
  size_t end = log.find("' file not found");
  if (end == log.npos) return "";
  size_t begin = log.rfind('\'', end - 1) + 1;
  return log.substr(begin, end - begin);
}

// advice returns notes on how to fix the errors in a log, one per line.
std::string advice(std::string_view log, const std::string &library) {
  std::string out;
  for (const Advice &a : kAdvice)
    if (contains(log, a.first) && contains(log, a.second))
      out.append("note: ").append(a.text).append("\n");
  std::string_view header = missing_header(log);
  if (has_prefix(header, "sycl/"))
    out.append("note: " + library + " has no header <")
        .append(header)
        .append(">; it may belong to a newer release of DPC++\n");
  if (std::find(std::begin(kStandardHeaders), std::end(kStandardHeaders), header) !=
      std::end(kStandardHeaders))
    out.append(
        "note: the headers of the C++ standard library were not found; install g++, or set "
        "--sysroot= or --gcc-install-dir=\n");
  return out;
}

// -- property files --

// encoded returns a byte array with six bits per character, the lowest first, without padding.
std::string encoded(const jit::Array<unsigned char> &bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (unsigned char b : bytes) {
    bits |= uint32_t{b} << count;
    for (count += 8; count >= 6; count -= 6, bits >>= 6) out += digits[bits & 63];
  }
  if (count > 0) out += digits[bits & 63];
  return out;
}

// fitting returns a name if it can be part of a line, and fails otherwise.
std::string_view fitting(const jit::String &name, std::string_view without = "") {
  for (char c : name.view())
    if ((c >= 0 && c < ' ') || c == 127 || contains(without, std::string_view(&c, 1)))
      fail(kBadInput, "error: the compiler returned the name '" + std::string(name.view()) +
                          "', which cannot be written to a file");
  return name.view();
}

std::string property_text(const jit::Image &image) {
  std::string out;
  for (const jit::PropertySet &set : image.properties) {
    out.append("[").append(fitting(set.name, "[]")).append("]\n");
    for (const jit::Property &p : set.properties)
      out.append(fitting(p.name, "="))
          .append(p.is_number ? "=1|" + std::to_string(p.number) : "=2|" + encoded(p.bytes))
          .append("\n");
  }
  return out;
}

std::string symbol_text(const jit::Image &image) {
  std::string out;
  for (const jit::String &s : image.symbols) out.append(fitting(s)).append("\n");
  return out;
}

// -- the library --

// Shared is the state that the child process reports to its parent.
struct Shared {
  const char *doing;  // the current step; a constant, which has the same address in both
  bool ended;         // returned normally, not in a call of the library
  int printed;        // file with the output of the library
  char library[256];  // the soname, which contains the version
};

Shared *shared;

// Libraries that libsycl-jit needs. They are in its directory, which the dynamic linker does not
// always search.
constexpr const char *kCompanions[] = {"libintlc.so.5", "libirng.so", "libsvml.so", "libimf.so"};

// linked_name returns the soname of a library, or "".
std::string linked_name(void *handle) {
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map) return "";
  const char *strings = nullptr;
  size_t offset = 0;
  for (auto *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char *>(d->d_un.d_ptr);
    if (d->d_tag == DT_SONAME) offset = d->d_un.d_val;
  }
  return strings && offset ? strings + offset : "";
}

// is_library reports whether a file is a complete shared library.
bool is_library(const std::string &file, off_t size) {
  ElfW(Ehdr) header = {};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char *>(&header), sizeof header);
  return in && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_DYN &&
         header.e_shoff <= uint64_t(size);
}

jit::Compile *load(const std::string &file) {
  shared->doing = "loading the library";
  struct stat info;
  if (access(file.c_str(), R_OK) != 0 || stat(file.c_str(), &info) != 0) fail_io(file);
  check_regular(file, info);
  if (!is_library(file, info.st_size))
    fail_at(kBadInput, file, "not a shared library, or truncated");
  const fs::path path = fs::absolute(file);  // without a slash, dlopen searches library paths
  for (const char *name : kCompanions)
    dlopen((path.parent_path() / name).c_str(), RTLD_NOW | RTLD_GLOBAL);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fail_at(kMachineFailed, file,
            std::string("cannot load the library: ") + dlerror() +
                "\nnote: libimf.so, libsvml.so, libirng.so and libintlc.so.5 must be "
                "next to it, and libz.so.1 must be installed");
  std::string name = linked_name(handle);
  if (name.empty()) name = path.filename();
  std::snprintf(shared->library, sizeof shared->library, "%s", name.c_str());
  void *compile = dlsym(handle, "compileSYCL");
  if (!compile) fail_at(kBadInput, file, "not libsycl-jit: no function compileSYCL");
  return reinterpret_cast<jit::Compile *>(compile);
}

// forced returns the file that an option includes before the source, if there is one. If the next
// option is the file, i is advanced to it.
std::optional<std::string> forced(const std::vector<std::string> &options, size_t &i) {
  const std::string &option = options[i];
  if (option == "-include" || option == "--include") {
    if (i + 1 == options.size()) return {};
    return options[++i];
  }
  if (has_prefix(option, "--include=")) return option.substr(10);
  if (has_prefix(option, "-include") && option != "-include-pch") return option.substr(8);
  return {};
}

// takes_value reports whether the word after an option is its value.
bool takes_value(const std::string &option) {
  return option == "-Xclang" || option == "-Xpreprocessor" || option == "-mllvm";
}

// is_level reports whether an option is an optimization level other than -O0, such as -O2 or -Os.
bool is_level(const std::string &option) {
  return option.size() == 3 && has_prefix(option, "-O") && option[2] != '0';
}

// adapted changes options so that the library passes them on to clang, with -Xclang if necessary.
// The library drops -include, and it drops the optimization level if there is -g. The 2025.3
// library supports only /O2, the Windows spelling of -O2.
std::vector<std::string> adapted(const std::vector<std::string> &options) {
  std::vector<std::string> out, level;
  bool value = false;  // whether the next word is the value of the preceding option
  for (size_t i = 0; i < options.size(); i++) {
    const std::string &o = options[i];
    if (!value) {
      if (const auto file = forced(options, i)) {
        out.insert(out.end(), {"-Xclang", "-include", "-Xclang", *file});
        continue;
      }
      if (has_prefix(o, "-O")) level = {};
      if (is_level(o)) {
        level = {"-Xclang", o};
        if (has_prefix(shared->library, "libsycl-jit.so.21.")) continue;
      }
    }
    value = !value && takes_value(o);
    out.push_back(o);
  }
  out.insert(out.begin(), level.begin(), level.end());
  return out;
}

// While a Capture exists, the output of the process is written to shared->printed.
class Capture {
 public:
  Capture() {
    std::fflush(nullptr);
    dup2(shared->printed, STDOUT_FILENO);
    dup2(shared->printed, STDERR_FILENO);
  }
  ~Capture() {
    std::fflush(nullptr);
    dup2(error_, STDERR_FILENO);
    dup2(error_, STDOUT_FILENO);  // there is no data to print
    close(error_);
  }

 private:
  int error_ = dup(STDERR_FILENO);
};

// printed returns the output of the library.
std::string printed() {
  std::string text;
  char buffer[1 << 12];
  for (ssize_t n; (n = pread(shared->printed, buffer, sizeof buffer, text.size())) > 0;)
    text.append(buffer, n);
  std::string out;
  for (std::string_view line : lines_of(text))
    if (!has_prefix(line, "warning: Undefined function "))  // 'devicec images' reports them
      out.append(line).append("\n");
  return out;
}

// call calls the library.
jit::Result call(const std::string &library, const std::string &name, const std::string &source,
                 const std::vector<std::string> &options, const std::string &bitcode) {
  jit::Compile *compile = load(library);
  const std::vector<std::string> adapted_options = adapted(options);
  std::vector<const char *> args;
  for (const std::string &o : adapted_options) args.push_back(o.c_str());
  shared->doing = bitcode.empty() ? "compiling" : "splitting and translating";
  Capture capture;
  jit::Result result =
      compile({name.c_str(), source.c_str()}, {nullptr, 0}, {args.data(), args.size()},
              {bitcode.data(), bitcode.size()}, true, jit::kSPIRV);
  shared->doing = "reading the result";
  return result;
}

// report prints the log of a call, with advice, and fails if the call failed.
void report(const jit::Result &result) {
  std::string log = unwrapped(result.log.view());
  if (result.code != jit::kSuccess && !log.empty() && !contains(log, "error:"))
    log = "error: " + log;
  std::fputs((printed() + log).c_str(), stderr);
  switch (result.code) {
    case jit::kSuccess:
      return;
    case jit::kBuildFailed:
      fail(kDoesNotCompile, advice(log, shared->library));
    case jit::kInvalidOptions:
      fail(kUsage, advice(log, shared->library));
  }
  fail(kBadInput, std::string("error: the driver cannot read the result of ") + shared->library);
}

// -- commands --

struct Arguments {
  std::string command, library, output, output_dir, header, footer, depfile, input;
  std::string compare, apart;
  std::string candidates, inputs, unused;
  std::vector<std::string> options;
};

// TemporaryPaths are the paths at which outputs are written, "" for outputs that are not requested.
struct TemporaryPaths {
  std::string output, output_dir, header, footer, depfile, unused, compare;
};

constexpr const char *kTable = "images.table";

// temporary_paths chooses the paths. The main output is last.
TemporaryPaths temporary_paths(const Arguments &args, Outputs &outputs) {
  TemporaryPaths at;
  const std::pair<const std::string &, std::string &> files[] = {
      {args.header, at.header}, {args.footer, at.footer},   {args.depfile, at.depfile},
      {args.unused, at.unused}, {args.compare, at.compare}, {args.output, at.output}};
  for (const auto &[name, temporary] : files)
    if (!name.empty()) temporary = outputs.file(name);
  if (!args.output_dir.empty()) at.output_dir = outputs.directory(args.output_dir, kTable);
  return at;
}

// compile_source compiles the input followed by a text. The library always runs all steps.
jit::Result compile_source(const Arguments &args, std::vector<std::string> options,
                           const std::string &after) {
  std::string source = read_file(args.input);
  size_t nul = source.find('\0');
  if (nul != source.npos)
    fail_at(kBadInput, args.input, "NUL byte at offset " + std::to_string(nul));
  // The user's options come last, because the last one may lack its value.
  options.insert(options.end(), args.options.begin(), args.options.end());
  source += after;
  jit::Result result = call(args.library, args.input, source, options, "");
  report(result);
  return result;
}

// words returns the words of a dependency file: the target with its colon, then the files
// that were read. Spaces in names are escaped with a backslash, and line breaks are not.
std::vector<std::string> words(std::string_view rule) {
  std::vector<std::string> out;
  const auto ends = [&](size_t i) {
    return rule[i] == ' ' ||
           (rule[i] == '\n' && (i + 1 == rule.size() || (i > 0 && rule[i - 1] == '\\')));
  };
  while (!rule.empty()) {
    size_t end = 0;
    while (end < rule.size() && !ends(end))
      end += rule[end] == '\\' && end + 1 < rule.size() && rule[end + 1] != '\n' ? 2 : 1;
    std::string_view word = rule.substr(0, end);
    rule.remove_prefix(std::min(end + 1, rule.size()));
    if (!word.empty() && word != "\\") out.emplace_back(word);
  }
  return out;
}

// The directory of the empty files that answer compare::question in the device compilation.
constexpr std::string_view kFacts = "/proc/self/fd/43/";

// on_disk removes the library's own headers from a dependency file.
std::string on_disk(std::string_view rule) {
  std::string out;
  for (const std::string &word : words(rule))
    if (!has_prefix(word, kToolchain) && !has_prefix(word, kFacts))
      out.append(out.empty() ? "" : " \\\n  ").append(word);
  return out + "\n";
}

// file_name returns a name in a dependency file without escapes.
std::string file_name(const std::string &word) {
  std::string out;
  for (size_t i = 0; i < word.size(); i++) {
    const bool escapes = (word[i] == '\\' && i + 1 < word.size()) ||
                         (word[i] == '$' && i + 1 < word.size() && word[i + 1] == '$');
    if (escapes) i++;
    out += word[i];
  }
  return fs::path(out).lexically_normal().string();
}

// unread returns the lines of a list of files that were not read: neither a dependency file nor
// an option names them. Options count, because the file in -fsanitize-ignorelist=FILE, for
// example, is not in any dependency file.
std::string unread(std::string_view candidates, std::string_view rule,
                   const std::vector<std::string> &options) {
  std::set<std::string> read;
  for (const std::string &word : words(rule)) read.insert(file_name(word));
  for (const std::string &option : options)
    // The name may start at the beginning of the option, or after one of these characters.
    for (size_t at = 0;; at++) {
      read.insert(fs::path(option.substr(at)).lexically_normal().string());
      at = option.find_first_of("@=,:", at);
      if (at == option.npos) break;
    }
  std::string out;
  while (!candidates.empty()) {
    const std::string line(candidates.substr(0, candidates.find('\n')));
    candidates.remove_prefix(std::min(line.size() + 1, candidates.size()));
    if (!line.empty() && read.count(fs::path(line).lexically_normal().string()) == 0)
      out += line + "\n";
  }
  return out;
}

// check_declared fails if a dependency file names a file that is not in a list. A line of the
// list is a file or, with '/' at its end, a directory with all its files. Files outside of the
// current directory are installed files, which are not checked.
void check_declared(std::string_view list, std::string_view rule) {
  std::set<std::string> declared;
  std::vector<std::string> directories;
  while (!list.empty()) {
    const std::string line(list.substr(0, list.find('\n')));
    list.remove_prefix(std::min(line.size() + 1, list.size()));
    if (!line.empty() && line.back() == '/')
      directories.push_back(line);
    else
      declared.insert(fs::path(line).lexically_normal().string());
  }
  const std::vector<std::string> read = words(rule);  // the target, then the source
  for (size_t i = 1; i < read.size(); i++) {
    const std::string name = file_name(read[i]);
    if (name[0] == '/' || declared.count(name) ||
        std::any_of(directories.begin(), directories.end(),
                    [&](const std::string &directory) { return has_prefix(name, directory); }))
      continue;
    fail(kDoesNotCompile,
         file_name(read[1]) + ": error: undeclared inclusion of '" + shown(name) +
             "'\nnote: changes to it would not trigger a rebuild; add it to hdrs or srcs, "
             "or add the library that has it in hdrs to deps");
  }
}

// fixed returns a different name for a path, which is the same in every run, because the compiler
// writes its command line to the debug information with -g. It opens the directory, and refers to
// it by the number of the file descriptor.
std::string fixed(const std::string &temporary, int number) {
  if (temporary.empty()) return "";
  const fs::path path(temporary);
  const int directory = open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || dup2(directory, number) < 0) fail_io(path.parent_path());
  const fs::path name = "/proc/self/fd/" + std::to_string(number);
  return fs::exists(name) ? name / path.filename() : path;
}

// fact_directory creates a directory with the files of compare::question, and returns its fixed
// name.
std::string fact_directory(const std::string &temporary) {
  const std::string directory = temporary + ".facts";
  if (mkdir(directory.c_str(), 0777) != 0) fail_io(directory);
  for (const std::string &name : compare::answers())
    write_file(directory + "/" + name, directory, "");
  return fs::path(fixed(directory + "/_", 43)).parent_path();
}

// user_files returns the files in a rule of a dependency file, without the target and the headers
// of DPC++ and OpenCL. It omits names with a backslash, which clang replaces with a slash.
std::vector<std::string> user_files(std::string_view rule) {
  constexpr std::string_view part = "/sycl/detail/defines_elementary.hpp";
  std::vector<std::string> read = words(rule), files,
                           other = {std::string(kToolchain), std::string(kFacts)};
  for (std::string &name : read) {
    name = file_name(name);
    if (name.size() < part.size()) continue;
    const size_t end = name.size() - part.size();
    if (name.compare(end, part.size(), part)) continue;
    for (const char *directory : {"/sycl/", "/unified-runtime/", "/CL/"})
      other.push_back(name.substr(0, end) + directory);
  }
  const auto is_other = [&](const std::string &name) {
    return !fs::exists(name) ||
           std::any_of(other.begin(), other.end(),
                       [&](const std::string &directory) { return has_prefix(name, directory); });
  };
  if (!read.empty())
    std::remove_copy_if(read.begin() + 1, read.end(), std::back_inserter(files), is_other);
  return files;
}

// write_compare writes the header that compares the macros of the two compilations.
void write_compare(const Arguments &args, const std::string &temporary, const std::string &rule) {
  compare::Device device;
  device.source = args.input;
  device.definitions = compare::definitions(args.options);
  device.forces = compare::forces(args.options);
  for (size_t i = 0; i < args.apart.size();) {
    const size_t end = std::min(args.apart.find(',', i), args.apart.size());
    device.apart.insert(args.apart.substr(i, end - i));
    i = end + 1;
  }
  compare::Scan scan;
  for (const std::string &word : words(rule))
    if (has_prefix(word, kFacts)) device.facts.insert(word.substr(kFacts.size()));
  for (const std::string &name : user_files(rule))
    if (name[0] != '/') scan.file(name, read_file(name));
  write_file(temporary, args.compare, compare::Header(device, scan).text());
}

// has_lambdas reports whether a file has lambdas that copy what they mention, or that list a
// parameter pack.
bool has_lambdas(std::string_view text) {
  if (contains(text, "LAMBDA")) return true;
  for (size_t at = 0; (at = text.find('[', at)) != text.npos; at++) {
    const std::string_view list = text.substr(at + 1, text.find_first_of("]\n", at) - at);
    const size_t first = list.find_first_not_of(" \t");
    if ((first != list.npos && list[first] == '=') || contains(list, "...")) return true;
  }
  return false;
}

// class_text returns comments for the integration header: the classes of kernels with lambdas, and
// the files that have kernels or lambdas. g++ may lay out lambdas differently, which the
// comparison with the host code detects.
std::string class_text(const jit::Result &result, const std::string &header,
                       const std::string &rule) {
  classes::Descriptions descriptions;
  for (const jit::Image &image : result.images)
    classes::add(descriptions, reinterpret_cast<const char *>(image.data), image.size);
  std::string out;
  for (const auto &[kernel, description] : descriptions)
    out.append("// Class of ").append(kernel).append(": " + description + "\n");
  if (out.empty()) return out;
  for (const std::string &name : user_files(rule)) {
    if (contains(name, "/include/c++/")) continue;
    if (contains(header, "\"" + fs::path(name).filename().string() + "\"") ||
        has_lambdas(read_file(name)))
      out.append("// File ").append(name).append("\n");
  }
  return out;
}

// misprinted reports whether DPC++ prints a wrong name for the type that a symbol describes: it
// prints the qualifiers of a pointer before the pointee, "T *const" as "const T *", and does not
// declare the class of a pointer to a member.
bool misprinted(std::string_view symbol) {
  bool qualified = false;
  for (size_t at = 0; at < symbol.size();) {
    size_t length = 0;
    while (at < symbol.size() && symbol[at] >= '0' && symbol[at] <= '9' && length < symbol.size())
      length = length * 10 + static_cast<size_t>(symbol[at++] - '0');
    if (length > 0) {
      at += length;  // an identifier
      qualified = false;
      continue;
    }
    if (at == symbol.size()) return false;
    const char c = symbol[at++];
    if (c == 'M' || (c == 'P' && qualified)) return true;
    qualified = c == 'K' || c == 'V';
  }
  return false;
}

// expressible describes kernels like unnamed ones, by symbol, if the header has a wrong name for
// them.
std::string expressible(std::string header) {
  constexpr std::string_view before = "template <> struct KernelInfo<", after = "> {\n",
                             symbol_before = "getName() { return \"", symbol_after = "\"; }\n";
  for (size_t at = 0; (at = header.find(before, at)) != std::string::npos;) {
    at += before.size();
    const size_t end = header.find(after, at), symbol = header.find(symbol_before, at);
    if (end == std::string::npos || symbol == std::string::npos) break;
    const size_t from = symbol + symbol_before.size(), to = header.find(symbol_after, from);
    if (to == std::string::npos || contains(header.substr(at, end - at), "\n")) continue;
    const std::string name = header.substr(from, to - from);
    if (name.compare(0, 4, "_ZTS") != 0 || !misprinted(std::string_view(name).substr(4))) continue;
    std::string data;
    for (const char c : name) data.append(data.empty() ? "'" : ", '").append(1, c).append("'");
    header.replace(at - 1, end - at + 1, "Data<" + data);
  }
  return header;
}

void write_images(const Arguments &args, const std::string &dir, const jit::Result &result) {
  std::string table = "[Code|Properties|Symbols]\n";
  for (size_t i = 0; i < result.images.size; i++) {
    const jit::Image &image = result.images.data[i];
    if (image.format != jit::kSPIRV)
      fail_at(kBadInput, args.input, "the compiler returned an image that is not SPIR-V");
    const std::string stem = std::to_string(i);
    write_file(dir + "/" + stem + ".spv", args.output_dir, image.data, image.size);
    write_file(dir + "/" + stem + ".prop", args.output_dir, property_text(image));
    write_file(dir + "/" + stem + ".sym", args.output_dir, symbol_text(image));
    table += stem + ".spv|" + stem + ".prop|" + stem + ".sym\n";
  }
  write_file(dir + "/" + kTable, args.output_dir, table);
}

// compile compiles a source to bitcode, images or both.
void compile(const Arguments &args, const TemporaryPaths &at) {
  std::vector<std::string> options;
  if (at.output_dir.empty()) options = {"-fsycl-device-code-split=off"};  // images do not matter
  const std::string header = fixed(at.header, 40), footer = fixed(at.footer, 41);
  const std::string &rule_path = !at.depfile.empty()  ? at.depfile
                                 : !at.unused.empty() ? at.unused
                                                      : at.compare;
  const std::string list = fixed(rule_path, 42);
  if (!header.empty()) options.insert(options.end(), {"-Xclang", "-fsycl-int-header=" + header});
  if (!footer.empty()) options.insert(options.end(), {"-Xclang", "-fsycl-int-footer=" + footer});
  if (!list.empty())
    options.insert(options.end(), {"-MD", "-MF", list, "-MT", "device"});  // not an output path
  const std::string question =
      at.compare.empty() ? "" : compare::question(fact_directory(at.compare));
  jit::Result result = compile_source(args, options, question);
  if (!at.output.empty()) {
    bitcode::for_other_releases(reinterpret_cast<unsigned char *>(result.bitcode.data),
                                result.bitcode.size);
    write_file(at.output, args.output, result.bitcode.data, result.bitcode.size);
  }
  if (!at.output_dir.empty()) write_images(args, at.output_dir, result);
  const std::string rule = list.empty() ? "" : read_file(list);
  if (!header.empty()) {
    const std::string text = expressible(read_file(at.header));
    write_file(at.header, args.header, text + class_text(result, text, rule));
  }
  if (list.empty()) return;
  if (!at.depfile.empty()) write_file(at.depfile, args.depfile, on_disk(rule));
  if (!at.compare.empty()) write_compare(args, at.compare, rule);
  if (at.unused.empty()) return;
  const std::string candidates = read_file(args.candidates);
  if (!args.inputs.empty()) check_declared(candidates + "\n" + read_file(args.inputs), rule);
  write_file(at.unused, args.unused, unread(candidates, rule, args.options));
}

void post_link(const Arguments &args, const TemporaryPaths &at) {
  std::string bitcode = read_file(args.input);
  if (bitcode.empty()) fail_at(kBadInput, args.input, "empty file; expected bitcode");
  bitcode::for_other_releases(reinterpret_cast<unsigned char *>(bitcode.data()), bitcode.size());
  // If the library cannot read the bitcode, it compiles the source, which must fail: #error.
  jit::Result result = call(args.library, args.input, "#error\n", args.options, bitcode);
  size_t unread = result.log.view().find("Loading of cached device code failed");
  if (unread != std::string_view::npos) {
    std::string why = unwrapped(result.log.view().substr(unread));
    fail_at(kBadInput, args.input,
            std::string(shared->library) +
                " cannot read the bitcode: " + why.substr(0, why.find('\n')) +
                "\nnote: it reads bitcode of its own LLVM release and of older releases");
  }
  report(result);
  write_images(args, at.output_dir, result);
}

constexpr const char *kCheckSource = R"(#include <sycl/sycl.hpp>
void check(sycl::queue &q, float *p) {
  q.single_task<class rules_sycl_check>([=] { p[0] = 1; });
}
)";

bool is_check_image(const jit::Image &image) {
  constexpr std::string_view name = "rules_sycl_check";
  return image.format == jit::kSPIRV && image.address_bits == 64 && image.size > 20 &&
         std::memcmp(image.data, "\x03\x02\x23\x07", 4) == 0 && image.symbols.size == 1 &&
         contains(image.symbols.data[0].view(), name) && contains(property_text(image), name);
}

void check(const Arguments &args) {
  jit::Result result = call(args.library, "check.cpp", kCheckSource, args.options, "");
  report(result);
  if (result.bitcode.size < 4 || std::memcmp(result.bitcode.data, "BC\xc0\xde", 4) != 0 ||
      result.images.size != 1 || !is_check_image(result.images.data[0]))
    fail_at(kBadInput, args.library,
            std::string(shared->library) +
                " does not return the image of a kernel in the expected form" +
                "\nnote: the driver supports DPC++ 2025.3 to 2026.2");
}

// -- the parent --

Exit work(const Arguments &args, const TemporaryPaths &at) {
  try {
    if (args.command == "compile" || args.command == "build") compile(args, at);
    if (args.command == "post-link") post_link(args, at);
    if (args.command == "check") check(args);
  } catch (const Failure &f) {
    print(f);
    return f.code;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "driver: error: %s\n", e.what());
    return kMachineFailed;
  }
  return kDone;
}

// Signals are the signals that the parent waits for.
class Signals {
 public:
  Signals() {
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    for (int s : {SIGINT, SIGTERM}) {
      struct sigaction now;
      sigaction(s, nullptr, &now);
      if (now.sa_handler != SIG_IGN) sigaddset(&set_, s);  // background jobs ignore it
    }
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  Signals(const Signals &) = delete;
  ~Signals() { restore(); }

  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // wait waits for a child to exit, or for a signal that terminates the driver.
  int wait() const {
    int signal = 0;
    while (sigwait(&set_, &signal) == EINTR) {
    }
    return signal;
  }

 private:
  sigset_t set_, before_;
};

Exit child(const Arguments &args, const TemporaryPaths &at, const std::string &temporary,
           pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // killing the driver kills the compiler
  if (getppid() != parent) return kMachineFailed;
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const char *name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"})
    unsetenv(name);  // clang reads them, but only the command line must matter
  // clang creates a directory there, and does not remove it if it is killed.
  if (!temporary.empty()) setenv("TMPDIR", temporary.c_str(), 1);
  Exit code = work(args, at);
  std::fflush(nullptr);
  shared->ended = true;
  return code;
}

// required_extension removes the library's message about a SPIR-V extension from output and returns
// what the code needs, or "" without the message. The message has a name or, if one of several
// extensions is enough, a sentence with their names. The library exits after printing it.
std::string required_extension(std::string &output) {
  constexpr std::string_view kMessage =
      "RequiresExtension: Feature requires the following SPIR-V extension:";
  const size_t begin = output.find(kMessage);
  if (begin == output.npos) return "";
  const size_t name = output.find_first_not_of(" \n", begin + kMessage.size());
  if (name == output.npos) return "";
  const size_t end = std::min(output.find('\n', name), output.size());
  const std::string text = output.substr(name, end - name);
  output.erase(begin, end + 1 - begin);
  std::string names;
  size_t count = 0;
  for (size_t at = text.find("SPV_"), last; at != text.npos; at = text.find("SPV_", last)) {
    last = std::min(text.find_first_of(" ,", at), text.size());
    names += (count++ ? ", " : "") + text.substr(at, last - at);
  }
  if (count > 1) return "one of the SPIR-V extensions " + names;
  return "the SPIR-V extension " + (count ? names : text);
}

// crash prints what happened to a child that did not return normally, and returns the driver's exit
// code.
Exit crash(const Arguments &args, int status) {
  std::string output = printed();
  const std::string &input = args.input.empty() ? args.library : args.input;
  if (const std::string extension = required_extension(output); !extension.empty()) {
    std::fprintf(stderr,
                 "%s%s: error: the code needs %s, which DPC++'s compiler "
                 "library %s does not enable; remove the code that uses it\n",
                 output.c_str(), shown(input).c_str(), shown(extension).c_str(), shared->library);
    return kDoesNotCompile;
  }
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  std::string how = "exit code " + std::to_string(WEXITSTATUS(status));
  if (signal) how = "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  std::fprintf(stderr, "%s%s: error: the device compiler %s ended by %s while %s\n", output.c_str(),
               shown(input).c_str(), *shared->library ? shared->library : "", how.c_str(),
               shared->doing);
  if (signal == SIGKILL || contains(output, "out of memory") || contains(output, "bad_alloc"))
    std::fputs("note: out of memory; run fewer compilers at the same time\n", stderr);
  else
    std::fputs(
        "note: the compiler crashed, which is a bug even if the source is invalid; try a different "
        "release of DPC++ or -O1, and report it at "
        "https://github.com/intel/llvm/issues\n",
        stderr);
  return kMachineFailed;
}

// Stopped is the signal that terminates the driver.
struct Stopped {
  int signal;
};

// run_child does the work in a child and sets status. It returns the signal that terminates
// the driver, or 0.
int run_child(const Arguments &args, const TemporaryPaths &at, Outputs &outputs, int &status) {
  const std::string temporary = outputs.temporary();
  const Signals signals;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail_io("fork");
  if (pid == 0) {
    signals.restore();
    outputs.leave();
    _exit(child(args, at, temporary, parent));
  }
  int signal = SIGCHLD;
  while (signal == SIGCHLD) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return 0;
    if (ended < 0 && errno != EINTR) fail_io("waitpid");
    signal = signals.wait();
  }
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return signal;
}

Exit supervise(const Arguments &args) {
  void *memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail_io("mmap");
  shared = new (memory) Shared{};
  shared->doing = "starting";
  shared->printed = memfd_create("printed", MFD_CLOEXEC);
  if (shared->printed < 0) fail_io("memfd_create");
  Outputs outputs;
  const TemporaryPaths at = temporary_paths(args, outputs);
  int status = 0;
  const int signal = run_child(args, at, outputs, status);
  if (signal) throw Stopped{signal};
  if (!shared->ended || !WIFEXITED(status)) {
    return crash(args, status);
  }
  const Exit code = static_cast<Exit>(WEXITSTATUS(status));
  if (code == kDone) outputs.commit();
  return code;
}

// -- the command line --

constexpr const char *kHelp = R"(driver: run libsycl-jit, the device compiler of DPC++

Usage:
  driver compile --library LIBSYCL_JIT --output OUT.bc [FLAGS] SOURCE -- CLANG-OPTION...
  driver post-link --library LIBSYCL_JIT --output-dir DIR IN.bc -- OPTION...
  driver build --library LIBSYCL_JIT --output-dir DIR SOURCE -- OPTION...
  driver check --library LIBSYCL_JIT -- CLANG-OPTION...

compile compiles a SYCL source to bitcode, without linking device libraries.
  --header FILE, --footer FILE  write DPC++'s integration header and footer, for the host compiler
  --depfile FILE                write the files that were read, in make syntax, without
                                the library's own headers
  --compare FILE                write a header that fails to compile on the host if the macros of
                                the host compilation differ from those of the device compilation
  --apart NAME,...              macros that the header does not compare
  --candidates FILE, --unused FILE
                                write the candidates, one per line, that were not read
                                and that no option names
  --inputs FILE                 fail if a file below the current directory was read that is
                                neither a candidate nor in this list; directories end with /

post-link links device libraries to bitcode, splits it and translates it to SPIR-V. It writes
N.spv, N.prop (property sets) and N.sym (symbols) of each image to DIR, and images.table, the
file table, with paths relative to DIR. Options are
-fsycl-device-code-split=auto|per_source|per_kernel|off and -fsycl-allow-device-image-dependencies.

build runs compile and post-link at once, with the flags and options of both. With --output FILE, it
also writes the bitcode.

check compiles a kernel and inspects the image. It prints nothing on success.

Example:
  driver compile --library lib/libsycl-jit.so --output axpy.bc axpy.cpp -- -std=c++20 -O2
  driver post-link --library lib/libsycl-jit.so --output-dir axpy axpy.bc --

Exit codes: 0 success, 1 the source does not compile, 2 usage error, 3 invalid input, 4 system error
or crash of the library.
)";

[[noreturn]] void misuse(const std::string &text) {
  fail(kUsage, "driver: error: " + shown(text) + "\nnote: see 'driver --help'");
}

struct Flag {
  const char *name;
  std::string *value;
  std::string_view required, optional;  // commands
};

// take sets the value of a flag, which is part of the argument or the next argument.
void take(const Flag &flag, const std::vector<std::string> &args, size_t &i) {
  size_t equals = args[i].find('=');
  if (equals != std::string::npos)
    *flag.value = args[i].substr(equals + 1);
  else if (i + 1 < args.size() && args[i + 1] != "--")
    *flag.value = args[++i];
  if (flag.value->empty()) misuse(std::string(flag.name) + " requires a value");
}

Arguments parse(const std::vector<std::string> &args) {
  if (args.empty()) misuse("missing command; expected compile, post-link, build or check");
  Arguments out;
  out.command = args[0];
  const Flag flags[] = {
      {"--library", &out.library, "compile post-link build check", ""},
      {"--output", &out.output, "compile", "build"},
      {"--output-dir", &out.output_dir, "post-link build", ""},
      {"--header", &out.header, "", "compile build"},
      {"--footer", &out.footer, "", "compile build"},
      {"--depfile", &out.depfile, "", "compile build"},
      {"--compare", &out.compare, "", "compile build"},
      {"--apart", &out.apart, "", "compile build"},
      {"--candidates", &out.candidates, "", "compile build"},
      {"--inputs", &out.inputs, "", "compile build"},
      {"--unused", &out.unused, "", "compile build"},
  };
  auto among = [&](std::string_view commands) {
    return contains(" " + std::string(commands) + " ", " " + out.command + " ");
  };
  if (!among(flags[0].required))
    misuse("unknown command '" + out.command + "'; expected compile, post-link, build or check");
  size_t i = 1;
  for (; i < args.size() && args[i] != "--"; i++) {
    const std::string name = args[i].substr(0, args[i].find('='));
    auto flag = std::find_if(std::begin(flags), std::end(flags), [&](const Flag &f) {
      return name == f.name && (among(f.required) || among(f.optional));
    });
    if (flag != std::end(flags))
      take(*flag, args, i);
    else if (has_prefix(name, "-"))
      misuse("unknown flag " + name + " of '" + out.command + "'; clang options follow --");
    else if (!out.input.empty() || out.command == "check")
      misuse("unexpected argument '" + args[i] + "'");
    else
      out.input = args[i];
  }
  if (i < args.size()) out.options.assign(args.begin() + i + 1, args.end());
  for (const Flag &f : flags)
    if (among(f.required) && f.value->empty()) misuse(std::string(f.name) + " is required");
  for (const std::string &option : out.options) {
    if (option[0] == '@')
      misuse("the option '" + option +
             "' is a response file, which DPC++'s library does not support; "
             "pass the options themselves");
    // A precompiled header may contain old versions of headers, and is not in dependency files.
    if (option == "--auto-pch" || has_prefix(option, "--persistent-auto-pch="))
      misuse("the option '" + option +
             "' reuses headers across compilations, which can miss changes in headers; remove it");
  }
  if (out.candidates.empty() != out.unused.empty())
    misuse("--candidates requires --unused and vice versa");
  if (!out.inputs.empty() && out.candidates.empty()) misuse("--inputs requires --candidates");
  if (out.input.empty() && out.command != "check") misuse("missing input file");
  while (out.output_dir.size() > 1 && out.output_dir.back() == '/') out.output_dir.pop_back();
  return out;
}

Exit run(const std::vector<std::string> &args) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) {
    if (std::fputs(kHelp, stdout) < 0 || std::fflush(stdout) != 0) fail_io("standard output");
    return kDone;
  }
  return supervise(parse(args));
}

}  // namespace

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the file size limit fails, as on a full disk
  try {
    return run({argv + 1, argv + argc});
  } catch (const Failure &f) {
    print(f);
    return f.code;
  } catch (const Stopped &stopped) {
    std::fprintf(stderr, "driver: stopped by %s\n",
                 stopped.signal == SIGINT ? "SIGINT" : "SIGTERM");
    signal(stopped.signal, SIG_DFL);
    raise(stopped.signal);
    return 128 + stopped.signal;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "driver: error: %s\n", e.what());
    return kMachineFailed;
  }
}
