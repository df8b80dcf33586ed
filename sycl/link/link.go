// Package link joins SYCLBIN files without changing their code. The abstract modules of all files
// become modules of one file, and the symbols that modules import are matched against the symbols
// that modules export, as DPC++'s sycl::link does at run time.
//
// Linking depends on these property sets of the modules. Symbols match if their names are equal:
//
//	[SYCL/exported symbols]          functions that other modules may call
//	[SYCL/imported symbols]          functions that other modules must define
//	[SYCL/virtual functions]         virtual-functions-set and uses-virtual-functions-set
//	[SYCL/kernel names]              kernels; a name must be unique
//	[SYCL/device globals]            size and scope of variables
//	[SYCL/specialization constants]  numbers and layout of constants
//
// # Symbol resolution
//
// A device accepts a module if the module has an image for it, so symbols resolve separately for
// each target. The targets come from the images: TRIPLE=ARCH for native code, and the architecture
// of the triple for IR, where spir64 includes spir64_gen and spir64_x86_64. IR whose requirements
// name fixed targets is only for these targets, so each of them is a separate target; all other IR
// is for them, too.
//
// A module has imports for each target that it has an image for. Only a module with an image for
// the same target can satisfy them, because a driver cannot link SPIR-V with native code, or native
// code for different architectures. Two modules that define a name for the same target conflict. IR
// and native code do not conflict: the IR is the same kernel for other devices, although the 2026
// runtime may also use it for the devices of the native code. Modules that require different kinds
// of device, such as aspect::cpu and aspect::gpu, are never linked with each other.
//
// # Result
//
// Modules with the same metadata and images are merged. All others are kept unchanged, with every
// set and key, even unknown ones. Their order, and the order of their properties, does not depend
// on the order of the inputs, or on whether the inputs are themselves results: combining is
// associative, byte for byte. Only the set of specialization constants keeps its order, which
// determines the location of each constant in the default values.
//
// The rules follow the linking section of DPC++'s SYCLBIN documents and DPC++'s runtime, whose
// messages the problems use.
package link

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// An Input is a file to combine. It is not modified.
type Input struct {
	Name string // for messages
	*syclbin.File
}

// Options configure the result. The zero value requires that every import is exported.
type Options struct {
	// State is the state of the result. If it is nil, the result is in state Object if AllowUnresolved
	// is set or if a module needs a symbol of another, because the runtime resolves symbols only in
	// that state. Otherwise, if all inputs are executable, it is in state Executable. Requesting
	// Executable also allows executable inputs to be combined with others.
	State *syclbin.State

	// AllowUnresolved leaves imports that no module exports to a later link.
	AllowUnresolved bool
}

// ResultState returns the state of a result whose modules do not need each other.
func (o Options) ResultState() syclbin.State {
	switch {
	case o.State != nil:
		return *o.State
	case o.AllowUnresolved:
		return syclbin.Object
	}
	return syclbin.Executable
}

// A Result is the outcome of combining inputs.
type Result struct {
	// File holds the modules of all inputs. It is nil if there are problems. Its images refer to the
	// inputs, which must remain usable. Write it with the option KeepOrder, because its properties are
	// already in an order that does not depend on the inputs, and specialization constants must not be
	// sorted.
	File *syclbin.File `json:"-"`

	Problems []Problem `json:"problems"` // all of them, sorted
	Graph    Graph     `json:"graph"`
}

// Combine joins inputs. The problems of the result are the reasons if this is not possible. Combine
// returns an error if an image cannot be read, or if a property that linking depends on has an
// invalid value.
func Combine(inputs []Input, o Options) (*Result, error) {
	l := linker{}
	switch {
	case len(inputs) == 0:
		return nil, errors.New("link: no files to link")
	case o.State != nil && *o.State > syclbin.Executable:
		return nil, fmt.Errorf("link: a file cannot be in %v", *o.State)
	case o.State != nil && *o.State == syclbin.Executable && o.AllowUnresolved:
		return nil, errors.New("link: unresolved imports are not allowed in executable state")
	}
	if err := l.modules(inputs); err != nil {
		return nil, err
	}
	state := l.state(inputs, o)
	global := l.global(inputs)
	if err := l.targets(); err != nil {
		return nil, err
	}
	l.definitions(state)
	l.symbolImports(o.AllowUnresolved)
	if state == syclbin.Executable {
		l.importsInExecutable()
	}
	l.virtualFunctions(o.AllowUnresolved)
	l.specConstantNumbers()

	r := &Result{Problems: l.problems, Graph: l.graph()}
	slices.SortFunc(r.Problems, Problem.compare)
	if len(r.Problems) > 0 {
		return r, nil
	}
	r.Problems = []Problem{}
	global.Add(propset.SYCLBINGlobal).Put("state", propset.Uint(uint32(state)))
	global.Sort()
	r.File = &syclbin.File{Version: 1, State: state, Global: global}
	for _, m := range l.list {
		r.File.Modules = append(r.File.Modules, m.Module)
	}
	return r, nil
}

