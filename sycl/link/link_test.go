package link

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

var errEnd = io.ErrUnexpectedEOF

const (
	spir64 = "spir64-unknown-unknown"
	gen    = "spir64_gen-unknown-unknown"
	pvc    = gen + "=intel_gpu_pvc"
	dg2    = gen + "=intel_gpu_dg2_g10"
)

// A part describes an abstract module for a test.
type part struct {
	targets          []string // TRIPLE or TRIPLE=ARCH; IR for spir64 if empty
	bytes            string
	kernels          []string
	exports, imports []string
	aspects          []aspect.Aspect
	fixed            []string
	members, uses    string // of virtual functions
	globals          map[string][2]uint32
	constants        []spec
	defaults         []byte
	sets             map[string]map[string]propset.Value
}

type spec struct {
	name    string
	records []uint32
}

func (p part) module() *syclbin.Module {
	r := new(propset.Registry)
	names := func(set string, list []string) {
		for _, name := range list {
			r.Add(set).Put(name, propset.Uint(1))
		}
	}
	names(propset.KernelNames, p.kernels)
	names(propset.ExportedSymbols, p.exports)
	names(propset.ImportedSymbols, p.imports)
	q := requirement.Requirements{Aspects: p.aspects, HasFixedTargets: p.fixed != nil, FixedTargets: p.fixed}
	q.Put(r)
	if p.members != "" {
		r.Add(propset.VirtualFunctions).Put(propset.VirtualFunctionsSet, propset.String(p.members))
	}
	if p.uses != "" {
		r.Add(propset.VirtualFunctions).Put(propset.UsesVirtualFunctionsSet, propset.String(p.uses))
	}
	for name, g := range p.globals {
		r.Add(propset.DeviceGlobals).Put(name, propset.Uint32s(g[0], g[1]))
	}
	for _, c := range p.constants {
		r.Add(propset.SpecializationConstants).Put(c.name, propset.Uint32s(c.records...))
	}
	if p.defaults != nil {
		r.Add(propset.SpecializationConstantDefaults).Put("all", propset.Bytes(p.defaults))
	}
	for set, properties := range p.sets {
		for key, v := range properties {
			r.Add(set).Put(key, v)
		}
	}
	m := &syclbin.Module{Metadata: r}
	targets := p.targets
	if targets == nil {
		targets = []string{spir64}
	}
	for _, t := range targets {
		triple, arch, native := strings.Cut(t, "=")
		content := strings.NewReader("\x03\x02\x23\x07" + p.bytes)
		if native {
			m.Native = append(m.Native, syclbin.NewNative(arch, triple, content))
		} else {
			m.IR = append(m.IR, syclbin.NewIR(syclbin.SPIRV, triple, content))
		}
	}
	return m
}

// file returns an input in object state.
func file(name string, parts ...part) Input {
	f := &syclbin.File{Version: 1, State: syclbin.Object, Global: new(propset.Registry)}
	for _, p := range parts {
		f.Modules = append(f.Modules, p.module())
	}
	return Input{name, f}
}

func inState(s syclbin.State, in Input) Input {
	in.State = s
	return in
}

func combine(t testing.TB, o Options, inputs ...Input) *Result {
	t.Helper()
	r := testkit.Must(Combine(inputs, o))(t)
	if (r.File == nil) != (len(r.Problems) > 0) {
		t.Fatalf("file %v with %d problems", r.File, len(r.Problems))
	}
	return r
}

