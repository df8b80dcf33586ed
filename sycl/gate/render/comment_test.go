package render

import (
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func commentOn(t *testing.T, r *gate.Result, o CommentOptions) string {
	t.Helper()
	return testkit.Written(t, func(w io.Writer) error { return Comment(w, r, o) })
}

// wheel returns reports on a large wheel: modules with many template kernels, some of which require
// fp64. changes replaces kernels of the first module; a nil value removes the kernel.
func wheel(changes map[string]reporttest.Problems) []*gate.Index {
	var list []*gate.Index
	for _, module := range []string{"_blas_impl", "_histogram_impl", "_linalg_impl", "_tensor_impl", "_ufunc_impl"} {
		kernels := map[string]reporttest.Problems{}
		for i := range 40 {
			for _, number := range []string{"float", "double", "std::complex<double>"} {
				name := fmt.Sprintf("pkg::extensions::%s::kernels::contiguous_kernel_%d<%s, pkg::tensor::offsets::TwoOffsetsIndexer<%s>>", module, i, number, number)
				if kernels[name] = (reporttest.Problems{}); number != "float" {
					kernels[name] = reporttest.Problems{"intel_gpu_acm_g10": {reporttest.FP64}}
				}
			}
		}
		if module == "_blas_impl" {
			maps.Copy(kernels, changes)
			maps.DeleteFunc(kernels, func(_ string, p reporttest.Problems) bool { return p == nil })
		}
		list = append(list, gate.NewIndex("dist/pkg.whl", reporttest.Report("pkg/pkg/"+module+".so", []string{"intel_gpu_acm_g10", "intel_gpu_pvc"}, kernels)))
	}
	return list
}

const summaryPage = "https://github.com/o/r/actions/runs/11"

// TestWheels shows the comment, the summary and the code scanning results of a large wheel on its
// first run, without a change, and with changes. The comment used to exceed 50,000 bytes in each
// case.
func TestWheels(t *testing.T) {
	const fixed = "pkg::extensions::_blas_impl::kernels::contiguous_kernel_7<double, pkg::tensor::offsets::TwoOffsetsIndexer<double>>"
	const gone = "pkg::extensions::_blas_impl::kernels::contiguous_kernel_8<double, pkg::tensor::offsets::TwoOffsetsIndexer<double>>"
	fp64 := reporttest.Problems{"intel_gpu_acm_g10": {reporttest.FP64}}
	all := wheel(nil)
	known := gate.NewBaseline(gate.Evaluate(gate.Input{Reports: all, Today: today}))
	for _, test := range []struct {
		name    string
		in      gate.Input
		results int
	}{
		{"first", gate.Input{Reports: all}, 400},
		{"unchanged", gate.Input{Reports: all, Baseline: known}, 0},
		{"new", gate.Input{Reports: wheel(map[string]reporttest.Problems{"pkg::New<double>": fp64, "pkg::New<float>": {}}), Baseline: known}, 1},
		{"fixed", gate.Input{Reports: wheel(map[string]reporttest.Problems{fixed: {}, gone: nil}), Baseline: known}, 0},
		{"fixed-reports", gate.Input{Reports: wheel(map[string]reporttest.Problems{fixed: {}, gone: nil}), Base: all}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.in.Today, test.in.Generator = today, report.Generator{Name: "compat", Version: "1.0"}
			r := gate.Evaluate(test.in)
			comment := commentOn(t, r, CommentOptions{Summary: summaryPage})
			testkit.Golden(t, "wheel/"+test.name+".comment.md", comment)
			if len(comment) > commentSize {
				t.Errorf("comment of %d bytes", len(comment))
			}
			summary := markdownOf(t, r, MarkdownOptions{})
			// The lists of kernels fill a summary, and are omitted from the golden file.
			head, _, _ := strings.Cut(summary, "\n<details><summary>missing-aspect: ")
			testkit.Golden(t, "wheel/"+test.name+".summary.md", head)
			if len(summary) > 100_000 {
				t.Errorf("summary of %d bytes", len(summary))
			}
			run := logOf(t, r, ScanOptions{})
			if len(run.Results) != test.results {
				t.Errorf("%d results, want %d", len(run.Results), test.results)
			}
			if test.results <= 1 && test.in.Base == nil {
				testkit.Golden(t, "wheel/"+test.name+".sarif", testkit.Written(t, func(w io.Writer) error { return SARIF(w, r, ScanOptions{}) }))
			}
			if test.in.Base == nil && strings.Contains(comment, "| ⚠️") {
				t.Errorf("table rows for known problems:\n%s", comment)
			}
		})
	}
}

