package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// dpcppSources are the same sources as placesSources, written with DPC++'s headers.
var dpcppSources = map[string]string{
	"math/tenth.hpp": placesSources["math/tenth.hpp"],
	"app/kernels.cpp": `#include <sycl/sycl.hpp>
#include "../math/tenth.hpp"

class Plain;
class Own;
class Helper;

void kernels(sycl::queue &q, float *f, double *d) {
  q.parallel_for<Plain>(sycl::range<1>(64), [=](sycl::id<1> i) { f[i] = math::tenth<float>(f[i]); });
  q.parallel_for<Own>(sycl::range<1>(64), [=](sycl::id<1> i) {
    if (i == 3)
      f[i] = 2 * d[i];
  });
  q.submit([&](sycl::handler &h) {
    h.parallel_for<Helper>(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) {
      f[i.get_global_id(0)] =
          math::tenth<double>(f[3]);
    });
  });
}
`,
	"far.cpp": `#include <sycl/sycl.hpp>

SYCL_EXTERNAL float far(float x);

void kernels(sycl::queue &q, float *f) {
  q.single_task<class Far>([=] {
    f[0] = far(f[1]);
  });
}
`,
	"vtable.cpp": `#include <sycl/sycl.hpp>

#include <new>

struct Shape {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(sycl::ext::oneapi::experimental::indirectly_callable)
  virtual float area() const;
};
class Make;

void kernels(sycl::queue &q, Shape *shape) {
  q.single_task<Make>([=] {
    new (shape) Shape;
  });
}
`,
	"limit.cpp": `#include <sycl/sycl.hpp>

extern const int limit;
class Limit;

void kernels(sycl::queue &q, int *p) {
  q.single_task<Limit>([=] {
    p[0] = limit;
  });
}
`,
}

// TestDPCPP follows kernels from the source to the property file through DPC++'s compiler.
func TestDPCPP(t *testing.T) {
	driver, library := testkit.DPCPP(t)
	t.Chdir(t.TempDir())
	for name, text := range dpcppSources {
		testkit.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		testkit.WriteFile(t, name, text)
	}
	compile := func(source string) {
		t.Helper()
		if out, err := exec.Command(driver, "compile", "--library", library, "--output", "k.bc", source, "--", "-O2", "-Xclang",
			"-debug-info-kind=line-tables-only", "-Xclang", "-dwarf-version=4", "-fdebug-info-for-profiling",
			"-ffile-compilation-dir=.", "-Xclang", "-fdebug-compilation-dir=.").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	images := func(args ...string) (int, string) {
		return run(t, append([]string{"images", "--driver", driver, "--library", library, "--code-dir", ".", "--properties-dir", ".", "--table", "k.table", "k.bc"}, args...)...)
	}
	// build returns the property sets and the SPIR-V of all kernels.
	build := func(args ...string) (*propset.Registry, string) {
		t.Helper()
		compile("app/kernels.cpp")
		if code, stderr := images(append([]string{"--split", "off"}, args...)...); code != 0 || stderr != "" {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		r := testkit.Must(propset.Parse("0.prop", []byte(testkit.ReadFile(t, "0.prop"))))(t)
		return r, testkit.ReadFile(t, "0.spv")
	}
	const app = "app/kernels.cpp"
	fp64 := func(function, file string, line uint32) []srcloc.Origin {
		return []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: function, Location: srcloc.Location{Path: file, Line: line}}}
	}
	r, before := build()
	for kernel, want := range map[string]srcloc.Kernel{
		"_ZTS5Plain":  {Location: srcloc.Location{Path: app, Line: 9}},
		"_ZTS3Own":    {Location: srcloc.Location{Path: app, Line: 10}, Origins: fp64("", app, 12)},
		"_ZTS6Helper": {Location: srcloc.Location{Path: app, Line: 15}, Origins: fp64("_ZN4math5tenthIdEEff", "math/tenth.hpp", 7)},
		"_ZTSN4sycl3_V16detail19__pf_kernel_wrapperI3OwnEE": {Location: srcloc.Location{Path: app, Line: 10}, Origins: fp64("", app, 12)},
	} {
		got, ok := srcloc.ReadKernel(r, kernel)
		got.Location.Column = 0
		for i := range got.Origins {
			got.Origins[i].Location.Column = 0
		}
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v\nwant %+v", kernel, got, want)
		}
	}
	if strings.Contains(before, "kernels.cpp") || strings.Contains(before, "DebugInfo") || strings.Contains(before, "SPV_KHR_non_semantic_info") {
		t.Error("there is debug information in the SPIR-V")
	}

	testkit.WriteFile(t, app, strings.Repeat("// Moves all lines.\n", 41)+dpcppSources[app])
	r, after := build()
	if before != after {
		t.Error("the SPIR-V depends on where lines are")
	}
	if p, _ := srcloc.ReadKernel(r, "_ZTS5Plain"); p.Location.Line != 50 {
		t.Errorf("the kernel is still at %v", p.Location)
	}
	if _, code := build("--keep-debug-info"); !strings.Contains(code, "kernels.cpp") {
		t.Error("--keep-debug-info has no effect")
	}

	compile("far.cpp")
	code, stderr := images()
	if want := "devicec: error: far.cpp:6: undefined device function 'far(float)', used by kernel "; code != cli.ExitBadInput || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit %d: %swant %s", code, stderr, want)
	}
	if code, stderr := images("--allow-device-image-dependencies"); code != 0 || stderr != "" {
		t.Errorf("exit %d: %s", code, stderr)
	}

	compile("vtable.cpp")
	code, stderr = images()
	if want := "devicec: error: vtable.cpp:12: undefined device variable 'vtable for Shape', used by kernel 'Make'; define the virtual functions of the class in the same source or in a header that it includes\n"; code != cli.ExitBadInput || stderr != want {
		t.Errorf("exit %d: %swant %s", code, stderr, want)
	}

	compile("limit.cpp")
	code, stderr = images()
	if want := "devicec: error: limit.cpp:7: undefined device variable 'limit', used by kernel 'Limit'; define it in the same source"; code != cli.ExitBadInput || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit %d: %swant %s", code, stderr, want)
	}
	if code, stderr := images("--allow-device-image-dependencies"); code != 0 || stderr != "" {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
