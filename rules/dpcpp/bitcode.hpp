// bitcode.hpp makes bitcode of one LLVM release readable for others.
//
// In the bitcode that DPC++ 2026.2 writes for ordinary sources, LLVM 22 rejects two debug
// information records that have more operands since LLVM 23. The additional operands are 0.
//
// LLVM 23.1 writes a list of numbers by which the linker identifies functions to each module. Its
// record has the code that DPC++ 2026.2 uses for module assembly, so DPC++ rejects the module.
// DPC++ skips records with the code 0, and does not need the list.
//
// https://llvm.org/docs/BitCodeFormat.html describes the format.

#ifndef RULES_SYCL_DPCPP_BITCODE_HPP
#define RULES_SYCL_DPCPP_BITCODE_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace bitcode {

// Malformed is thrown for a bitstream that is not well formed.
struct Malformed {};

// Walk goes through a module's blocks and records, down to the module's metadata.
class Walk {
 public:
  Walk(unsigned char *data, size_t size) : data_(data), bits_(uint64_t(size) * 8) {}

  // module drops operands that LLVM 22 does not support if they are 0, and sets the code of the
  // list that DPC++ does not support to 0.
  void module() {
    if (fixed(32) != 0xdec04342) throw Malformed();  // "BC", 0xc0de
    while (at_ < bits_) {
      if (fixed(2) != kEnterBlock) throw Malformed();
      block(kNoBlock);
    }
  }

 private:
  // Ids of abbreviations, blocks and records.
  enum : uint64_t { kEndBlock = 0, kEnterBlock = 1, kDefineAbbreviation = 2, kUnabbreviated = 3 };
  enum : uint64_t {
    kBlockInfo = 0,
    kModuleBlock = 8,
    kMetadataBlock = 15,
    kNoBlock = ~uint64_t(0)
  };
  enum : uint64_t { kSetBlockId = 1, kBasicType = 15, kCompileUnit = 20, kNumbersOfFunctions = 20 };

  // The maximum number of operands in LLVM 22, or 0 if LLVM 23 added none.
  static uint64_t most(uint64_t code) {
    return code == kBasicType ? 9 : code == kCompileUnit ? 23 : 0;
  }

  // An operand of an abbreviation: its encoding, and the value of a literal or the width.
  enum Encoding {
    kLiteral = 0,
    kFixedWidth = 1,
    kVariableWidth = 2,
    kArray = 3,
    kChar6 = 4,
    kBlob = 5
  };
  struct Operand {
    Encoding encoding;
    uint64_t value;
  };
  using Abbreviation = std::vector<Operand>;