func text(r *Result) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "[%s] ", p.ID)
		for i, line := range p.Lines() {
			if i > 0 {
				b.WriteString("    ")
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// problems are inputs that cannot be combined, by the golden file with the texts of their problems.
var problems = map[string]struct {
	inputs  []Input
	options Options
	ids     []ID
}{
	"kernel-duplicate": {
		[]Input{file("b.syclbin", part{kernels: []string{"_ZTS1K", "other"}, bytes: "b"}), file("a.syclbin", part{kernels: []string{"_ZTS1K"}, bytes: "a"})},
		Options{}, []ID{KernelDuplicate},
	},
	"export-duplicate": {
		[]Input{
			file("a.syclbin", part{exports: []string{"_Z3foov"}, bytes: "1"}), file("b.syclbin", part{exports: []string{"_Z3foov"}, bytes: "2"}),
			file("c.syclbin", part{exports: []string{"_Z3foov"}, bytes: "3"}), file("d.syclbin", part{exports: []string{"_Z3foov"}, bytes: "4"}),
		},
		Options{}, []ID{ExportDuplicate},
	},
	"import-unresolved": {
		[]Input{file("a.syclbin", part{kernels: []string{"k"}, imports: []string{"_Z3foov", "_Z3bari", "__devicelib_f", "c_function"}}),
			file("b.syclbin", part{exports: []string{"_Z3barf", "_Z3bard", "_Z10c_functionv"}})},
		Options{}, []ID{ImportUnresolved, ImportUnresolved, ImportUnresolved, ImportUnresolved},
	},
	"import-for-other-targets": {
		[]Input{file("a.syclbin", part{kernels: []string{"k"}, imports: []string{"f"}, targets: []string{spir64, pvc}}),
			file("b.syclbin", part{exports: []string{"f"}, targets: []string{pvc}})},
		Options{}, []ID{ImportUnresolved},
	},
	"import-for-other-kinds": {
		[]Input{file("a.syclbin", part{kernels: []string{"k"}, imports: []string{"f"}, aspects: []aspect.Aspect{aspect.CPU}}),
			file("b.syclbin", part{exports: []string{"f"}, aspects: []aspect.Aspect{aspect.GPU}})},
		Options{}, []ID{ImportUnresolved},
	},
	"import-in-executable": {
		[]Input{file("a.syclbin", part{kernels: []string{"k"}, imports: []string{"_Z3foov", "_Z3barv"}, exports: []string{"_Z3barv"}}),
			file("b.syclbin", part{exports: []string{"_Z3foov"}})},
		Options{State: new(syclbin.Executable)}, []ID{ImportInExecutable},
	},
	"virtual-functions-missing": {
		[]Input{file("a.syclbin", part{kernels: []string{"k"}, uses: "set-a,set-b"}), file("b.syclbin", part{members: "set-b"})},
		Options{}, []ID{VirtualFunctions},
	},
	"device-global-differs": {
		[]Input{file("a.syclbin", part{globals: map[string][2]uint32{"counter": {4, 0}}}), file("b.syclbin", part{globals: map[string][2]uint32{"counter": {8, 0}}})},
		Options{}, []ID{DeviceGlobalDiffers},
	},
	"device-global-scope": {
		[]Input{file("a.syclbin", part{globals: map[string][2]uint32{"table": {4, 1}}}), file("b.syclbin", part{kernels: []string{"k"}, globals: map[string][2]uint32{"table": {4, 1}}})},
		Options{}, []ID{DeviceGlobalScope},
	},
	"spec-constant-differs": {
		[]Input{
			file("a.syclbin", part{constants: []spec{{"width", []uint32{0, 0, 4}}, {"same", []uint32{1, 0, 2}}}, defaults: []byte{1, 0, 0, 0, 7, 7}}),
			file("b.syclbin", part{constants: []spec{{"same", []uint32{5, 0, 2}}, {"width", []uint32{3, 0, 4}}}, defaults: []byte{7, 7, 2, 0, 0, 0}}),
		},
		Options{}, []ID{SpecConstantDiffers},
	},
	"spec-constant-number": {
		[]Input{
			file("a.syclbin", part{imports: []string{"f"}, constants: []spec{{"width", []uint32{0, 0, 4}}}}),
			file("b.syclbin", part{exports: []string{"f"}, constants: []spec{{"height", []uint32{0, 0, 4}}}}),
			file("apart.syclbin", part{kernels: []string{"k"}, constants: []spec{{"depth", []uint32{0, 0, 4}}}}),
		},
		Options{}, []ID{SpecConstantNumber},
	},
	"global-metadata": {
		[]Input{withGlobal(file("a.syclbin", part{}), "producer", "1"), withGlobal(file("b.syclbin", part{bytes: "b"}), "producer", "2"), file("c.syclbin")},
		Options{}, []ID{GlobalMetadata},
	},
	"states": {
		[]Input{inState(syclbin.NoState, file("a.syclbin")), inState(3, file("b.syclbin")), inState(syclbin.Executable, file("c.syclbin")), file("d.syclbin")},
		Options{}, []ID{StateMissing, StateMissing, StateExecutable},
	},
	"state-earlier": {
		[]Input{file("a.syclbin"), inState(syclbin.Input, file("b.syclbin"))},
		Options{State: new(syclbin.Input)}, []ID{StateEarlier},
	},
	"hostile-names": {
		[]Input{
			file("a\x1b[31m\n.syclbin", part{kernels: []string{"k\x1b]0;title\a"}, imports: []string{"i\u202e\x9b", "i\t"}, bytes: "a"}),
			file("b\".syclbin", part{kernels: []string{"k\x1b]0;title\a"}, targets: []string{spir64, "\x1b[1m=\x1b[2m"}, bytes: "b"}),
		},
		Options{}, []ID{KernelDuplicate, ImportUnresolved, ImportUnresolved},
	},
}

func withGlobal(in Input, key, value string) Input {
	in.Global.Add(propset.SYCLBINGlobal).Put(key, propset.String(value))
	return in
}

func TestProblems(t *testing.T) {
	for name, test := range problems {
		t.Run(name, func(t *testing.T) {
			r := combine(t, test.options, test.inputs...)
			var ids []ID
			for _, p := range r.Problems {
				ids = append(ids, p.ID)
			}
			if !slices.Equal(ids, test.ids) {
				t.Errorf("problems %q, want %q", ids, test.ids)
			}
			testkit.Golden(t, name+".golden.txt", text(r))
			slices.Reverse(test.inputs)
			if got := text(combine(t, test.options, test.inputs...)); got != text(r) {
				t.Errorf("with a different order of inputs, got\n%s", got)
			}
		})
	}
}

func TestEveryProblemIsShown(t *testing.T) {
	shown := make(map[ID]bool)
	for _, test := range problems {
		for _, id := range test.ids {
			shown[id] = true
		}
	}
	for _, id := range IDs() {
		if !shown[id] || fixes[id] == "" {
			t.Errorf("%s: tested %t, fix %q", id, shown[id], fixes[id])
		}
	}
}

func TestNoProblem(t *testing.T) {
	f := []string{"f"}
	k := []string{"k"}
	for name, inputs := range map[string][]Input{
		"exported by another file":                              {file("a", part{imports: f}), file("b", part{exports: f})},
		"a module exports what it imports":                      {file("a", part{imports: f, exports: f})},
		"native code and IR of a kernel":                        {file("a", part{kernels: k}), file("b", part{kernels: k, targets: []string{pvc}})},
		"a kernel for two architectures":                        {file("a", part{kernels: k, targets: []string{dg2}}), file("b", part{kernels: k, targets: []string{pvc}})},
		"a kernel for two kinds of device":                      {file("a", part{kernels: k, aspects: []aspect.Aspect{aspect.CPU}}), file("b", part{kernels: k, aspects: []aspect.Aspect{aspect.GPU}})},
		"a kernel for two fixed targets":                        {file("a", part{kernels: k, fixed: []string{"intel_gpu_pvc"}}), file("b", part{kernels: k, fixed: []string{"intel_gpu_tgllp"}})},
		"fixed IR imports from any IR":                          {file("a", part{imports: f, fixed: []string{"intel_gpu_pvc"}}), file("b", part{exports: f})},
		"a generic fixed target":                                {file("a", part{imports: f}), file("b", part{exports: f, fixed: []string{"spir64"}})},
		"exported by two files for one target each":             {file("a", part{imports: f, targets: []string{pvc, dg2}}), file("b", part{exports: f, targets: []string{pvc}}), file("c", part{exports: f, targets: []string{dg2}})},
		"an exporter with more aspects than the importer":       {file("a", part{imports: f}), file("b", part{exports: f, aspects: []aspect.Aspect{aspect.GPU, aspect.FP64}})},
		"IR without a triple":                                   {file("a", part{imports: f, targets: []string{""}}), file("b", part{exports: f})},
		"a duplicate module":                                    {file("a", part{kernels: k, exports: f}), file("b", part{kernels: k, exports: f})},
		"a duplicate file":                                      {file("a", part{kernels: k}), file("a", part{kernels: k})},
		"device globals of split modules":                       {file("a", part{globals: map[string][2]uint32{"g": {4, 0}}}, part{kernels: k, globals: map[string][2]uint32{"g": {4, 0}}})},
		"device globals for two architectures":                  {file("a", part{targets: []string{pvc}, globals: map[string][2]uint32{"g": {4, 1}}}, part{targets: []string{dg2}, globals: map[string][2]uint32{"g": {4, 1}}})},
		"equal constant numbers in modules that are not linked": {file("a", part{constants: []spec{{"x", []uint32{0, 0, 4}}}}), file("b", part{constants: []spec{{"y", []uint32{0, 0, 4}}}})},
		"equal constant numbers in native code":                 {file("a", part{targets: []string{pvc}, imports: f, constants: []spec{{"x", []uint32{0, 0, 4}}}}), file("b", part{targets: []string{pvc}, exports: f, constants: []spec{{"y", []uint32{0, 0, 4}}}})},
		"one constant in linked modules":                        {file("a", part{imports: f, constants: []spec{{"x", []uint32{0, 0, 4, propset.SpecPadding, 4, 4}}}}), file("b", part{exports: f, constants: []spec{{"x", []uint32{0, 0, 4, propset.SpecPadding, 4, 4}}}})},
		"sets of virtual functions with members":                {file("a", part{uses: "s,,t"}), file("b", part{members: "s"}), file("c", part{members: "t"}), file("d", part{members: "t", bytes: "d"})},
		"modules that import from each other":                   {file("a", part{imports: f, exports: k}), file("b", part{imports: k, exports: f})},
		"empty files":                                           {file("a"), file("b")},
		"equal properties in the global metadata":               {withGlobal(file("a"), "x", "1"), withGlobal(file("b"), "x", "1"), withGlobal(file("c"), "y", "1")},
		"input and object":                                      {inState(syclbin.Input, file("a", part{imports: f})), file("b", part{exports: f})},
		"native code imports from native code":                  {file("a", part{imports: f, targets: []string{pvc}}), file("b", part{exports: f, targets: []string{pvc, dg2}})},
		"executable and executable":                             {inState(syclbin.Executable, file("a", part{kernels: k})), inState(syclbin.Executable, file("b", part{kernels: f}))},
		"an unknown fixed target":                               {file("a", part{kernels: k, fixed: []string{"later_gpu"}}), file("b", part{kernels: k, fixed: []string{"other_gpu"}})},
		"IR without a possible target":                          {file("a", part{kernels: k, fixed: []string{}}), file("b", part{kernels: k})},
		"a module without images":                               {file("a", part{kernels: k, targets: []string{}}), file("b", part{kernels: k})},
		"a kernel for a different family of IR":                 {file("a", part{kernels: k}), file("b", part{kernels: k, targets: []string{"spirv64-unknown-unknown"}})},
	} {
		t.Run(name, func(t *testing.T) {
			if r := combine(t, Options{}, inputs...); len(r.Problems) > 0 {
				t.Error(text(r))
			}
		})
	}
}

// TestManyFixedTargets checks that the device configuration is copied only once, not once per
// target.
func TestManyFixedTargets(t *testing.T) {
	cost := func(n int) float64 {
		q := &requirement.Requirements{HasFixedTargets: true, FixedTargets: slices.Repeat([]string{"intel_gpu_pvc"}, n)}
		return testing.AllocsPerRun(5, func() {
			if names, all := fixedTargets(q); all || !slices.Equal(names, []string{"intel_gpu_pvc"}) {
				t.Errorf("%q, %v", names, all)
			}
		})
	}
	if one, many := cost(1), cost(20); many > 2*one {
		t.Errorf("20 targets: %v allocations, one target: %v", many, one)
	}
}

func TestDisjointTargets(t *testing.T) {
	f := []string{"f"}
	for name, test := range map[string]struct {
		importer, exporter part
		missing            []string
	}{
		"native code for IR":                       {part{}, part{targets: []string{pvc}}, []string{"spir64"}},
		"native code for a different architecture": {part{targets: []string{dg2, pvc}}, part{targets: []string{pvc}}, []string{dg2}},
		"IR with a different fixed target":         {part{targets: []string{pvc}}, part{fixed: []string{"intel_gpu_tgllp"}}, []string{pvc}},
		"IR for all other targets":                 {part{}, part{fixed: []string{"intel_gpu_pvc"}}, []string{"spir64"}},
		"IR of a different family":                 {part{}, part{targets: []string{"spirv64-unknown-unknown"}}, []string{"spir64"}},
		"a module without images":                  {part{}, part{targets: []string{}}, []string{"spir64"}},
		"all fixed targets but one":                {part{fixed: []string{"intel_gpu_pvc", "intel_gpu_tgllp"}}, part{fixed: []string{"intel_gpu_pvc"}}, []string{"spir64 for intel_gpu_tgllp"}},
		"native code for fixed IR":                 {part{fixed: []string{"intel_gpu_pvc"}}, part{targets: []string{pvc}}, []string{"spir64 for intel_gpu_pvc"}},
		"an accelerator for a GPU":                 {part{aspects: []aspect.Aspect{aspect.Accelerator}}, part{aspects: []aspect.Aspect{aspect.GPU}}, []string{"spir64"}},
		"native code without an architecture":      {part{targets: []string{pvc}}, part{targets: []string{gen + "="}}, []string{pvc}},
		"IR for NVIDIA for Intel GPUs":             {part{targets: []string{pvc}}, part{targets: []string{"nvptx64-nvidia-cuda"}}, []string{pvc}},
		"IR for native code":                       {part{targets: []string{pvc}}, part{}, []string{pvc}},
		"IR fixed to the device of native code":    {part{targets: []string{pvc}}, part{fixed: []string{"intel_gpu_pvc"}}, []string{pvc}},
		"native code with additional IR":           {part{targets: []string{spir64, pvc}}, part{}, []string{pvc}},
	} {
		t.Run(name, func(t *testing.T) {
			test.importer.imports, test.exporter.exports = f, f
			r := combine(t, Options{}, file("a", test.importer), file("b", test.exporter))
			if len(r.Problems) != 1 || r.Problems[0].ID != ImportUnresolved || !slices.Equal(r.Problems[0].Targets, test.missing) || len(r.Problems[0].Details) == 0 {
				t.Errorf("problems %+v", r.Problems)
			}
		})
	}
}

func TestState(t *testing.T) {
	in, obj, exe := syclbin.Input, syclbin.Object, syclbin.Executable
	for name, test := range map[string]struct {
		inputs  []syclbin.State
		options Options
		want    syclbin.State // NoState if it is rejected
	}{
		"input":                            {[]syclbin.State{in, in}, Options{}, exe},
		"object":                           {[]syclbin.State{obj, obj}, Options{}, exe},
		"input and object":                 {[]syclbin.State{in, obj}, Options{}, exe},
		"executable":                       {[]syclbin.State{exe, exe}, Options{}, exe},
		"object and executable":            {[]syclbin.State{obj, exe}, Options{}, syclbin.NoState},
		"object and executable on request": {[]syclbin.State{obj, exe}, Options{State: &exe}, exe},
		"input to input":                   {[]syclbin.State{in, in}, Options{State: &in}, in},
		"input to object":                  {[]syclbin.State{in, in}, Options{State: &obj}, obj},
		"object to input":                  {[]syclbin.State{in, obj}, Options{State: &in}, syclbin.NoState},
		"executable to object":             {[]syclbin.State{exe, exe}, Options{State: &obj}, syclbin.NoState},
		"unresolved":                       {[]syclbin.State{in, obj}, Options{AllowUnresolved: true}, obj},
		"unresolved input":                 {[]syclbin.State{in, in}, Options{AllowUnresolved: true, State: &in}, in},
		"unresolved executable":            {[]syclbin.State{exe, exe}, Options{AllowUnresolved: true}, syclbin.NoState},
	} {
		t.Run(name, func(t *testing.T) {
			var inputs []Input
			for i, s := range test.inputs {
				inputs = append(inputs, inState(s, file(fmt.Sprint(i))))
			}
			r := combine(t, test.options, inputs...)
			state := syclbin.NoState
			if r.File != nil {
				state = r.File.State
				if v, _ := r.File.Global.Set(propset.SYCLBINGlobal).Get("state"); !v.Equal(propset.Uint(uint32(state))) {
					t.Errorf("state in the global metadata: %v", v)
				}
			}
			if state != test.want {
				t.Errorf("state %v, want %v: %s", state, test.want, text(r))
			}
		})
	}
}

// TestImportState checks that the state depends on whether modules need each other, if no state is
// requested.
func TestImportState(t *testing.T) {
	f := []string{"f"}
	importer, exporter := part{kernels: []string{"k"}, imports: f}, part{exports: f, bytes: "f"}
	all := func(s syclbin.State, parts ...part) (inputs []Input) {
		for i, p := range parts {
			inputs = append(inputs, inState(s, file(fmt.Sprint(i), p)))
		}
		return inputs
	}
	for name, test := range map[string]struct {
		inputs  []Input
		options Options
		want    syclbin.State
		problem ID
	}{
		"input":                            {all(syclbin.Input, importer, exporter), Options{}, syclbin.Object, ""},
		"object":                           {all(syclbin.Object, importer, exporter), Options{}, syclbin.Object, ""},
		"two modules of one file":          {[]Input{file("a", importer, exporter)}, Options{}, syclbin.Object, ""},
		"requested input":                  {all(syclbin.Input, importer, exporter), Options{State: new(syclbin.Input)}, syclbin.Input, ""},
		"requested object":                 {all(syclbin.Object, importer, exporter), Options{State: new(syclbin.Object)}, syclbin.Object, ""},
		"requested executable":             {all(syclbin.Object, importer, exporter), Options{State: new(syclbin.Executable)}, syclbin.NoState, ImportInExecutable},
		"executable inputs":                {all(syclbin.Executable, importer, exporter), Options{}, syclbin.NoState, ImportInExecutable},
		"one executable input":             {append(all(syclbin.Executable, importer), file("b", exporter)), Options{}, syclbin.NoState, StateExecutable},
		"an import that no file exports":   {all(syclbin.Object, importer), Options{State: new(syclbin.Executable)}, syclbin.NoState, ImportUnresolved},
		"an import from the module itself": {all(syclbin.Object, part{imports: f, exports: f}), Options{}, syclbin.Executable, ""},
		"only exports":                     {all(syclbin.Object, exporter), Options{}, syclbin.Executable, ""},
		"only virtual functions":           {all(syclbin.Object, part{uses: "s"}, part{members: "s"}), Options{}, syclbin.Executable, ""},
		"native code of two GPUs and IR":   {all(syclbin.Object, part{kernels: f}, part{kernels: f, targets: []string{pvc}}, part{kernels: f, targets: []string{dg2}}), Options{}, syclbin.Executable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := combine(t, test.options, test.inputs...)
			state, problem := syclbin.NoState, ID("")
			if r.File != nil {
				state = r.File.State
			} else {
				problem = r.Problems[0].ID
			}
			if state != test.want || problem != test.problem || len(r.Problems) > 1 {
				t.Errorf("state %v, want %v: %s", state, test.want, text(r))
			}
		})
	}
}

func TestAllowUnresolved(t *testing.T) {
	a, b := file("a", part{imports: []string{"f"}, uses: "s"}), file("b", part{exports: []string{"f"}, members: "s"})
	r := combine(t, Options{AllowUnresolved: true}, a)
	if r.File == nil || r.File.State != syclbin.Object || len(r.Graph.Imports) != 2 || !r.Graph.Imports[0].Unresolved {
		t.Fatalf("%+v", r)
	}
	if r = combine(t, Options{State: new(syclbin.Object)}, a); r.File != nil {
		t.Error("Object state allows unresolved imports")
	}
	if r = combine(t, Options{AllowUnresolved: true}, a, file("c", part{exports: []string{"e"}}), file("d", part{exports: []string{"e"}, bytes: "d"})); r.File != nil {
		t.Error("duplicate export accepted")
	}
	if r = combine(t, Options{}, Input{"ab", combine(t, Options{AllowUnresolved: true}, a).File}, b); r.File == nil {
		t.Error(text(r))
	}
}

func TestErrors(t *testing.T) {
	executable := syclbin.Executable
	other := syclbin.State(7)
	bad := func(set, key string, v propset.Value) Input {
		return file("a.syclbin", part{}, part{sets: map[string]map[string]propset.Value{set: {key: v}}})
	}
	many := part{targets: []string{}}
	for i := range maxTargets + 1 {
		many.targets = append(many.targets, fmt.Sprintf("%s=arch%d", gen, i))
	}
	for name, test := range map[string]struct {
		inputs  []Input
		options Options
		want    string
		bad     bool // an input error
	}{
		"no input":                 {nil, Options{}, "link: no files to link", false},
		"an invalid state":         {[]Input{file("a")}, Options{State: &other}, "link: a file cannot be in state 7", false},
		"unresolved executable":    {[]Input{file("a")}, Options{State: &executable, AllowUnresolved: true}, "link: unresolved imports are not allowed in executable state", false},
		"specialization constants": {[]Input{bad(propset.SpecializationConstants, "x", propset.Uint32s(1))}, Options{}, "a.syclbin: abstract module 1: ", true},
		"device globals":           {[]Input{bad(propset.DeviceGlobals, "x", propset.Uint(1))}, Options{}, "a.syclbin: abstract module 1: ", true},
		"virtual functions":        {[]Input{bad(propset.VirtualFunctions, propset.UsesVirtualFunctionsSet, propset.Uint(1))}, Options{}, "a.syclbin: abstract module 1: ", true},
		"requirements":             {[]Input{bad(propset.DeviceRequirements, "aspects", propset.Bytes([]byte{1}))}, Options{}, "a.syclbin: abstract module 1: ", true},
		"too many targets":         {[]Input{file("a", many)}, Options{}, "too many targets: 1025", true},
		"truncated images":         {[]Input{file("a", truncated()), file("b", truncated())}, Options{}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "images that end before the end" {
				for _, in := range test.inputs {
					in.Modules[0].IR[0].Source = short{}
				}
				test.want = "a: abstract module 0: unexpected EOF"
			}
			_, err := Combine(test.inputs, test.options)
			testkit.Fails(t, err, test.want)
			if test.bad != errors.As(err, new(interface{ BadInput() })) {
				t.Errorf("%v: input error: %t", err, !test.bad)
			}
		})
	}
}

