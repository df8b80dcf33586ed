#include "syclbin.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The layouts are in the documentation of the Go packages sycl/syclbin,
 * sycl/offload and sycl/propset. All numbers are little endian. */
enum {
  kHeader = 56,    /* version 1: of the file */
  kPart = 32,      /* version 1: of an abstract module or an image */
  kContainer = 32, /* header of a container of version 1 or 2 */
  kEntry = 40,     /* of a container */
  kBitCount = 8,   /* before the bytes of a property */
  kSteppings = 14  /* bits of an IP version that distinguish revisions of one GPU */
};

#define KERNEL_PREFIX "__sycl_kernel_"

static uint32_t u32(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64(const unsigned char *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

static bool within(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

static syclbin_status fail(syclbin_error *error, syclbin_status status, uint64_t offset,
                           const char *format, ...) {
  if (error) {
    va_list args;
    va_start(args, format);
    error->status = status;
    error->offset = offset;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    /* Names in it come from the file. */
    for (char *c = error->message; *c; c++)
      if (*c < ' ' || *c > '~') *c = '?';
  }
  return status;
}

/* -- texts -- */

static bool is(syclbin_text text, const char *want) {
  return text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
}

static bool starts(const void *data, uint64_t size, const char *prefix) {
  return size >= strlen(prefix) && memcmp(data, prefix, strlen(prefix)) == 0;
}

static bool has(syclbin_text text, char c) {
  return text.size > 0 && memchr(text.data, c, text.size);
}

static syclbin_text text_at(const syclbin_file *f, uint64_t offset, uint64_t size) {
  syclbin_text t = {(const char *)f->data + offset, (size_t)size};
  return t;
}

/* Splits text at the first c, which it must contain. */
static syclbin_text cut(syclbin_text *rest, char c) {
  const char *at = memchr(rest->data, c, rest->size);
  syclbin_text first = {rest->data, (size_t)(at - rest->data)};
  rest->data = at + 1;
  rest->size -= first.size + 1;
  return first;
}

size_t syclbin_copy(syclbin_text text, char *to, size_t size) {
  if (size > 0) {
    size_t n = text.size < size ? text.size : size - 1;
    if (n > 0) memcpy(to, text.data, n);
    to[n] = 0;
  }
  return text.size + 1;
}

/* -- property sets: lines "[set]" and "key=1|number" or "key=2|bytes" -- */

/* Returns the six bits of a character, or 64 if it is not in the alphabet. */
static unsigned digit(char c) {
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a') + 26;
  if (c >= '0' && c <= '9') return (unsigned)(c - '0') + 52;
  return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Returns the number of bytes that this many characters encode. */
static size_t decoded_size(size_t characters) {
  return characters / 4 * 3 + characters % 4 * 6 / 8;
}

/* Returns byte i. Character j has bits 6j to 6j+5 of one little-endian number. */
static unsigned char decoded(syclbin_text text, size_t i) {
  size_t first = i / 3 * 4 + i % 3;
  unsigned shift = (unsigned)(i % 3) * 2;
  return (unsigned char)(digit(text.data[first]) >> shift | digit(text.data[first + 1])
                                                                << (6 - shift));
}

/* Parses the text after "2|". Returns what is wrong with it, or NULL. */
static const char *take_bytes(syclbin_text text, syclbin_property *p) {
  if (text.size % 4 == 1) return "a byte array is truncated: one character left over";
  for (size_t i = 0; i < text.size; i++)
    if (digit(text.data[i]) > 63)
      return "a byte array has a character that is not a letter, digit, + or /";
  size_t size = decoded_size(text.size);
  if (size < kBitCount) return "a byte array is too short for its bit count";
  p->bits = 0;
  for (unsigned i = 0; i < kBitCount; i++) p->bits |= (uint64_t)decoded(text, i) << 8 * i;
  if (p->bits / 8 + (p->bits % 8 != 0) != size - kBitCount)
    return "the size of a byte array does not match its bit count";
  if (p->bits % 8 != 0 && decoded(text, size - 1) >> p->bits % 8 != 0)
    return "a byte array has bits set beyond its bit count";
  /* 2 or 4 bits of the last character are not part of a byte. */
  if (text.size % 4 != 0 && digit(text.data[text.size - 1]) >> (text.size % 4 == 2 ? 2 : 4) != 0)
    return "a byte array has bits set beyond its last byte";
  p->is_bytes = true;
  p->number = 0;
  p->encoded = text;
  return NULL;
}

/* Parses the text after "1|". */
static const char *take_number(syclbin_text text, syclbin_property *p) {
  uint64_t n = 0;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return "a number is not decimal";
    n = 10 * n + (uint64_t)(text.data[i] - '0');
    if (n > UINT32_MAX) return "a number does not fit in 32 bits";
  }
  if (text.size > 1 && text.data[0] == '0') return "a number has leading zeros";
  p->is_bytes = false;
  p->number = (uint32_t)n;
  p->bits = 0;
  return NULL;
}

static const char *take_name(syclbin_text name) {
  if (name.size == 0) return "a name is empty";
  if (has(name, 0)) return "a name contains a NUL byte";
  return has(name, '\r') ? "a name contains a line break" : NULL;
}

static const char *take_title(syclbin_text line, syclbin_property *p) {
  if (line.data[line.size - 1] != ']') return "a title does not end with a bracket";
  p->set.data = line.data + 1;
  p->set.size = line.size - 2;
  return take_name(p->set);
}

static const char *take_property(syclbin_text line, syclbin_property *p) {
  if (!p->set.data) return "a property precedes the first [set] title";
  if (!has(line, '=')) return "a line is neither a [set] title nor key=type|value";
  p->key = cut(&line, '=');
  const char *fault = take_name(p->key);
  if (fault) return fault;
  if (line.size < 3 || line.data[1] != '|' || (line.data[0] != '1' && line.data[0] != '2'))
    return "neither 1| nor 2| and a value follow the = of a property";
  syclbin_text value = {line.data + 2, line.size - 2};
  return line.data[0] == '1' ? take_number(value, p) : take_bytes(value, p);
}

/* Advances to the next property of p->rest. Returns false at the end, and for an error, which
 * it sets, with the line as the key. */
static bool scan(syclbin_property *p, const char **fault) {
  *fault = NULL;
  while (p->rest.size > 0) {
    syclbin_text line = p->rest;
    if (has(line, '\n')) {
      line = cut(&p->rest, '\n');
    } else {
      p->rest.size = 0;
    }
    if (line.size > 0 && line.data[line.size - 1] == '\r') line.size--;
    if (line.size == 0) continue;
    bool title = line.data[0] == '[';
    *fault = title ? take_title(line, p) : take_property(line, p);
    if (*fault) {
      p->key = line;
      return false;
    }
    if (!title) return true;
  }
  return false;
}

bool syclbin_next_property(syclbin_text metadata, syclbin_property *property) {
  if (!property->started) {
    memset(property, 0, sizeof *property);
    property->started = true;
    property->rest = metadata;
  }
  const char *fault;
  return scan(property, &fault);
}

size_t syclbin_bytes(const syclbin_property *property, void *to, size_t size) {
  if (!property->is_bytes) return 0;
  size_t all = decoded_size(property->encoded.size) - kBitCount;
  for (size_t i = 0; i < all && i < size; i++)
    ((unsigned char *)to)[i] = decoded(property->encoded, kBitCount + i);
  return all;
}

/* Copies a name, which must be bytes that are text. */
static const char *copy_name(const syclbin_property *p, char *to) {
  if (!p->is_bytes || p->bits % 8 != 0) return "a name is not a byte array";
  if (p->bits / 8 >= SYCLBIN_NAME_SIZE) return "a name has more than 127 bytes";
  size_t size = syclbin_bytes(p, to, SYCLBIN_NAME_SIZE);
  to[size] = 0;
  return memchr(to, 0, size) ? "a name contains a NUL byte" : NULL;
}

/* Copies at most most numbers of width bytes each. */
static const char *copy_numbers(const syclbin_property *p, unsigned width, uint32_t most, void *to,
                                uint32_t *count) {
  unsigned char raw[4 * SYCLBIN_MAX_ASPECTS];
  if (!p->is_bytes || p->bits % (8 * width) != 0) return "a list of numbers is not a byte array";
  if (p->bits / (8 * width) > most) return "a list of numbers is too long";
  *count = (uint32_t)(syclbin_bytes(p, raw, sizeof raw) / width);
  for (uint32_t i = 0; i < *count; i++) {
    if (width == 4)
      ((uint32_t *)to)[i] = u32(raw + 4 * i);
    else
      ((uint64_t *)to)[i] = u64(raw + 8 * i);
  }
  return NULL;
}

/* -- requirements -- */

static const char *take_sub_group_sizes(const syclbin_property *p, syclbin_requirements *r) {
  if (p->is_bytes)
    return copy_numbers(p, 4, SYCLBIN_MAX_SUB_GROUP_SIZES, r->sub_group_sizes,
                        &r->sub_group_size_count);
  r->sub_group_sizes[0] = p->number;
  r->sub_group_size_count = 1;
  return NULL;
}

/* The former key: numbers of 4 bytes, with or without a preceding count. */
static const char *take_old_size(const syclbin_property *p, syclbin_requirements *r) {
  uint32_t list[4], count, first;
  const char *fault = copy_numbers(p, 4, 4, list, &count);
  if (fault) return fault;
  first = count > 1 && list[0] == count - 1;
  if (count - first < 1 || count - first > 3)
    return "a work-group size does not have 1 to 3 dimensions";
  for (uint32_t i = first; i < count; i++) r->work_group_size[i - first] = list[i];
  r->work_group_dims = count - first;
  return NULL;
}

static const char *take_size(const syclbin_property *p, syclbin_requirements *r) {
  const char *fault = copy_numbers(p, 8, 3, r->work_group_size, &r->work_group_dims);
  if (fault) return fault;
  return r->work_group_dims == 0 ? "a work-group size does not have 1 to 3 dimensions" : NULL;
}

/* Returns what is wrong with the requirements, and sets the property in that case. */
static const char *read_requirements(syclbin_text metadata, syclbin_requirements *r,
                                     syclbin_property *p) {
  const char *fault = NULL;
  bool size = false;
  memset(r, 0, sizeof *r);
  memset(p, 0, sizeof *p);
  while (!fault && syclbin_next_property(metadata, p)) {
    if (!is(p->set, "SYCL/device requirements")) continue;
    if (is(p->key, "aspects")) {
      fault = copy_numbers(p, 4, SYCLBIN_MAX_ASPECTS, r->aspects, &r->aspect_count);
    } else if (is(p->key, "compile_target")) {
      fault = copy_name(p, r->compile_target);
    } else if (is(p->key, "reqd_sub_group_size")) {
      fault = take_sub_group_sizes(p, r);
    } else if (is(p->key, "reqd_work_group_size") && !size) {
      fault = take_old_size(p, r);
    } else if (is(p->key, "reqd_work_group_size_uint64_t")) {
      memset(r->work_group_size, 0, sizeof r->work_group_size);
      fault = take_size(p, r);
      size = true;
    }
  }
  return fault;
}

void syclbin_get_requirements(const syclbin_module *module, syclbin_requirements *requirements) {
  syclbin_property p;
  read_requirements(module->metadata, requirements, &p);
}

/* -- locations of parts -- */

/* Returns the header of part i of version 1: abstract modules, IR modules, native images. */
static const unsigned char *part(const syclbin_file *f, uint64_t i) {
  return f->data + f->base + kHeader + kPart * i;
}

static const unsigned char *entry(const syclbin_file *f, uint64_t i) {
  return f->data + f->entries + kEntry * i;
}

/* Finds the value of a string in an entry of a container of version 2. */
static bool entry_string(const syclbin_file *f, uint64_t i, const char *key, syclbin_text *value) {
  const unsigned char *e = entry(f, i);
  uint64_t count = u64(e + 16);
  for (uint64_t n = 0; n < count; n++) {
    const unsigned char *s = f->data + u64(e + 8) + 24 * n;
    uint64_t at = u64(s);
    /* Including its NUL; there is one before the end of the container. */
    if (strlen(key) >= f->size - at || memcmp(f->data + at, key, strlen(key) + 1) != 0) continue;
    *value = text_at(f, u64(s + 8), u64(s + 16));
    return true;
  }
  return false;
}

static bool has_role(const syclbin_file *f, uint64_t i, const char *role) {
  syclbin_text value;
  return entry_string(f, i, "role", &value) && is(value, role);
}

bool syclbin_next_module(const syclbin_file *file, syclbin_module *module) {
  syclbin_module m = *module;
  m.index = m.started ? m.index + 1 : 0;
  if (m.index >= file->module_count) return false;
  if (file->version == 1) {
    const unsigned char *h = part(file, m.index);
    m.metadata = text_at(file, file->metadata + u64(h), u64(h + 8));
    m.ir_count = u32(h + 16);
    m.first_ir = u32(h + 20);
    m.native_count = u32(h + 24);
    m.first_native = u32(h + 28);
  } else {
    /* The entry after the global metadata belongs to the first module. */
    for (m.at = m.started ? m.at + 1 : 1; !has_role(file, m.at, "am_metadata");) m.at++;
    const unsigned char *e = entry(file, m.at);
    m.metadata = text_at(file, u64(e + 24), u64(e + 32));
  }
  m.started = true;
  *module = m;
  return true;
}

bool syclbin_next_kernel(const syclbin_module *module, syclbin_text *name) {
  static const char set[] = "SYCL/kernel names";
  syclbin_property p = {.rest = module->metadata};
  const char *fault;
  if (name->data) {
    /* The rest starts after the name, in the middle of a line of that set. */
    p.set.data = set;
    p.set.size = sizeof set - 1;
    p.rest.size =
        (size_t)(module->metadata.data + module->metadata.size - (name->data + name->size));
    p.rest.data = name->data + name->size;
    if (!has(p.rest, '\n')) return false;
    cut(&p.rest, '\n');
  }
  while (scan(&p, &fault))
    if (is(p.set, set)) {
      *name = p.key;
      return true;
    }
  return false;
}

/* Reads the metadata of an image. Returns what is wrong with it, and sets the property in that
 * case. */
static const char *read_image_metadata(syclbin_image *image, syclbin_property *p) {
  const char *fault = NULL;
  memset(p, 0, sizeof *p);
  while (!fault && syclbin_next_property(image->metadata, p)) {
    bool native = is(p->set, "SYCLBIN/native device code image metadata") ||
                  is(p->set, "SYCLBIN/native device code image module metadata");
    if (image->kind == SYCLBIN_NATIVE ? !native : !is(p->set, "SYCLBIN/ir module metadata"))
      continue;
    if (is(p->key, "target"))
      fault = copy_name(p, image->triple);
    else if (native && is(p->key, "arch"))
      fault = copy_name(p, image->arch);
    else if (!native && is(p->key, "type"))
      image->ir_type = p->number;
  }
  return fault;
}

/* Finds the image with the number image->at in version 1, counted from the module's first IR
 * module, or the image in the entry image->at. */
static void place_image(const syclbin_file *f, const syclbin_module *m, syclbin_image *image) {
  if (f->version == 1) {
    uint64_t i = image->at;
    image->kind = i < m->ir_count ? SYCLBIN_IR : SYCLBIN_NATIVE;
    const unsigned char *h =
        part(f, (uint64_t)f->module_count +
                    (image->kind == SYCLBIN_IR
                         ? m->first_ir + i
                         : (uint64_t)f->ir_count + m->first_native + (i - m->ir_count)));
    image->metadata = text_at(f, f->metadata + u64(h), u64(h + 8));
    image->data = f->data + f->binary + u64(h + 16);
    image->size = (size_t)u64(h + 24);
  } else {
    uint64_t at = u64(entry(f, image->at) + 24), size = u64(entry(f, image->at) + 32);
    uint64_t metadata = u64(f->data + at); /* its size */
    image->kind = has_role(f, image->at, "ir") ? SYCLBIN_IR : SYCLBIN_NATIVE;
    image->metadata = text_at(f, at + 8, metadata);
    image->data = f->data + at + 8 + metadata;
    image->size = (size_t)(size - 8 - metadata);
  }
}

bool syclbin_next_image(const syclbin_file *file, const syclbin_module *module,
                        syclbin_image *image) {
  uint64_t at = image->started ? image->at + 1 : file->version == 1 ? 0 : module->at + 1;
  if (file->version == 1 ? at >= (uint64_t)module->ir_count + module->native_count
                         : at >= file->entry_count || has_role(file, at, "am_metadata"))
    return false;
  memset(image, 0, sizeof *image);
  image->started = true;
  image->at = at;
  place_image(file, module, image);
  syclbin_property p;
  read_image_metadata(image, &p);
  return true;
}

/* -- opening -- */

static uint64_t offset_of(const syclbin_file *f, const void *at) {
  return (uint64_t)((const unsigned char *)at - f->data);
}

/* Checks the text of property sets. */
static syclbin_status check_metadata(const syclbin_file *f, syclbin_text metadata,
                                     syclbin_error *error) {
  syclbin_property p = {.rest = metadata};
  const char *fault;
  while (scan(&p, &fault)) {
  }
  return fault ? fail(error, SYCLBIN_BAD_FILE, offset_of(f, p.key.data), "metadata: %s", fault)
               : SYCLBIN_OK;
}

/* Checks what the other functions rely on: the metadata of all parts, whose locations are
 * already checked. */
static syclbin_status check_parts(const syclbin_file *f, syclbin_error *error) {
  syclbin_module module = {0};
  syclbin_property p;
  const char *fault;
  while (syclbin_next_module(f, &module)) {
    syclbin_requirements r;
    if (check_metadata(f, module.metadata, error)) return SYCLBIN_BAD_FILE;
    if ((fault = read_requirements(module.metadata, &r, &p)))
      return fail(error, SYCLBIN_BAD_FILE, offset_of(f, p.key.data),
                  "abstract module %" PRIu32 ": [SYCL/device requirements] %.*s: %s", module.index,
                  (int)(p.key.size < 40 ? p.key.size : 40), p.key.data, fault);
    syclbin_image image = {0};
    while (syclbin_next_image(f, &module, &image)) {
      if (check_metadata(f, image.metadata, error)) return SYCLBIN_BAD_FILE;
      if ((fault = read_image_metadata(&image, &p)))
        return fail(error, SYCLBIN_BAD_FILE, offset_of(f, p.key.data),
                    "abstract module %" PRIu32 ": metadata of an image: %.*s: %s", module.index,
                    (int)(p.key.size < 40 ? p.key.size : 40), p.key.data, fault);
    }
  }
  return SYCLBIN_OK;
}

/* Checks the metadata of the file and of its parts, and sets the state. */
static syclbin_status finish(syclbin_file *f, syclbin_error *error) {
  syclbin_text global = text_at(f, f->global, f->global_size);
  if (check_metadata(f, global, error)) return SYCLBIN_BAD_FILE;
  syclbin_property p = {0};
  while (syclbin_next_property(global, &p))
    if (is(p.set, "SYCLBIN/global metadata") && is(p.key, "state"))
      f->state = p.is_bytes ? UINT32_MAX : p.number;
  return check_parts(f, error);
}

/* Checks a range of a table, whose offset and size are at `at`, and adds its size to used. Parts
 * must not overlap, so the sum must fit into the table. */
static syclbin_status check_range(const syclbin_file *f, const unsigned char *at, uint64_t table,
                                  const char *name, uint64_t *used, syclbin_error *error) {
  if (!within(u64(at), u64(at + 8), table))
    return fail(error, SYCLBIN_BAD_FILE, offset_of(f, at),
                "%" PRIu64 " bytes at offset %#" PRIx64
                " of the %s extend past its end at %#" PRIx64,
                u64(at + 8), u64(at), name, table);
  if (u64(at + 8) > table - *used)
    return fail(error, SYCLBIN_BAD_FILE, offset_of(f, at), "parts of the %s overlap", name);
  *used += u64(at + 8);
  return SYCLBIN_OK;
}

/* Checks that the images of a module, whose count and first index are at `at`, are the next ones
 * of the total. */
static syclbin_status check_owner(const syclbin_file *f, const unsigned char *at, const char *name,
                                  uint32_t total, uint32_t *next, syclbin_error *error) {
  uint32_t count = u32(at), first = u32(at + 4);
  uint64_t offset = offset_of(f, at);
  if (first > total || count > total - first)
    return fail(error, SYCLBIN_BAD_FILE, offset,
                "an abstract module has %" PRIu32 " %ss from number %" PRIu32
                " on, but the file has %" PRIu32,
                count, name, first, total);
  if (count > 0 && first != *next)
    return fail(
        error, SYCLBIN_BAD_FILE, offset + 4,
        "the first %s of an abstract module is %" PRIu32 ", want %" PRIu32
        "; to repair files of compilers that do not advance it, use 'packager convert --lenient'",
        name, first, *next);
  *next += count;
  return SYCLBIN_OK;
}

/* Checks the headers of version 1. */
static syclbin_status check_headers(const syclbin_file *f, uint32_t native_count,
                                    syclbin_error *error) {
  uint64_t metadata = 0, binary = 0;
  uint32_t ir = 0, native = 0;
  syclbin_status s =
      check_range(f, f->data + f->base + 40, f->metadata_size, "metadata table", &metadata, error);
  uint64_t count = (uint64_t)f->module_count + f->ir_count + native_count;
  for (uint64_t i = 0; s == SYCLBIN_OK && i < count; i++) {
    const unsigned char *h = part(f, i);
    s = check_range(f, h, f->metadata_size, "metadata table", &metadata, error);
    if (s == SYCLBIN_OK && i >= f->module_count) {
      s = check_range(f, h + 16, f->binary_size, "binary table", &binary, error);
    } else if (s == SYCLBIN_OK) {
      s = check_owner(f, h + 16, "IR module", f->ir_count, &ir, error);
      if (s == SYCLBIN_OK) s = check_owner(f, h + 24, "native image", native_count, &native, error);
    }
  }
  if (s == SYCLBIN_OK && (ir < f->ir_count || native < native_count))
    return fail(error, SYCLBIN_BAD_FILE, f->base + 8,
                "%" PRIu32 " IR modules and %" PRIu32 " native images belong to no abstract module",
                f->ir_count - ir, native_count - native);
  return s;
}

static syclbin_status open_v1(syclbin_file *f, uint64_t base, uint64_t size, syclbin_error *error) {
  if (size < kHeader)
    return fail(error, SYCLBIN_BAD_FILE, base,
                "file too short for the header: %" PRIu64 " bytes, want %d", size, (int)kHeader);
  const unsigned char *h = f->data + base;
  if (u32(h + 4) != 1)
    return fail(error, SYCLBIN_OTHER_FORM, base + 4,
                "unsupported SYCLBIN version %" PRIu32 "; expected 1 in this layout", u32(h + 4));
  f->version = 1;
  f->base = base;
  f->module_count = u32(h + 8);
  f->ir_count = u32(h + 12);
  uint64_t parts = (uint64_t)f->module_count + f->ir_count + u32(h + 16);
  if (parts > (size - kHeader) / kPart)
    return fail(error, SYCLBIN_BAD_FILE, base + 8,
                "file is truncated: it is too short for the headers of %" PRIu64
                " modules and images",
                parts);
  uint64_t at = kHeader + kPart * parts, room = size - at;
  f->metadata = base + at;
  f->metadata_size = u64(h + 24);
  if (f->metadata_size > room)
    return fail(error, SYCLBIN_BAD_FILE, base + 24,
                "the metadata table of %" PRIu64 " bytes extends past the end of the file",
                f->metadata_size);
  room -= f->metadata_size;
  uint64_t padding = (8 - f->metadata_size % 8) % 8;
  f->binary = f->metadata + f->metadata_size + padding;
  f->binary_size = u64(h + 32);
  if (padding > room || f->binary_size > room - padding)
    return fail(error, SYCLBIN_BAD_FILE, base + 32,
                "the binary table of %" PRIu64 " bytes extends past the end of the file",
                f->binary_size);
  syclbin_status s = check_headers(f, u32(h + 16), error);
  if (s != SYCLBIN_OK) return s;
  f->global = f->metadata + u64(h + 40);
  f->global_size = u64(h + 48);
  return finish(f, error);
}

/* -- containers -- */

/* Checks the strings of an entry. The last NUL of the container is at last_nul - 1. */
static syclbin_status check_strings(const syclbin_file *f, uint64_t i, uint64_t last_nul,
                                    uint64_t *used, syclbin_error *error) {
  const unsigned char *e = entry(f, i);
  uint64_t at = u64(e + 8), count = u64(e + 16), width = f->container == 1 ? 16 : 24;
  if (at > f->size || count > (f->size - at) / width)
    return fail(error, SYCLBIN_BAD_FILE, offset_of(f, e) + 8,
                "the strings of entry %" PRIu64 " extend past the end of the container", i);
  if (count > f->size / width - *used)
    return fail(error, SYCLBIN_BAD_FILE, offset_of(f, e) + 8, "strings of entries overlap");
  *used += count;
  for (uint64_t n = 0; n < count; n++) {
    const unsigned char *s = f->data + at + width * n;
    if (u64(s) >= last_nul ||
        (width == 16 ? u64(s + 8) >= last_nul : !within(u64(s + 8), u64(s + 16), f->size)))
      return fail(error, SYCLBIN_BAD_FILE, offset_of(f, s),
                  "a string of entry %" PRIu64 " extends past the end of the container", i);
  }
  return SYCLBIN_OK;
}

/* Checks all entries of a container. */
static syclbin_status check_entries(const syclbin_file *f, syclbin_error *error) {
  uint64_t last_nul = f->size, images = 0, strings = 0;
  while (last_nul > 0 && f->data[last_nul - 1] != 0) last_nul--;
  for (uint64_t i = 0; i < f->entry_count; i++) {
    const unsigned char *e = entry(f, i);
    syclbin_status s = check_range(f, e + 24, f->size, "container", &images, error);
    if (s == SYCLBIN_OK) s = check_strings(f, i, last_nul, &strings, error);
    if (s != SYCLBIN_OK) return s;
  }
  return SYCLBIN_OK;
}

/* Reads a decimal number of at most 9 digits. */
static bool parse_index(syclbin_text text, uint64_t *n) {
  *n = 0;
  if (text.size < 1 || text.size > 9) return false;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    *n = 10 * *n + (uint64_t)(text.data[i] - '0');
  }
  return true;
}

/* Checks entry i of version 2, and counts abstract modules. */
static syclbin_status check_v2_entry(syclbin_file *f, uint64_t i, syclbin_error *error) {
  const unsigned char *e = entry(f, i);
  uint64_t offset = offset_of(f, e), index;
  syclbin_text text;
  if ((e[0] | e[1] << 8) != 7)
    return fail(error, SYCLBIN_BAD_FILE, offset,
                "entry %" PRIu64 " of a version 2 file has kind %d, want 7", i, e[0] | e[1] << 8);
  bool global = has_role(f, i, "global_metadata"), module = has_role(f, i, "am_metadata");
  if (!global && !module && !has_role(f, i, "ir") && !has_role(f, i, "native"))
    return fail(error, SYCLBIN_BAD_FILE, offset,
                "entry %" PRIu64 " of a version 2 file has no known role", i);
  if (global != (i == 0))
    return fail(error, SYCLBIN_OTHER_FORM, offset,
                "entry %" PRIu64
                ": the global metadata must be the first entry and only the first; "
                "convert the file with 'packager convert --syclbin-version 1'",
                i);
  if (global) return SYCLBIN_OK;
  if (!entry_string(f, i, "am_index", &text) || !parse_index(text, &index))
    return fail(error, SYCLBIN_BAD_FILE, offset, "entry %" PRIu64 " has no valid am_index", i);
  if (module) f->module_count++;
  if (f->module_count == 0 || index != f->module_count - 1)
    return fail(error, SYCLBIN_OTHER_FORM, offset,
                "entry %" PRIu64
                " is out of order; "
                "convert the file with 'packager convert --syclbin-version 1'",
                i);
  uint64_t size = u64(e + 32);
  if (!module && (size < 8 || u64(f->data + u64(e + 24)) > size - 8))
    return fail(error, SYCLBIN_BAD_FILE, u64(e + 24),
                "the metadata of entry %" PRIu64 " is larger than its %" PRIu64 " bytes", i, size);
  return SYCLBIN_OK;
}

static syclbin_status open_v2(syclbin_file *f, syclbin_error *error) {
  syclbin_text format;
  if (entry_string(f, 0, "sycl_format_version", &format) && !is(format, "2"))
    return fail(error, SYCLBIN_OTHER_FORM, f->entries,
                "unsupported SYCLBIN version; expected 1 or 2");
  f->version = 2;
  for (uint64_t i = 0; i < f->entry_count; i++) {
    syclbin_status s = check_v2_entry(f, i, error);
    if (s != SYCLBIN_OK) return s;
  }
  f->global = u64(entry(f, 0) + 24);
  f->global_size = u64(entry(f, 0) + 32);
  return finish(f, error);
}

/* Reads the header of a container: its size, which becomes the size of the file, and the
 * offset and number of its entries. */
static syclbin_status open_header(syclbin_file *f, syclbin_error *error) {
  const unsigned char *h = f->data;
  if (f->size < kContainer)
    return fail(error, SYCLBIN_BAD_FILE, 0,
                "file too short for the header of a container: %" PRIu64 " bytes, want %d", f->size,
                (int)kContainer);
  f->container = u32(h + 4);
  if (f->container != 1 && f->container != 2)
    return fail(
        error, SYCLBIN_OTHER_FORM, 4,
        "unsupported container version %" PRIu32 "; expected 1 or 2%s", f->container,
        f->container == 3 ? ". Convert it with 'packager convert --container-version 2'" : "");
  uint64_t size = u64(h + 8);
  if (size < kContainer || size > f->size)
    return fail(error, SYCLBIN_BAD_FILE, 8,
                "the container declares %" PRIu64 " bytes, but the file has %" PRIu64, size,
                f->size);
  for (uint64_t i = size; i < f->size; i++)
    if (i % 8 == 0 || h[i] != 0)
      return fail(error, SYCLBIN_OTHER_FORM, i,
                  "the file has more than one container, and SYCL runtimes read only the first; "
                  "join them with 'packager convert'");
  f->size = size;
  f->entries = u64(h + 16);
  f->entry_count = u64(h + 24);
  if (f->container == 1) {
    if (f->entry_count != kEntry)
      return fail(error, SYCLBIN_BAD_FILE, 24, "the size of an entry is %" PRIu64 ", want %d",
                  f->entry_count, (int)kEntry);
    f->entry_count = 1;
  }
  if (f->entries < kContainer || f->entries > size || f->entry_count > (size - f->entries) / kEntry)
    return fail(error, SYCLBIN_BAD_FILE, 16,
                "%" PRIu64 " entries at %#" PRIx64
                " are not between the header and the end of the container",
                f->entry_count, f->entries);
  if (f->entry_count == 0) return fail(error, SYCLBIN_BAD_FILE, 24, "the container has no entries");
  return check_entries(f, error);
}

static syclbin_status open_container(syclbin_file *f, syclbin_error *error) {
  syclbin_status s = open_header(f, error);
  if (s != SYCLBIN_OK) return s;
  for (uint64_t i = 1; i < f->entry_count; i++) {
    const unsigned char *e = entry(f, i);
    if (starts(f->data + u64(e + 24), u64(e + 32), "IBYS"))
      return fail(error, SYCLBIN_OTHER_FORM, offset_of(f, e),
                  "entry %" PRIu64
                  " of the container is a SYCLBIN file, "
                  "and SYCL runtimes read only entry 0; join them with 'packager convert'",
                  i);
  }
  const unsigned char *e = entry(f, 0);
  syclbin_text role;
  if (starts(f->data + u64(e + 24), u64(e + 32), "IBYS")) {
    int kind = e[0] | e[1] << 8;
    if (kind != 6 && kind != 7)
      return fail(error, SYCLBIN_OTHER_FORM, f->entries,
                  "the container has image kind %d, but a SYCLBIN file has 7, or formerly 6; "
                  "convert the file with 'packager convert'",
                  kind);
    return open_v1(f, u64(e + 24), u64(e + 32), error);
  }
  if (f->container == 2 && entry_string(f, 0, "role", &role)) return open_v2(f, error);
  return fail(error, SYCLBIN_BAD_FILE, f->entries,
              "the first entry of the container is not a SYCLBIN file");
}

syclbin_status syclbin_open(const void *data, size_t size, syclbin_file *file,
                            syclbin_error *error) {
  memset(file, 0, sizeof *file);
  if (error) memset(error, 0, sizeof *error);
  file->data = data;
  file->size = size;
  file->state = UINT32_MAX;
  if (size >= 4) {
    if (starts(data, size, "IBYS")) return open_v1(file, 0, size, error);
    if (starts(data, size, "\x10\xff\x10\xad")) return open_container(file, error);
    if (starts(data, size, "SYBI"))
      return fail(error, SYCLBIN_BAD_FILE, 0,
                  "starts with SYBI, but a SYCLBIN file starts with IBYS: the magic number was "
                  "written in the wrong byte order");
  }
  return fail(error, SYCLBIN_BAD_FILE, 0, "neither a SYCLBIN file nor an OffloadBinary container");
}

/* -- devices -- */

#define GPU "intel_gpu_"

/* Intel GPUs by IP version, as in DPC++'s architectures: major << 22 | minor << 14 | revision.
 * The first name of a version is the target's name, others are aliases. A test compares them with
 * sycl/deviceconfig/names.yaml. */
static const struct {
  uint32_t version;
  const char *name;
} kGPUs[] = {
    {0x08c2c000, GPU "cri"},     {0x08c28000, GPU "nvl_p"},   {0x07814004, GPU "nvl_u"},
    {0x07814004, GPU "nvl_h"},   {0x07810004, GPU "nvl_s"},   {0x07810004, GPU "nvl_hx"},
    {0x07810004, GPU "nvl_ul"},  {0x0780c000, GPU "wcl"},     {0x07804001, GPU "ptl_u"},
    {0x07800004, GPU "ptl_h"},   {0x05010004, GPU "lnl_m"},   {0x05008000, GPU "bmg_g31"},
    {0x05004004, GPU "bmg_g21"}, {0x03128004, GPU "arl_h"},   {0x0311c004, GPU "mtl_h"},
    {0x03118004, GPU "mtl_u"},   {0x03118004, GPU "mtl_s"},   {0x03118004, GPU "arl_u"},
    {0x03118004, GPU "arl_s"},   {0x030f4007, GPU "pvc_vg"},  {0x030f0007, GPU "pvc"},
    {0x030e4000, GPU "acm_g12"}, {0x030e4000, GPU "dg2_g12"}, {0x030e0005, GPU "acm_g11"},
    {0x030e0005, GPU "dg2_g11"}, {0x030dc008, GPU "acm_g10"}, {0x030dc008, GPU "dg2_g10"},
    {0x03028000, GPU "dg1"},     {0x03010000, GPU "adl_n"},   {0x0300c000, GPU "adl_p"},
    {0x03008000, GPU "adl_s"},   {0x03008000, GPU "rpl_s"},   {0x03004000, GPU "rkl"},
    {0x03000000, GPU "tgllp"},   {0x03000000, GPU "tgl"},     {0x02c08000, GPU "ehl"},
    {0x02c08000, GPU "jsl"},     {0x02c00000, GPU "icllp"},   {0x02c00000, GPU "icl"},
    {0x0241c000, GPU "cml"},     {0x02418000, GPU "aml"},     {0x02414000, GPU "whl"},
    {0x02410000, GPU "glk"},     {0x0240c000, GPU "apl"},     {0x0240c000, GPU "bxt"},
    {0x02408009, GPU "cfl"},     {0x02404009, GPU "kbl"},     {0x02400009, GPU "skl"},
    {0x02000000, GPU "bdw"},
};

enum { kGPUCount = sizeof kGPUs / sizeof kGPUs[0] };

const char *syclbin_intel_gpu_name(uint32_t ip_version) {
  for (int i = 0; i < kGPUCount; i++)
    if (kGPUs[i].version >> kSteppings == ip_version >> kSteppings) return kGPUs[i].name;
  return NULL;
}

/* Compares names of GPUs. Ignores the prefix intel_gpu_, and treats hyphens as underscores. */
static bool same_name(syclbin_text a, syclbin_text b) {
  for (int i = 0; i < 2; i++) {
    syclbin_text *t = i == 0 ? &a : &b;
    if (!starts(t->data, t->size, GPU)) continue;
    t->data += strlen(GPU);
    t->size -= strlen(GPU);
  }
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; i++)
    if ((a.data[i] == '-' ? '_' : a.data[i]) != (b.data[i] == '-' ? '_' : b.data[i])) return false;
  return true;
}

static syclbin_text text_of(const char *s) {
  syclbin_text t = {s, strlen(s)};
  return t;
}

/* Parses a number below 1000 and the _ after it. */
static bool take_version(syclbin_text *rest, uint32_t *n) {
  if (!has(*rest, '_')) return false;
  syclbin_text digits = cut(rest, '_');
  uint64_t all;
  if (digits.size > 3 || !parse_index(digits, &all)) return false;
  *n = (uint32_t)all;
  return true;
}

/* Returns the IP version of a name, or 0. intel_gpu_pvc and intel_gpu_12_60_7 have the same one.
 * The last number in such a name is the revision, which is ignored. */
static uint32_t version_of(syclbin_text name) {
  syclbin_text rest = name;
  uint32_t major = 0, minor = 0;
  if (starts(rest.data, rest.size, GPU)) {
    rest.data += strlen(GPU);
    rest.size -= strlen(GPU);
  }
  bool numbers = take_version(&rest, &major) && take_version(&rest, &minor);
  for (int i = 0; i < kGPUCount; i++) {
    uint32_t v = kGPUs[i].version;
    if (numbers ? v >> kSteppings == (major << 8 | minor) : same_name(name, text_of(kGPUs[i].name)))
      return v;
  }
  return 0;
}

/* Reports whether one of the architectures, separated by commas, is the device's. */
static bool is_for(const char *architectures, const char *device) {
  syclbin_text rest = text_of(architectures);
  uint32_t version = version_of(text_of(device));
  while (rest.size > 0) {
    syclbin_text name = rest;
    if (has(rest, ','))
      name = cut(&rest, ',');
    else
      rest.size = 0;
    if (name.size > 0 &&
        (same_name(name, text_of(device)) || (version && version_of(name) == version)))
      return true;
  }
  return false;
}

static bool has_sub_group_size(const syclbin_device *d, uint32_t size) {
  for (size_t i = 0; i < d->sub_group_size_count; i++)
    if (d->sub_group_sizes[i] == size) return true;
  return false;
}

/* Explicit SIMD code has sub-group size 1, which no device supports and DPC++ does not
 * compare. Its aspect is 53, and 49 since libsycl.so.9. */
static bool is_esimd(const syclbin_requirements *r) {
  if (r->sub_group_size_count != 1 || r->sub_group_sizes[0] != 1) return false;
  for (uint32_t i = 0; i < r->aspect_count; i++)
    if (r->aspects[i] == 53 || r->aspects[i] == 49) return true;
  return false;
}

static bool size_fits(const syclbin_requirements *r, const syclbin_device *d) {
  uint64_t room = d->max_work_group_size; /* the limit, divided by the product so far */
  for (uint32_t i = 0; i < r->work_group_dims; i++) {
    uint64_t n = r->work_group_size[i];
    if (d->max_work_item_sizes[i] && n > d->max_work_item_sizes[i]) return false;
    if (d->max_work_group_size && n > room) return false;
    if (n > 0) room /= n;
  }
  return true;
}

/* Reports whether the device meets the requirements of a module, with DPC++'s messages. */
static bool fits(const syclbin_requirements *r, const syclbin_device *d, syclbin_error *error) {
  for (uint32_t i = 0; d->has_aspect && i < r->aspect_count; i++)
    if (!d->has_aspect(d->context, r->aspects[i])) {
      fail(error, SYCLBIN_NOT_SUPPORTED, 0,
           "Required aspect %" PRIu32 " is not supported on the device", r->aspects[i]);
      return false;
    }
  if (!size_fits(r, d)) {
    char size[72]; /* in the order of a SYCL program, which has x last */
    size_t n = 0;
    for (uint32_t i = r->work_group_dims; i-- > 0;)
      n += (size_t)snprintf(size + n, sizeof size - n, n ? ", %" PRIu64 : "%" PRIu64,
                            r->work_group_size[i]);
    fail(error, SYCLBIN_NOT_SUPPORTED, 0,
         "Required work-group size {%s} is not supported on the device", size);
    return false;
  }
  for (uint32_t i = 0; d->sub_group_sizes && !is_esimd(r) && i < r->sub_group_size_count; i++)
    if (!has_sub_group_size(d, r->sub_group_sizes[i])) {
      fail(error, SYCLBIN_NOT_SUPPORTED, 0,
           "Sub-group size %" PRIu32 " is not supported on the device", r->sub_group_sizes[i]);
      return false;
    }
  return true;
}

/* Finds a kernel in a module by its name with or without the prefix. */
static bool find_kernel(const syclbin_module *module, syclbin_text want, syclbin_text *name) {
  memset(name, 0, sizeof *name);
  while (syclbin_next_kernel(module, name)) {
    size_t skip = starts(name->data, name->size, KERNEL_PREFIX) ? strlen(KERNEL_PREFIX) : 0;
    if (name->size - skip == want.size && memcmp(name->data + skip, want.data, want.size) == 0)
      return true;
  }
  return false;
}

/* Finds the image of a module for a device: native code for it, or else IR. */
static bool find_image(const syclbin_file *f, const syclbin_module *m,
                       const syclbin_requirements *r, const syclbin_device *d,
                       syclbin_image *image) {
  syclbin_image i = {0};
  bool found = false;
  while (syclbin_next_image(f, m, &i)) {
    if (i.kind == SYCLBIN_NATIVE) {
      if (!d->arch || !is_for(*r->compile_target ? r->compile_target : i.arch, d->arch)) continue;
      *image = i;
      return true;
    }
    if (found || *r->compile_target || i.ir_type != SYCLBIN_SPIRV) continue;
    *image = i;
    found = true;
  }
  return found;
}

syclbin_status syclbin_find(const syclbin_file *file, const char *kernel,
                            const syclbin_device *device, syclbin_choice *choice,
                            syclbin_error *error) {
  bool known = false, unfit = false, ir = false;
  size_t skip = starts(kernel, strlen(kernel), KERNEL_PREFIX) ? strlen(KERNEL_PREFIX) : 0;
  syclbin_choice c = {0};
  syclbin_error reason; /* for the first module that does not fit */
  while (syclbin_next_module(file, &c.module)) {
    syclbin_requirements r;
    syclbin_error other;
    if (!find_kernel(&c.module, text_of(kernel + skip), &c.kernel)) continue;
    known = true;
    syclbin_get_requirements(&c.module, &r);
    if (!find_image(file, &c.module, &r, device, &c.image)) continue;
    if (!fits(&r, device, unfit ? &other : &reason)) {
      unfit = true;
    } else if (c.image.kind == SYCLBIN_NATIVE) {
      *choice = c;
      return SYCLBIN_OK;
    } else if (!ir) {
      *choice = c;
      ir = true;
    }
  }
  if (ir) return SYCLBIN_OK;
  if (!known) return fail(error, SYCLBIN_NO_KERNEL, 0, "no kernel named %s was found", kernel);
  if (unfit) return fail(error, reason.status, reason.offset, "%s", reason.message);
  return fail(error, SYCLBIN_NO_IMAGE, 0, "kernel %s has neither SPIR-V nor an image for %s",
              kernel,
              device->arch && *device->arch ? device->arch : "a device without a known name");
}
