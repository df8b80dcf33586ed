package link

import (
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// The rules about relations between the modules of a file.
var (
	kernelDuplicate    = syclbin.Rule{ID: string(KernelDuplicate), Short: "a kernel must be in only one abstract module per target", Fix: "remove one of the modules, or rename the kernel"}
	exportDuplicate    = syclbin.Rule{ID: string(ExportDuplicate), Short: "a symbol must be exported by only one abstract module per target", Fix: "remove one of the definitions"}
	importUnresolved   = syclbin.Rule{ID: string(ImportUnresolved), Short: "in executable state, every imported symbol must be exported for the same target", Fix: "link the code with the file that has the symbol: packager link --mode ir, or build it in object state"}
	importInExecutable = syclbin.Rule{ID: string(ImportInExecutable), Short: "in executable state, abstract modules must not import symbols", Fix: "link the code: packager link --mode ir, or write it in object state: packager convert --state object, and let the program call sycl::link"}

	symbolRules = []syclbin.Rule{kernelDuplicate, exportDuplicate, importUnresolved, importInExecutable}
)

// Rules returns the rules that Verify checks, in the order of the documentation.
func Rules() []syclbin.Rule { return slices.Concat(syclbin.Rules(), symbolRules) }

// Verify checks a file against every rule: first the rules of the format, as [syclbin.Verify] does,
// then the rules about symbols. It determines conflicts and imports as [Combine] does.
func Verify(f *syclbin.File) []syclbin.Finding {
	v := verifier{file: f, found: syclbin.Verify(f)}
	v.lenient = true // invalid values were already reported
	for i, m := range f.Modules {
		v.list = append(v.list, &module{Module: m, index: i, places: []Place{{Module: i}}})
	}
	if err := v.targets(); err != nil {
		v.add(syclbin.TooMany, "file", "too many targets of images (limit %d)", maxTargets)
		return v.found
	}
	if v.pairs() > maxPairs {
		v.add(syclbin.TooMany, "file", "too many pairs of a symbol and a target (limit %d)", maxPairs)
		return v.found
	}
	for _, names := range kernels(f.State) {
		v.duplicates(kernelDuplicate, "kernel", names)
	}
	v.duplicates(exportDuplicate, "exported symbol", func(m *module) []string { return exported(m, f.State) })
	if f.State == syclbin.Executable {
		v.imports()
	}
	return v.found
}

// maxPairs is the maximum number of symbol and target pairs that are examined.
const maxPairs = 1 << 21

// A verifier holds the state of verifying one file.
type verifier struct {
	linker
	file  *syclbin.File
	found []syclbin.Finding
}

func (v *verifier) add(rule syclbin.Rule, place, format string, args ...any) {
	v.found = syclbin.AppendFinding(v.found, rule, place, format, args...)
}

func (v *verifier) addModule(rule syclbin.Rule, m *module, format string, args ...any) {
	v.add(rule, fmt.Sprintf("abstract module %d", m.index), format, args...)
}

// pairs returns the number of symbol and target pairs.
func (v *verifier) pairs() (n int) {
	for _, m := range v.list {
		symbols := 0
		for _, name := range []string{propset.KernelNames, propset.ExportedSymbols, propset.ImportedSymbols} {
			symbols += m.Metadata.Set(name).Len()
		}
		for range m.own.all() {
			n += symbols
		}
	}
	return n
}

// duplicates adds findings for names that several modules define for the same target. There is one
// finding per name and module, which states the first module that defines the name.
func (v *verifier) duplicates(rule syclbin.Rule, what string, names func(*module) []string) {
	owner := make(map[ownerKey]int)
	for _, m := range v.list {
		for _, name := range names(m) {
			if first, target := claimName(owner, name, m); first >= 0 {
				v.addModule(rule, m, "the %s %.256q is in abstract module %d as well, for target %s", what, name, first, v.names[target])
			}
		}
	}
}

// An ownerKey is a name for a target, on devices of some kinds.
type ownerKey struct {
	name   string
	target int
	kinds  uint8
}

// claimName makes a module the owner of a name for all of its targets. It returns an existing
// owner for one of them and that target, or -1 if there is none.
func claimName(owner map[ownerKey]int, name string, m *module) (first, target int) {
	first = -1
	for t := range m.own.all() {
		for kinds := uint8(0); kinds < 1<<len(deviceKinds) && first < 0; kinds++ {
			if other, ok := owner[ownerKey{name, t, kinds}]; ok && canBeBoth(kinds, m.kinds) {
				first, target = other, t
			}
		}
		if first < 0 {
			owner[ownerKey{name, t, m.kinds}] = m.index
		}
	}
	return first, target
}

// imports adds findings for imports of modules in executable state, because the runtime does not
// resolve them.
func (v *verifier) imports() {
	v.symbolImports(true)
	others := make(map[int][]string) // by importer, the definitions in other modules
	for _, i := range v.links {
		switch m := v.list[i.Importer]; {
		case len(i.Missing) > 0:
			v.addModule(importUnresolved, m, "no module exports the symbol %.256q for target %s", i.Name, i.Missing[0])
		case !i.Unresolved && !exports(m.Module, i.Name):
			others[i.Importer] = append(others[i.Importer], i.Name)
		}
	}
	for _, m := range v.list {
		names := others[m.index]
		if len(names) == 0 {
			continue
		}
		more := ""
		if n := len(names) - 1; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		v.addModule(importInExecutable, m, "the module imports %.256q%s, which the runtime resolves with other modules only if the program calls sycl::link", names[0], more)
	}
}

// exported returns the exported symbols of a module that must be unique. In executable state
// modules are not linked with each other: device globals in several images of a program are one
// variable, and there are two variants of the bfloat16 library.
func exported(m *module, state syclbin.State) []string {
	names := m.Metadata.Set(propset.ExportedSymbols).Keys()
	if state != syclbin.Executable {
		return names
	}
	if m.Metadata.Set(propset.DeviceLibMetadata) != nil {
		return nil
	}
	globals := m.Metadata.Set(propset.DeviceGlobals)
	if globals.Len() == 0 {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, ok := globals.Get(name)
		if !ok { // the set also contains the mangled names of functions outside of namespaces
			_, ok = globals.Get(fmt.Sprintf("_Z%d%s", len(name), name))
		}
		return ok
	})
}

// Imports returns the symbols that a module needs from others, in the order of its metadata.
func Imports(m *syclbin.Module) []string {
	names := m.Metadata.Set(propset.ImportedSymbols).Keys()
	return slices.DeleteFunc(names, func(name string) bool { return exports(m, name) })
}

func exports(m *syclbin.Module, name string) bool {
	_, ok := m.Metadata.Set(propset.ExportedSymbols).Get(name)
	return ok
}
