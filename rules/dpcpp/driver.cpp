// driver runs libsycl-jit, the library that holds DPC++'s device compiler, as a program
// that a build can call: source to bitcode ('compile'), bitcode to device images
// ('post-link'), and a test of the library ('check').
//
// The library is loaded when the driver runs, so that one driver serves several releases.
// Its interface is that of intel/llvm, sycl-jit/jit-compiler/include/RTC.h; it is C++
// without a promise to stay the same, so 'check' compiles a kernel and looks at the result.
//
// What the library does, a child process does: when it crashes, the driver is still there
// to say so, and no output is left half written.

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// ---------------------------------------------------------------------------------------
// The interface of libsycl-jit, as far as the driver uses it. What the library hands out
// is read and never freed: the process ends.

namespace jit {

struct File {
  const char *path;
  const char *contents; // ends with a NUL
};

template <class T> struct View {
  const T *data;
  size_t size;
};

template <class T> struct Array {
  T *data;
  size_t size;

  const T *begin() const { return data; }
  const T *end() const { return data + size; }
};

struct String {
  const char *data;

  std::string_view view() const { return data ? std::string_view(data) : std::string_view(); }
};

struct Property {
  String name;
  bool is_number;
  uint32_t number;
  Array<unsigned char> bytes; // with the count of bits before the payload
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

enum : int { success = 0, build_failed = 1, invalid_options = 2 };

struct Result {
  int code;
  Array<Image> images;
  String options;
  Array<char> bitcode;
  String log;
};

constexpr uint32_t spirv = 2;

// Result is returned in memory, as the library's own class is, which has a destructor.
using Compile = Result(File source, View<File> headers, View<const char *> options, View<char> bitcode, bool save_bitcode, uint32_t format);

} // namespace jit

// ---------------------------------------------------------------------------------------
// Failures

// Exit codes are those of all tools.
enum : int { done = 0, does_not_compile = 1, usage = 2, bad_input = 3, machine_failed = 4 };

struct Failure {
  int code;
  std::string text;
};

[[noreturn]] void fail(int code, std::string text) { throw Failure{code, std::move(text)}; }

[[noreturn]] void fail_io(const std::string &name) { fail(machine_failed, name + ": error: " + std::strerror(errno)); }

// ---------------------------------------------------------------------------------------
// Files

struct Closer {
  FILE *file;
  ~Closer() {
    if (file)
      std::fclose(file);
  }
};

std::string read_file(const std::string &name) {
  struct stat info;
  Closer f{std::fopen(name.c_str(), "rb")};
  if (!f.file || fstat(fileno(f.file), &info) != 0)
    fail(errno == ENOENT || errno == EACCES || errno == ENOTDIR ? bad_input : machine_failed, name + ": error: " + std::strerror(errno));
  if (S_ISDIR(info.st_mode))
    fail(bad_input, name + ": error: this is a folder, not a file");
  std::string text;
  char buffer[1 << 16];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, f.file))
    text.append(buffer, n);
  if (std::ferror(f.file))
    fail_io(name);
  return text;
}

void write_file(const std::string &name, const void *data, size_t size) {
  FILE *f = std::fopen(name.c_str(), "wb");
  if (!f)
    fail_io(name);
  bool ok = size == 0 || std::fwrite(data, 1, size, f) == size;
  if (std::fclose(f) != 0 || !ok)
    fail_io(name);
}

void write_file(const std::string &name, const std::string &text) { write_file(name, text.data(), text.size()); }

void move_file(const std::string &from, const std::string &to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    fail_io(to);
}

void make_folder(const std::string &name) {
  struct stat info;
  if (mkdir(name.c_str(), 0777) == 0)
    return;
  if (errno != EEXIST || stat(name.c_str(), &info) != 0)
    fail_io(name);
  if (!S_ISDIR(info.st_mode))
    fail(machine_failed, name + ": error: this is a file, not a folder");
}

std::string folder_of(const std::string &name) {
  size_t slash = name.rfind('/');
  return slash == std::string::npos ? "." : name.substr(0, slash);
}