// A linker holds the state of linking one set of inputs.
type linker struct {
	list     []*module // distinct, in their order
	problems []Problem
	lenient  bool // unreadable requirements count as none

	names   []string // of targets
	irs     set      // targets that are IR
	links   []Import
	joined  []int32 // union-find over modules that are linked as IR
	exports map[string]*exporters

	unsigned map[string][]string // exported symbols by their names without parameters
}

// A module is an abstract module of the result.
type module struct {
	*syclbin.Module
	index  int     // in the result
	places []Place // its locations in the inputs, sorted
	key    string  // identity, except for the bytes of its images

	own   set   // targets of its images
	kinds uint8 // kinds of device that it requires, a bit for each

	constants []constant
}

// A Place is the position of a module in an input.
type Place struct {
	File   string `json:"file"`
	Module int    `json:"module"` // counted from 0
}

func (p Place) String() string {
	return safetext.Printable(p.File) + ": abstract module " + strconv.Itoa(p.Module)
}

func (p Place) compare(o Place) int {
	return cmp.Or(strings.Compare(p.File, o.File), cmp.Compare(p.Module, o.Module))
}

// wrap adds the location in the inputs to an error.
func (p Place) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%v: %w", p, err)
}

// state returns the state of the result, and adds problems for inputs that cannot be converted to
// it.
func (l *linker) state(inputs []Input, o Options) syclbin.State {
	state := o.ResultState()
	allExecutable := !slices.ContainsFunc(inputs, func(in Input) bool { return in.State != syclbin.Executable })
	unasked := o.State == nil && !o.AllowUnresolved
	if unasked && !allExecutable && slices.ContainsFunc(l.list, func(m *module) bool { return len(Imports(m.Module)) > 0 }) {
		state = syclbin.Object
	}
	for _, in := range inputs {
		switch {
		case in.State > syclbin.Executable:
			l.file(StateMissing, in.Name, "SYCLBIN file '%s' does not specify its state")
		case in.State == syclbin.Executable && !allExecutable && unasked:
			l.file(StateExecutable, in.Name, "SYCLBIN file '%s' is in executable state; only SYCLBIN files in input or object state can be linked")
		case in.State > state:
			l.file(StateEarlier, in.Name, "SYCLBIN file '%s' is in "+in.State.String()+" state, which cannot become "+state.String())
		}
	}
	return state
}

// file adds a problem with a whole file. The format includes the file's name.
func (l *linker) file(id ID, name, format string) {
	l.add(Problem{ID: id, Name: name, Text: fmt.Sprintf(format, safetext.Printable(name)), Places: []Place{}, Files: []string{name}})
}

// global merges the global metadata except for the state.
func (l *linker) global(inputs []Input) *propset.Registry {
	merged := new(propset.Registry)
	from := make(map[property]map[string][]string) // files by value
	for _, in := range inputs {
		if in.Global == nil {
			continue
		}
		for _, s := range in.Global.Sets() {
			name := propset.CanonicalName(s.Name)
			to := merged.Add(name)
			for _, p := range s.Properties() {
				if name == propset.SYCLBINGlobal && p.Key == "state" {
					continue
				}
				to.Insert(p.Key, p.Value)
				k := property{name, p.Key}
				if from[k] == nil {
					from[k] = make(map[string][]string)
				}
				v := p.Value.String()
				from[k][v] = append(from[k][v], in.Name)
			}
		}
	}
	for k, values := range from {
		if len(values) > 1 {
			l.addGlobal(k, values)
		}
	}
	return merged
}

