// Ends a program that loads two kernels of one name and different code: libsycl would run one for
// both. The linker finds those of one program or library; this finds those of several, when they
// are loaded. It includes no header of the system that defines macros.

#pragma once
#pragma GCC system_header

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace rules_sycl {
namespace clash {

// A kernel, as package hostwrap writes it: hashes, and the offset of its text from the member.
struct Record {
  unsigned long name, place, code;
  long shown;

  const char *text() const { return reinterpret_cast<const char *>(&shown) + shown; }
};

// Elf64_Phdr and the begin of dl_phdr_info.
struct Segment {
  unsigned type, flags;
  unsigned long offset, address, physical, file_size, size, alignment;
};
struct Module {
  unsigned long base;
  const char *file;
  const Segment *segments;
  unsigned short count;

  const char *shown() const { return file && *file ? file : "the program"; }
};
extern "C" int rules_sycl_each_module(int (*)(Module *, unsigned long, void *),
                                      void *) __asm__("dl_iterate_phdr");

// Calls a function with each range of records of a module.
template <class Function>
void each_range(const Module &m, Function function) {
  struct Note {
    unsigned name_size, size, type;
    char name[12];
    long begin;
    unsigned long bytes;
  } __attribute__((packed));
  for (const Segment *s = m.segments; s != m.segments + m.count; s++) {
    if (s->type != 4) continue;  // PT_NOTE
    const unsigned long alignment = s->alignment == 8 ? 8 : 4;
    auto round = [&](unsigned long n) { return (n + alignment - 1) & ~(alignment - 1); };
    const char *at = reinterpret_cast<const char *>(m.base + s->address);
    for (unsigned long left = s->size; left >= 12;) {
      auto *note = reinterpret_cast<const Note *>(at);
      const unsigned long all = round(round(12 + note->name_size) + note->size);
      if (all > left) break;
      if (all == sizeof(Note) && !std::memcmp(note->name, "rules_sycl", 11)) {
        auto *first = reinterpret_cast<const Record *>(at + 24 + note->begin);
        function(first, first + note->bytes / sizeof(Record));
      }
      at += all;
      left -= all;
    }
  }
}

// The kernels by their names.
struct Table {
  struct Row {
    const Record *record;
    const Module *module;
  };
  Row *rows;
  unsigned long size;

  // Adds a kernel; returns one of the same name and other code, or null.
  const Row *add(const Record &record, const Module &module) {
    unsigned long i = record.name % size;
    for (; rows[i].record; i = (i + 1) % size) {
      const Record &r = *rows[i].record;
      if (r.name != record.name) continue;
      return r.place == record.place || (r.code && r.code == record.code) ? nullptr : rows + i;
    }
    rows[i] = {&record, &module};
    return nullptr;
  }
};

__attribute__((visibility("hidden"), cold, noinline)) inline void check() {
  struct Loaded {
    Module modules[256];  // with kernels
    unsigned long count = 0, records = 0;
  };
  auto *loaded = new (std::nothrow) Loaded;
  if (!loaded) return;
  rules_sycl_each_module(
      [](Module *m, unsigned long, void *to) {
        auto *loaded = static_cast<Loaded *>(to);
        unsigned long records = 0;
        each_range(*m, [&](const Record *first, const Record *end) { records += end - first; });
        if (!records || loaded->count == 256) return 0;
        loaded->modules[loaded->count++] = *m;
        loaded->records += records;
        return 0;
      },
      loaded);
  Table table{nullptr, 2 * loaded->records + 1};
  if (loaded->count > 1)
    table.rows = static_cast<Table::Row *>(std::calloc(table.size, sizeof(Table::Row)));
  for (unsigned long i = 0; table.rows && i < loaded->count; i++) {
    const Module &m = loaded->modules[i];
    each_range(m, [&](const Record *first, const Record *end) {
      for (; first != end; first++) {
        const Table::Row *other = table.add(*first, m);
        if (!other || other->module == &m) continue;
        std::fprintf(stderr,
                     "rules_sycl: %s and %s have different kernels with the same name, and the "
                     "runtime would run one for both: %s and %s; rename one of them, for example "
                     "with a namespace\n",
                     other->module->shown(), m.shown(), other->record->text(), first->text());
        std::_Exit(1);
      }
    });
  }
  std::free(table.rows);
  delete loaded;
}

__attribute__((visibility("hidden"))) inline bool checked = false;  // once in a library

// Before ordinary constructors, which may submit kernels.
__attribute__((constructor(101), used)) static void check_once() {
  if (checked) return;
  checked = true;
  check();
}

}  // namespace clash
}  // namespace rules_sycl
