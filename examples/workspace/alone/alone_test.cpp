// Checks that programs find DPC++'s CPU device without any settings: if started by their path, by a
// link in a directory with a space, and from a different directory.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace fs = std::filesystem;

static int failed = 0;

// Fails unless the command prints the text.
static void wants(const char *what, const std::string &text, const std::string &command) {
  std::string got;
  std::FILE *output = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part;
  for (std::size_t n; output && (n = std::fread(part.data(), 1, part.size(), output)) > 0;)
    got.append(part.data(), n);
  if (output) pclose(output);
  if (got.find(text) == std::string::npos) {
    std::printf("%s: %s prints '%s', not '%s'\n", what, command.c_str(), got.c_str(), text.c_str());
    failed = 1;
  }
}

static std::string quoted(const fs::path &path) { return "'" + path.string() + "'"; }

int main(int argc, char **argv) {
  if (argc < 5) {
    std::printf("usage: alone_test LIST_DEVICES PLUGIN LOADER PROGRAM...\n");
    return 2;
  }
  for (const char *name : {"OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "ONEAPI_DEVICE_SELECTOR"})
    unsetenv(name);
  const fs::path runfiles = fs::current_path();
  const fs::path scratch = std::getenv("TEST_TMPDIR");
  const fs::path link = scratch / "a directory" / "program";
  fs::create_directories(link.parent_path());
  fs::create_directories(scratch / "none");
  fs::current_path("/");

  const std::string no_vendors = "OCL_ICD_VENDORS=" + quoted(scratch / "none") + " ";
  for (int i = 4; i < argc; i++) {
    const fs::path program = runfiles / argv[i];
    wants("by its path", "42 42", quoted(program));
    fs::remove(link);
    fs::create_symlink(program, link);
    wants("by a link", "42 42", quoted(link));
    // The user's setting takes precedence, so the device is not found.
    wants("with other drivers", "0 0", no_vendors + quoted(program));
  }
  wants("a plugin", "42 42", quoted(runfiles / argv[3]) + " " + quoted(runfiles / argv[2]));

  // A driver that does not load.
  const fs::path broken = scratch / "broken.so";
  std::ofstream(broken) << "\n";
  wants("a broken driver", "broken.so: file too short",
        no_vendors + "OCL_ICD_FILENAMES=" + quoted(broken) + " " + quoted(runfiles / argv[1]));
  return failed;
}