  uint64_t fixed(unsigned width) {
    if (width > 64 || bits_ - at_ < width) throw Malformed();
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++, at_++)
      value |= uint64_t(data_[at_ / 8] >> at_ % 8 & 1) << i;
    return value;
  }

  uint64_t variable(unsigned width) {
    if (width < 2 || width > 32) throw Malformed();
    const uint64_t more = uint64_t(1) << (width - 1);
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += width - 1) {
      const uint64_t chunk = fixed(width);
      if (shift < 64) value |= (chunk & (more - 1)) << shift;
      if (!(chunk & more)) return value;
    }
  }

  void align() {
    at_ = (at_ + 31) / 32 * 32;
    if (at_ > bits_) throw Malformed();
  }

  void skip(uint64_t count) {
    if (count > bits_ - at_) throw Malformed();
    at_ += count;
  }

  // block reads a block after the id of its ENTER_SUBBLOCK.
  void block(uint64_t parent) {
    const uint64_t id = variable(8), width = variable(4);
    align();
    const uint64_t words = fixed(32);
    // Blocks are read at most two levels deep.
    const bool of_interest =
        parent == kNoBlock ? id == kModuleBlock
                           : parent == kModuleBlock && (id == kBlockInfo || id == kMetadataBlock);
    if (!of_interest) return skip(words * 32);
    if (width < 2 || width > 32) throw Malformed();
    records(id, unsigned(width));
    align();
  }

  // records reads a block up to its end.
  void records(uint64_t id, unsigned width) {
    const std::vector<Abbreviation> &known = known_[id];
    std::vector<Abbreviation> own;
    uint64_t described = kNoBlock;  // the block that a BLOCKINFO currently describes
    for (;;) {
      const uint64_t what = fixed(width);
      switch (what) {
        case kEndBlock:
          return;
        case kEnterBlock:
          block(id);
          break;
        case kDefineAbbreviation:
          (id == kBlockInfo ? known_[described] : own).push_back(abbreviation(id));
          break;
        case kUnabbreviated:
          record(id, described);
          break;
        default:
          if (what - 4 >= known.size() + own.size()) throw Malformed();
          abbreviated(what - 4 < known.size() ? known[what - 4] : own[what - 4 - known.size()]);
      }
    }
  }

  Abbreviation abbreviation(uint64_t block) {
    Abbreviation out;
    const uint64_t code = at_ + 5 + 1;  // the count, and the bit that marks a literal
    for (uint64_t count = variable(5); count > 0; count--) {
      if (fixed(1)) {
        out.push_back({kLiteral, variable(8)});
        continue;
      }
      const auto encoding = Encoding(fixed(3));
      if (encoding < kFixedWidth || encoding > kBlob) throw Malformed();
      out.push_back({encoding, encoding <= kVariableWidth ? variable(5) : 0});
    }
    if (block == kModuleBlock && out.size() == 3 && out[0].encoding == kLiteral &&
        out[0].value == kNumbersOfFunctions && out[1].encoding == kArray &&
        out[2].encoding == kFixedWidth && out[2].value == 32)
      put(code, 0);
    return out;
  }

  void operand(const Operand &o) {
    if (o.encoding == kFixedWidth) fixed(unsigned(o.value));
    if (o.encoding == kVariableWidth && o.value != 0) variable(unsigned(o.value));
    if (o.encoding == kChar6) fixed(6);
  }

  // abbreviated skips a record.
  void abbreviated(const Abbreviation &a) {
    for (size_t i = 0; i < a.size(); i++) {
      if (a[i].encoding == kArray) {
        if (i + 2 != a.size()) throw Malformed();
        for (uint64_t count = variable(6); count > 0; count--) {
          const uint64_t before = at_;
          operand(a[i + 1]);
          if (at_ == before) break;  // elements without bits: their count is not limited
        }
        return;
      }
      if (a[i].encoding == kBlob) {
        const uint64_t bytes = variable(6);
        align();
        if (bytes > bits_ / 8) throw Malformed();
        skip(bytes * 8);
        align();
        continue;
      }
      operand(a[i]);
    }
  }

  // record reads a record, and shortens compile unit and basic type records.
  void record(uint64_t block, uint64_t &described) {
    const uint64_t code = variable(6), start = at_, count = variable(6);
    const uint64_t keep = block == kMetadataBlock ? most(code) : 0;
    bool fits = keep != 0 && keep < count && at_ - start == 6;
    uint64_t kept = at_;  // end of the kept operands
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t before = at_, value = variable(6);
      if (block == kBlockInfo && code == kSetBlockId && i == 0) described = value;
      if (i < keep) kept = at_;
      if (i >= keep && (value != 0 || at_ - before != 6)) fits = false;
    }
    if (!fits) return;
    // Bits must not move, because the file contains offsets. The last operand that is kept
    // absorbs the others as additional chunks of zeros.
    put(start, unsigned(keep));
    for (uint64_t i = kept; i < at_; i += 6) data_[(i - 1) / 8] |= 1 << (i - 1) % 8;
  }

  // put writes a chunk of six bits.
  void put(uint64_t where, unsigned value) {
    for (unsigned i = 0; i < 6; i++, where++)
      data_[where / 8] = (data_[where / 8] & ~(1 << where % 8)) | (value >> i & 1) << where % 8;
  }

  unsigned char *data_;
  uint64_t bits_, at_ = 0;
  std::map<uint64_t, std::vector<Abbreviation>> known_;  // abbreviations of BLOCKINFO, by block
};

// for_other_releases changes a module in place so that LLVM 22 and DPC++ also read it. Data
// that is not a module is unchanged.
inline void for_other_releases(unsigned char *data, size_t size) {
  try {
    Walk(data, size).module();
  } catch (const Malformed &) {
  }
}

}  // namespace bitcode

#endif
