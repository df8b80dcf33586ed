package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// These functions run the tool.
var (
	run     = testkit.Tool(tool).Run
	mustRun = testkit.Tool(tool).MustRun
)

// workspace creates a directory with property files that have different requirements, and makes it
// the current directory.
func workspace(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	if t, ok := t.(*testing.T); ok {
		t.Chdir(dir)
	}
	for name, q := range map[string]*requirement.Requirements{
		"plain": {},
		"fp64":  {Aspects: []aspect.Aspect{aspect.FP64}},
		"sg8":   {SubGroupSizes: []uint32{8}},
		"fixed": {HasFixedTargets: true, FixedTargets: []string{"intel_gpu_12_60_7"}},
	} {
		r := new(propset.Registry)
		q.Put(r)
		r.Add(propset.KernelNames).Put(fmt.Sprintf("_ZTS%d%s", len(name), name), propset.Uint(1))
		testkit.WriteFile(t, name+".prop", r.String())
	}
	testkit.WriteFile(t, "none.prop", "[SYCL/misc properties]\noptLevel=1|2\n")
	testkit.WriteFile(t, "in.table", "[Code|Properties|Symbols]\nplain.bc|plain.prop|a.sym\nfp64.bc|fp64.prop|b.sym\n"+
		"sg8.bc|sg8.prop|c.sym\nfixed.bc|fixed.prop|d.sym\nnone.bc|none.prop|e.sym\n")
}

// TestAssumedRuntime reads a property file of DPC++ 2025.3, in which explicit SIMD has the number
// that matrices have now.
func TestAssumedRuntime(t *testing.T) {
	workspace(t)
	r := new(propset.Registry)
	(&requirement.Requirements{Aspects: []aspect.Aspect{53}}).Put(r)
	testkit.WriteFile(t, "old.prop", r.String())
	testkit.WriteFile(t, "in.table", "[Code|Properties]\nold.bc|old.prop\n")
	for flag, want := range map[string]string{"--assume-runtime=2025.3": "[Code|Properties]\nold.bc|old.prop\n", "--assume-runtime=2026.0": "[Code|Properties]\n"} {
		if code, _, stderr := run(t, "--target=intel_gpu_tgllp", flag, "--output=out.table", "in.table"); code != 0 || testkit.ReadFile(t, "out.table") != want {
			t.Errorf("%s: exit %d, %s, %q", flag, code, stderr, testkit.ReadFile(t, "out.table"))
		}
	}
}

