// Terminates a program that loads different kernels with the same name, because libsycl would run
// only one of them. The linker detects such kernels in one program or library. This header detects
// them across libraries, at load time. It includes no system header that defines macros.

#pragma once
#pragma GCC system_header

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rules_sycl {
namespace clash {

// A kernel, as package hostwrap writes it: hashes, and the offset of its text from the member.
struct Record {
  unsigned long name, symbol, place, code;
  long shown;

  const char *text() const { return reinterpret_cast<const char *>(&shown) + shown; }
};

// Elf64_Phdr and the start of dl_phdr_info.
struct Segment {
  unsigned type, flags;
  unsigned long offset, address, physical, file_size, size, alignment;
};
struct Module {
  unsigned long base;
  const char *file;
  const Segment *segments;
  unsigned short count;
};
extern "C" int rules_sycl_each_module(int (*)(Module *, unsigned long, void *),
                                      void *) __asm__("dl_iterate_phdr");

struct Note {
  unsigned name_size, size, type;
  char name[12];
  long begin;
  unsigned long bytes;
} __attribute__((packed));

// A search visits the records of all modules.
struct Search {
  struct Row {
    const Record *record;
    const char *file;
  };
  void (*found)(Search &, const Record *, const char *file);
  unsigned long records, modules;
  Row *rows;  // for check
  unsigned long size;
  unsigned long symbol;  // for same_code
  const Record *kernel;
  bool differs;

  void run(void (*function)(Search &, const Record *, const char *file)) {
    found = function;
    records = modules = 0;
    rules_sycl_each_module(visit, this);
  }

  static int visit(Module *, unsigned long, void *search);
};

__attribute__((visibility("hidden"), cold, noinline)) inline void count(Search &, const Record *,
                                                                        const char *) {}

// Adds a kernel to the table. Ends the program if the table has a kernel of another module with the
// same name and different code.
__attribute__((visibility("hidden"), cold, noinline)) inline void add(Search &all, const Record *r,
                                                                      const char *file) {
  // Half of the rows stay empty, even if a thread loads a library after the count.
  if (all.records > all.size / 2) return;
  unsigned long i = r->name % all.size;
  for (; all.rows[i].record; i = (i + 1) % all.size) {
    const Search::Row &other = all.rows[i];
    if (other.record->name != r->name) continue;
    if (other.file == file || other.record->place == r->place ||
        (r->code && r->code == other.record->code))
      return;
    std::fprintf(stderr,
                 "rules_sycl: %s and %s have different kernels with the same name, and the runtime "
                 "would run only one of them: %s and %s; rename one, for example with a "
                 "namespace\n",
                 *other.file ? other.file : "the program", *file ? file : "the program",
                 other.record->text(), r->text());
    std::_Exit(1);
  }
  all.rows[i] = {r, file};
}

// Visits the records of a module.
__attribute__((visibility("hidden"), cold, noinline)) inline int Search::visit(Module *m,
                                                                               unsigned long,
                                                                               void *search) {
  Search &all = *static_cast<Search *>(search);
  const unsigned long before = all.records;
  for (const Segment *s = m->segments; s != m->segments + m->count; s++) {
    if (s->type != 4) continue;  // PT_NOTE
    const unsigned long mask = s->alignment == 8 ? 7 : 3;
    const char *at = reinterpret_cast<const char *>(m->base + s->address);
    for (unsigned long left = s->size; left >= 12;) {
      auto *note = reinterpret_cast<const Note *>(at);
      const unsigned long bytes =
          (((12 + note->name_size + mask) & ~mask) + note->size + mask) & ~mask;
      if (bytes > left) break;
      if (bytes == sizeof(Note) && !std::memcmp(note->name, "rules_sycl", 11)) {
        auto *r = reinterpret_cast<const Record *>(at + 24 + note->begin);
        for (auto *end = r + note->bytes / sizeof(Record); r != end; r++) {
          all.records++;
          all.found(all, r, m->file ? m->file : "");
        }
      }
      at += bytes;
      left -= bytes;
    }
  }
  all.modules += all.records != before;
  return 0;
}

__attribute__((visibility("hidden"), cold, noinline)) inline void check() {
  Search all{};
  all.run(count);
  if (all.modules < 2) return;
  all.size = 2 * all.records;
  all.rows = static_cast<Search::Row *>(std::calloc(all.size, sizeof(Search::Row)));
  if (all.rows) all.run(add);
  std::free(all.rows);
}

__attribute__((visibility("hidden"), cold, noinline)) inline void find_symbol(Search &all,
                                                                              const Record *r,
                                                                              const char *) {
  if (!all.kernel && r->symbol == all.symbol) all.kernel = r;
}

__attribute__((visibility("hidden"), cold, noinline)) inline void compare_code(Search &all,
                                                                               const Record *r,
                                                                               const char *) {
  if (r->name == all.kernel->name || r->symbol == all.symbol)
    all.differs |= r->code != all.kernel->code;
}

// Reports whether all kernels with the name of a kernel have the same code, so that the runtime can
// run any of them. `symbol` is a hash of the kernel's name in device code.
__attribute__((visibility("hidden"), cold, noinline)) inline bool same_code(unsigned long symbol) {
  Search all{};
  all.symbol = symbol;
  all.run(find_symbol);
  if (!all.kernel || !all.kernel->code) return false;
  all.run(compare_code);
  return !all.differs;
}

__attribute__((visibility("hidden"))) inline bool checked = false;  // once per library

// Runs before ordinary constructors, which may submit kernels.
__attribute__((constructor(101), used)) static void check_once() {
  if (checked) return;
  checked = true;
  check();
}

}  // namespace clash
}  // namespace rules_sycl
