package link

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// definitions adds problems for names that several modules define for the same target.
func (l *linker) definitions(state syclbin.State) {
	for _, names := range kernels(state) {
		for name, modules := range l.index(names) {
			if conflicting, targets := l.repeated(modules); len(conflicting) > 0 {
				l.addModules(KernelDuplicate, name, conflicting, targets, demangled(name), "Conflicting kernel definitions:  %s", safetext.Printable(name))
			}
		}
	}
	for name, modules := range l.index(func(m *module) []string { return exported(m, state) }) {
		if conflicting, targets := l.repeated(modules); len(conflicting) > 0 {
			l.addModules(ExportDuplicate, name, conflicting, targets, demangled(name), "Duplicate exported symbol \"%s\" found in binaries.", safetext.Printable(name))
		}
	}
	for name, modules := range l.index(setKeys(propset.DeviceGlobals)) {
		if len(modules) > 1 {
			l.deviceGlobal(name, modules)
		}
	}
	l.specConstantLayouts()
}

// deviceGlobal adds a problem for a device global that differs between modules, or that is in
// several modules but may be in only one image.
func (l *linker) deviceGlobal(name string, modules []*module) {
	var claims []claim
	var scoped []*module
	for _, m := range modules {
		v, _ := m.Metadata.Set(propset.DeviceGlobals).Get(name)
		claims = append(claims, claim{m, v.String(), m.own})
		if words, ok := v.Uint32s(); ok && len(words) > 1 && words[1] != 0 {
			scoped = append(scoped, m)
		}
	}
	if conflicting, targets := l.differing(claims); len(conflicting) > 0 {
		l.addModules(DeviceGlobalDiffers, name, conflicting, targets, demangled(name), "device_global variable '%s' has different sizes or scopes", safetext.Printable(name))
	} else if conflicting, targets := l.repeated(scoped); len(conflicting) > 0 {
		l.addModules(DeviceGlobalScope, name, conflicting, targets, demangled(name), "device_global variable '%s' with property \"device_image_scope\" is used in more than one device image.", safetext.Printable(name))
	}
}

// index returns the modules by the names that they define.
func (l *linker) index(names func(*module) []string) map[string][]*module {
	index := make(map[string][]*module)
	for _, m := range l.list {
		for _, name := range names(m) {
			index[name] = append(index[name], m)
		}
	}
	return index
}

// setKeys returns a function that lists the keys of a module's set.
func setKeys(set string) func(*module) []string {
	return func(m *module) []string { return m.Metadata.Set(set).Keys() }
}

// kernels returns functions that list the kernels of a module. No two modules may share a kernel of
// the same list. The copies with the default values of specialization constants have a separate
// list, because the runtime uses either the image or its copy. In object state, whose purpose is
// sycl::link, there is only one list, because sycl::link rejects a kernel that is in both.
func kernels(state syclbin.State) []func(*module) []string {
	names := setKeys(propset.KernelNames)
	if state == syclbin.Object {
		return []func(*module) []string{names}
	}
	of := func(copies bool) func(*module) []string {
		return func(m *module) []string {
			if specialize.HasDefaultsOnly(m.Metadata) != copies {
				return nil
			}
			return names(m)
		}
	}
	return []func(*module) []string{of(false), of(true)}
}

// repeated returns the modules that conflict with another, and their targets.
func (l *linker) repeated(modules []*module) (list []*module, targets set) {
	if len(modules) < 2 {
		return nil, nil
	}
	// once holds the targets of at least one module, and twice the targets of at least two, for each
	// combination of kinds.
	type count struct{ once, twice set }
	counts := make(map[uint8]count)
	for _, m := range modules {
		c, ok := counts[m.kinds]
		if !ok {
			c = count{newSet(len(l.names)), newSet(len(l.names))}
			counts[m.kinds] = c
		}
		c.twice.addAll(c.once.and(m.own))
		c.once.addAll(m.own)
	}
	targets = newSet(len(l.names))
	for _, m := range modules {
		met := newSet(len(l.names))
		for kinds, c := range counts {
			switch {
			case kinds == m.kinds:
				met.addAll(c.twice.and(m.own))
			case canBeBoth(kinds, m.kinds):
				met.addAll(c.once.and(m.own))
			}
		}
		if !met.empty() {
			list = append(list, m)
			targets.addAll(met)
		}
	}
	return list, targets
}

// A claim is a declaration of a module, for some targets.
type claim struct {
	*module
	what    string
	targets set
}

// differing returns the modules with different claims for the same target.
func (l *linker) differing(claims []claim) (list []*module, targets set) {
	if !slices.ContainsFunc(claims, func(c claim) bool { return c.what != claims[0].what }) {
		return nil, nil
	}
	first := make(map[int]string)
	targets = newSet(len(l.names))
	for _, c := range claims {
		for t := range c.targets.all() {
			if what, ok := first[t]; !ok {
				first[t] = c.what
			} else if what != c.what {
				targets.add(t)
			}
		}
	}
	for _, c := range claims {
		if c.targets.overlaps(targets) && (len(list) == 0 || list[len(list)-1] != c.module) {
			list = append(list, c.module)
		}
	}
	return list, targets
}

