package render

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/show"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func text(t testing.TB, o TextOptions, reports ...*report.Report) string {
	t.Helper()
	r := reporttest.Merge(t, reports...)
	return testkit.Written(t, func(w io.Writer) error { return Text(w, r, o) })
}

var largeReport *report.Report

// large returns a report on 20,000 kernels. Tests must not modify it.
func large(t testing.TB) *report.Report {
	if largeReport == nil {
		largeReport = reporttest.Build(t, reporttest.Large(20_000), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64", "spir64")
	}
	return largeReport
}

func TestText(t *testing.T) {
	two := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2")
	all := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "intel_cpu_spr", "nvidia_gpu_sm_80", "spir64")
	long := reporttest.Program()
	long[0].Kernels = reporttest.Kernels("_ZTSN3sim6detail12ReduceKernelINS_4MeshIdLi3EEENS_10BoundariesIfEEEE", "_ZTSZ4mainEUlvE0_")
	hostile := []report.Module{{Needs: &requirement.Requirements{}, Images: []report.ModuleImage{reporttest.IR(1)},
		Kernels: reporttest.Kernels("a\n::error::forged", "::error file=a.cpp::forged", "a very long name that wraps where::error::begins", "\x1b[2Jcls", "rtl\u202egnp", "zero\u200bwidth", "##[error]x")}}
	// Many devices with the same cells share a column with a legend.
	c := deviceconfig.Default()
	var gpus []*deviceconfig.Device
	for _, d := range c.Devices() {
		if strings.HasPrefix(d.Name, "intel_gpu_") {
			gpus = append(gpus, d)
		}
	}
	many, err := report.Build([]report.Module{{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("_ZTS8Fp64Axpy"), Images: []report.ModuleImage{reporttest.IR(1)}}}, gpus, c, report.Generator{Name: "test", Version: "1"}, "")
	testkit.NoError(t, err)
	other := reporttest.Build(t, reporttest.Program()[1:3], "intel_gpu_pvc", "x86_64")
	other.Targets[0] = "//other:kernels"
	testkit.Golden(t, "two.txt", text(t, TextOptions{}, two))
	testkit.Golden(t, "two-color.txt", text(t, TextOptions{Color: true}, two))
	testkit.Golden(t, "all.txt", text(t, TextOptions{}, all))
	testkit.Golden(t, "all-wide.txt", text(t, TextOptions{Width: 160}, all))
	testkit.Golden(t, "all-narrow.txt", text(t, TextOptions{Width: 50}, all))
	testkit.Golden(t, "long.txt", text(t, TextOptions{}, reporttest.Build(t, long, "intel_gpu_pvc", "intel_gpu_dg2", "x86_64")))
	testkit.Golden(t, "hostile.txt", text(t, TextOptions{}, reporttest.Build(t, hostile, "intel_gpu_pvc")))
	testkit.Golden(t, "many.txt", text(t, TextOptions{}, many))
	testkit.Golden(t, "merged.txt", text(t, TextOptions{}, two, other))
	testkit.Golden(t, "empty.txt", text(t, TextOptions{}, reporttest.Build(t, nil)))
}

func TestTextFitsTheTerminal(t *testing.T) {
	r := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "nvidia_gpu_sm_80", "spir64")
	for _, w := range []int{60, 80, 100, 132} {
		for line := range strings.Lines(text(t, TextOptions{Width: w}, r)) {
			if n := show.Width(strings.TrimSuffix(line, "\n")); n > w {
				t.Errorf("%d characters for a width of %d: %q", n, w, line)
			}
		}
	}
}

