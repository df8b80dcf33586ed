// Tests of bitcode.hpp with streams that contain all kinds of records.

#include "bitcode.hpp"

#include <cstdio>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

int failures = 0;

void expect(bool held, const std::string &what) {
  if (held) return;
  failures++;
  std::fprintf(stderr, "FAIL: %s\n", what.c_str());
}

using Bytes = std::vector<unsigned char>;

// Writer writes a stream, bit by bit.
class Writer {
 public:
  void fixed(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++, at_++) {
      if (at_ % 8 == 0) out_.push_back(0);
      out_.back() |= (value >> i & 1) << at_ % 8;
    }
  }

  void variable(uint64_t value, unsigned width) {
    const uint64_t more = uint64_t(1) << (width - 1);
    for (; value >= more; value >>= width - 1) fixed((value & (more - 1)) | more, width);
    fixed(value, width);
  }

  void align() {
    while (at_ % 32 != 0) fixed(0, 1);
  }

  void enter(unsigned width, unsigned id, unsigned inner) {
    fixed(1, width);
    variable(id, 8);
    variable(inner, 4);
    align();
    starts_.push_back(out_.size());
    fixed(0, 32);
  }

  void leave(unsigned width) {
    fixed(0, width);
    align();
    const size_t start = starts_.back();
    starts_.pop_back();
    const size_t words = (out_.size() - start - 4) / 4;
    for (unsigned i = 0; i < 4; i++) out_[start + i] = words >> 8 * i & 255;
  }

  void record(unsigned width, uint64_t code, const std::vector<uint64_t> &operands) {
    fixed(3, width);
    variable(code, 6);
    variable(operands.size(), 6);
    for (uint64_t o : operands) variable(o, 6);
  }

  // abbreviation defines an abbreviation. Each operand has an encoding, or 0 for a literal, and a
  // value.
  void abbreviation(unsigned width, const std::vector<std::pair<unsigned, uint64_t>> &operands) {
    fixed(2, width);
    variable(operands.size(), 5);
    for (auto [encoding, value] : operands) {
      fixed(encoding == 0, 1);
      if (encoding == 0) {
        variable(value, 8);
        continue;
      }
      fixed(encoding, 3);
      if (encoding <= 2) variable(value, 5);
    }
  }

  uint64_t at() const { return at_; }
  const Bytes &bytes() const { return out_; }

 private:
  Bytes out_;
  uint64_t at_ = 0;
  std::vector<size_t> starts_;
};

uint64_t variable_at(const Bytes &bytes, uint64_t &at) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 5) {
    uint64_t chunk = 0;
    for (unsigned i = 0; i < 6; i++, at++) chunk |= uint64_t(bytes[at / 8] >> at % 8 & 1) << i;
    value |= (chunk & 31) << shift;
    if (!(chunk & 32)) return value;
  }
}

struct Module {
  Bytes bytes;
  uint64_t start;  // bit offset of the record's operand count
  uint64_t end;    // bit offset of its end
};

// module writes a module with a metadata record after all other constructs that a stream can
// contain.
Module module(uint64_t code, const std::vector<uint64_t> &operands) {
  Writer w;
  w.fixed(0xdec04342, 32);
  w.enter(2, 13, 5);  // a block that is skipped
  w.record(5, 20, std::vector<uint64_t>(24));
  w.leave(5);
  w.enter(2, 8, 3);
  w.enter(3, 0, 2);
  w.record(2, 1, {15});
  w.abbreviation(2, {{0, 35}, {3, 0}, {1, 7}});  // the metadata's abbreviation 4
  w.leave(2);
  w.abbreviation(3, {{0, 16}, {3, 0}, {4, 0}});         // array of char6
  w.abbreviation(3, {{1, 4}, {2, 6}, {0, 9}, {5, 0}});  // blob
  w.fixed(4, 3);
  w.variable(3, 6);
  for (unsigned c : {1u, 2u, 3u}) w.fixed(c, 6);
  w.fixed(5, 3);
  w.fixed(7, 4);
  w.variable(1000, 6);
  w.variable(5, 6);
  w.align();
  for (unsigned i = 0; i < 5; i++) w.fixed(0xff, 8);
  w.align();
  w.record(3, 20, std::vector<uint64_t>(24));  // not a metadata record
  w.enter(3, 12, 4);                           // a function, which is skipped
  w.record(4, 20, std::vector<uint64_t>(24));
  w.leave(4);
  w.enter(3, 15, 4);
  w.abbreviation(4, {{0, 7}, {1, 1}, {2, 6}});  // 5
  w.fixed(4, 4);
  w.variable(2, 6);
  w.fixed(100, 7);
  w.fixed(3, 7);
  w.fixed(5, 4);
  w.fixed(1, 1);
  w.variable(77, 6);
  w.fixed(3, 4);
  w.variable(code, 6);
  const uint64_t start = w.at();
  w.variable(operands.size(), 6);
  for (uint64_t o : operands) w.variable(o, 6);
  const uint64_t end = w.at();
  w.record(4, 21, {1, 2, 3});
  w.leave(4);
  w.leave(3);
  w.enter(2, 23, 3);
  w.leave(3);
  return {w.bytes(), start, end};
}

constexpr uint64_t kBasicType = 15, kCompileUnit = 20, kFile = 16;

// operands returns some operands, followed by the given ones.
std::vector<uint64_t> operands(size_t some, std::vector<uint64_t> then) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < some; i++) out.push_back(i * 7);
  out.insert(out.end(), then.begin(), then.end());
  return out;
}

