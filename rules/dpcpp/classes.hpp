// classes.hpp describes the classes of kernels that contain lambdas, as device code lays them out.
//
// It reads the debug information of a SPIR-V module, in the extended instruction sets
// NonSemantic.Shader.DebugInfo.100 and .200. A description is
//
//   class:   SIZE "{" member " " member … "}"
//   member:  NAME "@" OFFSET ["c"] ":" (SIZE, class, or COUNT "x" class)
//
// with sizes and offsets in bytes. A base class has no name. A const member has a "c". The members
// of a class are listed if one of them is or contains an unnamed class, such as a lambda. The last
// form is an array of such classes.
//
// DPC++ describes all elements of a captured parameter pack like the element that comes first.
//
// https://github.com/KhronosGroup/SPIRV-Registry has the instruction sets.

#ifndef RULES_SYCL_DPCPP_CLASSES_HPP
#define RULES_SYCL_DPCPP_CLASSES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace classes {

// Descriptions by kernel.
using Descriptions = std::map<std::string, std::string>;

// Module reads a SPIR-V module.
class Module {
 public:
  Module(const char *data, size_t size) : data_(data), count_(size / 4) {
    constexpr size_t header = 5;
    for (size_t i = header, end; i < count_; i = end) {
      end = i + (word(i) >> 16);
      if (end == i || end > count_) return;
      read(word(i) & 0xffff, i + 1, end);
    }
  }

  // add adds the descriptions of the module's kernels.
  void add(Descriptions &descriptions) {
    std::map<uint32_t, uint32_t> types;  // by kernel
    for (const Inlined &inlined : inlined_) {
      const Debug *called = find(called_by_kernel(inlined));
      if (called && string(*called, 0) == "operator()")
        types.emplace(inlined.kernel, operand(*called, 5));
    }
    for (const auto &[id, d] : debug_)
      if (is_kernel_object(d)) types[compiled(function_of(operand(d, 5)))] = operand(d, 1);
    for (const auto &[kernel, type] : types) {
      const auto name = kernels_.find(kernel);
      if (name == kernels_.end() || !has_lambdas(type)) continue;
      std::string text;
      describe(type, 0, text);
      if (text.size() <= kMaxText) descriptions[std::string(name->second)] = text;
    }
  }

 private:
  enum : uint32_t {
    kString = 7,
    kImport = 11,
    kInstruction = 12,
    kEntryPoint = 15,
    kConstant = 43,
    kOpFunction = 54
  };
  enum : uint32_t {
    kQualifier = 4,
    kArray = 5,
    kTypedef = 7,
    kComposite = 10,
    kMember = 11,
    kInheritance = 12,
    kTemplate = 14,
    kGlobalVariable = 18,
    kFunction = 20,
    kDiscriminator = 22,
    kScope = 23,
    kInlinedAt = 25,
    kVariable = 26,
    kDefinition = 101,
    kSubrange = 201
  };
  enum : uint32_t { kConst = 0, kStatic = 0x200 };
  enum : size_t { kMaxText = 1 << 20, kMaxDepth = 100, kFirstMember = 9 };
  // An instruction of a debug information set.
  struct Debug {
    uint32_t number;
    size_t begin, end;  // offsets of its operands
  };

  // The scope of an instruction in a kernel, and the call that was inlined there.
  struct Inlined {
    uint32_t kernel, scope, at;
  };

  uint32_t word(size_t i) const {
    uint32_t value;
    std::memcpy(&value, data_ + 4 * i, 4);
    return value;
  }

  std::string_view text(size_t i, size_t end) const {
    const char *start = data_ + 4 * i;
    return {start, strnlen(start, 4 * (end - i))};
  }

