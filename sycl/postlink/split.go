package postlink

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/aspects"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// A SplitMode selects which entry points share a device image.
type SplitMode string

// The split modes, named as in -fsycl-device-code-split=. All modes separate entry points with
// different optional features, so that a device without a feature can run the other entry points.
const (
	SplitAuto      SplitMode = "auto" // currently the same as SplitPerSource
	SplitPerKernel SplitMode = "per_kernel"
	SplitPerSource SplitMode = "per_source"
	SplitOff       SplitMode = "off"
)

// SplitModes lists the split modes.
var SplitModes = []SplitMode{SplitAuto, SplitPerKernel, SplitPerSource, SplitOff}

// SplitOptions configure how a module is split.
type SplitOptions struct {
	Mode SplitMode

	// KernelsOnly limits entry points to kernels and indirectly callable functions. Otherwise,
	// SYCL_EXTERNAL functions are also entry points.
	KernelsOnly bool

	// Whole puts all entry points into one image, regardless of their requirements and the mode.
	Whole bool

	// ESIMD separates explicit SIMD code from the other code of an image.
	ESIMD bool

	// Dependencies allows an image to import SYCL_EXTERNAL functions that another image exports. The
	// image then only declares them. A variable may then be in several images. If only kernels are
	// entry points, images do not export functions, and each has copies.
	Dependencies bool

	// AllowUndefined causes warnings instead of errors about functions that kernels call but no source
	// defines, and allows images to import them.
	AllowUndefined bool
}

// images splits the module. It numbers images like DPC++'s post-link step, in descending order of
// the key that separates their entry points. A module without entry points is one image.
func (im *imageModule) images() ([]*Image, error) {
	list, err := im.groups()
	for _, image := range list {
		image.module = im
	}
	return list, err
}

// groups returns the images without the data that they share.
func (im *imageModule) groups() ([]*Image, error) {
	m, o := im.ir, im.split
	if !slices.Contains(SplitModes, o.Mode) {
		return nil, fmt.Errorf("unknown split mode %q", o.Mode)
	}
	groups, err := entryPointGroups(m, o)
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return []*Image{wholeImage(m)}, nil
	}
	s := newSplitter(m, o, groups)
	registered, err := readRegistered(m)
	if err != nil {
		return nil, err
	}
	var images []*Image
	for i, group := range groups {
		parts := []*Image{group}
		if o.ESIMD {
			parts = splitESIMD(group)
		}
		for _, image := range parts {
			image.Number = i
			image.define = s.closure(image)
			for _, f := range image.entryPoints {
				image.registered = append(image.registered, registered[f.Name()]...)
			}
			slices.SortFunc(image.registered, func(a, b registration) int { return a.place - b.place })
			images = append(images, image)
		}
	}
	if !o.Dependencies {
		if err := sharedVariables(images, isFromDPCPP(m)); err != nil {
			return nil, err
		}
	}
	s.keep = keptVariables(m, im.used)
	im.all = im.all && len(images) == 1 // if explicit SIMD code is separate, unused code does not belong to either part
	if im.all {
		s.keep = append(s.keep, undiscardable(m)...)
	}
	if len(s.keep) > 0 {
		for _, image := range images {
			image.define = s.closure(image)
		}
	}
	return images, nil
}

// entryPointGroups returns an image for each group of entry points that belong together, in image
// order.
func entryPointGroups(m *llvmir.Module, o SplitOptions) ([]*Image, error) {
	groups := map[string]*Image{}
	for _, f := range m.Functions() {
		if !isEntryPoint(f, o) {
			continue
		}
		var key, source string
		if !o.Whole {
			var err error
			if key, source, err = splitKey(m, f, o.Mode); err != nil {
				return nil, err
			}
		}
		if groups[key] == nil {
			groups[key] = &Image{Source: source}
		}
		groups[key].entryPoints = append(groups[key].entryPoints, f)
	}
	var list []*Image
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(groups))) {
		list = append(list, groups[key])
	}
	return list, nil
}

