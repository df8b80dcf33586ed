/* Runs the function in fuzz.c on changed copies of files, without libFuzzer. The copies
 * are the same in every run:
 *
 *   fuzz_main RANDOM FILE...
 *
 * For each file, it tests every prefix, several values for every byte, several numbers in
 * every possible field of 4 or 8 bytes in the first KiB, and RANDOM copies with up to 8
 * random changes. Each copy is in a separate allocation of exactly its size, so that
 * AddressSanitizer detects reads beyond the end. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { kHeaders = 1024 }; /* where numbers are that say where other things are */

static size_t tried;

static void try(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy) abort();
  if (size) memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
  tried++;
}

static void put(uint8_t *at, uint64_t n, unsigned width) {
  for (unsigned i = 0; i < width; i++) at[i] = (uint8_t)(n >> 8 * i);
}

static void try_bytes(uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    const uint8_t old = data[i];
    const uint8_t values[] = {0xff, (uint8_t)(old + 1), old ^ 0x10};
    for (size_t v = 0; v < sizeof values; v++) {
      data[i] = values[v];
      try(data, size);
    }
    data[i] = old;
  }
}

static void try_fields(uint8_t *data, size_t size) {
  for (unsigned width = 4; width <= 8; width += 4)
    for (size_t i = 0; i + width <= size && i < kHeaders; i += 4) {
      uint8_t old[8];
      memcpy(old, data + i, width);
      const uint64_t values[] = {0,
                                 1,
                                 size - 1,
                                 size,
                                 size + 1,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 (uint64_t)1 << 61,
                                 (uint64_t)1 << 63,
                                 UINT64_MAX - 7,
                                 UINT64_MAX,
                                 UINT64_MAX - size,
                                 UINT64_MAX - i};
      for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        put(data + i, values[v], width);
        try(data, size);
      }
      memcpy(data + i, old, width);
    }
}

/* xorshift: the same numbers on every machine. */
static uint64_t next_random(void) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void try_random(const uint8_t *data, size_t size, size_t times) {
  uint8_t *copy = malloc(size);
  if (!copy) abort();
  while (times-- > 0 && size > 0) {
    memcpy(copy, data, size);
    for (uint64_t changes = 1 + next_random() % 8; changes > 0; changes--) {
      size_t to = next_random() % size, from = next_random() % size;
      size_t most = size - (to > from ? to : from);
      switch (next_random() % 4) {
        case 0:
          copy[to] = (uint8_t)next_random();
          break;
        case 1:
          copy[to] ^= (uint8_t)(1u << next_random() % 8);
          break;
        case 2:
          copy[to] += (uint8_t)(next_random() % 16) - 8;
          break;
        default:
          memmove(copy + to, copy + from, next_random() % (most < 64 ? most + 1 : 65));
      }
    }
    try(copy, next_random() % 8 == 0 ? next_random() % (size + 1) : size);
  }
  free(copy);
}

static uint8_t *read_file(const char *name, size_t *size) {
  FILE *in = fopen(name, "rb");
  if (!in) return NULL;
  uint8_t *data = NULL;
  size_t room = 0, n;
  *size = 0;
  do {
    room += 1 << 16;
    data = realloc(data, room);
    if (!data) abort();
    n = fread(data + *size, 1, room - *size, in);
    *size += n;
  } while (*size == room);
  fclose(in);
  return data;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s RANDOM FILE...\n", argv[0]);
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    size_t size, before = tried;
    uint8_t *data = read_file(argv[i], &size);
    if (!data) {
      perror(argv[i]);
      return 4;
    }
    for (size_t n = 0; n <= size; n++) try(data, n);
    try_bytes(data, size);
    try_fields(data, size);
    try_random(data, size, strtoul(argv[1], NULL, 10));
    printf("%zu inputs made of the %zu bytes of %s\n", tried - before, size, argv[i]);
    free(data);
  }
  return 0;
}
