// Tests of classes.hpp with modules that contain all kinds of instructions that it reads.

#include "classes.hpp"

#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

int failures = 0;

void expect(const std::string &got, const std::string &want, const std::string &what) {
  if (got == want) return;
  failures++;
  std::fprintf(stderr, "FAIL: %s: got %s, want %s\n", what.c_str(), got.c_str(), want.c_str());
}

// Module writes a SPIR-V module. Most functions return the id of the added instruction.
class Module {
 public:
  using Ids = std::vector<uint32_t>;

  explicit Module(bool columns = true) : columns_(columns) {
    instruction(11, {kSet},
                columns ? "NonSemantic.Shader.DebugInfo.200" : "NonSemantic.Shader.DebugInfo.100");
  }

  void instruction(uint32_t code, Ids operands, const char *text = nullptr) {
    if (text) {
      Ids words(std::strlen(text) / 4 + 1);
      std::memcpy(words.data(), text, std::strlen(text));
      operands.insert(operands.end(), words.begin(), words.end());
    }
    words_.push_back(uint32_t(operands.size() + 1) << 16 | code);
    words_.insert(words_.end(), operands.begin(), operands.end());
  }

  uint32_t string(const char *text) {
    instruction(7, {++id_}, text);
    return id_;
  }

  uint32_t constant(uint32_t value) {
    instruction(43, {1, ++id_, value});
    return id_;
  }

  uint32_t debug(uint32_t number, Ids operands) {
    operands.insert(operands.begin(), {2, ++id_, kSet, number});
    const uint32_t id = id_;
    instruction(12, operands);
    return id;
  }

  uint32_t basic(uint32_t bits) { return debug(2, {string("number"), constant(bits), 0, 0}); }

  uint32_t member(const char *name, uint32_t type, uint32_t offset, uint32_t size,
                  uint32_t flags = 0) {
    return debug(11, {string(name), type, 0, 0, 0, constant(8 * offset), constant(8 * size),
                      constant(flags)});
  }

  uint32_t base(uint32_t type, uint32_t offset) {
    return debug(12, {type, constant(8 * offset), constant(0), constant(0)});
  }

  uint32_t composite(const char *name, uint32_t size, const Ids &members) {
    Ids operands = {string(name), constant(0),        0,          0, 0, 0,
                    string(""),   constant(8 * size), constant(0)};
    operands.insert(operands.end(), members.begin(), members.end());
    return debug(10, operands);
  }

  uint32_t array(uint32_t type, uint32_t count) {
    return debug(5, {type, columns_ ? debug(201, {0, 0, constant(count)}) : constant(count)});
  }

  uint32_t function(const char *name, uint32_t parent) {
    return debug(20, {string(name), 0, 0, 0, 0, parent, string(""), 0, 0});
  }

  // kernel adds an entry point, and a function with its description.
  uint32_t kernel(const char *name) {
    const uint32_t function = ++id_;
    instruction(15, {6, function}, name);
    const uint32_t description = this->function(name, 0);
    debug(101, {description, function});
    functions_.push_back(function);
    return description;
  }

  // variable adds the variable that DPC++ declares in kernels.
  void variable(uint32_t kernel, uint32_t type) {
    const uint32_t block = debug(22, {0, 0, debug(21, {0, 0, 0, kernel})});
    debug(26, {string("__SYCLKernel"), type, 0, 0, 0, block, 0});
  }

  // inlined starts the code of the last kernel, with an instruction of a function that is inlined
  // into a function.
  void inlined(uint32_t kernel, uint32_t inner, uint32_t outer) {
    const uint32_t at = columns_ ? debug(25, {0, 0, kernel}) : debug(25, {0, kernel});
    const uint32_t in = columns_ ? debug(25, {0, 0, outer, at}) : debug(25, {0, outer, at});
    instruction(54, {1, functions_.back(), 0, 3});
    debug(23, {inner, in});
  }

  // descriptions returns the lines that classes.hpp generates.
  std::string descriptions(size_t size = ~size_t(0)) const {
    classes::Descriptions descriptions;
    const std::string bytes(reinterpret_cast<const char *>(words_.data()),
                            4 * std::min(size, words_.size()));
    classes::add(descriptions, bytes.data(), bytes.size());
    std::string out;
    for (const auto &[kernel, text] : descriptions) out += kernel + ": " + text + "\n";
    return out;
  }

