// Makes one ocloc process run many ocloc command lines in sequence, so that the compiler is loaded
// once.
//
// This is a shared library for LD_PRELOAD. The main function of ocloc only calls oclocInvoke of
// libocloc.so. The loader finds this file's function first, which calls the function of
// libocloc.so for each command line that it reads. Everything else is the same as in ocloc: the
// library and its dependencies are found in the same places, and the same code writes the files.
//
// The server writes the line "ocloc-server 1" when ready. A request is a list of arguments, each
// terminated by NUL, followed by one more NUL. The response is a line with two numbers, the exit
// code and the length of ocloc's output, followed by that output. The server exits when its input
// ends.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*invoke_function)(unsigned, const char **, uint32_t, const uint8_t **,
                               const uint64_t *, const char **, uint32_t, const uint8_t **,
                               const uint64_t *, const char **, uint32_t *, uint8_t ***,
                               uint64_t **, char ***);

// Limits of a request. Linux's limits for a process are lower.
enum { MAX_BYTES = 4 << 20, MAX_ARGUMENTS = 1 << 12 };

struct request {
  char *bytes;
  const char **arguments;
  unsigned count;
};

// Reads a request. Returns 1, 0 at the end of the input, or -1 if it is truncated or too large.
static int read_request(struct request *r) {
  size_t used = 0, begin = 0;
  r->count = 0;
  for (;;) {
    int c = getchar_unlocked();
    if (c == EOF) return used ? -1 : 0;
    if (used == MAX_BYTES) return -1;
    r->bytes[used++] = (char)c;
    if (c) continue;
    if (begin == used - 1) return r->count ? 1 : -1;
    if (r->count == MAX_ARGUMENTS) return -1;
    r->arguments[r->count++] = r->bytes + begin;
    begin = used;
  }
}

// Writes a response: the exit code and the content of the file that ocloc printed to.
static int answer(FILE *out, int code, int printed) {
  off_t size = lseek(printed, 0, SEEK_END);
  if (size < 0 || lseek(printed, 0, SEEK_SET) < 0) return -1;
  fprintf(out, "%d %lld\n", code, (long long)size);
  char part[1 << 14];
  while (size > 0) {
    ssize_t n = read(printed, part, sizeof part);
    if (n <= 0) return -1;
    fwrite(part, 1, (size_t)n, out);
    size -= n;
  }
  return fflush(out);
}

// Responds to requests until the input ends.
static int serve(invoke_function invoke) {
  struct request r = {malloc(MAX_BYTES), malloc(MAX_ARGUMENTS * sizeof *r.arguments), 0};
  FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  FILE *scratch = tmpfile();
  if (!r.bytes || !r.arguments || !out || !scratch) return EXIT_FAILURE;
  int printed = fileno(scratch);
  // ocloc's output must not be mixed with the responses.
  if (dup2(printed, STDOUT_FILENO) < 0 || dup2(printed, STDERR_FILENO) < 0) return EXIT_FAILURE;
  fprintf(out, "ocloc-server 1\n");
  if (fflush(out)) return EXIT_FAILURE;
  int more;
  while ((more = read_request(&r)) > 0) {
    if (ftruncate(printed, 0) < 0 || lseek(printed, 0, SEEK_SET) < 0) return EXIT_FAILURE;
    int code = invoke(r.count, r.arguments, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL,
                      NULL, NULL);
    fflush(NULL);
    if (answer(out, code, printed)) return EXIT_FAILURE;
  }
  return more ? EXIT_FAILURE : EXIT_SUCCESS;
}

__attribute__((visibility("default"))) int oclocInvoke(
    unsigned count, const char **arguments, uint32_t sources, const uint8_t **source_data,
    const uint64_t *source_sizes, const char **source_names, uint32_t headers,
    const uint8_t **header_data, const uint64_t *header_sizes, const char **header_names,
    uint32_t *outputs, uint8_t ***output_data, uint64_t **output_sizes, char ***output_names) {
  static int serving;
  invoke_function invoke = (invoke_function)dlsym(RTLD_NEXT, "oclocInvoke");
  if (!invoke) return EXIT_FAILURE;
  if (serving++) {
    return invoke(count, arguments, sources, source_data, source_sizes, source_names, headers,
                  header_data, header_sizes, header_names, outputs, output_data, output_sizes,
                  output_names);
  }
  // Programs that ocloc starts must not become servers.
  unsetenv("LD_PRELOAD");
  return serve(invoke);
}