  void read(uint32_t code, size_t i, size_t end) {
    const size_t operands = end - i;
    if (code == kString && operands > 1) {
      strings_[word(i)] = text(i + 1, end);
    } else if (code == kConstant && operands > 2) {
      constants_[word(i + 1)] = word(i + 2);
    } else if (code == kImport && operands > 1) {
      const std::string_view name = text(i + 1, end);
      const bool columns = name == "NonSemantic.Shader.DebugInfo.200";
      if (columns || name == "NonSemantic.Shader.DebugInfo.100") set_ = word(i), columns_ = columns;
    } else if (code == kEntryPoint && operands > 2) {
      kernels_[word(i + 1)] = text(i + 2, end);
    } else if (code == kInstruction && operands > 3 && set_ != 0 && word(i + 2) == set_) {
      const Debug d{word(i + 3), i + 4, end};
      if (d.number == kDefinition)
        definitions_[operand(d, 0)] = operand(d, 1);
      else if (d.number != kScope)
        debug_[word(i + 1)] = d;
      else if (kernel_ != 0 && operand(d, 1) != 0)
        inlined_.push_back({kernel_, operand(d, 0), operand(d, 1)});
    } else if (code == kOpFunction && operands > 1) {
      kernel_ = kernels_.count(word(i + 1)) ? word(i + 1) : 0;
    }
  }

  // operand returns an operand, or 0 if the instruction is shorter.
  uint32_t operand(const Debug &d, size_t i) const {
    return d.begin + i < d.end ? word(d.begin + i) : 0;
  }

  std::string_view string(const Debug &d, size_t i) const {
    const auto found = strings_.find(operand(d, i));
    return found == strings_.end() ? std::string_view() : found->second;
  }

  uint32_t number(const Debug &d, size_t i) const {
    const auto found = constants_.find(operand(d, i));
    return found == constants_.end() ? 0 : found->second;
  }

  const Debug *find(uint32_t id) const {
    const auto found = debug_.find(id);
    return found == debug_.end() ? nullptr : &found->second;
  }

  // function_of returns the source function that contains a scope, or 0.
  uint32_t function_of(uint32_t scope) const {
    for (size_t depth = 0; depth < kMaxDepth; depth++) {
      const Debug *d = find(scope);
      if (!d) break;
      if (d->number == kFunction) return scope;
      scope = operand(*d, d->number == kDiscriminator ? 2 : 3);
    }
    return 0;
  }

  // is_kernel_object reports whether an instruction describes a variable that holds the object of a
  // kernel, if it is in a kernel. The variable has the name of the object's class, or the name
  // __SYCLKernel if the class is unnamed.
  bool is_kernel_object(const Debug &d) const {
    if (d.number != kVariable && d.number != kGlobalVariable) return false;
    const std::string_view name = string(d, 0);
    if (name == "__SYCLKernel") return true;
    bool constant = false;
    const Debug *type = resolved(operand(d, 1), constant);
    if (!type || type->number != kComposite) return false;
    const std::string_view type_name = string(*type, 0);
    return !name.empty() && type_name.substr(0, type_name.find('<')) == name;
  }

  // compiled returns the function of the module that a source function was compiled to, or 0.
  uint32_t compiled(uint32_t function) const {
    const auto found = definitions_.find(function);
    return found == definitions_.end() ? 0 : found->second;
  }

  // called_by_kernel returns the function that a kernel itself calls to run an instruction, or 0.
  uint32_t called_by_kernel(const Inlined &inlined) const {
    uint32_t scope = inlined.scope, at = inlined.at;
    for (size_t depth = 0; depth < kMaxDepth; depth++) {
      const Debug *call = find(at);
      if (!call || call->number != kInlinedAt) return 0;
      // The line comes first and, in NonSemantic.Shader.DebugInfo.200, the column.
      at = operand(*call, columns_ + 2);
      if (at == 0) return function_of(scope);
      scope = operand(*call, columns_ + 1);
    }
    return 0;
  }

  // resolved returns a type without typedefs and qualifiers.
  const Debug *resolved(uint32_t id, bool &constant) const {
    for (size_t depth = 0; depth < kMaxDepth; depth++) {
      const Debug *d = find(id);
      if (!d) break;
      if (d->number == kQualifier)
        constant = constant || number(*d, 1) == kConst, id = operand(*d, 0);
      else if (d->number == kTypedef)
        id = operand(*d, 1);
      else if (d->number == kTemplate)
        id = operand(*d, 0);
      else
        return d;
    }
    return nullptr;
  }

  // size_of returns the size of a class in bits, which the description of its base class lacks.
  uint32_t size_of(uint32_t type) const {
    bool constant = false;
    const Debug *d = resolved(type, constant);
    return d && d->number == kComposite ? number(*d, 7) : 0;
  }

