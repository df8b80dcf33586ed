package compatinputs

import (
	"archive/zip"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

func TestStableLabel(t *testing.T) {
	for label, want := range map[string]string{
		"p/k.cpython-311-x86_64-linux-gnu.so":                        "p/k.so",
		"p/k.cpython-313t-aarch64-linux-musl.so":                     "p/k.so",
		"p/k.cpython-36m-darwin.so":                                  "p/k.so",
		"p/k.abi3.so":                                                "p/k.so",
		"p/k.pypy310-pp73-x86_64-linux-gnu.so":                       "p/k.so",
		"p/k.graalpy240-311-native-x86_64-linux.so":                  "p/k.so",
		"p/k.cp312-win_amd64.pyd":                                    "p/k.pyd",
		"p/k_d.cp313t-win_arm64.pyd":                                 "p/k_d.pyd",
		"p/k.cp38-win32.pyd":                                         "p/k.pyd",
		"p/k.cpython-39-x86_64-cygwin.dll":                           "p/k.dll",
		"p.libs/libk-0a1b2c3d.so.1.2":                                "p.libs/libk.so",
		"p.libs/libk-2-0a1b2c3d.so":                                  "p.libs/libk-2.so",
		"p.libs/k-0123456789abcdef0123456789abcdef.dll":              "p.libs/k.dll",
		"p.libs/libm-0a1b2c3d.2.so":                                  "p.libs/libm.2.so",
		"p/libk-0a1b2c3d.so":                                         "p/libk-0a1b2c3d.so", // not a vendored library
		"p.libs/libk-2024.so":                                        "p.libs/libk-2024.so",
		"build/lib.linux-x86_64-cpython-311/p/k.so":                  "build/lib/p/k.so",
		"build/lib.win-amd64-3.9/p/k.pyd":                            "build/lib/p/k.pyd",
		"build/cp311-cp311-linux_x86_64/k.so":                        "build/k.so",
		"cp312/k.abi3.so":                                            "k.so",
		"env/lib/python3.11/site-packages/p/k.cpython-311-darwin.so": "env/lib/python/site-packages/p/k.so",
		"//p:k.cpython-311-x86_64-linux-gnu.so":                      "//p:k.so",
		"libk.so.8.0.0":                                              "libk.so",
		"//demo:kernels":                                             "//demo:kernels",
		"p/cpython-311.so":                                           "p/cpython-311.so",
		"p/copy.cpu.so":                                              "p/copy.cpu.so",
		"":                                                           "",
	} {
		if got := StableLabel(label); got != want || StableLabel(got) != got {
			t.Errorf("%s: got %s, want %s", label, got, want)
		}
	}
}

// wheelOf returns a wheel for one Python release with the given members.
func wheelOf(t *testing.T, members ...member) []byte { return zipFileOf(t, zip.Deflate, members...) }

// labelsOf returns the labels of the programs in files.
func labelsOf(t *testing.T, files map[string][]byte) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		testkit.WriteFile(t, name, string(data))
	}
	r, _, err := makeReport(t.Context(), ReportOptions{Files: []string{"**"}})
	testkit.NoError(t, err)
	labels, _ := programs(r)
	return labels
}