func truncated() part { return part{kernels: []string{"k"}} }

// short is an image whose bytes cannot be read to the end.
type short struct{}

func (short) Size() int64                       { return 5 }
func (short) ReadAt([]byte, int64) (int, error) { return 0, errEnd }

// write returns the bytes of a result.
func write(t testing.TB, f *syclbin.File) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, syclbin.Write(&b, f, syclbin.Options{KeepOrder: true}))
	return b.Bytes()
}

func TestEverythingSurvives(t *testing.T) {
	a := part{
		kernels: []string{"z", "a"},
		sets: map[string]map[string]propset.Value{
			"vendor/unknown":        {"key": propset.Bits([]byte{5}, 3), "more": propset.Uint(1 << 31)},
			propset.MiscProperties:  {"future": propset.String("text")},
			propset.ExportedSymbols: {"odd": propset.Uint(2)},
		},
		constants: []spec{{"z", []uint32{0, 0, 4}}, {"a", []uint32{1, 0, 2}}}, defaults: []byte{1, 2, 3, 4, 5, 6},
		targets: []string{spir64, pvc},
	}
	in := withGlobal(file("a", a), "vendor", "v")
	in.Global.Add("vendor/global").Put("k", propset.Uint(3))
	in.Modules[0].IR[0].Metadata.Add("vendor/image").Put("k", propset.Uint(4))
	before := testkit.Must(in.Modules[0].Metadata.MarshalText())(t)
	out := combine(t, Options{}, in, file("b", part{kernels: []string{"b"}})).File
	back := testkit.Must(syclbin.NewFile(bytes.NewReader(write(t, out)), int64(len(write(t, out)))))(t)
	m := back.Modules[slices.IndexFunc(back.Modules, func(m *syclbin.Module) bool { return slices.Contains(m.Kernels(), "z") })]
	if !m.Metadata.Equal(in.Modules[0].Metadata) || !m.IR[0].Metadata.Equal(in.Modules[0].IR[0].Metadata) || len(m.Native) != 1 {
		t.Error("module metadata differs")
	}
	if names := m.Metadata.Set(propset.SpecializationConstants).Keys(); !slices.Equal(names, []string{"z", "a"}) {
		t.Errorf("specialization constants in the order %q", names)
	}
	if v, _ := back.Global.Set("vendor/global").Get("k"); !v.Equal(propset.Uint(3)) {
		t.Error("unknown set lost from the global metadata")
	}
	if after, _ := in.Modules[0].Metadata.MarshalText(); !bytes.Equal(before, after) || in.Global.Set(propset.SYCLBINGlobal).Len() != 1 {
		t.Error("input modified")
	}
}

