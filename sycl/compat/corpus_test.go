package compat_test

// The corpus tests compare the statuses of this project with the results of a compiler for real
// devices. They build a few hundred SPIR-V modules from the sources under testdata/, compile each
// with ocloc for a dozen GPUs, and compare whether ocloc accepts it with the results of the
// packages spirv, deviceconfig and compat.
//
// The results may differ in only three cases. First, ocloc does not check the sizes of work-groups
// and local memory, so only this project may reject a module for these reasons. Second, the
// supported matrix sizes are not known for every device; then the status is undetermined. Third, ocloc
// accepts some code that the device cannot run, and rejects some code for reasons that no property
// expresses. The third kind is listed in gaps. All other differences are errors in this project.
//
// testdata/agreement.txt contains the results; go test -every=1 -update rewrites it. Without
// -every=1, only some of the modules are compiled, and only their lines are compared.

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

var (
	only  = flag.String("only", "", "compare the modules of the sources with these names only, separated by commas")
	every = flag.Int("every", 5, "compare one of this many modules; 1 compares all, which takes some minutes")
)

// targets are the devices that modules are compiled for: one of each generation that ocloc
// supports, and devices that differ from the rest of their generation.
var targets = []string{
	"intel_gpu_tgllp", "intel_gpu_acm_g10", "intel_gpu_pvc", "intel_gpu_pvc_vg", "intel_gpu_mtl_h", "intel_gpu_arl_h",
	"intel_gpu_bmg_g21", "intel_gpu_ptl_h", "intel_gpu_nvl_p", "intel_gpu_cri",
}

// A gap is code that ocloc accepts for devices that cannot run it, or that it rejects for reasons
// that no property expresses.
type gap struct {
	letter  string
	modules string   // pattern of module names
	devices []string // all if empty
	refused bool     // whether ocloc rejects it
	require string   // the missing feature in our reasons, "" if ocloc rejects
	why     string
}

var gaps = []gap{
	{letter: "d", modules: "double_vectors *", require: "fp64",
		why: "vectors of double: for GPUs without double precision, ocloc compiles arithmetic and copies, but rejects arithmetic on double scalars"},
	{letter: "c", modules: "clocks *", require: "ext_oneapi_clock_*",
		why: "clocks: ocloc compiles the instruction for every GPU, but lists cl_khr_kernel_clock for none"},
	{letter: "m", modules: "matrix_instruction", devices: []string{"intel_gpu_pvc_vg"}, require: "ext_intel_matrix",
		why: "matrix instruction on PVC-VG: ocloc compiles it, but does not list its extension for this device without matrix engines, and rejects cooperative matrices"},
	{letter: "n", modules: "matrix_instruction", devices: []string{"intel_gpu_acm_g10"}, refused: true,
		why: "matrix instruction on ACM-G10: ocloc rejects the extension, although this device supports matrices; SYCL does not generate this instruction"},
}

// covers reports whether the gap explains an outcome.
func (g *gap) covers(name, device string, ocloc outcome, reasons []compat.Reason) bool {
	ok, _ := path.Match(g.modules, name)
	if !ok || g.refused == ocloc.accepted || g.devices != nil && !slices.Contains(g.devices, device) {
		return false
	}
	return !slices.ContainsFunc(reasons, func(r compat.Reason) bool {
		ok, _ := path.Match(g.require, r.Required)
		return r.Rule != compat.MissingAspect || !ok
	})
}

// Marks for the pairs of a module and a device. Each gap has its own letter.
const (
	bothTake   = "."
	bothRefuse = "x"
	size       = "w"
	unknown    = "u"
	disagree   = "!"
)

// mark compares an outcome with this project's status.
func mark(name, device string, ocloc outcome, ours compat.Result) string {
	isOnly := func(rules ...compat.Rule) bool {
		return !slices.ContainsFunc(ours.Reasons, func(r compat.Reason) bool { return !slices.Contains(rules, r.Rule) })
	}
	switch {
	case ours.Status == compat.Compatible && ocloc.accepted:
		return bothTake
	case ours.Status == compat.Incompatible && isOnly(compat.UnsupportedWorkGroupSize, compat.UnsupportedLocalMemory):
		// ocloc does not check these sizes. If it rejects the module, it is for a reason that this project
		// does not detect.
		if ocloc.accepted {
			return size
		}
		return disagree
	case ours.Status == compat.Incompatible && !ocloc.accepted:
		return bothRefuse
	case ours.Status == compat.Undetermined && isOnly(compat.UnsupportedJointMatrix):
		return unknown
	}
	for i := range gaps {
		if gaps[i].covers(name, device, ocloc, ours.Reasons) {
			return gaps[i].letter
		}
	}
	return disagree
}

