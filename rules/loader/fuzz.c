/* Reads an input with every function of the loader and accesses every byte that they
 * return, so that a sanitizer detects accesses out of bounds. libFuzzer runs it:
 *
 *   clang -g -fsanitize=fuzzer,address,undefined fuzz.c syclbin.c -o fuzz && ./fuzz CORPUS
 *
 * fuzz_main.c runs it without libFuzzer. */
#include <string.h>

#include "syclbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sum of all bytes that are read, so that compilers do not remove the reads. */
volatile unsigned fuzz_sum;

static void touch(const void *data, size_t size) {
  const unsigned char *bytes = data;
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++) sum += bytes[i];
  fuzz_sum = fuzz_sum + sum;
}

static void touch_metadata(syclbin_text metadata) {
  syclbin_property property = {0};
  while (syclbin_next_property(metadata, &property)) {
    unsigned char bytes[64];
    size_t n = syclbin_bytes(&property, bytes, sizeof bytes);
    touch(bytes, n < sizeof bytes ? n : sizeof bytes);
    touch(property.set.data, property.set.size);
    touch(property.key.data, property.key.size);
  }
}

/* A device that has every second aspect. */
static bool has_aspect(void *context, uint32_t aspect) {
  (void)context;
  return aspect % 2 == 0;
}

static void find(const syclbin_file *file, const char *kernel, uint32_t device) {
  const uint32_t sizes[] = {16, 32};
  const syclbin_device devices[] = {
      {0},
      {.arch = "intel_gpu_pvc"},
      {.arch = "intel_gpu_12_55_8",
       .has_aspect = has_aspect,
       .sub_group_sizes = sizes,
       .sub_group_size_count = 2,
       .max_work_group_size = 64,
       .max_work_item_sizes = {64, 8, 8}},
  };
  syclbin_choice choice;
  syclbin_error error;
  if (syclbin_find(file, kernel, &devices[device % 3], &choice, &error) == SYCLBIN_OK)
    touch(choice.image.data, choice.image.size);
  else
    touch(error.message, strlen(error.message) + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  syclbin_file file;
  syclbin_error error;
  if (syclbin_open(data, size, &file, &error) != SYCLBIN_OK) {
    touch(error.message, strlen(error.message) + 1);
    return 0;
  }
  syclbin_module module = {0};
  while (syclbin_next_module(&file, &module)) {
    syclbin_requirements requirements;
    syclbin_get_requirements(&module, &requirements);
    touch(&requirements, sizeof requirements);
    touch_metadata(module.metadata);
    syclbin_image image = {0};
    while (syclbin_next_image(&file, &module, &image)) {
      touch(image.data, image.size);
      touch(image.arch, strlen(image.arch));
      touch(image.triple, strlen(image.triple));
      touch_metadata(image.metadata);
    }
    syclbin_text name = {0};
    while (syclbin_next_kernel(&module, &name)) touch(name.data, name.size);
    /* One kernel per module is enough, because each search covers the whole file. */
    char kernel[256];
    memset(&name, 0, sizeof name);
    if (!syclbin_next_kernel(&module, &name)) continue;
    syclbin_copy(name, kernel, sizeof kernel);
    find(&file, kernel, module.index);
  }
  return 0;
}