// ---------------------------------------------------------------------------------------
// Text

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool has_prefix(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// Lines of text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// ---------------------------------------------------------------------------------------
// Diagnostics

constexpr std::string_view toolchain = "/sycl-jit-toolchain/"; // where the library's own headers are, in its memory

// The library has its headers in memory; their paths become what is written in an
// #include: /sycl-jit-toolchain//bin/compiler/../../include/sycl/queue.hpp is <sycl/queue.hpp>.
std::string short_paths(std::string_view line) {
  std::string out;
  for (size_t at; (at = line.find(toolchain)) != line.npos;) {
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

// The library puts a title and a tab before what clang said:
//
//	Device compilation failed
//	Detailed information:
//		a.cpp:1:10: fatal error: 'cmat' file not found
std::string unwrap(std::string_view log) {
  constexpr std::string_view mark = "Detailed information:\n";
  std::string out;
  size_t at = log.find(mark);
  if (at != log.npos)
    log.remove_prefix(at + mark.size());
  if (has_prefix(log, "\t"))
    log.remove_prefix(1);
  while (!log.empty() && log.back() == '\n')
    log.remove_suffix(1);
  for (std::string_view line : lines_of(log))
    out.append(short_paths(line)).append("\n");
  return out;
}

struct Remedy {
  std::string_view when; // the log has this
  std::string_view also; // and this
  std::string_view text;
};

constexpr Remedy remedies[] = {
    {"unnamed type", "is invalid; provide a kernel name",
     "give the kernel a name, as in q.parallel_for<class Name>(…), or compile the host side with clang 21 or newer, which can do without"},
    {"unknown argument", "", "the device compiler is clang as DPC++ has it: an option that it does not know can only be for the host side"},
    {"is not supported for SYCL runtime compilation", "", "the build itself says what is compiled, linked and where it goes: leave the option out"},
};

// ---------------------------------------------------------------------------------------
// Property files

constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Byte arrays are written six bits a character, the lowest first, without padding.
std::string encode(const jit::Array<unsigned char> &bytes) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (unsigned char b : bytes) {
    bits |= uint32_t(b) << count;
    for (count += 8; count >= 6; count -= 6, bits >>= 6)
      out += digits[bits & 63];
  }
  if (count > 0)
    out += digits[bits & 63];
  return out;
}

// A name must fit the line it is written to.
std::string_view checked(const jit::String &name, const char *what, std::string_view not_in) {
  for (char c : name.view())
    if (static_cast<unsigned char>(c) < ' ' || c == 127 || contains(not_in, std::string_view(&c, 1)))
      fail(bad_input, std::string("error: libsycl-jit wrote the ") + what + " '" + std::string(name.view()) + "', which cannot be part of a file");
  return name.view();
}

std::string property_text(const jit::Image &image) {
  std::string out;
  for (const jit::PropertySet &set : image.properties) {
    out.append("[").append(checked(set.name, "property set", "[]")).append("]\n");
    for (const jit::Property &p : set.properties) {
      out.append(checked(p.name, "property", "=")).append("=");
      out.append(p.is_number ? "1|" + std::to_string(p.number) : "2|" + encode(p.bytes)).append("\n");
    }
  }
  return out;
}

std::string symbol_text(const jit::Image &image) {
  std::string out;
  for (const jit::String &s : image.symbols)
    out.append(checked(s, "symbol", "")).append("\n");
  return out;
}

// ---------------------------------------------------------------------------------------
// The library

// What the child process tells its parent.
struct Shared {
  const char *doing; // in words; constants, which are at the same place in both
  bool ended;        // by itself, not in a call of the library
  size_t images;
  char library[256]; // the name that the library has for itself: it has the version
};

Shared *shared;

// The library needs these; they are beside it, where the system does not always look.
constexpr const char *companions[] = {"libintlc.so.5", "libirng.so", "libsvml.so", "libimf.so"};

// name_library notes the name that the library was linked under.
void name_library(void *handle, const std::string &file) {
  link_map *map = nullptr;
  std::string name = file.substr(file.rfind('/') + 1);
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map) {
    const char *strings = nullptr;
    size_t offset = 0;
    for (auto *d = map->l_ld; d->d_tag != DT_NULL; d++) {
      if (d->d_tag == DT_STRTAB)
        strings = reinterpret_cast<const char *>(d->d_un.d_ptr);
      if (d->d_tag == DT_SONAME)
        offset = d->d_un.d_val;
    }
    if (strings && offset)
      name = strings + offset;
  }
  std::snprintf(shared->library, sizeof shared->library, "%s", name.c_str());
}

jit::Compile *load(const std::string &file) {
  shared->doing = "it was loaded";
  if (access(file.c_str(), R_OK) != 0)
    fail(machine_failed, file + ": error: " + std::strerror(errno));
  const std::string path = contains(file, "/") ? file : "./" + file;
  for (const char *name : companions)
    dlopen((folder_of(path) + "/" + name).c_str(), RTLD_NOW | RTLD_GLOBAL); // what is missing, the next call tells
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::string why = dlerror();
    fail(machine_failed, file + ": error: the library cannot be loaded: " + why +
                             "\nnote: libimf.so, libsvml.so, libirng.so and libintlc.so.5 must be beside it, and libz.so.1 on the machine");
  }
  name_library(handle, path);
  void *entry = dlsym(handle, "compileSYCL");
  if (!entry)
    fail(bad_input, file + ": error: this is not libsycl-jit: it has no function compileSYCL\nnote: give the libsycl-jit.so of a release of DPC++ from 2025.3 on");
  return reinterpret_cast<jit::Compile *>(entry);
}

