package link

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// verified returns a file that has no findings except about its symbols.
func verified(state syclbin.State, parts ...part) *syclbin.File {
	f := file("f", parts...).File
	f.State = state
	f.Global.Add(propset.SYCLBINGlobal).Put("state", propset.Uint(uint32(state)))
	return f
}

func TestVerify(t *testing.T) {
	k, f := []string{"k"}, []string{"f"}
	globals, mangled := map[string][2]uint32{"g": {4, 0}}, map[string][2]uint32{"_Z5plain": {4, 0}}
	library := map[string]map[string]propset.Value{propset.DeviceLibMetadata: {"bfloat16": propset.Uint(0)}}
	copied := map[string]map[string]propset.Value{propset.MiscProperties: {"specConstsReplacedWithDefault": propset.Uint(1)}}
	exe, obj := syclbin.Executable, syclbin.Object
	for name, test := range map[string]struct {
		state syclbin.State
		parts []part
		want  []string // id, location, and part of the message
	}{
		"one module":                                       {exe, []part{{kernels: k}}, nil},
		"a kernel in two modules":                          {exe, []part{{kernels: k}, {kernels: k}}, []string{`kernel-duplicate: abstract module 1: the kernel "k" is in abstract module 0 as well, for target spir64`}},
		"a kernel in three, for two targets":               {exe, []part{{kernels: k, targets: []string{pvc}}, {kernels: k}, {kernels: k, targets: []string{pvc, spir64}}}, []string{`kernel-duplicate: abstract module 2: the kernel "k" is in abstract module 1 as well, for target spir64`}},
		"an alias of a target":                             {exe, []part{{kernels: k}, {kernels: k, targets: []string{"spir64_x86_64-unknown-unknown"}}}, []string{"kernel-duplicate: abstract module 1"}},
		"IR and native code for two GPUs":                  {exe, []part{{kernels: k}, {kernels: k, targets: []string{pvc}}, {kernels: k, targets: []string{dg2}}}, nil},
		"IR of different families":                         {exe, []part{{kernels: k}, {kernels: k, targets: []string{"spirv64-unknown-unknown"}}}, nil},
		"a kernel for two kinds of device":                 {exe, []part{{kernels: k, aspects: []aspect.Aspect{aspect.CPU}}, {kernels: k, aspects: []aspect.Aspect{aspect.GPU}}}, nil},
		"a kernel for one kind of device and for any kind": {exe, []part{{kernels: k, aspects: []aspect.Aspect{aspect.CPU}}, {kernels: k}}, []string{"kernel-duplicate: abstract module 1"}},
		"a copy with default values":                       {exe, []part{{kernels: k}, {kernels: k, sets: copied}}, nil},
		"a copy in input state":                            {syclbin.Input, []part{{kernels: k}, {kernels: k, sets: copied}}, nil},
		"a copy in object state":                           {obj, []part{{kernels: k}, {kernels: k, sets: copied}}, []string{`kernel-duplicate: abstract module 1: the kernel "k" is in abstract module 0 as well`}},
		"two copies with default values":                   {exe, []part{{kernels: k}, {kernels: k, sets: copied}, {kernels: k, sets: copied}}, []string{`kernel-duplicate: abstract module 2: the kernel "k" is in abstract module 1 as well`}},
		"a duplicate export":                               {obj, []part{{exports: f}, {kernels: k}, {exports: f}}, []string{`export-duplicate: abstract module 2: the exported symbol "f" is in abstract module 0 as well`}},
		"a duplicate export in executable state":           {exe, []part{{exports: f}, {exports: f}}, []string{"export-duplicate: abstract module 1"}},
		"a device global of two images":                    {exe, []part{{kernels: k, exports: []string{"g"}, globals: globals}, {exports: []string{"g"}, globals: globals}}, nil},
		"a device global without a namespace":              {exe, []part{{kernels: k, exports: []string{"plain"}, globals: mangled}, {exports: []string{"plain"}, globals: mangled}}, nil},
		"variants of a device library":                     {exe, []part{{exports: f, sets: library}, {exports: f, sets: library}}, nil},
		"variants of a device library in object state":     {obj, []part{{exports: f, sets: library}, {exports: f, sets: library}}, []string{"export-duplicate: abstract module 1"}},
		"a device global in object state":                  {obj, []part{{kernels: k, exports: []string{"g"}, globals: globals}, {exports: []string{"g"}, globals: globals}}, []string{`export-duplicate: abstract module 1: the exported symbol "g"`}},
		"a missing symbol":                                 {exe, []part{{kernels: k, imports: f}}, []string{`import-unresolved: abstract module 0: no module exports the symbol "f" for target spir64`}},
		"a symbol of a device library":                     {exe, []part{{kernels: k, imports: []string{"__devicelib_ConvertFToBF16INTEL"}}}, []string{"import-unresolved: abstract module 0"}},
		"a missing symbol in object state":                 {obj, []part{{kernels: k, imports: f}}, nil},
		"a symbol of a different module":                   {exe, []part{{exports: f}, {kernels: k, imports: f}}, []string{`import-in-executable: abstract module 1: the module imports "f", which the runtime resolves with other modules only if the program calls sycl::link`}},
		"several symbols of a different module":            {exe, []part{{kernels: k, imports: []string{"f", "g", "h"}}, {exports: []string{"f", "g"}}, {exports: []string{"h"}}}, []string{`import-in-executable: abstract module 0: the module imports "f" and 2 more, which`}},
		"a symbol of a different module in object state":   {obj, []part{{exports: f}, {kernels: k, imports: f}}, nil},
		"a symbol of the module itself":                    {exe, []part{{kernels: k, exports: f, imports: f}}, nil},
		"native code that needs IR":                        {exe, []part{{kernels: k, imports: f, targets: []string{pvc}}, {exports: f}}, []string{"import-unresolved: abstract module 0: no module exports the symbol \"f\" for target " + pvc}},
		"IR and native code that need IR":                  {exe, []part{{kernels: k, imports: f, targets: []string{spir64, pvc}}, {exports: f}}, []string{"import-unresolved: abstract module 0: no module exports the symbol \"f\" for target " + pvc}},
		"an import without an image":                       {exe, []part{{kernels: k, imports: f, targets: []string{}}}, []string{"module-empty: abstract module 0"}},
		"unreadable requirements": {exe, []part{{kernels: k, sets: map[string]map[string]propset.Value{propset.DeviceRequirements: {"aspects": propset.Uint(5)}}}, {kernels: k}},
			[]string{"property-value: abstract module 0", "kernel-duplicate: abstract module 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, found := range Verify(verified(test.state, test.parts...)) {
				switch found.ID {
				case "native-is-ir", "native-compile-target", "kernel-name-prefix": // of parts, which are made for symbols only
				default:
					got = append(got, found.ID+": "+found.Place+": "+found.Message)
				}
				if found.Fix == "" {
					t.Errorf("%s has no fix", found.ID)
				}
			}
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// TestVerifyAndCombineAgree checks that inputs that can be combined have no findings about symbols,
// regardless of the state that the linker chooses, and that inputs that cannot be combined have
// findings in a file with the same modules.
func TestVerifyAndCombineAgree(t *testing.T) {
	isSymbol := func(f syclbin.Finding) bool {
		return slices.ContainsFunc(symbolRules, func(r syclbin.Rule) bool { return r.ID == f.ID })
	}
	f := []string{"f"}
	for name, parts := range map[string][]part{
		"nothing to resolve":        {{kernels: f}, {kernels: f, targets: []string{pvc}}},
		"an import":                 {{imports: f}, {exports: f}},
		"a duplicate kernel":        {{kernels: f}, {kernels: f, bytes: "b"}},
		"a duplicate export":        {{exports: f}, {exports: f, bytes: "b"}},
		"native code that needs IR": {{imports: f, targets: []string{pvc}}, {exports: f}},
		"fixed IR":                  {{imports: f, fixed: []string{"intel_gpu_pvc"}}, {exports: f}},
		"IR for all other targets":  {{imports: f}, {exports: f, fixed: []string{"intel_gpu_pvc"}}},
		"kinds of device":           {{imports: f, aspects: []aspect.Aspect{aspect.CPU}}, {exports: f, aspects: []aspect.Aspect{aspect.GPU}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := combine(t, Options{}, file("a", parts[0]), file("b", parts[1]))
			if r.File != nil && slices.ContainsFunc(Verify(r.File), isSymbol) {
				t.Errorf("findings in the result: %v", Verify(r.File))
			}
			if found := Verify(verified(syclbin.Executable, parts...)); r.File == nil && !slices.ContainsFunc(found, isSymbol) {
				t.Errorf("problems %s, findings %v", text(r), found)
			}
		})
	}
}

func TestVerifyIsBounded(t *testing.T) {
	many := part{targets: []string{}}
	for i := range maxTargets + 1 {
		many.targets = append(many.targets, fmt.Sprintf("%s=arch%d", gen, i))
	}
	symbols := part{targets: many.targets[:maxTargets]}
	for i := range maxPairs/maxTargets + 1 {
		symbols.kernels = append(symbols.kernels, fmt.Sprint(i))
	}
	for name, test := range map[string]struct {
		part part
		want string
	}{
		"targets": {many, "file: too-many: too many targets of images (limit 1024); "},
		"pairs":   {symbols, "file: too-many: too many pairs of a symbol and a target (limit 2097152); "},
	} {
		t.Run(name, func(t *testing.T) {
			found := Verify(verified(syclbin.Executable, test.part))
			if last := found[len(found)-1].String(); !strings.HasPrefix(last, test.want) {
				t.Errorf("last finding %s", last)
			}
		})
	}
}

func TestRulesAreDistinct(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range Rules() {
		if r.ID == "" || r.Short == "" || r.Fix == "" || seen[r.ID] {
			t.Errorf("empty or duplicate rule %+v", r)
		}
		seen[r.ID] = true
	}
}