// A property is a property in the global metadata.
type property struct{ set, key string }

// addGlobal adds a problem for a property that has different values in some files.
func (l *linker) addGlobal(k property, values map[string][]string) {
	p := Problem{ID: GlobalMetadata, Name: k.set + ": " + k.key, Places: []Place{},
		Text: fmt.Sprintf("Global metadata [%s] %s has %d different values", safetext.Printable(k.set), safetext.Printable(k.key), len(values))}
	for _, files := range values {
		p.Files = append(p.Files, files...)
	}
	slices.Sort(p.Files)
	p.Files = slices.Compact(p.Files)
	l.add(p)
}

// modules builds the list of distinct modules.
func (l *linker) modules(inputs []Input) error {
	alike := make(map[string][]*module)
	for _, in := range inputs {
		for i, m := range in.Modules {
			place := Place{in.Name, i}
			n, err := newModule(m)
			if err != nil {
				return place.wrap(err)
			}
			n.places = []Place{place}
			alike[n.key] = append(alike[n.key], n)
		}
	}
	digests := make(map[*module]string) // modules that differ only in their bytes
	for _, group := range alike {
		if len(group) == 1 {
			l.list = append(l.list, group[0])
			continue
		}
		slices.SortFunc(group, func(a, b *module) int { return a.places[0].compare(b.places[0]) })
		same := make(map[string]*module)
		for _, m := range group {
			d, err := m.digest()
			if err != nil {
				return m.places[0].wrap(err)
			}
			if first := same[d]; first != nil {
				first.places = append(first.places, m.places...)
				continue
			}
			same[d] = m
			digests[m] = d
			l.list = append(l.list, m)
		}
	}
	kernels := make(map[*module]string, len(l.list))
	for _, m := range l.list {
		m.places = slices.Compact(m.places) // if a file was passed twice
		kernels[m] = strings.Join(m.Kernels(), "\n")
	}
	slices.SortFunc(l.list, func(a, b *module) int {
		// Native images come first, matching the output of syclbin.Builder.
		return cmp.Or(min(len(b.Native), 1)-min(len(a.Native), 1), strings.Compare(kernels[a], kernels[b]), strings.Compare(a.key, b.key), strings.Compare(digests[a], digests[b]))
	})
	for i, m := range l.list {
		m.index = i
	}
	return nil
}

// newModule returns a module with its properties in the order of the result.
func newModule(m *syclbin.Module) (*module, error) {
	n := &module{Module: &syclbin.Module{Metadata: sorted(m.Metadata)}}
	var key []byte
	var err error
	text := func(r *propset.Registry) {
		if err == nil {
			key, err = r.AppendText(key)
		}
		key = append(key, 0) // which property set text cannot contain
	}
	text(n.Metadata)
	images := func(list []*syclbin.Image) []*syclbin.Image {
		var sortedList []*syclbin.Image
		for _, img := range list {
			c := *img
			c.Metadata = sorted(img.Metadata)
			text(c.Metadata)
			key = fmt.Appendf(key, "%d %d", img.Kind, img.Size())
			key = append(key, 0)
			sortedList = append(sortedList, &c)
		}
		return sortedList
	}
	n.IR = images(m.IR)
	n.Native = images(m.Native)
	n.key = string(key)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{propset.DeviceGlobals, propset.VirtualFunctions} {
		for _, p := range n.Metadata.Set(name).Properties() {
			if err := checkValue(name, p.Key, p.Value); err != nil {
				return nil, err
			}
		}
	}
	n.constants, err = readConstants(n.Metadata)
	return n, err
}

// digest returns the digests of the bytes of all images.
func (m *module) digest() (string, error) {
	var all []byte
	for _, img := range m.Images() {
		digest, err := img.Digest()
		if err != nil {
			return "", err
		}
		all = append(all, digest[:]...)
	}
	return string(all), nil
}

// sorted returns a registry in the order of the result, or r itself if it is already sorted.
func sorted(r *propset.Registry) *propset.Registry {
	if r == nil {
		return new(propset.Registry)
	}
	if r.IsSorted() {
		return r
	}
	r = r.Clone()
	r.Sort()
	return r
}
