// Tests of server.c: it responds to requests in the form that aot sends, and any other standard
// input terminates it safely. The tests are deterministic.

#include "server.c"

#include <string.h>
#include <sys/wait.h>

static int failures;

static void expect(int held, const char *what, unsigned long number) {
  if (held) return;
  failures++;
  fprintf(stderr, "FAIL: %s (%lu)\n", what, number);
}

// A fake ocloc. It reads all of its arguments, prints their count, and returns it.
static int count_arguments(unsigned count, const char **arguments, uint32_t sources,
                           const uint8_t **source_data, const uint64_t *source_sizes,
                           const char **source_names, uint32_t headers, const uint8_t **header_data,
                           const uint64_t *header_sizes, const char **header_names,
                           uint32_t *outputs, uint8_t ***output_data, uint64_t **output_sizes,
                           char ***output_names) {
  (void)source_data, (void)source_sizes, (void)source_names, (void)header_data, (void)header_sizes,
      (void)header_names;
  (void)output_data, (void)output_sizes, (void)output_names;
  size_t length = 0;
  for (unsigned i = 0; i < count; i++) length += strlen(arguments[i]);
  if (sources || headers || outputs || length == 0) abort();
  printf("%u arguments\n", count);
  return (int)count;
}

// Serves a text in a separate process. Returns its responses, and its exit code, or -1 if a signal
// terminated it.
static char *served(const char *text, size_t size, int *code) {
  FILE *in = tmpfile(), *out = tmpfile();
  if (!in || !out || fwrite(text, 1, size, in) != size || fflush(in) || fseek(in, 0, SEEK_SET))
    abort();
  const pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    alarm(20);
    if (dup2(fileno(in), STDIN_FILENO) < 0 || dup2(fileno(out), STDOUT_FILENO) < 0) abort();
    _exit(serve(count_arguments));
  }
  int status;
  if (waitpid(child, &status, 0) != child) abort();
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const long length = fseek(out, 0, SEEK_END) ? -1 : ftell(out);
  char *answers = length < 0 ? NULL : calloc(1, (size_t)length + 1);
  if (!answers || fseek(out, 0, SEEK_SET) ||
      fread(answers, 1, (size_t)length, out) != (size_t)length)
    abort();
  fclose(in);
  fclose(out);
  return answers;
}

// Two requests. The literal's terminating NUL is part of the second one.
static const char kRequests[] = "ocloc\0compile\0-file\0k.spv\0-device\0pvc\0\0ocloc\0ids\0a b\n\0";

static void test_requests(void) {
  int code;
  char *answers = served(kRequests, sizeof kRequests, &code);
  const char *want = "ocloc-server 1\n6 12\n6 arguments\n3 12\n3 arguments\n";
  expect(code == EXIT_SUCCESS && strcmp(answers, want) == 0, answers, (unsigned long)code);
  free(answers);
}

// xorshift, which generates the same numbers on every system.
static uint64_t next_random(void) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void try(const char *text, size_t size, unsigned long number) {
  int code;
  char *answers = served(text, size, &code);
  expect(code == EXIT_SUCCESS || code == EXIT_FAILURE, "it does not exit by itself", number);
  expect(strncmp(answers, "ocloc-server 1\n", 15) == 0, "it sends no greeting", number);
  free(answers);
}

// Prefixes of the requests, and copies with up to 8 changed bytes.
static unsigned long test_changed(void) {
  unsigned long number = 0;
  for (size_t size = 0; size <= sizeof kRequests; size++) try(kRequests, size, number++);
  for (int i = 0; i < 400; i++) {
    char text[sizeof kRequests];
    memcpy(text, kRequests, sizeof text);
    for (uint64_t changes = 1 + next_random() % 8; changes > 0; changes--)
      text[next_random() % sizeof text] = next_random() % 3 ? 0 : (char)next_random();
    try(text, sizeof text, number++);
  }
  return number;
}

// Requests at the limits, just above them, and far above them.
static unsigned long test_limits(void) {
  unsigned long number = 0;
  char *text = malloc(MAX_BYTES + 2);
  if (!text) abort();
  for (int over = -1; over <= 1; over++, number++) {
    memset(text, 'x', MAX_BYTES + 2);
    text[MAX_BYTES - 2 + over] = text[MAX_BYTES - 1 + over] = 0;
    int code;
    char *answers = served(text, (size_t)(MAX_BYTES + over), &code);
    expect(code == (over > 0 ? EXIT_FAILURE : EXIT_SUCCESS),
           "a request with the maximum number of bytes", number);
    free(answers);
  }
  for (int over = -1; over <= 1; over++, number++) {
    memset(text, 'x', MAX_BYTES);
    const size_t count = (size_t)(MAX_ARGUMENTS + over);
    for (size_t i = 0; i < count; i++) text[2 * i + 1] = 0;
    text[2 * count] = 0;
    int code;
    char *answers = served(text, 2 * count + 1, &code);
    expect(code == (over > 0 ? EXIT_FAILURE : EXIT_SUCCESS),
           "a request with the maximum number of arguments", number);
    free(answers);
  }
  free(text);
  return number;
}

int main(void) {
  test_requests();
  const unsigned long changed = test_changed(), limits = test_limits();
  printf("%lu changed requests, %lu at the limits\n", changed, limits);
  return failures != 0;
}
