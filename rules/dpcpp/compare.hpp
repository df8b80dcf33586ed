// compare.hpp compares the macros in a source's device compilation with the macros in its host
// compilation. If the two compilations disagree about a macro, they can disagree about a type, and
// a program silently computes wrong numbers.
//
// The driver has the macros of the device compilation. It writes a header that the host compilation
// includes first, when only the command line has defined macros. The header has an #error for each
// difference, at the line of the user's code that tests the macro.

#ifndef RULES_SYCL_DPCPP_COMPARE_HPP
#define RULES_SYCL_DPCPP_COMPARE_HPP

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace compare {

// A Fact is a condition that the preprocessor of each compiler decides.
struct Fact {
  const char *name;       // and name of an empty file
  const char *condition;  // condition of an #if
  const char *what;       // for messages; null for a macro that counts only if a source tests it
};

constexpr Fact kFacts[] = {
    {"std20", "__cplusplus > 201703L", "uses C++20"},
    {"std23", "__cplusplus > 202002L", "uses C++23"},
    {"std26", "__cplusplus > 202302L", "uses C++26"},
    {"wchar_4", "__SIZEOF_WCHAR_T__ > 2", "has a 4-byte wchar_t"},
    {"unsigned_char", "defined(__CHAR_UNSIGNED__)", "treats char as unsigned"},
};

// Macros that CPU and floating-point options define.
constexpr const char *kMacros[] = {
    "__3dNOW__",        "__ADX__",         "__AES__",
    "__AMX_BF16__",     "__AMX_INT8__",    "__AMX_TILE__",
    "__AVX10_1__",      "__AVX2__",        "__AVX512BF16__",
    "__AVX512BITALG__", "__AVX512BW__",    "__AVX512CD__",
    "__AVX512DQ__",     "__AVX512FP16__",  "__AVX512F__",
    "__AVX512IFMA__",   "__AVX512VBMI2__", "__AVX512VBMI__",
    "__AVX512VL__",     "__AVX512VNNI__",  "__AVX512VPOPCNTDQ__",
    "__AVXIFMA__",      "__AVXVNNI__",     "__AVX__",
    "__BMI2__",         "__BMI__",         "__CLFLUSHOPT__",
    "__F16C__",         "__FAST_MATH__",   "__FMA4__",
    "__FMA__",          "__FSGSBASE__",    "__GFNI__",
    "__LZCNT__",        "__MOVBE__",       "__PCLMUL__",
    "__POPCNT__",       "__PRFCHW__",      "__RDRND__",
    "__RDSEED__",       "__RTM__",         "__SHA__",
    "__SSE3__",         "__SSE4A__",       "__SSE4_1__",
    "__SSE4_2__",       "__SSSE3__",       "__TBM__",
    "__VAES__",         "__VPCLMULQDQ__",  "__XOP__",
    "__XSAVE__",
};

// A Place is a line of a file.
struct Place {
  std::string file;
  int line;
};

inline bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// names_in adds the names in the condition of an #if to a list.
inline void names_in(std::string_view text, std::vector<std::string> &names) {
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//" || text.substr(i, 2) == "/*") return;
    if (text[i] == '"' || text[i] == '\'') return;
    size_t end = i;
    while (end < text.size() && is_name(text[end])) end++;
    if (end == i) {
      i++;
      continue;
    }
    if (!std::isdigit(static_cast<unsigned char>(text[i])))
      names.emplace_back(text.substr(i, end - i));
    i = end;
  }
}

// A Scan holds the macros that files test, with the first line that tests each.
class Scan {
 public:
  // file reads the directives of a file.
  void file(const std::string &name, std::string_view text) {
    int line = 0;
    while (!text.empty()) {
      const int first = ++line;
      std::string directive = next(text);
      while (!directive.empty() && directive.back() == '\\' && !text.empty()) {
        directive.back() = ' ';
        directive += next(text);
        line++;
      }
      read(directive, {name, first});
    }
  }