// run calls the library and prints what it says.
jit::Result run(const std::string &library, const std::string &name, const std::string &source, const std::vector<std::string> &options,
                const std::string &bitcode) {
  jit::Compile *compile = load(library);
  std::vector<const char *> args;
  for (const std::string &o : options)
    args.push_back(o.c_str());
  shared->doing = bitcode.empty() ? "it compiled" : "it split and translated";
  jit::Result result = compile({name.c_str(), source.c_str()}, {nullptr, 0}, {args.data(), args.size()}, {bitcode.data(), bitcode.size()}, true, jit::spirv);
  shared->doing = "its results were written";
  return result;
}

// report prints the log of a call, with remedies, and fails when the call did.
void report(const jit::Result &result) {
  const std::string log = unwrap(result.log.view());
  std::fputs(log.c_str(), stderr);
  if (result.code == jit::success)
    return;
  for (const Remedy &r : remedies)
    if (contains(log, r.when) && contains(log, r.also))
      std::fprintf(stderr, "note: %s\n", std::string(r.text).c_str());
  if (result.code != jit::build_failed && result.code != jit::invalid_options)
    fail(bad_input, "error: the library's result cannot be read: its interface is another than the driver knows");
  fail(result.code == jit::build_failed ? does_not_compile : usage, "");
}

// ---------------------------------------------------------------------------------------
// Commands

struct Arguments {
  std::string command, library, output, output_dir, header, footer, depfile, input;
  std::vector<std::string> options;
};

std::string scratch(const std::string &name) { return name + ".tmp"; }

// The whole of the pipeline runs, as the library knows no end before it; without a split,
// as the images are thrown away.
void compile(const Arguments &args) {
  const std::string source = read_file(args.input);
  if (source.find('\0') != source.npos)
    fail(bad_input, args.input + ": error: there is a NUL byte in the source, at offset " + std::to_string(source.find('\0')));
  std::vector<std::string> options = args.options;
  for (auto &[file, option] : {std::pair(args.header, "-fsycl-int-header="), std::pair(args.footer, "-fsycl-int-footer=")})
    if (!file.empty()) {
      options.push_back("-Xclang");
      options.push_back(option + scratch(file));
    }
  if (!args.depfile.empty())
    options.insert(options.end(), {"-MD", "-MF", scratch(args.depfile), "-MT", args.output});
  options.push_back("-fsycl-device-code-split=off");
  jit::Result result = run(args.library, args.input, source, options, "");
  report(result);
  write_file(scratch(args.output), result.bitcode.data, result.bitcode.size);
}

void post_link(const Arguments &args) {
  const std::string bitcode = read_file(args.input);
  if (bitcode.empty())
    fail(bad_input, args.input + ": error: the file is empty, not bitcode");
  // When the library cannot read bitcode, it compiles the source instead: that must fail.
  jit::Result result = run(args.library, args.input, "#error\n", args.options, bitcode);
  if (result.bitcode.size != 0 || contains(result.log.view(), "Loading of cached device code failed")) {
    std::string why = unwrap(result.log.view());
    fail(bad_input, args.input + ": error: not bitcode that " + shared->library + " can read: " + why.substr(0, why.find('\n')) +
                        "\nnote: it reads bitcode of its own LLVM release and of older ones");
  }
  report(result);
  const std::string dir = scratch(args.output_dir);
  std::string table = "[Code|Properties|Symbols]\n";
  make_folder(dir);
  for (const jit::Image &image : result.images) {
    const std::string stem = std::to_string(shared->images++);
    if (image.format != jit::spirv)
      fail(bad_input, args.input + ": error: the library wrote an image of the format " + std::to_string(image.format) + ", not SPIR-V");
    write_file(dir + "/" + stem + ".spv", image.data, image.size);
    write_file(dir + "/" + stem + ".prop", property_text(image));
    write_file(dir + "/" + stem + ".sym", symbol_text(image));
    table += stem + ".spv|" + stem + ".prop|" + stem + ".sym\n";
  }
  write_file(dir + "/images.table", table);
}