// wholeImage returns an image of the whole module, without entry points.
func wholeImage(m *llvmir.Module) *Image {
	return &Image{define: m.Symbols()}
}

// keptVariables returns the variables that are in all images even if they are unused, as in DPC++:
// variables that linkers must not discard, such as tables of functions, and device globals that the
// front end keeps because hosts find them by name. In stock clang's code, most visible variables
// belong to the host, unless they have attributes for hosts.
func keptVariables(m *llvmir.Module, used map[string]bool) []llvmir.Symbol {
	dpcpp := isFromDPCPP(m)
	var list []llvmir.Symbol
	for _, g := range m.Globals() {
		if !g.Defined() || strings.HasPrefix(g.Name(), "llvm.") {
			continue
		}
		keep := used[g.Name()]
		switch g.Linkage() {
		case llvmir.Weak, llvmir.WeakODR, llvmir.Common, llvmir.Appending:
			keep = true
		case llvmir.External:
			keep = dpcpp || sanitizerOf(g.Name()) != "" || g.HasAttribute(attrDeviceGlobalSize) || g.HasAttribute(attrHostPipe)
		}
		if keep {
			list = append(list, g)
		}
	}
	return list
}

// undiscardable returns the functions, variables and aliases that linkers must not discard, because
// other modules see but do not define them.
func undiscardable(m *llvmir.Module) []llvmir.Symbol {
	var list []llvmir.Symbol
	for _, s := range wholeImage(m).define {
		l := s.Linkage()
		if s.Defined() && !l.Local() && !l.Discardable() && !strings.HasPrefix(s.Name(), "llvm.") {
			list = append(list, s)
		}
	}
	return list
}

// isFromDPCPP reports whether a module is marked as generated by DPC++'s front end.
func isFromDPCPP(m *llvmir.Module) bool {
	return m.NamedMetadata(aspects.EnumerationMD) != nil || aspects.IsPropagated(m)
}

// isEntryPoint reports whether f can be called from outside of the device code.
func isEntryPoint(f *llvmir.Function, o SplitOptions) bool {
	switch {
	case !f.Defined():
		return false
	case f.Kernel(), f.HasAttribute(devicecode.AttrIndirectlyCallable):
		return true
	}
	return !o.KernelsOnly && f.HasAttribute(devicecode.AttrModuleID) && !deviceBuiltin(f.Name())
}

// deviceBuiltin reports whether the device compiler implements a function.
func deviceBuiltin(name string) bool {
	if strings.HasPrefix(name, "__builtin_") {
		return true
	}
	return mangledPrefix(name, "__spirv_") || mangledPrefix(name, "__sycl_") || esimdBuiltin(name)
}

// esimdBuiltin reports whether a function is an explicit SIMD built-in.
func esimdBuiltin(name string) bool { return mangledPrefix(name, "__esimd_") }

// mangledPrefix reports whether the unmangled name of a function in the global namespace starts
// with a prefix.
func mangledPrefix(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, "_Z")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, "0123456789"), prefix)
}

// splitKey returns a key that is equal for entry points that may share an image. Images are in the
// order of their keys.
func splitKey(m *llvmir.Module, f *llvmir.Function, mode SplitMode) (key, source string, err error) {
	var b strings.Builder
	part := func(s string) { b.WriteString(s + "-") }
	attribute := func(name string) {
		v, _ := f.Attribute(name)
		part(v)
	}
	if mode == SplitPerKernel {
		source, _ = f.Attribute(devicecode.AttrModuleID)
		return f.Name(), source, nil
	}
	if mode != SplitOff { // kernels without a source form one group
		source, _ = f.Attribute(devicecode.AttrModuleID)
	}
	// Code for fixed targets stays together regardless of other features.
	fixed, _, err := devicecode.FixedTargets(m, f)
	if err != nil {
		return "", "", err
	}
	if len(fixed) > 0 {
		slices.Sort(fixed)
		part("fixed " + strings.Join(slices.Compact(fixed), ","))
		part(source)
		return b.String(), source, nil
	}
	part(source)
	attribute(devicecode.AttrIndirectlyCallable)
	attribute(attrRegisterAllocMode)
	attribute(attrGRFSize)
	aspects, err := splitAspects(m, f)
	if err != nil {
		return "", "", err
	}
	list(&b, aspects)
	if err := sizesOfKey(&b, m, f); err != nil {
		return "", "", err
	}
	attribute(attrOptLevel)
	for _, kind := range []string{"sycl_joint_matrix", "sycl_joint_matrix_mad"} {
		var matrices []string
		if id, ok := f.Metadata(kind); ok && m.Node(id) != nil {
			matrices = m.Node(id).Strings()
		}
		list(&b, matrices)
	}
	return b.String(), source, nil
}