func TestMergeOnlyIdenticalModules(t *testing.T) {
	k := part{exports: []string{"f"}, bytes: "one"}
	other := k
	other.bytes = "two"
	reordered := file("c", k)
	reordered.Modules[0].Metadata.Sort()
	r := combine(t, Options{}, file("a", k, k), file("b", k), reordered)
	if len(r.File.Modules) != 1 || len(r.Graph.Modules[0].Places) != 4 {
		t.Errorf("%d modules, %+v", len(r.File.Modules), r.Graph.Modules)
	}
	// The same metadata and size, but different bytes: two definitions of f.
	if r := combine(t, Options{}, file("a", k), file("b", other)); len(r.Problems) != 1 {
		t.Errorf("%+v", r.Problems)
	}
	// The order of constants determines which default value belongs to which constant.
	x := part{constants: []spec{{"x", []uint32{0, 0, 1}}, {"y", []uint32{1, 0, 1}}}, defaults: []byte{1, 1}}
	y := x
	y.constants = []spec{x.constants[1], x.constants[0]}
	if r := combine(t, Options{}, file("a", x), file("b", y)); r.File == nil || len(r.File.Modules) != 2 {
		t.Errorf("%+v", r.Problems)
	}
}

// random returns parts that share names, so they interact in every possible way, but mostly without
// conflicts.
func random(r *rand.Rand, n int) []part {
	var list []part
	for i := range n {
		p := part{kernels: []string{fmt.Sprintf("k%d", i)}, exports: []string{fmt.Sprintf("f%d", i)}, bytes: strings.Repeat("x", r.IntN(3))}
		for range r.IntN(3) {
			p.imports = append(p.imports, fmt.Sprintf("f%d", r.IntN(n)))
		}
		if r.IntN(3) == 0 {
			p.kernels, p.imports = nil, nil // modules that differ only in the names of their exports
			p.sets = map[string]map[string]propset.Value{fmt.Sprintf("unknown%d", r.IntN(2)): {"key": propset.Uint(r.Uint32())}}
		}
		switch r.IntN(4) {
		case 0:
			p.targets = []string{spir64, pvc}
		case 1:
			p.constants = []spec{{"c", []uint32{0, 0, 4}}, {"b", []uint32{1, 0, 4}}}
			p.defaults = []byte{1, 2, 3, 4, 5, 6, 7, 8}
		case 2: // two modules that differ only in their bytes, for no target that could conflict
			p = part{bytes: fmt.Sprint(r.IntN(3)), sets: map[string]map[string]propset.Value{"alike": {"k": propset.Uint(1)}}}
		}
		list = append(list, p)
	}
	return list
}