func TestAgreement(t *testing.T) {
	tools, compiler := findCompilers(t), findOcloc(t)
	config := deviceconfig.Default()
	var devices []*deviceconfig.Device
	for _, name := range targets {
		d, ok := config.Lookup(name)
		if !ok {
			t.Fatalf("%s is not a built-in device", name)
		}
		devices = append(devices, d)
	}
	var modules []*module
	for _, s := range readSources(t) {
		if *only == "" || slices.Contains(strings.Split(*only, ","), s.name) {
			modules = append(modules, s.modules()...)
		}
	}
	all := modules
	if *only == "" {
		number := -1
		modules = slices.DeleteFunc(slices.Clone(modules), func(*module) bool { number++; return number%max(*every, 1) != 0 })
	}

	needs := make([]*requirement.Requirements, len(modules))
	dir := t.TempDir()
	inParallel(len(modules), func(i int) {
		var err error
		if needs[i], err = build(t, tools, modules[i], dir, fmt.Sprintf("m%d", i)); err != nil {
			t.Errorf("%s: %v", modules[i].name, err)
		}
	})
	if t.Failed() {
		t.FailNow()
	}

	var requests []request
	for _, m := range modules {
		for _, d := range devices {
			requests = append(requests, request{m.file, d.OclocDevice})
		}
	}
	outcomes, err := compiler.compile(t.Context(), requests)
	testkit.NoError(t, err)

	checker := compat.New(config)
	table := &agreement{devices: devices}
	for i, m := range modules {
		var marks []string
		for j, d := range devices {
			got, ours := outcomes[i*len(devices)+j], checker.Check(needs[i], d)
			letter := mark(m.name, d.Name, got, ours)
			marks = append(marks, letter)
			if letter == disagree {
				t.Errorf("%s on %s: ocloc %s; this project: %s%s", m.name, d.Name, got, ours.Status, because(ours.Reasons))
			}
		}
		table.add(m.name, marks)
	}
	t.Log("\n" + table.totals())
	if *only != "" {
		return
	}
	if *every > 1 {
		table.checkRows(t, "agreement.txt", all)
		return
	}
	for i := range gaps {
		if !table.has(gaps[i].letter) {
			t.Errorf("gap %q no longer exists: %s", gaps[i].letter, gaps[i].why)
		}
	}
	testkit.Golden(t, "agreement.txt", table.String())
}

// build compiles a module and returns its requirements.
func build(t *testing.T, tools compilers, m *module, dir, base string) (*requirement.Requirements, error) {
	if err := tools.compile(t.Context(), m, dir, base); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	parsed, err := spirv.Parse(data)
	if err != nil {
		return nil, err
	}
	if len(parsed.Kernels) == 0 {
		return nil, fmt.Errorf("the module has no kernel")
	}
	return parsed.Requirements(), nil
}

func (o outcome) String() string {
	if o.accepted {
		return "accepts it"
	}
	return fmt.Sprintf("rejects it (%s)", o.message)
}

func because(reasons []compat.Reason) string {
	var s strings.Builder
	for i, r := range reasons {
		fmt.Fprintf(&s, "%s %s (%s)", [2]string{":", ";"}[min(i, 1)], r.Text, r.Rule)
	}
	return s.String()
}

// agreement is the table of all pairs.
type agreement struct {
	devices []*deviceconfig.Device
	names   []string   // of modules
	marks   [][]string // by module and device
}

func (a *agreement) add(name string, marks []string) {
	a.names = append(a.names, name)
	a.marks = append(a.marks, marks)
}

func (a *agreement) has(letter string) bool {
	return slices.ContainsFunc(a.marks, func(row []string) bool { return slices.Contains(row, letter) })
}

// checkRows compares the rows with a file in testdata, which must have a row for every module.
func (a *agreement) checkRows(t *testing.T, name string, all []*module) {
	data, err := os.ReadFile("testdata/" + name)
	testkit.NoError(t, err)
	rows := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		marks := max(0, len(words)-len(a.devices))
		rows[strings.Join(words[:marks], " ")] = words[marks:]
	}
	const fix = "run go test ./sycl/compat -every=1 -update to rewrite the file"
	for _, m := range all {
		if rows[m.name] == nil {
			t.Errorf("testdata/%s lacks a row for %s: %s", name, m.name, fix)
		}
	}
	for i, module := range a.names {
		if !slices.Equal(a.marks[i], rows[module]) {
			t.Errorf("%s: %q, but testdata/%s has %q: %s", module, a.marks[i], name, rows[module], fix)
		}
	}
}

// totals returns a table of counts with a row for each device.
func (a *agreement) totals() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%-18s %6s %6s %6s %6s %6s", "device", "pairs", "both .", "both x", "size w", "open u")
	for _, g := range gaps {
		fmt.Fprintf(&s, " %6s", "gap "+g.letter)
	}
	fmt.Fprintf(&s, " %8s\n", "disagree")
	row := func(name string, of []int) {
		count := map[string]int{}
		for _, marks := range a.marks {
			for _, j := range of {
				count[marks[j]]++
			}
		}
		fmt.Fprintf(&s, "%-18s %6d %6d %6d %6d %6d", name, len(a.marks)*len(of), count[bothTake], count[bothRefuse], count[size], count[unknown])
		for _, g := range gaps {
			fmt.Fprintf(&s, " %6d", count[g.letter])
		}
		fmt.Fprintf(&s, " %8d\n", count[disagree])
	}
	var all []int
	for j, d := range a.devices {
		row(d.Name, []int{j})
		all = append(all, j)
	}
	row("all", all)
	return s.String()
}

func (a *agreement) String() string {
	var s strings.Builder
	s.WriteString(a.totals())
	s.WriteString("\n" +
		".  ocloc accepts the module, and it is compatible here\n" +
		"x  ocloc rejects the module, and it is incompatible here\n" +
		"w  ocloc accepts the module, but it is incompatible here because of a size that ocloc does not check (unsupported-work-group-size, unsupported-local-memory)\n" +
		"u  undetermined here, because the matrix sizes that the device supports are unknown (unsupported-joint-matrix)\n")
	for _, g := range gaps {
		fmt.Fprintf(&s, "%s  %s\n", g.letter, g.why)
	}
	s.WriteString("\n")
	width := 0
	for _, name := range a.names {
		width = max(width, len(name))
	}
	for j, d := range a.devices {
		fmt.Fprintf(&s, "%*s%s%s\n", width+1, "", strings.Repeat("| ", j), strings.TrimPrefix(d.Name, "intel_gpu_"))
	}
	for i, name := range a.names {
		fmt.Fprintf(&s, "%-*s %s\n", width, name, strings.Join(a.marks[i], " "))
	}
	return s.String()
}