  const std::map<std::string, Place> &asked() const { return asked_; }
  bool defines(const std::string &name) const { return defined_.count(name) > 0; }

 private:
  static std::string next(std::string_view &text) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
  }

  void read(std::string_view line, const Place &at) {
    size_t i = line.find_first_not_of(" \t");
    if (i == line.npos || line[i] != '#') return;
    i = line.find_first_not_of(" \t", i + 1);
    if (i == line.npos) return;
    size_t end = i;
    while (end < line.size() && is_name(line[end])) end++;
    const std::string_view directive = line.substr(i, end - i);
    std::vector<std::string> names;
    names_in(line.substr(end), names);
    if (directive == "define" || directive == "undef") {
      if (!names.empty()) defined_.insert(names[0]);
      return;
    }
    if (directive == "if" || directive == "elif") {
      // This condition is intended to differ.
      if (std::find(names.begin(), names.end(), "__SYCL_DEVICE_ONLY__") != names.end()) return;
      for (const std::string &name : names) asked_.try_emplace(name, at);
    } else if (directive == "ifdef" || directive == "ifndef" || directive == "elifdef" ||
               directive == "elifndef") {
      if (!names.empty()) asked_.try_emplace(names[0], at);
    }
  }

  std::map<std::string, Place> asked_;
  std::set<std::string> defined_;
};

// is_comparable reports whether only a command line can define a macro. Names that start with _ are
// the compiler's, and so are the system macros of gnu++17. Others are C++ keywords.
inline bool is_comparable(const std::string &name) {
  static const std::set<std::string> no = {
      "SYCL_LANGUAGE_VERSION",
      "and",
      "and_eq",
      "bitand",
      "bitor",
      "compl",
      "defined",
      "false",
      "i386",
      "linux",
      "not",
      "not_eq",
      "or",
      "or_eq",
      "true",
      "unix",
      "xor",
      "xor_eq",
  };
  return !name.empty() && name[0] != '_' && name.rfind("RULES_SYCL_", 0) != 0 &&
         no.count(name) == 0;
}

// Definitions are macros with their values. Macros with parameters have no value here.
using Definitions = std::map<std::string, std::optional<std::string>>;

// definitions returns the macros that options define. Later options override earlier ones.
inline Definitions definitions(const std::vector<std::string> &options) {
  Definitions out;
  for (size_t i = 0; i < options.size(); i++) {
    const std::string &o = options[i];
    if (o == "-Xclang" || o == "-include" || o == "-imacros") {
      i++;
      continue;
    }
    const bool define = o.rfind("-D", 0) == 0;
    if (!define && o.rfind("-U", 0) != 0) continue;
    if (o.size() == 2 && i + 1 == options.size()) break;
    const std::string text = o.size() > 2 ? o.substr(2) : options[++i];
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, std::min(equals, text.find('(')));
    if (!define)
      out.erase(name);
    else if (name.size() < std::min(equals, text.size()))
      out[name] = std::nullopt;
    else
      out[name] = equals == text.npos ? "1" : text.substr(equals + 1);
  }
  return out;
}

// forces reports whether options include a file before the source.
inline bool forces(const std::vector<std::string> &options) {
  for (const std::string &o : options)
    if (o.rfind("-include", 0) == 0 || o.rfind("--include", 0) == 0 || o.rfind("-imacros", 0) == 0)
      return true;
  return false;
}

// is_plain reports whether the value of a macro can be compared as text.
inline bool is_plain(const std::string &value) {
  int open = 0;
  bool quoted = false;
  for (char c : value) {
    if (c == '\n' || c == '\r' || c == '\\' || c == '\'') return false;
    if (c == '"') quoted = !quoted;
    if (c == '(') open++;
    if (c == ')' && --open < 0) return false;
  }
  return open == 0 && !quoted;
}