constexpr const char *check_source = R"(#include <sycl/sycl.hpp>
void check(sycl::queue &q, float *p) {
  q.single_task<class rules_sycl_check>([=] { p[0] = 1; });
}
)";

void check(const Arguments &args) {
  std::vector<std::string> options = args.options;
  jit::Result result = run(args.library, "check.cpp", check_source, options, "");
  report(result);
  bool as_expected = result.bitcode.size > 4 && std::memcmp(result.bitcode.data, "BC\xc0\xde", 4) == 0 && result.images.size == 1;
  if (as_expected) {
    const jit::Image &image = result.images.data[0];
    as_expected = image.format == jit::spirv && image.address_bits == 64 && image.size > 20 && std::memcmp(image.data, "\x03\x02\x23\x07", 4) == 0 &&
                  image.symbols.size == 1 && contains(image.symbols.data[0].view(), "rules_sycl_check") &&
                  contains(property_text(image), "rules_sycl_check");
  }
  if (!as_expected)
    fail(bad_input, args.library + ": error: " + shared->library + " does not give back the image of a kernel as the driver expects it" +
                        "\nnote: the driver knows the interface of DPC++ 2025.3 to 2026.2");
}

// ---------------------------------------------------------------------------------------
// The parent

// finish puts the outputs in their places.
void finish(const Arguments &args) {
  if (args.command == "post-link") {
    const std::string from = scratch(args.output_dir);
    make_folder(args.output_dir);
    for (size_t i = 0; i < shared->images; i++)
      for (const char *ext : {".spv", ".prop", ".sym"})
        move_file(from + "/" + std::to_string(i) + ext, args.output_dir + "/" + std::to_string(i) + ext);
    move_file(from + "/images.table", args.output_dir + "/images.table");
    return;
  }
  for (const std::string &name : {args.header, args.footer, args.depfile, args.output})
    if (!name.empty())
      move_file(scratch(name), name);
}

// discard removes what is left of outputs.
void discard(const Arguments &args) {
  for (const std::string &name : {args.header, args.footer, args.depfile, args.output})
    if (!name.empty())
      std::remove(scratch(name).c_str());
  if (args.output_dir.empty())
    return;
  const std::string dir = scratch(args.output_dir);
  for (size_t i = 0; i <= shared->images; i++)
    for (const char *ext : {".spv", ".prop", ".sym"})
      std::remove((dir + "/" + std::to_string(i) + ext).c_str());
  std::remove((dir + "/images.table").c_str());
  rmdir(dir.c_str());
}

int child(const Arguments &args, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // who ends the driver ends the compiler
  if (getppid() != parent)
    return machine_failed;
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(STDERR_FILENO, STDOUT_FILENO); // whatever the library prints is no data
  int code = done;
  try {
    args.command == "compile" ? compile(args) : args.command == "post-link" ? post_link(args) : check(args);
  } catch (const Failure &f) {
    if (!f.text.empty())
      std::fprintf(stderr, "%s\n", f.text.c_str());
    code = f.code;
  }
  std::fflush(nullptr);
  shared->ended = true;
  return code;
}

// crash says what happened to a child that did not end by itself.
int crash(const Arguments &args, int status) {
  const std::string input = args.input.empty() ? args.library : args.input;
  const std::string library = *shared->library ? shared->library : args.library;
  std::string how = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    how = std::string("ended by signal ") + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  std::fprintf(stderr, "%s: error: the device compiler %s %s while %s\n", input.c_str(), library.c_str(), how.c_str(), shared->doing);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    std::fprintf(stderr, "note: the system ends programs so when the machine is out of memory: let fewer run at once\n");
  else
    std::fprintf(stderr, "note: this is a fault of the compiler, whatever the source says: try another release of DPC++, or less optimization (-O1); its makers "
                         "take reports at https://github.com/intel/llvm/issues\n");
  return machine_failed;
}