func TestCombineIsAssociative(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		parts := random(r, 2+r.IntN(12))
		var inputs []Input
		for i := range 1 + r.IntN(6) {
			var own []part
			for range r.IntN(5) {
				own = append(own, parts[r.IntN(len(parts))]) // inputs share modules
			}
			in := file(fmt.Sprint("file", i), own...)
			if r.IntN(2) == 0 {
				in = withGlobal(in, fmt.Sprint("key", r.IntN(3)), "value")
			}
			inputs = append(inputs, in)
		}
		want := write(t, combine(t, Options{AllowUnresolved: true}, inputs...).File)
		var tree func(list []Input) Input
		tree = func(list []Input) Input {
			if len(list) == 1 && r.IntN(2) == 0 {
				return list[0]
			}
			if len(list) > 1 {
				at := 1 + r.IntN(len(list)-1)
				list = []Input{tree(list[:at]), tree(list[at:])}
			}
			data := write(t, combine(t, Options{AllowUnresolved: true}, list...).File)
			f := testkit.Must(syclbin.NewFile(bytes.NewReader(data), int64(len(data))))(t)
			return Input{fmt.Sprint("tree", r.IntN(100)), f}
		}
		for range 4 {
			shuffled := slices.Clone(inputs)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			shuffled = append(shuffled, shuffled[r.IntN(len(shuffled))]) // repeats an input
			got := write(t, combine(t, Options{AllowUnresolved: true}, tree(shuffled)).File)
			if !bytes.Equal(got, want) {
				t.Fatalf("seed %d: the file depends on the order of the inputs", seed)
			}
		}
	}
}