// question returns lines to append to a source. They include a file of the directory for each
// condition that is true, so that the dependency file has the answer.
inline std::string question(const std::string &directory) {
  std::string out = "\n\n";
  const auto add = [&](const std::string &condition, const std::string &name) {
    out += "#if " + condition + "\n#include \"" + directory + "/" + name + "\"\n#endif\n";
  };
  for (const Fact &f : kFacts) add(f.condition, f.name);
  for (const char *name : kMacros) add(std::string("defined(") + name + ")", name);
  return out;
}

// answers returns the names of the files that question includes.
inline std::vector<std::string> answers() {
  std::vector<std::string> out;
  for (const Fact &f : kFacts) out.push_back(f.name);
  for (const char *name : kMacros) out.push_back(name);
  return out;
}

// Device describes the device compilation.
struct Device {
  std::string source;
  std::set<std::string> facts;  // names of the included files of question
  Definitions definitions;      // in options
  std::set<std::string> apart;  // macros that the target defines for one compilation only
  bool forces = false;
};

class Header {
 public:
  Header(const Device &device, const Scan &scan) : device_(device) {
    out_ =
        "// Compares the macros of the host and device compilations.\n"
        "#define RULES_SYCL_TEXT_(...) #__VA_ARGS__\n"
        "#define RULES_SYCL_TEXT(...) RULES_SYCL_TEXT_(__VA_ARGS__)\n";
    for (const Fact &f : kFacts) fact(f);
    for (const char *name : kMacros) {
      const auto at = scan.asked().find(name);
      if (at != scan.asked().end()) differs(at->second, name, device.facts.count(name) > 0);
    }
    std::map<std::string, Place> names = scan.asked();
    for (const auto &[name, value] : device.definitions)
      names.try_emplace(name, Place{device.source, 1});
    for (const auto &[name, at] : names)
      if (is_comparable(name) && device.apart.count(name) == 0 &&
          !(device.forces && scan.defines(name)))
        macro(name, at);
    out_ += "#undef RULES_SYCL_TEXT_\n#undef RULES_SYCL_TEXT\n";
  }

  const std::string &text() const { return out_; }

 private:
  static constexpr const char *kAdvice =
      "; set the option in copts or defines, because host_copts, --per_file_copt and compiler "
      "wrappers apply only to the host compilation";

  void line(const Place &at) {
    std::string name;
    for (char c : at.file) {
      if (c == '"' || c == '\\') name += '\\';
      name += c;
    }
    out_ += "#line " + std::to_string(at.line) + " \"" + name + "\"\n";
  }

  void fact(const Fact &f) {
    const bool device = device_.facts.count(f.name) > 0;
    out_ += std::string("#if ") + (device ? "!(" : "(") + f.condition + ")\n";
    error({device_.source, 1}, f.what, device);
    out_ += "#endif\n";
  }

  void error(const Place &at, const std::string &what, bool device) {
    line(at);
    out_ += std::string("#error the ") + (device ? "device" : "host") + " compilation " + what +
            ", but the " + (device ? "host" : "device") + " compilation does not" + kAdvice + "\n";
  }

  void differs(const Place &at, const std::string &name, bool device) {
    out_ += std::string(device ? "#ifndef " : "#ifdef ") + name + "\n";
    error(at, "defines " + name, device);
    out_ += "#endif\n";
  }

  void macro(const std::string &name, const Place &at) {
    const auto found = device_.definitions.find(name);
    differs(at, name, found != device_.definitions.end());
    if (found == device_.definitions.end() || !found->second || !is_plain(*found->second)) return;
    out_ += "#ifdef " + name + "\n#define RULES_SYCL_VALUE " + *found->second + "\n";
    line(at);
    out_ += "static_assert(__builtin_strcmp(RULES_SYCL_TEXT(" + name +
            "), RULES_SYCL_TEXT(RULES_SYCL_VALUE)) == 0, \"the host compilation defines " + name +
            " differently from the device compilation" + kAdvice +
            "\");\n#undef RULES_SYCL_VALUE\n#endif\n";
  }

  const Device &device_;
  std::string out_;
};

}  // namespace compare

#endif  // RULES_SYCL_DPCPP_COMPARE_HPP