// exporters holds the modules that export a symbol, or that have members of a set of virtual
// functions.
type exporters struct {
	modules []*module
	has     []covered
}

// A covered holds the targets of all exporters that require the same kinds of device.
type covered struct {
	kinds uint8
	set
}

// An Import is a symbol, or a set of virtual functions, that a module needs.
type Import struct {
	Importer int    `json:"importer"` // index of the module in the result
	Name     string `json:"name"`
	Virtual  bool   `json:"virtual,omitempty"` // a set of virtual functions

	// Exporters are the first 16 modules that define it for a target of the importer.
	Exporters []int `json:"exporters"`

	// Missing are the targets of the importer for which no module defines it. Reasons explain why.
	Unresolved bool     `json:"unresolved,omitempty"`
	Missing    []string `json:"missing,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
}

const (
	maxExporters = 16  // in an Import
	maxLooked    = 256 // exporters examined for an Import
	maxReasons   = 3
)

// symbolImports resolves the symbols that modules import.
func (l *linker) symbolImports(allowUnresolved bool) {
	l.joined = make([]int32, len(l.list))
	for i := range l.joined {
		l.joined[i] = int32(i)
	}
	l.exports = l.exporters(setKeys(propset.ExportedSymbols))
	l.resolve(importKind{
		id: ImportUnresolved, exports: l.exports, optional: allowUnresolved,
		names: setKeys(propset.ImportedSymbols),
		text: func(name string) string {
			return fmt.Sprintf("No exported symbol \"%s\" found in linked images.", safetext.Printable(name))
		},
		near: l.nearMisses,
	})
}

// importsInExecutable adds a problem for each import that other modules satisfy, because the
// runtime does not resolve imports of executable files.
func (l *linker) importsInExecutable() {
	importers := make(map[string][]*module)
	for _, i := range l.links {
		if m := l.list[i.Importer]; !i.Unresolved && !exports(m.Module, i.Name) {
			importers[i.Name] = append(importers[i.Name], m)
		}
	}
	for name, modules := range importers {
		targets := newSet(len(l.names))
		for _, m := range modules {
			targets.addAll(m.own)
		}
		l.addModules(ImportInExecutable, name, modules, targets, demangled(name), "Symbol \"%s\" is imported, but imports are not resolved in executable state", safetext.Printable(name))
	}
}

// virtualFunctions resolves the sets of virtual functions that modules call.
func (l *linker) virtualFunctions(allowUnresolved bool) {
	virtual := func(key string) func(m *module) []string {
		return func(m *module) []string {
			v, _ := m.Metadata.Set(propset.VirtualFunctions).Get(key)
			names := strings.FieldsFunc(string(v.Bytes()), func(r rune) bool { return r == ',' })
			slices.Sort(names)
			return slices.Compact(names)
		}
	}
	l.resolve(importKind{
		id: VirtualFunctions, exports: l.exporters(virtual(propset.VirtualFunctionsSet)), optional: allowUnresolved,
		names: virtual(propset.UsesVirtualFunctionsSet),
		text: func(name string) string {
			return fmt.Sprintf("Set of virtual functions '%s' has no members in linked images", safetext.Printable(name))
		},
	})
}

func (l *linker) exporters(names func(*module) []string) map[string]*exporters {
	index := make(map[string]*exporters)
	for _, m := range l.list {
		for _, name := range names(m) {
			e := index[name]
			if e == nil {
				e = &exporters{}
				index[name] = e
			}
			e.modules = append(e.modules, m)
			at := slices.IndexFunc(e.has, func(s covered) bool { return s.kinds == m.kinds })
			if at < 0 {
				e.has = append(e.has, covered{m.kinds, m.own}) // shared until there is more than one
				continue
			}
			all := slices.Clone(e.has[at].set)
			all.addAll(m.own)
			e.has[at].set = all
		}
	}
	return index
}

// An importKind is a kind of requirement that other modules satisfy.
type importKind struct {
	id       ID
	exports  map[string]*exporters
	optional bool // an unresolved import is not a problem
	names    func(*module) []string
	text     func(name string) string
	near     func(name string) (details []string, fix string) // may be nil
}

// A failure is an import that no module satisfies for some of the importers' targets.
type failure struct {
	importers []*module
	missing   set
	links     []int // of l.links
}

// resolve finds the modules that satisfy the imports of each module.
func (l *linker) resolve(in importKind) {
	failures := make(map[string]*failure)
	missing := newSet(len(l.names))
	for _, m := range l.list {
		for _, name := range in.names(m) {
			link := Import{Importer: m.index, Name: name, Virtual: in.id == VirtualFunctions, Exporters: []int{}}
			e := in.exports[name]
			if e != nil {
				link.Exporters = l.connect(m, e)
			}
			e.missing(m, missing)
			if e == nil || !missing.empty() {
				link.Unresolved = true
				link.Missing = l.targetNames(missing)
				f := failures[name]
				if f == nil {
					f = &failure{missing: newSet(len(l.names))}
					failures[name] = f
				}
				f.importers = append(f.importers, m)
				f.missing.addAll(missing)
				f.links = append(f.links, len(l.links))
			}
			l.links = append(l.links, link)
		}
	}
	for name, f := range failures {
		l.explain(in, name, f)
	}
}

// missing sets out to the targets of a module for which none of the exporters, which may be nil,
// is usable.
func (e *exporters) missing(m *module, out set) {
	copy(out, m.own)
	if e == nil {
		return
	}
	for _, s := range e.has {
		if canBeBoth(s.kinds, m.kinds) {
			out.removeAll(s.set)
		}
	}
}

// explain sets the reasons for unresolved imports, and adds a problem unless such imports are
// allowed.
func (l *linker) explain(in importKind, name string, f *failure) {
	details, fix := l.reasons(in.exports[name]), ""
	if len(details) > 0 {
		fix = "also build the file that has it for the other targets or kinds of device, or this one for fewer"
	} else if in.near != nil {
		details, fix = in.near(name)
	}
	for _, i := range f.links {
		l.links[i].Reasons = details
	}
	if !in.optional {
		details = append(demangled(name), details...)
		p := l.addModules(in.id, name, f.importers, f.missing, details, "%s", in.text(name))
		p.Fix = cmp.Or(fix, p.Fix)
	}
}

// connect returns the modules that m imports from, and joins m with the modules that it is linked
// with as IR.
func (l *linker) connect(m *module, e *exporters) []int {
	list := []int{}
	for i, x := range e.modules {
		if i == maxLooked {
			break
		}
		if !canBeBoth(m.kinds, x.kinds) || !m.own.overlaps(x.own) {
			continue
		}
		if len(list) < maxExporters {
			list = append(list, x.index)
		}
		if m.own.overlaps(x.own, l.irs) {
			l.joined[l.find(m.index)] = int32(l.find(x.index))
		}
	}
	return list
}

// find returns the representative of the modules that are linked with module i.
func (l *linker) find(i int) int {
	for int(l.joined[i]) != i {
		l.joined[i] = l.joined[l.joined[i]]
		i = int(l.joined[i])
	}
	return i
}

// reasons explains why exporters cannot be used for some targets.
func (l *linker) reasons(e *exporters) []string {
	if e == nil {
		return nil
	}
	var lines []string
	for i, m := range e.modules {
		if i == maxReasons {
			lines = append(lines, fmt.Sprintf("and %d more have it for some targets", len(e.modules)-i))
			break
		}
		targets := l.targetNames(m.own)
		line := fmt.Sprintf("%v has it for %s", m.places[0], joinFirst(targets, len(targets)))
		if len(targets) == 0 {
			line = fmt.Sprintf("%v has it, but no image", m.places[0])
		}
		if m.kinds != 0 {
			line += ", on devices of kind " + kindNames(m.kinds) + " only"
		}
		lines = append(lines, line)
	}
	return lines
}

// maxMangled limits the length of names that are demangled.
const maxMangled = 16 << 10

// unsigned returns the demangled name of a function without its parameters and template
// parameters. C names are returned unchanged.
func unsigned(symbol string) string {
	if len(symbol) > maxMangled {
		return symbol
	}
	s, err := demangle.ToString(symbol, demangle.NoParams, demangle.NoTemplateParams, demangle.MaxLength(14))
	if err != nil {
		return symbol
	}
	return s
}

// nearMisses returns details about exported functions that differ from an import only in their
// parameters, and the fix.
func (l *linker) nearMisses(name string) (details []string, fix string) {
	if l.unsigned == nil {
		l.unsigned = make(map[string][]string)
		for symbol := range l.exports {
			key := unsigned(symbol)
			l.unsigned[key] = append(l.unsigned[key], symbol)
		}
		for _, symbols := range l.unsigned {
			slices.Sort(symbols)
		}
	}
	near := l.unsigned[unsigned(name)]
	for i, symbol := range near {
		if i == maxReasons {
			details = append(details, fmt.Sprintf("and %d more with other parameters", len(near)-i))
			break
		}
		details = append(details, fmt.Sprintf("%v exports %s (%s) instead", l.exports[symbol].modules[0].places[0], safetext.Printable(kernelname.Display(symbol)), safetext.Printable(symbol)))
	}
	switch {
	case len(near) > 0:
		fix = "declare the function as it is defined, with the same name, parameters and extern \"C\"; instantiate templates where they are defined"
	case strings.HasPrefix(name, "__devicelib_"):
		fix = "link with the device libraries of DPC++, which define it, or allow unresolved imports (--allow-unresolved, in Bazel allow_unresolved = True)"
	}
	return details, fix
}

// demangled returns a line with the demangled name of a symbol, or none if it equals the symbol.
func demangled(symbol string) []string {
	if name := kernelname.Display(symbol); name != symbol {
		return []string{"that is " + safetext.Printable(name)}
	}
	return nil
}

// checkValue returns the error in a value that linking depends on.
func checkValue(set, key string, v propset.Value) error {
	var syntaxErr *propset.SyntaxError
	if _, err := propset.Describe(set, key, v); errors.As(err, &syntaxErr) {
		return syntaxErr
	}
	return nil
}