// TestLabelsOfModules checks that modules for two Python releases have the same label, and that
// modules with colliding labels remain distinct.
func TestLabelsOfModules(t *testing.T) {
	one := object(t, offload.SYCL, kernels)
	two := object(t, offload.SYCL, kernels, []byte("\x03\x02\x23\x07\x00\x04\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"))
	for _, test := range []struct {
		name  string
		files map[string][]byte
		want  []string
	}{
		{"one wheel", map[string][]byte{"p-1-cp311-cp311-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-311-x86_64-linux-gnu.so", one})}, []string{"p/p/k.so"}},
		{"the next wheel", map[string][]byte{"p-2-cp312-cp312-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-312-x86_64-linux-gnu.so", two})}, []string{"p/p/k.so"}},
		{"both, with the same code", map[string][]byte{
			"p-1-cp311-cp311-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-311-x86_64-linux-gnu.so", one}),
			"p-1-cp312-cp312-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-312-x86_64-linux-gnu.so", one}),
		}, []string{"p/p/k.so"}},
		{"both, with different code", map[string][]byte{
			"p-1-cp311-cp311-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-311-x86_64-linux-gnu.so", one}),
			"p-1-cp312-cp312-linux_x86_64.whl": wheelOf(t, member{"p/k.cpython-312-x86_64-linux-gnu.so", two}),
		}, []string{"p/p/k.cpython-311-x86_64-linux-gnu.so", "p/p/k.cpython-312-x86_64-linux-gnu.so"}},
		{"one wheel with both", map[string][]byte{"p-1-py3-none-linux_x86_64.whl": wheelOf(t,
			member{"p/k.cpython-311-x86_64-linux-gnu.so", one}, member{"p/k.cpython-312-x86_64-linux-gnu.so", two})},
			[]string{"p/p/k.cpython-311-x86_64-linux-gnu.so", "p/p/k.cpython-312-x86_64-linux-gnu.so"}},
		{"a tagged module beside a plain one", map[string][]byte{"out/k.so": one, "out/k.abi3.so": two}, []string{"out/k.abi3.so", "out/k.so"}},
		{"two libraries that differ in the hash", map[string][]byte{"p-1-py3-none-win_amd64.whl": wheelOf(t,
			member{"p.libs/k-" + strings.Repeat("0a", 16) + ".dll", one}, member{"p.libs/k-" + strings.Repeat("1b", 16) + ".dll", two})},
			[]string{"p/p.libs/k-" + strings.Repeat("0a", 16) + ".dll", "p/p.libs/k-" + strings.Repeat("1b", 16) + ".dll"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := labelsOf(t, test.files); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// modules writes a report on modules, whose kernel K requires fp64, which intel_gpu_dg2 lacks.
func modules(t *testing.T, file string, labels ...string) {
	t.Helper()
	config := deviceconfig.Default()
	dg2, _ := config.Lookup("intel_gpu_dg2")
	var parts []*report.Report
	for i, label := range labels {
		r, err := report.Build([]report.Module{
			{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: []report.ModuleKernel{{Name: "K"}}, Images: []report.ModuleImage{{Format: "spirv", Triple: "spir64", Digest: report.Digest{1, byte(i)}}}},
			{Needs: &requirement.Requirements{}, Kernels: []report.ModuleKernel{{Name: "Good"}}, Images: []report.ModuleImage{{Format: "spirv", Triple: "spir64", Digest: report.Digest{2, byte(i)}}}},
		}, []*deviceconfig.Device{dg2}, config, report.Generator{Name: "test", Version: "1"}, label)
		testkit.NoError(t, err)
		parts = append(parts, r)
	}
	r, err := report.Merge(parts...)
	testkit.NoError(t, err)
	testkit.WriteFile(t, file, testkit.Written(t, r.Encode))
}

// TestOldBaselinesMatch checks that a baseline matches the modules for a different Python release,
// and modules with a different label due to the version of compat.
func TestOldBaselinesMatch(t *testing.T) {
	const py311, py312, py313 = "p/p/k.cpython-311-x86_64-linux-gnu.so", "p/p/k.cpython-312-x86_64-linux-gnu.so", "p/p/k.cpython-313-x86_64-linux-gnu.so"
	for _, test := range []struct {
		name     string
		old, now []string
	}{
		{"the next release of Python", []string{py311}, []string{py312}},
		{"labels with tags, and without", []string{py311}, []string{"p/p/k.so"}},
		{"labels without tags, and with", []string{"p/p/k.so"}, []string{py312}},
		{"one module in place of two", []string{py311, py312}, []string{"p/p/k.so"}},
		{"two modules in place of one", []string{"p/p/k.so"}, []string{py311, py312}},
		{"two modules in place of two others", []string{py311, py312}, []string{py312, py313}},
		{"a vendored library", []string{"p/p.libs/k-" + strings.Repeat("0a", 16) + ".dll"}, []string{"p/p.libs/k-" + strings.Repeat("1b", 16) + ".dll"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			enterWorkspace(t)
			modules(t, "old.json", test.old...)
			modules(t, "now.json", test.now...)
			check := func(o CheckOptions) *gate.Result {
				o.FailOnStale = "true"
				r, err := Check(context.Background(), o)
				testkit.NoError(t, err)
				return r
			}
			before := check(CheckOptions{Reports: []string{"old.json"}})
			testkit.WriteFile(t, "b.json", testkit.Written(t, gate.NewBaseline(before).Encode))
			for name, o := range map[string]CheckOptions{
				"baseline":     {Reports: []string{"now.json"}, Baseline: GateFile{Name: "b.json"}, BaseBaseline: GateFile{Name: "b.json"}},
				"base reports": {Reports: []string{"now.json"}, BaseReports: []string{"old.json"}},
			} {
				// In a base report, new device code has no known problems.
				if name == "base reports" && len(test.now) > len(test.old) {
					continue
				}
				if r := check(o); r.Conclusion != gate.Success || r.Counts.New != 0 || r.Counts.Unchanged == 0 {
					t.Errorf("%s: %v, %+v\n%+v\n%+v", name, r.Conclusion, r.Counts, r.Findings, r.Notices)
				}
			}
		})
	}
}

// TestOldPatternsMatch checks that a policy exception matches a module whose label no longer has
// tags.
func TestOldPatternsMatch(t *testing.T) {
	enterWorkspace(t)
	modules(t, "now.json", "p/p/k.so")
	for pattern, want := range map[string]gate.Conclusion{
		"p/p/k.so": gate.Success, "p/p/k.cpython-311-x86_64-linux-gnu.so": gate.Success, "p/p/*.cpython-3*-x86_64-linux-gnu.so": gate.Success,
		"p/p/l.cpython-311-x86_64-linux-gnu.so": gate.Failure, "q/*.so": gate.Failure,
	} {
		text := fmt.Sprintf("version: 1\nallow: [{rule: missing-aspect, kernels: ['*'], targets: ['%s'], reason: later, expires: 2029-01-01}]\n", pattern)
		p := GateFile{Name: "p.yml", Data: []byte(text)}
		r, err := Check(t.Context(), CheckOptions{Reports: []string{"now.json"}, Policy: p, BasePolicy: p, Today: "2028-12-01"})
		testkit.NoError(t, err)
		if r.Conclusion != want {
			t.Errorf("%s: %v", pattern, r.Conclusion)
		}
		for _, n := range r.Notices {
			if n.Rule == gate.PolicyWeakened {
				t.Errorf("%s: %s", pattern, n.Text)
			}
		}
	}
}
