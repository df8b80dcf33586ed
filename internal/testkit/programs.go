package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Program returns the path of a program, preferring LLVM 21 over other LLVM versions. If it is not
// installed the test is skipped, except under Bazel, where all programs are provided and a skip
// would hide an error.
func Program(t testing.TB, name string) string {
	t.Helper()
	candidates := []string{"/usr/lib/llvm-21/bin/" + name, name + "-21"}
	if !ofLLVM[name] {
		candidates = []string{name}
	}
	for _, candidate := range candidates {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	if _, bazel := os.LookupEnv("TEST_SRCDIR"); bazel {
		t.Fatalf("%s is not installed", candidates[len(candidates)-1])
	}
	t.Skipf("%s is not installed", candidates[len(candidates)-1])
	return ""
}

// ProgramOf returns the path of a program of an LLVM release. If it is not installed the test is
// skipped, because few systems have all releases.
func ProgramOf(t testing.TB, release, name string) string {
	t.Helper()
	path, err := exec.LookPath("/usr/lib/llvm-" + release + "/bin/" + name)
	if err != nil {
		path, err = exec.LookPath(name + "-" + release)
	}
	if err != nil {
		t.Skipf("%s of LLVM %s is not installed", name, release)
	}
	return path
}

// DPCPP returns the driver of DPC++'s compiler library, built by Bazel or by the host's C++
// compiler, and the library, which SYCL_JIT_LIBRARY names. If it is not set, the test is skipped.
// The test's package must be two directories below the module's.
func DPCPP(t testing.TB) (driver, library string) {
	t.Helper()
	library = os.Getenv("SYCL_JIT_LIBRARY")
	if library == "" {
		t.Skip("SYCL_JIT_LIBRARY does not name libsycl-jit.so")
	}
	if path, bazel := os.LookupEnv("DPCPP_DRIVER"); bazel {
		return filepath.Join(os.Getenv("TEST_SRCDIR"), path), library
	}
	driver = filepath.Join(t.TempDir(), "driver")
	source := filepath.Join("..", "..", "rules", "dpcpp", "driver.cpp")
	if out, err := exec.Command(Program(t, "c++"), "-std=c++17", "-O1", source, "-o", driver, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return driver, library
}

// ofLLVM lists the programs of an LLVM release.
var ofLLVM = map[string]bool{
	"clang": true, "clang++": true, "clang-linker-wrapper": true, "clang-offload-bundler": true,
	"clang-offload-packager": true, "ld.lld": true, "llc": true, "llvm-ar": true, "llvm-as": true,
	"llvm-dis": true, "llvm-link": true, "llvm-objcopy": true, "llvm-spirv": true, "opt": true,
}
