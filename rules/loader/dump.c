/* Prints what the loader reads, or only what it finds, for tests/loader_test.go:
 *
 *   dump [DEVICE...] < INPUTS
 *   dump --kernel NAME DEVICE... < INPUTS
 *   dump --gpus
 *
 * INPUTS are files, each preceded by its size as a little-endian number of 4 bytes. A
 * DEVICE is ARCH, or ARCH/ASPECTS/SUB-GROUP SIZES/WORK-GROUP SIZE with comma-separated
 * lists. An empty list is unknown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syclbin.h"

enum { kMost = 64 }; /* numbers in a list */

struct list {
  bool known;
  uint32_t values[kMost];
  size_t count;
};

/* Takes a list up to the next slash. */
static struct list take_list(const char **text) {
  struct list l = {0};
  while (**text == '/' ? (++*text, false) : **text != 0) {
    char *end;
    l.known = true;
    unsigned long n = strtoul(*text, &end, 10);
    if (end == *text || l.count == kMost) exit(2);
    l.values[l.count++] = (uint32_t)n;
    *text = *end == ',' ? end + 1 : end;
    if (*end == '/') {
      ++*text;
      break;
    }
  }
  return l;
}

static bool has_aspect(void *context, uint32_t aspect) {
  const struct list *aspects = context;
  for (size_t i = 0; i < aspects->count; i++)
    if (aspects->values[i] == aspect) return true;
  return false;
}

static void print_find(const syclbin_file *file, const char *kernel, const char *spec) {
  char arch[64];
  size_t n = strcspn(spec, "/");
  if (n >= sizeof arch) exit(2);
  memcpy(arch, spec, n);
  arch[n] = 0;
  const char *rest = spec + n + (spec[n] == '/');
  struct list aspects = take_list(&rest), sizes = take_list(&rest), most = take_list(&rest);
  syclbin_device device = {.arch = arch};
  if (aspects.known) {
    device.has_aspect = has_aspect;
    device.context = &aspects;
  }
  if (sizes.known) {
    device.sub_group_sizes = sizes.values;
    device.sub_group_size_count = sizes.count;
  }
  if (most.known) device.max_work_group_size = most.values[0];
  for (size_t i = 1; i < most.count && i <= 3; i++)
    device.max_work_item_sizes[i - 1] = most.values[i];

  syclbin_choice choice;
  syclbin_error error;
  if (syclbin_find(file, kernel, &device, &choice, &error) != SYCLBIN_OK) {
    printf("find %s on %s: status %d: %s\n", kernel, spec, (int)error.status, error.message);
    return;
  }
  printf("find %s on %s: module %" PRIu32 " %s %s %.*s\n", kernel, spec, choice.module.index,
         choice.image.kind == SYCLBIN_IR ? "ir" : "native", choice.image.arch,
         (int)choice.kernel.size, choice.kernel.data);
}

static void print_numbers(const char *what, const uint32_t *list, uint32_t count) {
  printf("%s", what);
  for (uint32_t i = 0; i < count; i++) printf(" %" PRIu32, list[i]);
  printf("\n");
}

static void print_metadata(const char *what, syclbin_text metadata) {
  syclbin_property p = {0};
  while (syclbin_next_property(metadata, &p)) {
    printf("%s [%.*s] %.*s ", what, (int)p.set.size, p.set.data, (int)p.key.size, p.key.data);
    size_t size = syclbin_bytes(&p, NULL, 0);
    if (!p.is_bytes) {
      printf("%" PRIu32 "\n", p.number);
      continue;
    }
    unsigned char *bytes = malloc(size + 1);
    if (!bytes) abort();
    syclbin_bytes(&p, bytes, size);
    printf("%" PRIu64 ":", p.bits);
    for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
    printf("\n");
    free(bytes);
  }
}

/* FNV-1a, 64 bits. */
static uint64_t digest(const unsigned char *data, size_t size) {
  uint64_t h = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; i++) h = (h ^ data[i]) * 0x100000001b3;
  return h;
}

static void print_module(const syclbin_file *file, const syclbin_module *module, int devices,
                         char **device) {
  printf("module %" PRIu32 "\n", module->index);
  print_metadata("property", module->metadata);
  syclbin_requirements r;
  syclbin_get_requirements(module, &r);
  print_numbers("aspects", r.aspects, r.aspect_count);
  print_numbers("sub-group sizes", r.sub_group_sizes, r.sub_group_size_count);
  printf("work-group size");
  for (uint32_t i = 0; i < r.work_group_dims; i++) printf(" %" PRIu64, r.work_group_size[i]);
  printf("\ncompile target %s\n", r.compile_target);
  syclbin_image image = {0};
  while (syclbin_next_image(file, module, &image)) {
    printf("%s type %" PRIu32 " arch %s triple %s size %zu digest %016" PRIx64 "\n",
           image.kind == SYCLBIN_IR ? "ir" : "native", image.ir_type, image.arch, image.triple,
           image.size, digest(image.data, image.size));
    print_metadata("property", image.metadata);
  }
  syclbin_text name = {0};
  while (syclbin_next_kernel(module, &name)) {
    char *kernel = malloc(name.size + 1);
    if (!kernel) abort();
    syclbin_copy(name, kernel, name.size + 1);
    printf("kernel %s\n", kernel);
    for (int i = 0; i < devices; i++) print_find(file, kernel, device[i]);
    free(kernel);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--gpus") == 0) {
    for (uint32_t v = 0; v < 1u << 18; v++) {
      const char *name = syclbin_intel_gpu_name(v << 14);
      if (name) printf("%#" PRIx32 " %s\n", v << 14, name);
    }
    return 0;
  }
  const char *kernel = argc > 2 && strcmp(argv[1], "--kernel") == 0 ? argv[2] : NULL;
  unsigned char head[4];
  while (fread(head, 1, sizeof head, stdin) == sizeof head) {
    size_t size = head[0] | head[1] << 8 | head[2] << 16 | (size_t)head[3] << 24;
    unsigned char *data = malloc(size ? size : 1);
    if (!data) abort();
    if (fread(data, 1, size, stdin) != size) return 3;
    syclbin_file file;
    syclbin_error error;
    if (syclbin_open(data, size, &file, &error) != SYCLBIN_OK) {
      printf("error %d %#" PRIx64 " %s\n", (int)error.status, error.offset, error.message);
    } else if (kernel) {
      for (int i = 3; i < argc; i++) print_find(&file, kernel, argv[i]);
    } else {
      printf("version %" PRIu32 " container %" PRIu32 " state %" PRIu32 " modules %" PRIu32 "\n",
             file.version, file.container, file.state, file.module_count);
      syclbin_module module = {0};
      while (syclbin_next_module(&file, &module)) print_module(&file, &module, argc - 1, argv + 1);
    }
    printf("end\n");
    free(data);
  }
  return 0;
}
