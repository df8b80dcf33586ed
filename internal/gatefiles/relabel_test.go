package gatefiles

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// modules writes a report on modules with the given labels. Their kernel K requires fp64, which
// intel_gpu_dg2 lacks.
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

// TestOldBaselinesMatch checks that a baseline matches modules for a different Python release, and
// modules that a different version of compat has labeled.
func TestOldBaselinesMatch(t *testing.T) {
	const py311, py312, py313 = "p/p/k.cpython-311-x86_64-linux-gnu.so", "p/p/k.cpython-312-x86_64-linux-gnu.so", "p/p/k.cpython-313-x86_64-linux-gnu.so"
	for _, test := range []struct {
		name     string
		old, now []string
	}{
		{"a newer release of Python", []string{py311}, []string{py312}},
		{"labels with tags, then without", []string{py311}, []string{"p/p/k.so"}},
		{"labels without tags, then with", []string{"p/p/k.so"}, []string{py312}},
		{"one module instead of two", []string{py311, py312}, []string{"p/p/k.so"}},
		{"two modules instead of one", []string{"p/p/k.so"}, []string{py311, py312}},
		{"two modules instead of two different ones", []string{py311, py312}, []string{py312, py313}},
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
				// With base reports, the problems of new device code are new.
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

// TestOldPatternsMatch checks that an exception in a policy still matches a module whose label no
// longer contains tags.
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