func TestGraph(t *testing.T) {
	inputs := []Input{
		file("main.syclbin", part{kernels: []string{"_ZTS4Main"}, imports: []string{"_Z4leftv", "_Z5rightv", "_Z4noneIiEvT_"}, uses: "shapes"}),
		file("left.syclbin", part{exports: []string{"_Z4leftv"}, imports: []string{"_Z5rightv"}}),
		file("right.syclbin", part{exports: []string{"_Z5rightv", "_Z4nonei"}, imports: []string{"_Z4leftv"}, targets: []string{spir64, pvc, dg2, gen + "=intel_gpu_acm_g12"}}),
		file("shapes.syclbin", part{members: "shapes", bytes: "circle"}),
		file("same.syclbin", part{members: "shapes", bytes: "circle"}),
		file("more \"shapes\"\n.syclbin", part{members: "shapes", bytes: "square"}),
	}
	for _, o := range []struct {
		name    string
		options Options
	}{{"graph", Options{}}, {"graph-unresolved", Options{AllowUnresolved: true}}} {
		r := combine(t, o.options, inputs...)
		var b, dot strings.Builder
		testkit.NoError(t, r.WriteText(&b))
		testkit.Golden(t, o.name+".golden.txt", b.String())
		testkit.NoError(t, r.WriteDOT(&dot))
		testkit.Golden(t, o.name+".golden.dot", dot.String())
		if len(r.Graph.Cycles) != 1 || len(r.Graph.Cycles[0]) != 2 {
			t.Errorf("cycles %v", r.Graph.Cycles)
		}
	}
}