Bytes changed(Bytes bytes) {
  bitcode::for_other_releases(bytes.data(), bytes.size());
  return bytes;
}

unsigned differing_bits(const Bytes &a, const Bytes &b) {
  unsigned bits = 0;
  for (size_t i = 0; i < a.size(); i++)
    for (unsigned d = a[i] ^ b[i]; d; d &= d - 1) bits++;
  return bits;
}

void test_shortens(const std::string &name, uint64_t code, size_t keep,
                   const std::vector<uint64_t> &all, unsigned bits) {
  const Module m = module(code, all);
  const Bytes got = changed(m.bytes);
  uint64_t at = m.start;
  expect(variable_at(got, at) == keep, name + ": wrong operand count");
  for (size_t i = 0; i < keep; i++)
    expect(variable_at(got, at) == all[i], name + ": operand " + std::to_string(i) + " is another");
  expect(at == m.end, name + ": the record has a different end");
  expect(differing_bits(got, m.bytes) == bits, name + ": other bits are changed");
  expect(changed(got) == got, name + ": a second run changes something");
}

void test_shortens() {
  // The count changes from 24 to 23, which differs in four bits, or from 12 to 9, in two. Each
  // removed operand adds one chunk.
  for (uint64_t last : {0, 5, 31, 32, 5000}) {
    const std::string before = " with " + std::to_string(last);
    test_shortens("compile unit" + before, kCompileUnit, 23, operands(22, {last, 0}), 4 + 1);
    test_shortens("basic type" + before, kBasicType, 9, operands(8, {last, 0, 0, 0}), 2 + 3);
  }
}

void test_keeps() {
  for (const auto &[name, code, all] : {
           std::tuple("a dialect", kCompileUnit, operands(23, {1})),
           std::tuple("LLVM 22's compile unit", kCompileUnit, operands(22, {0})),
           std::tuple("LLVM 22's basic type", kBasicType, operands(8, {0})),
           std::tuple("a basic type in a file", kBasicType, operands(9, {1, 0, 0})),
           std::tuple("a basic type in a scope", kBasicType, operands(9, {0, 0, 40})),
           std::tuple("a file", kFile, operands(23, {0})),
           std::tuple("a record with a long count", kCompileUnit,
                      operands(23, std::vector<uint64_t>(10))),
       }) {
    const Bytes bytes = module(code, all).bytes;
    expect(changed(bytes) == bytes, std::string(name) + " is changed");
  }
}

// In LLVM 23's list of function numbers only the code changes. Similar records do not change.
void test_numbers_of_functions() {
  for (const auto &[name, block, abbreviation, changes] : {
           std::tuple("the list", 8u,
                      std::vector<std::pair<unsigned, uint64_t>>{{0, 20}, {3, 0}, {1, 32}}, 2u),
           std::tuple("a list of another block", 15u,
                      std::vector<std::pair<unsigned, uint64_t>>{{0, 20}, {3, 0}, {1, 32}}, 0u),
           std::tuple("a list of characters", 8u,
                      std::vector<std::pair<unsigned, uint64_t>>{{0, 20}, {3, 0}, {1, 8}}, 0u),
           std::tuple("another code", 8u,
                      std::vector<std::pair<unsigned, uint64_t>>{{0, 16}, {3, 0}, {1, 32}}, 0u),
       }) {
    Writer w;
    w.fixed(0xdec04342, 32);
    w.enter(2, 8, 3);
    if (block != 8) w.enter(3, block, 3);
    w.abbreviation(3, abbreviation);
    w.fixed(4, 3);
    w.variable(2, 6);
    w.fixed(20, abbreviation[2].second);
    w.fixed(7, abbreviation[2].second);
    if (block != 8) w.leave(3);
    w.leave(3);
    const Bytes got = changed(w.bytes());
    expect(differing_bits(got, w.bytes()) == changes,
           std::string(name) + ": other bits are changed");
    expect(changed(got) == got, std::string(name) + ": a second run changes something");
  }
}

// Truncated and damaged bitcode is not read beyond its end, and the reader terminates.
void test_damaged() {
  const Bytes bytes = module(kCompileUnit, operands(22, {0, 0})).bytes;
  for (size_t size = 0; size < bytes.size(); size++)
    changed(Bytes(bytes.begin(), bytes.begin() + size));
  for (size_t i = 0; i < bytes.size() * 8; i++) {
    Bytes damaged = bytes;
    damaged[i / 8] ^= 1 << i % 8;
    changed(damaged);
  }
}

// Nested blocks do not overflow the stack, and blocks after abbreviations do not copy the
// abbreviations.
void test_many() {
  Writer deep;
  deep.fixed(0xdec04342, 32);
  deep.enter(2, 8, 2);
  for (unsigned i = 0; i < 1000000; i++) deep.enter(2, i % 2 ? 8 : 0, 2);
  changed(deep.bytes());

  Writer flat;
  flat.fixed(0xdec04342, 32);
  flat.enter(2, 8, 3);
  flat.enter(3, 0, 2);
  flat.record(2, 1, {15});
  for (unsigned i = 0; i < 200000; i++) flat.abbreviation(2, {{3, 0}, {4, 0}});
  flat.leave(2);
  for (unsigned i = 0; i < 200000; i++) {
    flat.enter(3, 15, 3);
    flat.leave(3);
  }
  changed(flat.bytes());
}

}  // namespace

int main() {
  test_shortens();
  test_keeps();
  test_numbers_of_functions();
  test_damaged();
  test_many();
  return failures != 0;
}