// sizesOfKey writes the sizes that an entry point requires.
func sizesOfKey(b *strings.Builder, m *llvmir.Module, f *llvmir.Function) error {
	workGroup, err := devicecode.WorkGroupSize(m, f)
	if err != nil {
		return err
	}
	list(b, workGroup)
	dims, err := devicecode.AttachedSizes(m, f, "work_group_num_dim", 1, 1)
	if err != nil {
		return err
	}
	list(b, dims)
	subGroup, err := devicecode.SubGroupSize(m, f)
	if err != nil {
		return err
	}
	if subGroup > 0 {
		list(b, []uint32{subGroup})
	} else {
		list(b, []uint32{})
	}
	return nil
}

// list writes the values of a part of a key.
func list[T any](b *strings.Builder, values []T) {
	for _, v := range values {
		fmt.Fprintf(b, "-%v", v)
	}
	b.WriteString("-")
}

// splitAspects returns the aspects that separate a function from others. They include negative
// numbers, which exist only for that purpose and are not device aspects.
func splitAspects(m *llvmir.Module, f *llvmir.Function) ([]int32, error) {
	var values []int32
	for _, kind := range []string{devicecode.UsedAspectsMD, devicecode.DeclaredAspectsMD} {
		id, ok := f.Metadata(kind)
		if !ok {
			continue
		}
		more, ok := devicecode.AspectNumbers(m, id)
		if !ok {
			return nil, &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: !%d is not a list of aspects", kind, id)}
		}
		values = append(values, more...)
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// splitESIMD splits an image into an image with the explicit SIMD entry points and an image with
// the others, in DPC++'s order.
func splitESIMD(image *Image) []*Image {
	sycl, esimd := *image, *image
	sycl.entryPoints, esimd.entryPoints, esimd.ESIMD = nil, nil, true
	for _, f := range image.entryPoints {
		if explicitSIMD(f) {
			esimd.entryPoints = append(esimd.entryPoints, f)
		} else {
			sycl.entryPoints = append(sycl.entryPoints, f)
		}
	}
	var parts []*Image
	for _, p := range []*Image{&esimd, &sycl} {
		if len(p.entryPoints) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

func explicitSIMD(f *llvmir.Function) bool {
	return f.HasMetadata("sycl_explicit_simd")
}

// A splitter computes the dependencies of entry points.
type splitter struct {
	m          *llvmir.Module
	keep       []llvmir.Symbol                     // symbols that every image defines
	elsewhere  map[llvmir.Symbol]bool              // symbols that only the image of their entry point defines
	indirect   map[*llvmir.Function][]*llvmir.Type // signatures that a function calls through pointers
	referenced map[*llvmir.Type][]llvmir.Symbol    // functions that may be called through such pointers
}

func newSplitter(m *llvmir.Module, o SplitOptions, groups []*Image) *splitter {
	s := &splitter{
		m: m, elsewhere: map[llvmir.Symbol]bool{},
		indirect: map[*llvmir.Function][]*llvmir.Type{}, referenced: map[*llvmir.Type][]llvmir.Symbol{},
	}
	for _, group := range groups {
		for _, f := range group.entryPoints {
			if f.HasAttribute(devicecode.AttrIndirectlyCallable) || o.Dependencies && !f.Kernel() && importable(f) {
				s.elsewhere[f] = true
			}
		}
	}
	for _, f := range m.Functions() {
		if f.Defined() && !f.Kernel() && f.HasAttribute(attrReferencedIndirectly) {
			s.referenced[f.ValueType()] = append(s.referenced[f.ValueType()], f)
		}
	}
	if len(s.referenced) == 0 {
		return s // callers through pointers do not matter
	}
	for _, f := range m.Functions() {
		for in := range f.Calls() {
			if in.IsIndirect() && !slices.Contains(s.indirect[f], in.CalleeType()) {
				s.indirect[f] = append(s.indirect[f], in.CalleeType())
			}
		}
	}
	return s
}

// closure returns the symbols that an image defines: its entry points, the symbols that every image
// defines, and the dependencies of both. Virtual functions are only in the image of their set, and
// imported functions only in the image that exports them.
func (s *splitter) closure(image *Image) []llvmir.Symbol {
	roots := slices.Clone(s.keep)
	for _, f := range image.entryPoints {
		roots = append(roots, f)
	}
	stop := func(symbol llvmir.Symbol) bool { return s.elsewhere[symbol] }
	if len(s.elsewhere) == 0 {
		stop = nil
	}
	for called := map[*llvmir.Type]bool{}; ; {
		reached := s.m.ClosureUpTo(stop, roots...)
		more := s.calledThroughPointers(reached, called)
		if len(more) == 0 {
			return reached
		}
		roots = append(roots, more...)
	}
}

// calledThroughPointers returns the functions that some symbols may call through pointers, except
// for types that were called before.
func (s *splitter) calledThroughPointers(symbols []llvmir.Symbol, called map[*llvmir.Type]bool) []llvmir.Symbol {
	var list []llvmir.Symbol
	for _, symbol := range symbols {
		f, ok := symbol.(*llvmir.Function)
		if !ok {
			continue
		}
		for _, t := range s.indirect[f] {
			if called[t] {
				continue
			}
			called[t] = true
			for _, callee := range s.referenced[t] {
				if !s.elsewhere[callee] {
					list = append(list, callee)
				}
			}
		}
	}
	return list
}

// sharedVariables returns an error if several images define a variable that must have a single copy,
// because an image would not see the writes of another image. In code from DPC++, the front end has
// checked the variables of sources, so only device globals are checked.
func sharedVariables(images []*Image, dpcpp bool) error {
	first := map[*llvmir.Global]*Image{}
	for _, image := range images {
		for _, symbol := range image.define {
			g, ok := symbol.(*llvmir.Global)
			if !ok || !g.Defined() {
				continue
			}
			other := first[g]
			if other == nil {
				first[g] = image
				continue
			}
			if g.HasAttribute(attrDeviceGlobalSize) && inImageScope(g) {
				return fmt.Errorf("device_global variable '%s' with property \"device_image_scope\" is used in more than one device image", g.Name())
			}
			// The runtime allocates a device global with program scope once. Other writable variables have one
			// copy per image.
			if !dpcpp && !libraryInternal.MatchString(g.Name()) && g.AddrSpace() == globalAddressSpace && !g.Constant() && !g.HasAttribute(attrDeviceGlobalSize) && !g.HasAttribute(attrHostPipe) {
				return fmt.Errorf("global variable '%s' is used in more than one device image, by kernels '%s' and '%s'; each image would have a separate copy of the variable; put these kernels into one source, or disable splitting",
					kernelname.Display(g.Name()), kernelname.Display(other.entryPoints[0].Name()), kernelname.Display(image.entryPoints[0].Name()))
			}
		}
	}
	return nil
}

const (
	globalAddressSpace = 1
	localAddressSpace  = 3
)

// inImageScope reports whether each device image has a separate copy of a device global.
func inImageScope(g *llvmir.Global) bool {
	v, ok := g.Attribute(attrDeviceImageScope)
	return ok && v != "false"
}

// compilerUsed is the variable that lists the symbols that cleanup passes keep even if no code uses
// them.
const compilerUsed = "llvm.compiler.used"

// dropUsedLists removes the lists that keep unused SYCL code alive: llvm.used, and device globals
// in llvm.compiler.used. It returns the names of the device globals that all images keep: all of
// them or, as in DPC++'s post-link step, none, because that puts static device globals only into
// the images that use them. Static device globals stay in the list for DPC++'s library, which
// removes them before it translates; translators would convert the list to a variable.
func dropUsedLists(m *llvmir.Module, o Options) map[string]bool {
	m.DeleteGlobal("llvm.used")
	used := map[string]bool{}
	filterElements(m, compilerUsed, func(e llvmir.Value) bool {
		name, ok := e.BaseGlobal()
		g := m.Global(name)
		if !ok || g == nil || !g.HasAttribute(attrDeviceGlobalSize) && !g.HasAttribute(attrUniqueID) {
			return true
		}
		used[name] = true
		return o.DPCPPTranslator && !o.AsDPCPP && g.Linkage().Local()
	})
	if !o.AsDPCPP {
		return used
	}
	var unused []llvmir.Symbol
	for name := range used {
		if len(m.SymbolUsers(name)) == 0 {
			unused = append(unused, m.Global(name))
		}
	}
	m.Delete(unused...)
	return nil
}

// dropDiscardable removes unused SYCL_EXTERNAL functions that every calling source defines itself,
// such as inline functions, because images do not export them.
func dropDiscardable(m *llvmir.Module) {
	var roots, unused []llvmir.Symbol
	for _, s := range m.Symbols() {
		if f, ok := s.(*llvmir.Function); ok && discardable(f) {
			unused = append(unused, s)
		} else {
			roots = append(roots, s)
		}
	}
	if len(unused) == 0 {
		return
	}
	used := map[llvmir.Symbol]bool{}
	for _, s := range m.Closure(roots...) {
		used[s] = true
	}
	m.Delete(slices.DeleteFunc(unused, func(s llvmir.Symbol) bool { return used[s] })...)
}

// discardable reports whether a SYCL_EXTERNAL function may be removed if it is unused.
func discardable(f *llvmir.Function) bool {
	return f.Defined() && (f.Linkage() == llvmir.LinkOnce || f.Linkage() == llvmir.LinkOnceODR) && !f.Kernel() && f.HasAttribute(devicecode.AttrModuleID) &&
		!f.HasAttribute(devicecode.AttrIndirectlyCallable) && !f.HasAttribute(attrReferencedIndirectly)
}

// filterElements removes the elements of an array variable for which keep returns false, and the
// variable if it is then empty.
func filterElements(m *llvmir.Module, name string, keep func(llvmir.Value) bool) {
	g := m.Global(name)
	if g == nil {
		return
	}
	value, ok := g.InitializerValue()
	if !ok {
		return
	}
	elements := value.Elements()
	var kept []string
	for _, e := range elements {
		if keep(e) {
			kept = append(kept, e.Type.String()+" "+e.Text)
		}
	}
	switch len(kept) {
	case len(elements):
	case 0:
		m.DeleteGlobal(name)
	default:
		g.SetDefinition(fmt.Sprintf("[%d x %s]", len(kept), elements[0].Type), "["+strings.Join(kept, ", ")+"]")
	}
}

// importable reports whether an image may use a function that another image defines.
func importable(f *llvmir.Function) bool {
	name := f.Name()
	return !strings.HasPrefix(name, "llvm.") && !strings.HasPrefix(name, "__") && !strings.HasPrefix(kernelname.Display(name), "__") &&
		!deviceBuiltin(name) && !f.HasAttribute(devicecode.AttrIndirectlyCallable)
}
