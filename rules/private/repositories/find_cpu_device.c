// Makes a program find DPC++'s CPU device, regardless of how it is started.
//
// OpenCL's loader loads the drivers in OCL_ICD_FILENAMES in addition to the installed ones.
// It reads the variable when libsycl first looks for devices, which can happen in an ordinary
// constructor.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies the path of the loaded libsycl: DIR/_solib_CPU/REPOSITORY/lib/libsycl.so.N, or of
// libsycl-preview. Programs outside of a build's directories use the installed libsycl and drivers.
static int take_name(struct dl_phdr_info *library, size_t size, void *name) {
  const char *base = strrchr(library->dlpi_name, '/');
  (void)size;
  return base != NULL &&
         (strncmp(base, "/libsycl.so.", strlen("/libsycl.so.")) == 0 ||
          strncmp(base, "/libsycl-preview.so.", strlen("/libsycl-preview.so.")) == 0) &&
         strstr(library->dlpi_name, "/_solib_") != NULL &&
         snprintf(name, PATH_MAX, "%s", library->dlpi_name) < PATH_MAX;
}

static int use_driver_in(const char *directory) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof(path), "%s/libintelocl.so", directory) >= (int)sizeof(path)) {
    return 0;
  }
  // The driver finds its other files next to itself if its path has no spaces. The
  // variable is a list separated by ':'.
  char *driver = realpath(path, NULL);
  int found = driver != NULL && strpbrk(driver, " :") == NULL &&
              setenv("OCL_ICD_FILENAMES", driver, 0) == 0;
  free(driver);
  return found;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// GCC's sanitizers have their own dlopen, which ignores the run paths of libsycl's libraries.
static void load_opencl(const char *directory) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof(path), "%s/libOpenCL.so.1", directory) < (int)sizeof(path)) {
    dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  }
}

// The loader and the driver never free some memory.
__attribute__((weak)) const char *__lsan_default_suppressions(void) {
  return "leak:libOpenCL.so\nleak:libintelocl.so\n";
}
#else
static void load_opencl(const char *directory) { (void)directory; }
#endif

__attribute__((constructor(101))) static void find_cpu_device(void) {
  char name[PATH_MAX];
  if (!dl_iterate_phdr(take_name, name)) {
    return;
  }
  char *real = realpath(name, NULL);
  char *links = strstr(name, "/_solib_");
  *strrchr(name, '/') = '\0';
  load_opencl(name);
  if (getenv("OCL_ICD_FILENAMES") == NULL && getenv("OCL_ICD_VENDORS") == NULL) {
    // In the runfiles, the repository is next to DIR, the workspace. Without runfiles, the link
    // leads to the library in Bazel's output.
    char directory[PATH_MAX];
    int length = snprintf(directory, sizeof(directory), "%.*s/..%s", (int)(links - name), name,
                          strchr(links + 1, '/'));
    if ((length >= (int)sizeof(directory) || !use_driver_in(directory)) && real != NULL) {
      *strrchr(real, '/') = '\0';
      use_driver_in(real);
    }
  }
  free(real);
}