// TestSummaryOfPage checks that the first sentence of a page has separators between thousands.
func TestSummaryOfPage(t *testing.T) {
	var modules []report.Module
	for i := range 1200 {
		modules = append(modules, report.Module{Needs: &requirement.Requirements{}, Kernels: reporttest.Kernels(fmt.Sprint("k", i)), Images: []report.ModuleImage{reporttest.IR(1)}})
	}
	const want = "All 1,200 kernels run on intel_gpu_dg2."
	if got := newPage(reporttest.Build(t, modules, "intel_gpu_dg2"), HTMLOptions{}).Summary(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSummary(t *testing.T) {
	ok := report.Module{Needs: &requirement.Requirements{}, Kernels: reporttest.Kernels("a"), Images: []report.ModuleImage{reporttest.IR(1)}}
	second := report.Module{Needs: &requirement.Requirements{}, Kernels: reporttest.Kernels("b"), Images: []report.ModuleImage{reporttest.IR(1)}}
	bad := report.Module{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("c"), Images: []report.ModuleImage{reporttest.IR(1)}}
	open := report.Module{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP16}}, Kernels: reporttest.Kernels("d"), Images: []report.ModuleImage{reporttest.IR(1)}}
	for _, test := range []struct {
		modules []report.Module
		devices []string
		want    string
	}{
		{[]report.Module{ok}, []string{"intel_gpu_dg2"}, "The kernel runs on intel_gpu_dg2."},
		{[]report.Module{ok, second}, []string{"intel_gpu_dg2", "x86_64"}, "All 2 kernels run on every device."},
		{[]report.Module{ok, second, bad}, []string{"intel_gpu_dg2", "x86_64"}, "2 of 3 kernels run on every device."},
		{[]report.Module{ok, bad}, []string{"intel_gpu_dg2"}, "1 of 2 kernels runs on intel_gpu_dg2."},
		{[]report.Module{bad}, []string{"intel_gpu_dg2"}, "The kernel does not run on intel_gpu_dg2."},
		{[]report.Module{bad}, []string{"intel_gpu_dg2", "x86_64"}, "The kernel does not run on every device."},
		{[]report.Module{bad, {Needs: bad.Needs, Kernels: reporttest.Kernels("e"), Images: bad.Images}}, []string{"intel_gpu_dg2", "x86_64"}, "None of the 2 kernels runs on every device."},
		{[]report.Module{bad, open}, []string{"intel_gpu_dg2", "x86_64"}, "None of the 2 kernels runs on every device; for 1 of them, this is known only when the program runs."},
		{[]report.Module{ok, open}, []string{"x86_64"}, "1 of 2 kernels runs on x86_64; for 1 more, this is known only when the program runs."},
		{[]report.Module{open}, []string{"x86_64"}, "Whether the kernel runs on x86_64 is known only when the program runs."},
	} {
		if got := newTable(reporttest.Build(t, test.modules, test.devices...)).summary(plain); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// TestLambdaPlace checks that an unnamed lambda is identified by its location.
func TestLambdaPlace(t *testing.T) {
	modules := []report.Module{{Needs: &requirement.Requirements{}, Kernels: reporttest.Kernels("_ZTSZ4mainEUlN4sycl3_V12idILi1EEEE_", "_ZTSN3app4FillE"), Images: []report.ModuleImage{reporttest.IR(1)}}}
	for i := range modules[0].Kernels {
		modules[0].Kernels[i].Source.Location = srcloc.Location{Path: "src/fill|.cpp", Line: 3}
	}
	r := reporttest.Build(t, modules, "intel_gpu_pvc")
	for name, c := range map[string]struct{ got, want string }{
		"text":     {text(t, TextOptions{Width: 200}, r), "main::{lambda(sycl::id<1>)#1} at src/fill|.cpp:3  yes"},
		"Markdown": {markdown(t, r, MarkdownOptions{}), "| `main::{lambda(sycl::id<1>)#1} at src/fill\\|.cpp:3` |"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: missing %q in\n%s", name, c.want, c.got)
		}
		if strings.Contains(c.got, "Fill at") {
			t.Errorf("%s: location added to a named kernel", name)
		}
	}
}

// TestWideCharacters tests names with characters that are two columns wide in a terminal.
func TestWideCharacters(t *testing.T) {
	r := reporttest.Build(t, []report.Module{{Needs: &requirement.Requirements{}, Kernels: reporttest.Kernels("a", "b", "c"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2")
	for i, name := range []string{"行列::積", strings.Repeat("行列", 8), "transpose"} {
		r.Kernels[i].DisplayName = name
	}
	const want = `//demo:kernels

KERNEL                intel_gpu_dg2
行列::積              yes (JIT)
行列行列行列行列行列  yes (JIT)
  行列行列行列
transpose             yes (JIT)

All 3 kernels run on intel_gpu_dg2.
`
	if got := text(t, TextOptions{Width: 36}, r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCharactersWithoutWidth checks that the rest of a name is not measured again for each line.
func TestCharactersWithoutWidth(t *testing.T) {
	name := "行" + strings.Repeat("\u0301", 1000)
	lines := splitName(name, 20)
	if strings.Join(lines, "") != name {
		t.Errorf("lines %q", lines)
	}
	for _, line := range lines {
		if len(line) > 16*20 {
			t.Errorf("line of %d bytes", len(line))
		}
	}
}

// TestKernelWithSeveralRequirements checks that a kernel with several requirements that are
// undetermined until run time is listed once.
func TestKernelWithSeveralRequirements(t *testing.T) {
	r := reporttest.Build(t, []report.Module{{Needs: &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP16, aspect.FP64}, SubGroupSizes: []uint32{8}},
		Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "spir64")
	const want = "?: spir64 stands for devices that are known only when the program runs.\n    k (fp16, fp64, sub-group size 8).\n"
	if got := text(t, TextOptions{}, r); !strings.Contains(got, want) {
		t.Errorf("missing %q in\n%s", want, got)
	}
}

// TestLargeText checks that a report on more than 40 kernels is not printed as a table of all
// kernels.
func TestLargeText(t *testing.T) {
	few := reporttest.Large(100)
	for i := range few {
		if i > 25 {
			few[i].Needs = new(requirement.Requirements)
			few[i].Kernels[0].Source.Origins = nil
		}
	}
	few100 := reporttest.Build(t, few, "intel_gpu_dg2", "intel_gpu_pvc", "x86_64")
	testkit.Golden(t, "100-few-problems.txt", text(t, TextOptions{}, few100))
	testkit.Golden(t, "100.txt", text(t, TextOptions{}, reporttest.Build(t, reporttest.Large(100), "intel_gpu_dg2", "intel_gpu_pvc", "x86_64", "spir64")))
	large := large(t)
	if text(t, TextOptions{}, large) != text(t, TextOptions{GroupBy: ByReason}, large) {
		t.Error("large report is not grouped by reason")
	}
	if s, want := text(t, TextOptions{Command: "bazel run //:compat --"}, large), "      bazel run //:compat -- --group-by name\n"; !strings.Contains(s, want) {
		t.Errorf("missing %q in\n%s", want, s)
	}
	for _, by := range Groupings {
		s := text(t, TextOptions{GroupBy: by}, large)
		testkit.Golden(t, "20000-"+string(by)+".txt", s)
		if n := strings.Count(s, "\n"); n > 200 {
			t.Errorf("%d lines by %s", n, by)
		}
		all := text(t, TextOptions{GroupBy: by, All: true}, large)
		if by == ByKernel || by == ByReason {
			shown := map[string]bool{}
			for word := range strings.FieldsSeq(all) {
				shown[word] = true
			}
			for _, k := range large.Kernels {
				if name := k.DisplayName; !shown[strings.Fields(name)[0]] {
					t.Fatalf("by %s: missing kernel %s although all are requested", by, name)
				}
			}
		}
		if regexp.MustCompile(`\d more (?:kernel|reason|line|device|function|source|file)`).MatchString(all) {
			t.Errorf("by %s: omissions although everything is requested", by)
		}
	}
}

// TestLargeReportNames checks that long names are shortened in large reports, and that each short
// form selects one kernel. For a kernel with forms, a report shows the number of forms, and lists
// them on request.
func TestLargeReportNames(t *testing.T) {
	r := reporttest.Build(t, reporttest.Large(100), "intel_gpu_dg2", "x86_64")
	for i := range r.Kernels {
		k := &r.Kernels[i]
		k.DisplayName = strings.Replace(k.DisplayName, "sim::", "simulation::detail::kernels::", 1)
		switch i {
		case 0:
			k.Forms = &report.Forms{Reduction: []string{"_ZTS1a", "_ZTS1b"}}
		case 1:
			k.Forms = &report.Forms{RoundedRange: []string{"_ZTS1c"}}
		}
	}
	first, second := r.Kernels[0].DisplayName[len("simulation::detail::kernels"):], r.Kernels[1].DisplayName[len("simulation::detail::kernels"):]
	all := text(t, TextOptions{All: true}, r)
	for _, want := range []string{"  *" + first + " (3 forms)\n", "  reduction: _ZTS1a\n", "  reduction: _ZTS1b\n", "  *" + second + "\n", "  rounded-range: _ZTS1c\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("missing %q in\n%s", want, all)
		}
	}
	if s := text(t, TextOptions{GroupBy: ByKernel}, r); !strings.Contains(s, "*"+first+" (3 forms)\n") || strings.Contains(s, "_ZTS1a") {
		t.Errorf("forms not counted, or listed by default:\n%s", s)
	}
	if s := text(t, TextOptions{GroupBy: ByKernel, Forms: true}, r); !strings.Contains(s, "  reduction: _ZTS1b\n") {
		t.Errorf("forms not listed:\n%s", s)
	}
	// The names in a part are unique in the whole report.
	part, _ := r.Select(report.Selection{Needs: []string{"fp64"}})
	for _, whole := range []*report.Report{nil, r} {
		table := newTable(part)
		table.whole = whole
		for k := range len(part.Kernels) {
			in := cmp.Or(whole, part)
			name := table.shortName(k)
			if found, _ := in.Select(report.Selection{Kernels: []string{name}}); len(found.Kernels) != 1 || found.Kernels[0].Name != part.Kernels[k].Name {
				t.Errorf("%s selects %d kernels", name, len(found.Kernels))
			}
		}
	}
}

// TestTextIsShort checks that the text of any report has at most about 200 lines.
func TestTextIsShort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	small := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "nvidia_gpu_sm_80", "spir64")
	for _, c := range []struct{ kernels, devices, nameLength int }{{1, 500, 10}, {40, 500, 10}, {41, 300, 3000}, {40, 3, 3000}, {3000, 30, 500}, {300, 60, 20}} {
		r := *small
		r.Kernels, r.Devices, r.Rows = nil, nil, nil
		for d := range c.devices {
			device := small.Devices[d%len(small.Devices)]
			device.Name = fmt.Sprintf("device%03d", d)
			r.Devices = append(r.Devices, device)
		}
		for k := range c.kernels {
			kernel := small.Kernels[k%len(small.Kernels)]
			kernel.Name = fmt.Sprintf("k%05d", k)
			kernel.DisplayName = kernel.Name + strings.Repeat("<a::b", c.nameLength/5)
			kernel.Location = srcloc.Location{Path: kernel.Name + ".cpp", Line: 1}
			kernel.Origins = []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: kernel.DisplayName}}
			kernel.Row = int32(k)
			r.Kernels = append(r.Kernels, kernel)
			row := make([]int32, len(r.Devices))
			for d := range row {
				row[d] = int32(random.IntN(len(r.Outcomes)))
			}
			r.Rows = append(r.Rows, row)
		}
		for _, by := range append([]GroupBy{""}, Groupings...) {
			for _, width := range []int{40, 80, 200} {
				s := text(t, TextOptions{GroupBy: by, Width: width}, &r)
				if n := strings.Count(s, "\n"); n > 220 {
					t.Errorf("%+v by %q with width %d: %d lines", c, by, width, n)
					if testing.Verbose() {
						t.Log(s)
					}
				}
			}
		}
	}
}