func TestNoTerminalEscapes(t *testing.T) {
	r := combine(t, problems["hostile-names"].options, problems["hostile-names"].inputs...)
	var b strings.Builder
	testkit.NoError(t, r.WriteText(&b))
	testkit.NoError(t, r.WriteDOT(&b))
	b.WriteString(text(r))
	for _, c := range b.String() {
		if c != '\n' && c != '\t' && (c < ' ' || c >= 0x7f) {
			t.Fatalf("%q in\n%q", c, b.String())
		}
	}
}

// chain returns files of 100 modules, in which each module imports from the next.
func chain(files int) []Input {
	var inputs []Input
	for i := range files {
		var parts []part
		for j := range 100 {
			n := 100*i + j
			p := part{kernels: []string{fmt.Sprintf("_ZTS9kernel%06d", n)}, exports: []string{fmt.Sprintf("_Z7f%06dv", n)}}
			if n+1 < 100*files {
				p.imports = []string{fmt.Sprintf("_Z7f%06dv", n+1)}
			}
			parts = append(parts, p)
		}
		inputs = append(inputs, file(fmt.Sprintf("file%04d", i), parts...))
	}
	return inputs
}

func TestManySymbols(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; skipped in short mode")
	}
	inputs := chain(1000)
	r := combine(t, Options{}, inputs...)
	if len(r.File.Modules) != 100_000 || len(r.Graph.Imports) != 99_999 {
		t.Errorf("%d modules, %d imports", len(r.File.Modules), len(r.Graph.Imports))
	}
	// The work is measured in allocations, which other processes do not affect.
	allocs := func(inputs []Input) float64 {
		return testing.AllocsPerRun(1, func() { combine(t, Options{}, inputs...) })
	}
	small, large := allocs(inputs[:100]), allocs(inputs[:400])
	if large > 4.4*small {
		t.Errorf("%v allocations for 10,000 symbols, %v for 40,000", small, large)
	}
}