  // has_lambdas reports whether a type is or contains an unnamed class.
  bool has_lambdas(uint32_t id) {
    const auto [found, is_new] = has_lambdas_.emplace(id, false);
    bool constant = false;
    const Debug *d = is_new ? resolved(id, constant) : nullptr;
    if (!d) return found->second;
    bool has = false;
    if (d->number == kArray) has = has_lambdas(operand(*d, 0));
    if (d->number == kComposite) has = string(*d, 0).empty();
    for (size_t i = kFirstMember; d->number == kComposite && d->begin + i < d->end && !has; i++) {
      const Debug *m = find(operand(*d, i));
      if (m && is_member(*m)) has = has_lambdas(type_of(*m));
    }
    return has_lambdas_[id] = has;
  }

  // is_member reports whether a part of a class is a member or a base that objects contain.
  bool is_member(const Debug &d) const {
    return d.number == kInheritance || (d.number == kMember && !(number(d, 7) & kStatic));
  }

  uint32_t type_of(const Debug &member) const {
    return operand(member, member.number == kInheritance ? 0 : 1);
  }

  // describe appends the description of a class that has lambdas.
  void describe(uint32_t id, size_t depth, std::string &out) {
    bool constant = false;
    const Debug *d = resolved(id, constant);
    if (!d || d->number != kComposite || depth > kMaxDepth || out.size() > kMaxText) return;
    out += std::to_string(number(*d, 7) / 8) + "{";
    const char *separator = "";
    for (size_t i = kFirstMember; d->begin + i < d->end; i++) {
      const Debug *m = find(operand(*d, i));
      if (!m || !is_member(*m)) continue;
      const bool base = m->number == kInheritance;
      const uint64_t offset = number(*m, base ? 1 : 5);
      out.append(separator).append(base ? "" : string(*m, 0)).append("@");
      out += std::to_string(offset / 8);
      describe_type(*m, offset % 8 + (base ? size_of(type_of(*m)) : number(*m, 6)), depth, out);
      separator = " ";
    }
    out += "}";
  }

  // describe_type appends the description of a member's type.
  void describe_type(const Debug &member, uint64_t bits, size_t depth, std::string &out) {
    bool constant = false;
    uint64_t count = 0;
    uint32_t id = type_of(member);
    const Debug *d = resolved(id, constant);
    for (size_t i = 0; d && d->number == kArray && i < kMaxDepth; i++) {
      if (count == 0) count = 1;
      for (size_t at = 1; d->begin + at < d->end; at++)
        count = uint32_t(count) * uint64_t(dimension(*d, at));
      id = operand(*d, 0);
      d = resolved(id, constant);
    }
    out += constant ? "c:" : ":";
    if (!has_lambdas(id)) {
      out += std::to_string((bits + 7) / 8);
      return;
    }
    if (count > 0) out += std::to_string(count) + "x";
    describe(id, depth + 1, out);
  }

  // dimension returns a dimension of an array.
  uint32_t dimension(const Debug &array, size_t at) const {
    const Debug *range = find(operand(array, at));  // in NonSemantic.Shader.DebugInfo.200
    return range && range->number == kSubrange ? number(*range, 2) : number(array, at);
  }

  const char *data_;
  size_t count_;
  uint32_t set_ = 0;
  bool columns_ = false;
  std::map<uint32_t, std::string_view> strings_;
  std::map<uint32_t, std::string_view> kernels_;  // by function
  std::map<uint32_t, uint32_t> constants_;
  std::map<uint32_t, uint32_t> definitions_;  // from a DebugFunction to its function
  std::map<uint32_t, Debug> debug_;
  std::vector<Inlined> inlined_;
  std::map<uint32_t, bool> has_lambdas_;
  uint32_t kernel_ = 0;  // the current function, if it is a kernel
};

// add adds the descriptions of the kernels in a SPIR-V module.
inline void add(Descriptions &descriptions, const char *module, size_t size) {
  Module(module, size).add(descriptions);
}

}  // namespace classes

#endif  // RULES_SYCL_DPCPP_CLASSES_HPP