  Ids &words() { return words_; }

 private:
  static constexpr uint32_t kSet = 3;
  const bool columns_;
  uint32_t id_ = 10;
  Ids words_ = {0x07230203, 0x10000, 0, 1000, 0};
  Ids functions_;
};

// everything returns a module whose kernel has all kinds of members.
Module everything(bool columns) {
  Module m(columns);
  const uint32_t number = m.basic(32);
  const uint32_t constant = m.debug(4, {number, m.constant(0)});
  const uint32_t unsteady = m.debug(4, {number, m.constant(1)});
  const uint32_t pack = m.member("v", number, 4, 4);
  const uint32_t captured = m.composite(
      "", 16, {m.member("step", constant, 0, 4), pack, pack, m.member("w", unsteady, 12, 4)});
  const uint32_t plain = m.composite("Plain", 8, {m.member("x", number, 0, 4)});
  const uint32_t holder =
      m.composite("Holder", 24,
                  {m.base(plain, 0), m.base(captured, 8), m.member("shared", captured, 0, 0, 0x200),
                   m.function("f", 0)});
  const uint32_t alias = m.debug(7, {m.string("Alias"), m.debug(14, {holder, 0}), 0, 0, 0, 0});
  const uint32_t kernel = m.kernel("K");
  const uint32_t bits = m.debug(11, {m.string("bits"), number, 0, 0, 0, m.constant(8 * 141 + 5),
                                     m.constant(7), m.constant(0)});
  m.variable(kernel, m.composite("", 144,
                                 {m.member("h", alias, 0, 24),
                                  m.member("list", m.array(m.array(captured, 3), 2), 24, 96),
                                  m.member("p", plain, 120, 8), m.member("n", constant, 128, 4),
                                  m.member("a", m.array(constant, 2), 132, 8), bits}));
  return m;
}

void test_members() {
  const std::string captured = "16{step@0c:4 v@4:4 v@4:4 w@12:4}";
  for (const bool columns : {true, false})
    expect(everything(columns).descriptions(),
           "K: 144{h@0:24{@0:8 @8:" + captured + "} list@24:6x" + captured +
               " p@120:8 n@128c:4 a@132c:8 bits@141:2}\n",
           "members");
}

// A kernel whose variable was optimized away is found by the function that it calls.
void test_inlined() {
  for (const bool columns : {true, false}) {
    Module m(columns);
    const uint32_t lambda = m.composite("", 8, {m.member("p", m.basic(64), 0, 8)});
    const uint32_t other = m.composite("", 4, {});
    const uint32_t kernel = m.kernel("K");
    m.inlined(kernel, m.function("operator()", other), m.function("operator()", lambda));
    expect(m.descriptions(), "K: 8{p@0:8}\n", "inlined");
  }
}

void test_nothing() {
  Module m;
  m.variable(m.kernel("Class"), m.composite("Class", 8, {m.member("x", m.basic(64), 0, 8)}));
  m.kernel("Unknown");
  expect(m.descriptions(), "", "classes without lambdas");
}

// Classes that contain themselves, or are in many other classes, do not take long.
void test_deep() {
  Module m;
  uint32_t type = m.composite("", 1, {});
  for (unsigned i = 0; i < 100; i++)
    type = m.composite("Pair", 2, {m.member("a", type, 0, 1), m.member("b", type, 1, 1)});
  m.variable(m.kernel("K"), type);
  expect(m.descriptions(), "", "deep");

  Module self;
  const uint32_t next = self.string("C") + 11;  // of the composite
  self.variable(self.kernel("K"), self.composite("", 8, {self.member("c", next, 0, 8)}));
  self.descriptions();
}

void test_damaged() {
  Module m = everything(true);
  for (size_t size = 0; size < m.words().size(); size++) m.descriptions(size);
  for (uint32_t &word : m.words()) {
    const uint32_t before = word;
    for (const uint32_t value : {0u, before + 1, before - 1, before ^ 0x10000, ~0u}) {
      word = value;
      m.descriptions();
    }
    word = before;
  }
}

}  // namespace

int main() {
  test_members();
  test_inlined();
  test_nothing();
  test_deep();
  test_damaged();
  return failures != 0;
}