func TestManyConflicts(t *testing.T) {
	// Each file exports everything, and imports symbols that no file has.
	var inputs []Input
	var exports, imports []string
	for i := range 100 {
		exports = append(exports, fmt.Sprintf("_Z3f%02dv", i))
		imports = append(imports, fmt.Sprintf("_Z3g%02dv", i))
	}
	for i := range 1000 {
		inputs = append(inputs, file(fmt.Sprintf("file%04d", i), part{exports: exports, imports: append(slices.Clone(exports), imports...), bytes: fmt.Sprint(i)}))
	}
	r := combine(t, Options{}, inputs...)
	if len(r.Problems) != 200 || len(r.Problems[0].Places) != 1000 {
		t.Fatalf("%d problems", len(r.Problems))
	}
	for _, p := range r.Problems {
		if n := len(p.Lines()); n > 8 {
			t.Errorf("%d lines: %s", n, strings.Join(p.Lines(), "\n"))
		}
	}
}

func FuzzCombine(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		for _, in := range problems[name].inputs {
			if in.State <= syclbin.Executable {
				f.Add(write(f, in.File), write(f, problems["states"].inputs[3].File), uint8(0))
			}
		}
		inputs := problems[name].inputs
		f.Add(write(f, inputs[0].File), write(f, inputs[len(inputs)-1].File), uint8(len(name)))
	}
	f.Fuzz(func(t *testing.T, a, b []byte, options uint8) {
		first, err := syclbin.NewLenientFile(bytes.NewReader(a), int64(len(a)))
		second, err2 := syclbin.NewLenientFile(bytes.NewReader(b), int64(len(b)))
		if err == nil && err2 == nil {
			checkCombine(t, Input{"a", first}, Input{"b", second}, options)
		}
	})
}

// FuzzMetadata combines files whose modules have the metadata in texts, which are separated by NUL.
// It reaches more code than FuzzCombine, because most inputs of the latter are not valid files.
func FuzzMetadata(f *testing.F) {
	texts := func(in Input) string {
		var list []string
		for _, m := range in.Modules {
			text, err := m.Metadata.MarshalText()
			if err != nil {
				f.Fatal(err)
			}
			list = append(list, string(text))
		}
		return strings.Join(list, "\x00")
	}
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		inputs := problems[name].inputs
		f.Add(texts(inputs[0]), texts(inputs[len(inputs)-1]), []byte(name), uint8(1))
	}
	f.Fuzz(func(t *testing.T, a, b string, images []byte, options uint8) {
		read := func(name, texts string) (Input, bool) {
			in := inState(syclbin.State(options>>3&3), file(name))
			for text := range strings.SplitSeq(texts, "\x00") {
				r, err := propset.Parse("", []byte(text))
				if err != nil {
					return in, false
				}
				m := &syclbin.Module{Metadata: r}
				for i, c := range images[:min(4, len(images))] {
					content := strings.NewReader(string(images[i:min(len(images), i+int(c>>6))]))
					if c&1 == 0 {
						m.IR = append(m.IR, syclbin.NewIR(syclbin.SPIRV, []string{"", spir64, "spirv64", "nvptx64-nvidia-cuda"}[c>>1&3], content))
					} else {
						m.Native = append(m.Native, syclbin.NewNative([]string{"", "intel_gpu_pvc", "sm_80", "x"}[c>>1&3], []string{gen, "nvptx64-nvidia-cuda"}[c>>3&1], content))
					}
				}
				if len(images) > 0 {
					images = images[1:]
				}
				in.Modules = append(in.Modules, m)
			}
			return in, true
		}
		first, ok := read("a", a)
		second, ok2 := read("b", b)
		if ok && ok2 {
			checkCombine(t, first, second, options)
		}
	})
}

// checkCombine checks the invariants for any two inputs.
func checkCombine(t *testing.T, first, second Input, options uint8) {
	o := Options{AllowUnresolved: options&1 != 0}
	if state := syclbin.State(options >> 1 & 3); state <= syclbin.Executable {
		o.State = &state
	}
	r, err := Combine([]Input{first, second}, o)
	again, err2 := Combine([]Input{second, first}, o)
	if (err == nil) != (err2 == nil) {
		t.Fatalf("errors %v and %v", err, err2)
	}
	if err != nil {
		return
	}
	var x, y bytes.Buffer
	for _, err := range []error{r.WriteText(&x), again.WriteText(&y), r.WriteDOT(&x), again.WriteDOT(&y)} {
		testkit.NoError(t, err)
	}
	if !bytes.Equal(x.Bytes(), y.Bytes()) {
		t.Fatal("the graph or the problems depend on the order of the inputs")
	}
	if r.File == nil {
		return
	}
	out := write(t, r.File)
	if !bytes.Equal(out, write(t, again.File)) {
		t.Fatal("the file depends on the order of the inputs")
	}
	once, err := syclbin.NewFile(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatalf("cannot read the result: %v", err)
	}
	for _, found := range Verify(once) {
		if slices.ContainsFunc(symbolRules, func(r syclbin.Rule) bool { return r.ID == found.ID }) {
			t.Fatalf("Verify reports %v for the result", found)
		}
	}
	same := combine(t, o, Input{"a", once})
	if same.File == nil || !bytes.Equal(out, write(t, same.File)) {
		t.Fatal("Combine is not idempotent")
	}
}