// TestCommentManyProblems checks that many new problems do not displace the rest, and that a
// comment exceeds the intended size only because of new problems.
func TestCommentManyProblems(t *testing.T) {
	kernels := map[string]reporttest.Problems{}
	for i := range 300 {
		kernels[fmt.Sprintf("%d%s", i, strings.Repeat("x", 3000))] = reporttest.Problems{"a": {{Rule: "missing-aspect", Required: fmt.Sprintf("fp%d", i), Status: reporttest.FP64.Status}}}
	}
	base := policy(t, "devices: {required: [a]}\n")
	r := gate.Evaluate(gate.Input{Reports: facts(reporttest.Report("//p:t", []string{"a"}, kernels)), Policy: policy(t, "devices: {supported: ['*']}\n"), BasePolicy: base, Today: today})
	comment := commentOn(t, r, CommentOptions{Summary: summaryPage})
	for _, want := range []string{"no longer required", "\n### 300 new problems\n", " more in [the summary](<" + summaryPage + ">).\n", "\n### What to do\n"} {
		if !strings.Contains(comment, want) {
			t.Errorf("no %q in\n%s", want, comment)
		}
	}
	if rows := strings.Count(comment, "\n| ⚠️ |"); rows < commentRows || len(comment) > 2*commentSize {
		t.Errorf("%d rows, %d bytes", rows, len(comment))
	}
	if short := commentOn(t, r, CommentOptions{MaxBytes: 5000}); len(short) > 5000 {
		t.Errorf("%d bytes (limit 5000)", len(short))
	}
}

// TestCommentAttacks checks that names are never interpreted as markup in a comment.
func TestCommentAttacks(t *testing.T) {
	for _, name := range attacks {
		r := attack(name)
		text := commentOn(t, r, CommentOptions{Summary: summaryPage})
		checkLines(t, "comment", text)
		rows := strings.Count("\n"+text, "\n|")
		if want := strings.Count(text, "\n| ❌ |") + strings.Count(text, "\n| ⚠️ |") + 2; rows != want {
			t.Errorf("%q: %d table rows, want %d:\n%s", name, rows, want, text)
		}
		for _, bad := range []string{"<img", "http://evil", "\n::error", "@org/team"} {
			for _, part := range codeless(text) {
				if strings.Contains(part, bad) {
					t.Errorf("%q: %q outside of a code span:\n%s", name, bad, text)
				}
			}
		}
	}
}

// codeless returns the parts of lines without a doubled backquote that are outside of code spans.
func codeless(text string) (parts []string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "``") {
			continue
		}
		for i, part := range strings.Split(line, "`") {
			if i%2 == 0 {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// TestCommentLinks checks that a kernel whose location is known links to its source.
func TestCommentLinks(t *testing.T) {
	r := reporttest.Report("//p:t", []string{"a"}, map[string]reporttest.Problems{"K": {"a": {reporttest.FP64}}})
	r.Kernels[0].Location = srcloc.Location{Path: "src/k.cpp", Line: 7}
	text := commentOn(t, gate.Evaluate(gate.Input{Reports: facts(r), Today: today}), CommentOptions{Sources: "https://github.com/o/r/blob/1/"})
	if want := "| ❌ | `K` | Requires aspect `fp64` | `a` | `//p:t`, [`src/k.cpp:7`](<https://github.com/o/r/blob/1/src/k.cpp#L7>) |\n"; !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, text)
	}
}

// TestOnlyGenericTargets checks that a result has a note if no specific device was checked.
func TestOnlyGenericTargets(t *testing.T) {
	for _, test := range []struct {
		devices []string
		generic []string
		want    string
	}{
		{[]string{"spir64"}, []string{"spir64"}, "passed, but only spir64 was checked, which is not a specific device (name devices to check): 1 kernel, no problems"},
		{[]string{"spir64", "spirv64"}, []string{"spir64", "spirv64"}, "passed, but only spir64 and spirv64 were checked, which are not specific devices (name devices to check): 1 kernel, no problems"},
		{[]string{"intel_gpu_pvc", "spir64"}, []string{"spir64"}, "passed: 1 kernel on 2 devices, no problems"},
		{[]string{"intel_gpu_pvc"}, nil, "passed: 1 kernel on 1 device, no problems"},
	} {
		r := reporttest.Report("//p:t", test.devices, map[string]reporttest.Problems{"K": {}})
		for i := range r.Devices {
			d := &r.Devices[i]
			d.SubGroupSizes = []uint32{16}
			for _, name := range test.generic {
				if d.Name == name {
					d.OpenWorld, d.Aspects, d.SubGroupSizes = true, nil, nil
				}
			}
		}
		if got := Summary(gate.Evaluate(gate.Input{Reports: facts(r), Today: today})); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
