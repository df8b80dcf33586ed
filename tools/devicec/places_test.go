package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// placesSources are the files of a program in a Bazel build: the SYCL header is in an external
// repository, and the kernels and their helpers are in the workspace.
var placesSources = map[string]string{
	"external/lib+/lite.hpp": `#pragma once
unsigned long __spirv_BuiltInGlobalInvocationId(int dimension);
template <class Name, class F>
[[clang::sycl_kernel_entry_point(Name)]] void entry(F f) {
  f(static_cast<int>(__spirv_BuiltInGlobalInvocationId(0)));
}
template <class Name, class F>
void parallel_for(F f) {
  entry<Name>(f);
}
inline void add(double *p, double v) { *p = *p + v; }
`,
	"math/tenth.hpp": `#pragma once
namespace math {

template <class T>
float tenth(float x) {
  return static_cast<float>(
      x * static_cast<T>(0.1));
}

}
`,
	"far.cpp": `float far(float x) {
  float y = x;
  return static_cast<float>(
      y * 0.7);
}
`,
	"app/kernels.cpp": `#include "../math/tenth.hpp"
#include <lite.hpp>

float far(float);

class Plain;
class Own;
class Helper;
class Far;
class Library;

void kernels(float *f, double *d) {
  parallel_for<Plain>([f](int i) { f[i] = math::tenth<float>(f[i]); });
  parallel_for<Own>([f, d](int i) {
    if (i == 3)
      f[i] = 2 * d[i];
  });
  parallel_for<Helper>([f](int i) {
    f[i] =
        math::tenth<double>(f[i]);
  });
  parallel_for<Far>([=](int i) {
    f[i] = far(f[i]);
  });
  parallel_for<Library>([=](int i) {
    f[i] = 0;
    add(d,
        0);
  });
}
`,
}

// TestPlaces follows kernels from the source to the property file.
func TestPlaces(t *testing.T) {
	clang, dis, link := testkit.Program(t, "clang++"), testkit.Program(t, "llvm-dis"), testkit.Program(t, "llvm-link")
	translator, val := testkit.Program(t, "llvm-spirv"), testkit.Program(t, "spirv-val")
	t.Chdir(t.TempDir())
	for name, text := range placesSources {
		testkit.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		testkit.WriteFile(t, name, text)
	}
	// build returns the property sets and the SPIR-V.
	build := func(t *testing.T, options []string, translate ...string) (*propset.Registry, string) {
		t.Helper()
		for _, source := range []string{"app/kernels.cpp", "far.cpp"} {
			args := append([]string{"-fsycl", "-fsycl-device-only", "-std=c++20", "-gdwarf-4", "-gline-tables-only",
				"-fdebug-info-for-profiling", "-ffile-compilation-dir=.", "-isystem", "external/lib+"}, options...)
			if out, err := exec.Command(clang, append(args, "-c", source, "-o", source+".bc")...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		if code, stderr := run(t, "link", "--llvm-dis", dis, "--llvm-link", link, "--output", "all.bc",
			"app/kernels.cpp=app/kernels.cpp.bc", "far.cpp=far.cpp.bc"); code != 0 {
			t.Fatal(stderr)
		}
		if code, stderr := run(t, append(append([]string{"translate", "--llvm-spirv", translator, "--spirv-val", val,
			"--code-dir", ".", "--properties-dir", ".", "--table", "k.table"}, translate...), "all.bc")...); code != 0 {
			t.Fatal(stderr)
		}
		r := testkit.Must(propset.Parse("all.prop", []byte(testkit.ReadFile(t, "all.prop"))))(t)
		return r, testkit.ReadFile(t, "all.spv")
	}
	fp64 := func(function, file string, line uint32) []srcloc.Origin {
		return []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: function, Location: srcloc.Location{Path: file, Line: line}}}
	}
	const app = "app/kernels.cpp"
	const helper = "math/tenth.hpp"
	want := map[string]srcloc.Kernel{
		"_ZTS5Plain":   {Location: srcloc.Location{Path: app, Line: 13}},
		"_ZTS3Own":     {Location: srcloc.Location{Path: app, Line: 14}, Origins: fp64("", app, 16)},
		"_ZTS6Helper":  {Location: srcloc.Location{Path: app, Line: 18}, Origins: fp64("_ZN4math5tenthIdEEff", helper, 7)},
		"_ZTS3Far":     {Location: srcloc.Location{Path: app, Line: 22}, Origins: fp64("_Z3farf", "far.cpp", 4)},
		"_ZTS7Library": {Location: srcloc.Location{Path: app, Line: 25}, Origins: fp64("", app, 27)},
	}
	for name, options := range map[string][]string{
		"inlined":       {"-O2"},
		"not inlined":   {"-O0", "-Xclang", "-disable-O0-optnone"},
		"all of -g":     {"-O2", "-g"},
		"-g at -O0":     {"-O0", "-g"},
		"without names": {"-O2", "-fno-debug-info-for-profiling"},
	} {
		t.Run(name, func(t *testing.T) {
			r, code := build(t, options)
			for kernel, want := range want {
				got, ok := srcloc.ReadKernel(r, kernel)
				got.Location.Column = 0
				for i := range got.Origins {
					got.Origins[i].Location.Column = 0
				}
				if name == "without names" && kernel == "_ZTS6Helper" {
					want.Origins = fp64("tenth<double>", helper, 7)
				}
				if !ok || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %+v\nwant %+v", kernel, got, want)
				}
			}
			if strings.Contains(code, "kernels.cpp") || strings.Contains(code, "DebugInfo") {
				t.Error("there is debug information in the SPIR-V")
			}
		})
	}

	_, before := build(t, []string{"-O2"})
	testkit.WriteFile(t, app, "// Moves\n// all lines.\n"+placesSources[app])
	r, after := build(t, []string{"-O2"})
	if before != after {
		t.Error("the SPIR-V depends on where lines are")
	}
	if p, _ := srcloc.ReadKernel(r, "_ZTS5Plain"); p.Location.Line != 15 {
		t.Errorf("the kernel is still at %v", p.Location)
	}
	if _, code := build(t, []string{"-O2", "-g"}, "--keep-debug-info"); !strings.Contains(code, "kernels.cpp") {
		t.Error("--keep-debug-info has no effect")
	}
}