int supervise(const Arguments &args) {
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail_io("memory");
  shared = new (memory) Shared{};
  shared->doing = "it was loaded";
  const pid_t parent = getpid();
  pid_t pid = fork();
  if (pid < 0)
    fail_io("fork");
  if (pid == 0)
    _exit(child(args, parent));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      fail_io("waitpid");
  if (!shared->ended || !WIFEXITED(status)) {
    discard(args);
    return crash(args, status);
  }
  if (WEXITSTATUS(status) == done)
    finish(args);
  discard(args);
  return WEXITSTATUS(status);
}

// ---------------------------------------------------------------------------------------
// The command line

constexpr const char *help = R"(driver runs libsycl-jit, the device compiler of DPC++

usage:
  driver compile --library LIBSYCL_JIT --output OUT.bc [--header H] [--footer F] [--depfile D] SOURCE -- CLANG-OPTION...
  driver post-link --library LIBSYCL_JIT --output-dir DIR IN.bc -- OPTION...
  driver check --library LIBSYCL_JIT -- CLANG-OPTION...

compile turns a SYCL source into bitcode, before device libraries are linked to it.
  --header H, --footer F  DPC++'s integration header and footer, for the host compiler
  --depfile D             the files that the source includes, as make reads them

post-link links device libraries, splits the code and translates it to SPIR-V. DIR gets N.spv,
N.prop (property sets) and N.sym (symbols) of each image, and images.table, the file table of
all with names relative to DIR. Options are -fsycl-device-code-split=auto|per_source|per_kernel|off
and -fsycl-allow-device-image-dependencies.

check compiles one kernel and looks at the image: nothing is printed when the library is as the
driver expects it.

example:
  driver compile --library lib/libsycl-jit.so --output axpy.bc axpy.cpp -- -std=c++20 -O2
  driver post-link --library lib/libsycl-jit.so --output-dir axpy axpy.bc -- -fsycl-device-code-split=per_kernel

exit codes: 0 done, 1 the source does not compile, 2 wrong usage, 3 bad input file,
4 the machine failed or the library crashed
)";

[[noreturn]] void misuse(const std::string &text) { fail(usage, "driver: error: " + text + "\nnote: 'driver --help' says more"); }

Arguments parse(const std::vector<std::string> &args) {
  Arguments out;
  if (args.empty())
    misuse("give a command: compile, post-link or check");
  out.command = args[0];
  if (out.command != "compile" && out.command != "post-link" && out.command != "check")
    misuse("there is no command '" + out.command + "'");
  const bool compiles = out.command == "compile", links = out.command == "post-link";
  const struct {
    const char *name;
    std::string *value;
    bool known, needed;
  } flags[] = {
      {"--library", &out.library, true, true},     {"--output", &out.output, compiles, compiles}, {"--output-dir", &out.output_dir, links, links},
      {"--header", &out.header, compiles, false},  {"--footer", &out.footer, compiles, false},    {"--depfile", &out.depfile, compiles, false},
  };
  size_t i = 1;
  for (; i < args.size() && args[i] != "--"; i++) {
    const std::string name = args[i].substr(0, args[i].find('='));
    auto flag = std::find_if(std::begin(flags), std::end(flags), [&](auto &f) { return f.known && name == f.name; });
    if (flag != std::end(flags)) {
      if (name == args[i] && i + 1 == args.size())
        misuse(name + " needs a value");
      *flag->value = name == args[i] ? args[++i] : args[i].substr(name.size() + 1);
    } else if (has_prefix(args[i], "-"))
      misuse("'" + out.command + "' has no flag " + name + "; options of the compiler come after --");
    else if (!out.input.empty() || out.command == "check")
      misuse("'" + args[i] + "' is one file too many");
    else
      out.input = args[i];
  }
  if (i < args.size())
    out.options.assign(args.begin() + i + 1, args.end());
  for (auto &f : flags)
    if (f.needed && f.value->empty())
      misuse(std::string(f.name) + " is missing");
  if (out.input.empty() && out.command != "check")
    misuse(compiles ? "the source is missing" : "the bitcode file is missing");
  return out;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) {
    std::fputs(help, stdout);
    return done;
  }
  try {
    return supervise(parse(args));
  } catch (const Failure &f) {
    std::fprintf(stderr, "%s\n", f.text.c_str());
    return f.code;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "driver: error: %s\n", e.what());
    return machine_failed;
  }
}