func TestFilter(t *testing.T) {
	workspace(t)
	testkit.WriteFile(t, "own.yaml", "intel_gpu_dg2:\n  aspects: [fp64]\n  sub-group-sizes: [8]\nmine:\n  sub-group-sizes: [8]\n")
	testkit.WriteFile(t, "second.yaml", "mine:\n  aspects: [fp64]\n")
	for _, test := range []struct {
		name string
		args []string
		want []string // code files without extension
	}{
		{"without fp64", []string{"--target", "intel_gpu_dg2"}, []string{"plain", "sg8", "none"}},
		{"without sub-group size 8", []string{"--target=intel_gpu_pvc"}, []string{"plain", "fp64", "fixed", "none"}},
		{"in the spelling of DPC++", []string{"-target=intel_gpu_pvc"}, []string{"plain", "fp64", "fixed", "none"}},
		{"by an alias", []string{"--target", "intel_gpu_12_60_7"}, []string{"plain", "fp64", "fixed", "none"}},
		{"a target that takes all", []string{"--target", "spir64"}, []string{"plain", "fp64", "sg8", "fixed", "none"}},
		{"a CPU", []string{"--target", "x86_64"}, []string{"plain", "fp64", "sg8", "none"}},
		{"another configuration", []string{"--target", "intel_gpu_dg2", "--device-config-file", "own.yaml"}, []string{"plain", "fp64", "sg8", "none"}},
		{"two configurations", []string{"--target", "mine", "-device-config-file=own.yaml", "-device-config-file=second.yaml"}, []string{"plain", "fp64", "none"}},
		{"among the targets", []string{"--target", "intel_gpu_dg2", "--targets", "intel_gpu_pvc,intel_gpu_dg2"}, []string{"plain", "sg8", "none"}},
		{"not among the targets", []string{"--target", "intel_gpu_dg2", "--targets", "intel_gpu_pvc"}, nil},
		{"not among the fixed targets", []string{"--target", "intel_gpu_dg2", "--targets", "intel_gpu_dg2", "--fixed-targets", "x86_64"}, nil},
		{"among the fixed targets", []string{"--target", "intel_gpu_dg2", "--fixed-targets", "x86_64,intel_gpu_dg2"}, []string{"plain", "sg8", "none"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := run(t, append(test.args, "--output", "out.table", "in.table")...)
			if code != 0 || stdout != "" || stderr != "" {
				t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
			}
			want := "[Code|Properties|Symbols]\n"
			for line := range strings.Lines(testkit.ReadFile(t, "in.table")) {
				if name, _, _ := strings.Cut(line, "."); slices.Contains(test.want, name) {
					want += line
				}
			}
			if got := testkit.ReadFile(t, "out.table"); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

func TestReasons(t *testing.T) {
	workspace(t)
	mustRun(t, "--target", "intel_gpu_dg2", "--reasons", "why.txt", "--output", "out.table", "in.table")
	want := `intel_gpu_dg2: 3 of 5 rows kept
dropped row 2 (fp64.bc), kernel fp64
  Required aspect fp64 is not supported on the device
dropped row 4 (fixed.bc), kernel fixed
  Kernel was compiled with '-fsycl-fixed-targets=intel_gpu_12_60_7' but was submitted to a different device
`
	if got := testkit.ReadFile(t, "why.txt"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestSeveralTargets compares the tables of one run with separate runs for each target.
func TestSeveralTargets(t *testing.T) {
	workspace(t)
	testkit.WriteFile(t, "bare.table", "[Code]\na.bc\n")
	targets := []string{"intel_gpu_pvc", "spir64", "intel_gpu_dg2"}
	for _, table := range []string{"in.table", "bare.table"} {
		var together []string
		for _, target := range targets {
			together = append(together, "--target", target, "--output", target+".table", "--reasons", target+".txt")
			mustRun(t, "--target", target, "--output", target+".alone", "--reasons", target+".why", table)
		}
		mustRun(t, append(together, table)...)
		for _, target := range targets {
			if got, want := testkit.ReadFile(t, target+".table"), testkit.ReadFile(t, target+".alone"); got != want {
				t.Errorf("%s for %s: got:\n%s\nwant:\n%s", table, target, got, want)
			}
			if got, want := testkit.ReadFile(t, target+".txt"), testkit.ReadFile(t, target+".why"); got != want {
				t.Errorf("%s for %s: reasons:\n%s\nwant:\n%s", table, target, got, want)
			}
		}
	}
	if testkit.ReadFile(t, "intel_gpu_pvc.txt") == testkit.ReadFile(t, "intel_gpu_dg2.txt") {
		t.Error("the reasons do not name the target")
	}
	code, stdout, _ := run(t, "--target", "spir64", "--output", "-", "--target", "no_such_gpu", "--output", "b.table", "in.table")
	if code == 0 || stdout != "" {
		t.Errorf("with an unknown target: exit %d, written: %q", code, stdout)
	}
}

// TestOptions checks that an option only affects its own target. One kernel needs more registers
// than intel_gpu_pvc has without the option.
func TestOptions(t *testing.T) {
	workspace(t)
	r := new(propset.Registry)
	(&requirement.Requirements{ParameterRegisters: 10_000}).Put(r)
	testkit.WriteFile(t, "large.prop", r.String())
	testkit.WriteFile(t, "large.table", "[Code|Properties]\nlarge.bc|large.prop\n")
	const none, all = "[Code|Properties]\n", "[Code|Properties]\nlarge.bc|large.prop\n"
	for _, test := range []struct{ option, pvc, bmg string }{
		{"intel_gpu_pvc=-ze-opt-large-register-file", all, none},
		{"intel_gpu_bmg_g21=-ze-opt-large-register-file", none, all},
		{"intel_gpu_pvc=-g", none, none},
	} {
		mustRun(t, "--target", "intel_gpu_pvc", "--output", "pvc.table", "--target", "intel_gpu_bmg_g21", "--output", "bmg.table", "--option", test.option, "large.table")
		if pvc, bmg := testkit.ReadFile(t, "pvc.table"), testkit.ReadFile(t, "bmg.table"); pvc != test.pvc || bmg != test.bmg {
			t.Errorf("%s: got %q and %q", test.option, pvc, bmg)
		}
	}
}

func TestTargetReasons(t *testing.T) {
	workspace(t)
	testkit.WriteFile(t, "one.table", "[Code|Properties]\nplain.bc|plain.prop\n")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--targets", "x86_64,intel_gpu_pvc"}, "The target intel_gpu_dg2 is not among the targets (targets: x86_64, intel_gpu_pvc; fixed targets: any)"},
		{[]string{"--fixed-targets", "x86_64"}, "The target intel_gpu_dg2 is not among the fixed targets (targets: any; fixed targets: x86_64)"},
		{[]string{"--targets", "spir64", "--fixed-targets", "x86_64"}, "The target intel_gpu_dg2 is neither among the targets nor among the fixed targets (targets: spir64; fixed targets: x86_64)"},
	} {
		mustRun(t, append(test.args, "--target", "intel_gpu_dg2", "--reasons", "why.txt", "--output", "out.table", "one.table")...)
		want := "intel_gpu_dg2: 0 of 1 rows kept\ndropped row 1 (plain.bc), kernel plain\n  " + test.want + "\n"
		if got := testkit.ReadFile(t, "why.txt"); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}

func TestWithoutProperties(t *testing.T) {
	workspace(t)
	testkit.WriteFile(t, "bad.yaml", "[]\n")
	const text = "[Code]\r\na.bc\n\nb.bc" // unchanged, regardless of line endings
	testkit.WriteFile(t, "code.table", text)
	mustRun(t, "--target", "no such target", "--device-config-file", "bad.yaml", "--output", "out.table", "code.table")
	if got := testkit.ReadFile(t, "out.table"); got != text {
		t.Errorf("got %q", got)
	}
}

func TestBesideTheTable(t *testing.T) {
	workspace(t)
	testkit.NoError(t, os.Mkdir("sub", 0o755))
	testkit.WriteFile(t, "sub/in.table", "[Code|Properties]\nx.bc|near.prop\ny.bc|plain.prop\nz.bc|\n")
	testkit.WriteFile(t, "sub/near.prop", testkit.ReadFile(t, "fp64.prop"))
	mustRun(t, "--target", "intel_gpu_dg2", "--output", "out.table", "sub/in.table")
	if got := testkit.ReadFile(t, "out.table"); got != "[Code|Properties]\ny.bc|plain.prop\nz.bc|\n" {
		t.Errorf("got %q", got)
	}
}

func TestErrors(t *testing.T) {
	workspace(t)
	testkit.WriteFile(t, "old.table", "old\n")
	testkit.WriteFile(t, "bad.prop", "[SYCL/device requirements]\naspects=3|1\n")
	testkit.WriteFile(t, "odd.prop", "[SYCL/device requirements]\naspects=1|6\n")
	testkit.WriteFile(t, "bad.table", "[Code|Properties]\na.bc|plain.prop\nb.bc|bad.prop\n")
	testkit.WriteFile(t, "odd.table", "[Code|Properties]\na.bc|odd.prop\n")
	testkit.WriteFile(t, "missing.table", "[Code|Properties]\na.bc|gone.prop\n")
	testkit.WriteFile(t, "folder.table", "[Code|Properties]\na.bc|.\n")
	testkit.WriteFile(t, "short.table", "[Code|Properties]\na.bc\n")
	testkit.WriteFile(t, "bad.yaml", "intel_gpu_dg2: [\n")
	for _, test := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"unknown target", []string{"--target", "intel_gpu_pvv", "in.table"}, 2, []string{`unknown target "intel_gpu_pvv"`, "did you mean intel_gpu_pvc"}},
		{"unknown among the targets", []string{"--target", "spir64", "--targets", "spir46", "in.table"}, 2, []string{`unknown target "spir46"`, "spir64"}},
		{"unknown among the fixed targets", []string{"--plan", "--fixed-targets", "zzzzzzzz,spir46", "in.table"}, 2, []string{`unknown target "zzzzzzzz"; 'compat devices' lists`, `"spir46"`}},
		{"no target", []string{"in.table"}, 2, []string{"--target or --plan is required"}},
		{"no table", []string{"--target", "spir64"}, 2, []string{"expected one file table, got 0"}},
		{"two tables", []string{"--target", "spir64", "in.table", "in.table"}, 2, []string{"expected one file table, got 2"}},
		{"plan and target", []string{"--plan", "--target", "spir64", "in.table"}, 2, []string{"cannot be combined with"}},
		{"reasons with a plan", []string{"--plan", "--reasons", "x", "in.table"}, 2, []string{"--reasons requires --target"}},
		{"an output for two targets", []string{"--target", "spir64", "--target", "intel_gpu_dg2", "in.table"}, 2, []string{"each --target requires an --output; got 2 and 1"}},
		{"one output for two targets", []string{"--target", "spir64", "--target", "intel_gpu_dg2", "--output", "./out", "in.table"}, 2, []string{"'./out' is used for two outputs"}},
		{"one output for a table and reasons", []string{"--target", "spir64", "--reasons", "out", "in.table"}, 2, []string{`"out" cannot be an output, because it is also the file of --reasons`}},
		{"two tables on standard output", []string{"--target", "spir64", "--target", "intel_gpu_dg2", "--target", "intel_gpu_pvc", "--output", "-", "--output", "-", "in.table"}, 2, []string{"only one table can be written to standard output"}},
		{"two outputs for a target", []string{"--target", "spir64", "--output", "other", "in.table"}, 2, []string{"each --target requires an --output; got 1 and 2"}},
		{"reasons for one of two targets", []string{"--target", "spir64", "--target", "intel_gpu_dg2", "--output", "other", "--reasons", "x", "in.table"}, 2, []string{"--reasons is required for each --target or for none; got 2 and 1"}},
		{"two outputs for a plan", []string{"--plan", "--output", "other", "in.table"}, 2, []string{"--plan requires one --output"}},
		{"an unknown second target", []string{"--target", "spir64", "--target", "intel_gpu_pvv", "--output", "other", "in.table"}, 2, []string{`unknown target "intel_gpu_pvv"`}},
		{"fail-on-unused-row without a plan", []string{"--target", "spir64", "--fail-on-unused-row", "in.table"}, 2, []string{"requires --plan"}},
		{"unknown flag", []string{"--tarmac", "spir64", "in.table"}, 2, []string{"unknown flag --tarmac"}},
		{"missing table", []string{"--target", "spir64", "gone.table"}, 3, []string{"file table: gone.table: "}},
		{"missing property file", []string{"--target", "spir64", "missing.table"}, 3, []string{"missing.table: row 1: property file: ", "gone.prop"}},
		{"a directory as property file", []string{"--target", "spir64", "folder.table"}, 3, []string{": directory; expected a file"}},
		{"a bad property file, also for a target that takes all", []string{"--target", "spir64", "bad.table"}, 3, []string{"bad.table: row 2: bad.prop:2:", "aspects"}},
		{"a property of the wrong type", []string{"--target", "spir64", "odd.table"}, 3, []string{"odd.table: row 1: odd.prop: line 2: [SYCL/device requirements] aspects"}},
		{"a bad table", []string{"--target", "spir64", "short.table"}, 3, []string{"short.table:2: "}},
		{"a bad configuration", []string{"--target", "spir64", "--device-config-file", "bad.yaml", "in.table"}, 3, []string{"bad.yaml:"}},
		{"a missing configuration", []string{"--target", "spir64", "--device-config-file", "gone.yaml", "in.table"}, 3, []string{"device configuration: gone.yaml: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			testkit.WriteFile(t, "out", "old\n")
			code, stdout, stderr := run(t, append([]string{"--output", "out"}, test.args...)...)
			if code != test.code || stdout != "" {
				t.Errorf("exit %d, want %d; stdout %q", code, test.code, stdout)
			}
			for _, want := range test.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q is not in\n%s", want, stderr)
				}
			}
			if got := testkit.ReadFile(t, "out"); got != "old\n" {
				t.Errorf("the output was changed to %q", got)
			}
		})
	}
	if code, _, stderr := run(t, "--target", "spir64", "in.table"); code != 2 || !strings.Contains(stderr, "--output is required") {
		t.Errorf("without --output: exit %d, %s", code, stderr)
	}
}

// plan holds the fields of a plan that its readers use.
type plan struct {
	Targets      []string `json:"targets"`
	FixedTargets []string `json:"fixed-targets"`
	Rows         []struct {
		Table   string   `json:"table"`
		Row     int      `json:"row"`
		Code    string   `json:"code"`
		Kernels []string `json:"kernels"`
	} `json:"rows"`
	Decisions []struct {
		Target   string `json:"target"`
		Selected bool   `json:"selected"`
		Why      string `json:"why"`
		Kept     int    `json:"kept"`
		Groups   []struct {
			Rows    []int `json:"rows"`
			Kept    bool  `json:"kept"`
			Reasons []struct {
				Rule     string `json:"rule"`
				Required string `json:"required"`
				Property string `json:"property"`
			} `json:"reasons"`
		} `json:"groups"`
	} `json:"decisions"`
}

func TestPlan(t *testing.T) {
	workspace(t)
	testkit.WriteFile(t, "more.table", "[Code|Properties]\nagain.bc|fp64.prop\n")
	stdout := mustRun(t, "--plan", "--targets", "intel_gpu_dg2,intel_gpu_pvc", "--fixed-targets", "intel_gpu_12_60_7,x86_64", "in.table", "more.table")
	var p plan
	testkit.NoError(t, json.Unmarshal([]byte(stdout), &p))
	if !slices.Equal(p.Targets, []string{"intel_gpu_dg2", "intel_gpu_pvc"}) || !slices.Equal(p.FixedTargets, []string{"intel_gpu_12_60_7", "x86_64"}) {
		t.Errorf("lists %v and %v", p.Targets, p.FixedTargets)
	}
	if r := p.Rows; len(r) != 6 || r[5].Table != "more.table" || r[5].Row != 0 || r[5].Code != "again.bc" || r[1].Kernels[0] != "_ZTS4fp64" {
		t.Errorf("rows %+v", r)
	}
	type short struct {
		target, why string
		kept        []int
	}
	var got []short
	for _, d := range p.Decisions {
		s := short{target: d.Target, why: d.Why}
		for _, g := range d.Groups {
			if g.Kept {
				s.kept = append(s.kept, g.Rows...)
			}
		}
		slices.Sort(s.kept)
		if d.Kept != len(s.kept) || d.Selected != (d.Why == "") {
			t.Errorf("%s: %d kept, %v", d.Target, d.Kept, s)
		}
		got = append(got, s)
	}
	want := []short{
		{"intel_gpu_dg2", "not among the fixed targets", nil},
		{"intel_gpu_pvc", "", []int{0, 1, 3, 4, 5}},
		{"x86_64", "not among the targets", nil},
	}
	if !slices.EqualFunc(got, want, func(a, b short) bool {
		return a.target == b.target && a.why == b.why && slices.Equal(a.kept, b.kept)
	}) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if reason := p.Decisions[1].Groups[2].Reasons; len(reason) != 1 || reason[0].Rule != "unsupported-sub-group-size" || reason[0].Required != "8" || reason[0].Property != "reqd_sub_group_size" {
		t.Errorf("reasons %v", reason)
	}

	if err := json.Unmarshal([]byte(mustRun(t, "--plan", "in.table")), &p); err != nil || len(p.Decisions) < 50 {
		t.Errorf("all devices: %v, %d decisions", err, len(p.Decisions))
	}
}

// A plan in a file names tables and code relative to its directory, and without Bazel's
// configuration, which path mapping removes from some paths.
func TestPlanNamesFiles(t *testing.T) {
	workspace(t)
	table := func(configuration string) string {
		return "[Code|Properties]\nbazel-out/" + configuration + "/bin/k.spv/0.spv|fp64.prop\n"
	}
	for _, dir := range []string{"bazel-out/k8-fastbuild/bin", "bazel-out/cfg/bin"} {
		testkit.WriteFile(t, dir+"/k.table", table("k8-fastbuild"))
		mustRun(t, "--plan", "--output", dir+"/k.json", "in.table", dir+"/k.table")
		var p plan
		testkit.NoError(t, json.Unmarshal([]byte(testkit.ReadFile(t, dir+"/k.json")), &p))
		first, last := p.Rows[0], p.Rows[len(p.Rows)-1]
		if first.Table != "../../../in.table" || last.Table != "k.table" || last.Code != "k.spv/0.spv" {
			t.Errorf("%s: %+v, %+v", dir, first, last)
		}
	}
}

func TestFailOnUnusedRow(t *testing.T) {
	workspace(t)
	r := testkit.Must(propset.Parse("fp64.prop", []byte(testkit.ReadFile(t, "fp64.prop"))))(t)
	srcloc.Put(r, "_ZTS4fp64", srcloc.Kernel{Location: srcloc.Location{Line: 6, Path: "a.cpp"}, Origins: []srcloc.Origin{
		{Aspect: aspect.FP64.Named(), Function: "_Z5twiced", Location: srcloc.Location{Line: 3, Column: 12, Path: "a.hpp"}},
		{Aspect: aspect.FP16.Named(), Location: srcloc.Location{Line: 7, Path: "a.cpp"}}, // all devices have it
	}})
	testkit.WriteFile(t, "fp64.prop", r.String())
	const want = `aspectfilter: error: no target can run kernel fp64 (a.cpp:6):
  intel_gpu_dg2: Required aspect fp64 is not supported on the device
  intel_gpu_dg1: Required aspect fp64 is not supported on the device
  twice(double) uses fp64 at a.hpp:3:12
Add a target that can (in BUILD files: to sycl_targets), such as spir64, which is compiled at run time, or change the code so that it does not need these features
`
	testkit.WriteFile(t, "other.table", "[Code|Properties]\nplain.bc|plain.prop\nsg8.bc|sg8.prop\n")
	for _, tables := range [][]string{{"in.table"}, {"other.table", "in.table"}} {
		code, stdout, stderr := run(t, append([]string{"--plan", "--fail-on-unused-row", "--targets", "intel_gpu_dg2,intel_gpu_dg1", "--output", "p.json"}, tables...)...)
		if code != 1 || stdout != "" || stderr != want {
			t.Errorf("%q: exit %d, %q, got:\n%s\nwant:\n%s", tables, code, stdout, stderr, want)
		}
	}
	if !json.Valid([]byte(testkit.ReadFile(t, "p.json"))) {
		t.Error("no plan beside the error")
	}
	mustRun(t, "--plan", "--fail-on-unused-row", "--targets", "intel_gpu_dg2,spir64", "--output", "p.json", "in.table")
}

func TestDevices(t *testing.T) {
	stdout := mustRun(t, "devices")
	for _, want := range []string{
		"intel_gpu_dg2      yes   no    yes       yes    8 16 32            1024\n",
		"intel_gpu_pvc      yes   yes   yes       no     16 32              1024\n",
		"spir64             ?     ?     ?         ?      ?                  ?\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	var list []deviceJSON
	testkit.NoError(t, json.Unmarshal([]byte(mustRun(t, "devices", "--json")), &list))
	i := slices.IndexFunc(list, func(d deviceJSON) bool { return d.Name == "intel_gpu_pvc" })
	if i < 0 || len(list[i].MatrixCombinations) != 53 || list[i].MatrixCombinations[0] != "m<=8 n=16 k=32 a=uint8 b=uint8 c=sint32 d=sint32" {
		t.Errorf("matrices of intel_gpu_pvc: %+v", list[i])
	}
	if i < 0 || !slices.Contains(list[i].Aspects, "fp64") || !slices.Contains(list[i].Aliases, "intel_gpu_12_60_7") {
		t.Errorf("intel_gpu_pvc: %+v", list)
	}
}

func TestHelp(t *testing.T) {
	code, stdout, _ := run(t, "--help")
	for _, want := range []string{"Usage: aspectfilter [FLAGS] IN.table...", "--fixed-targets", "Example:", "devices"} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, %q is not in\n%s", code, want, stdout)
		}
	}
}

func TestOutputDirectory(t *testing.T) {
	workspace(t)
	code, _, stderr := run(t, "--target", "spir64", "--output", filepath.Join("no", "folder", "out.table"), "in.table")
	if code != 4 || !strings.Contains(stderr, "out.table: cannot be written: directory") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func BenchmarkPlan(b *testing.B) {
	dir := b.TempDir()
	var table strings.Builder
	table.WriteString("[Code|Properties]\n")
	var files []string
	for i, a := range []aspect.Aspect{aspect.FP16, aspect.FP64, aspect.Atomic64, aspect.Image} {
		r := new(propset.Registry)
		(&requirement.Requirements{Aspects: []aspect.Aspect{a}}).Put(r)
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.prop", i)))
		testkit.WriteFile(b, files[i], r.String())
	}
	for i := range 100000 {
		fmt.Fprintf(&table, "k_%d.bc|%s\n", i, files[i%len(files)])
	}
	in := filepath.Join(dir, "in.table")
	testkit.WriteFile(b, in, table.String())
	for b.Loop() {
		mustRun(b, "--plan", "--output", filepath.Join(dir, "out.json"), in)
	}
}

// TestCompilerOptions checks that a kernel can have more parameters with the large register file.
func TestCompilerOptions(t *testing.T) {
	workspace(t)
	r := new(propset.Registry)
	(&requirement.Requirements{ParameterSize: 2000, ParameterRegisters: 6000}).Put(r)
	testkit.WriteFile(t, "wide.prop", r.String())
	testkit.WriteFile(t, "wide.table", "[Code|Properties]\nwide.bc|wide.prop\n")
	const none, all = "[Code|Properties]\n", "[Code|Properties]\nwide.bc|wide.prop\n"
	for _, tt := range []struct{ option, want string }{
		{"intel_gpu_acm_g10=-g", none},
		{"intel_gpu_acm_g10=-ze-opt-large-register-file", all},
	} {
		if got := mustRun(t, "--target=intel_gpu_acm_g10", "--output=-", "--option="+tt.option, "wide.table"); got != tt.want {
			t.Errorf("%s: got %q", tt.option, got)
		}
	}
	for _, option := range []string{"intel_gpu_pvc=-g", "-g"} {
		if code, _, stderr := run(t, "--target=intel_gpu_acm_g10", "--output=-", "--option="+option, "wide.table"); code != 2 || !strings.Contains(stderr, "--option: '"+option+"' does not start with a --target and '='") {
			t.Errorf("%s: exit code %d, %s", option, code, stderr)
		}
	}
}
