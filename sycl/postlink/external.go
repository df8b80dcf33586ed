package postlink

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/aspects"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/constants"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// knownAspects holds the aspects that functions use or declare according to their sources, which
// aspects.Propagate determined before linking. When it runs on the linked module, it adds to
// callers all aspects of their callees.
type knownAspects map[*llvmir.Function][]aspect.Aspect

// newKnownAspects returns the aspects of all functions.
func newKnownAspects(m *llvmir.Module) (knownAspects, error) {
	known := knownAspects{}
	for _, f := range m.Functions() {
		aspects, err := usedOrDeclared(m, f)
		if err != nil {
			return nil, err
		}
		if len(aspects) > 0 {
			known[f] = aspects
		}
	}
	return known, nil
}

// An expectation holds the requirements of an image according to its kernels: the aspects that they
// use or declare, their sub-group sizes and their fixed targets.
type expectation struct {
	aspects       []aspect.Aspect
	subGroupSizes []uint32
	fixedTargets  []string
}

// expectedOf returns the expectation of kernels.
func expectedOf(m *llvmir.Module, kernels []*llvmir.Function, known knownAspects) (*expectation, error) {
	e := &expectation{}
	for _, k := range kernels {
		e.aspects = append(e.aspects, known[k]...)
		if size, ok := subGroupSize(m, k); ok {
			e.subGroupSizes = append(e.subGroupSizes, size)
		}
		targets, _, err := devicecode.FixedTargets(m, k)
		if err != nil {
			return nil, err
		}
		e.fixedTargets = append(e.fixedTargets, targets...)
	}
	slices.Sort(e.aspects)
	e.aspects = slices.Compact(e.aspects)
	return e, nil
}

// checkImages compares the functions of images with the expectations of their kernels, and warns
// about functions that require more. This can happen because the caller of a SYCL_EXTERNAL function
// in a different source sees only its declaration.
func checkImages(m *llvmir.Module, images []*Image, known knownAspects) ([]Diagnostic, error) {
	c := newExternalCheck(m, known)
	var list []Diagnostic
	written := map[string]bool{} // a function may be in many images
	for _, image := range images {
		found, err := c.image(image)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if text := d.String(); !written[text] {
				written[text] = true
				list = append(list, d)
			}
		}
	}
	return list, nil
}

// An externalCheck holds the state of one call of checkImages.
type externalCheck struct {
	module *llvmir.Module
	known  knownAspects
	paths  func() *paths // to all functions, computed for the first warning
}

func newExternalCheck(m *llvmir.Module, known knownAspects) *externalCheck {
	return &externalCheck{m, known, sync.OnceValue(func() *paths { return newPaths(m) })}
}

// image checks an image, which must have kernels. Only SYCL_EXTERNAL functions count: callers of
// other functions are in the same source.
func (c *externalCheck) image(image *Image) ([]Diagnostic, error) {
	var kernels, functions []*llvmir.Function
	for _, f := range image.entryPoints {
		if f.Kernel() {
			kernels = append(kernels, f)
		}
	}
	if len(kernels) == 0 {
		return nil, nil
	}
	for _, s := range image.define {
		if f, ok := s.(*llvmir.Function); ok && (f.Kernel() || f.HasAttribute(devicecode.AttrModuleID)) {
			functions = append(functions, f)
		}
	}
	expected, err := expectedOf(c.module, kernels, c.known)
	if err != nil {
		return nil, err
	}
	return c.functions(functions, expected)
}

// functions compares functions with the expectation. If the kernels have fixed targets, only the
// targets count.
func (c *externalCheck) functions(functions []*llvmir.Function, expected *expectation) ([]Diagnostic, error) {
	var list []Diagnostic
	for _, f := range functions {
		switch {
		case !f.Defined():
		case len(expected.fixedTargets) > 0:
			d, err := c.targets(f, expected)
			if err != nil {
				return nil, err
			}
			list = append(list, d...)
		default:
			list = append(list, c.needs(f, expected)...)
		}
	}
	return list, nil
}

// targets warns about a function that was compiled for different targets than its kernels.
func (c *externalCheck) targets(f *llvmir.Function, expected *expectation) ([]Diagnostic, error) {
	targets, ok, err := devicecode.FixedTargets(c.module, f)
	if err != nil || !ok {
		return nil, err
	}
	for _, t := range targets {
		ok = ok && hasTarget(expected.fixedTargets, t)
	}
	if ok && len(targets) > 0 {
		return nil, nil
	}
	return []Diagnostic{c.warning(f, "", "compiled with a different `-fsycl-fixed-targets` switch than its calling kernel.")}, nil
}

// needs warns about a function that requires more of a device than its kernels state.
func (c *externalCheck) needs(f *llvmir.Function, expected *expectation) []Diagnostic {
	var list []Diagnostic
	for _, a := range c.known[f] {
		if !slices.Contains(expected.aspects, a) {
			list = append(list, c.warning(f, "Missing [[sycl::device_has()]] on SYCL_EXTERNAL function?",
				"uses aspect '%v' not expected by its calling kernel.", a))
		}
	}
	if size, ok := subGroupSize(c.module, f); ok && !slices.Contains(expected.subGroupSizes, size) {
		list = append(list, c.warning(f, "Missing [[sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL function?",
			"has required sub-group size '%d' that does not match its calling kernel.", size))
	}
	return list
}

func (c *externalCheck) warning(f *llvmir.Function, note, format string, args ...any) Diagnostic {
	where := f.DebugLoc()
	d := Diagnostic{Location: devicecode.Place(where), Text: fmt.Sprintf("function '%s' ", devicecode.BriefName(f.Name())) + fmt.Sprintf(format, args...)}
	if note != "" {
		d.Notes = append(d.Notes, note)
	}
	if chain := c.paths().calledBy(f.Name()); chain != "" {
		d.Notes = append(d.Notes, "it is called by "+chain)
	}
	return d
}

func hasTarget(targets []string, target string) bool {
	return slices.ContainsFunc(targets, func(t string) bool { return deviceconfig.Canonical(t) == deviceconfig.Canonical(target) })
}

// usedOrDeclared returns the aspects in a function's metadata in ascending order.
func usedOrDeclared(m *llvmir.Module, f *llvmir.Function) ([]aspect.Aspect, error) {
	values, err := splitAspects(m, f)
	if err != nil {
		return nil, err
	}
	var list []aspect.Aspect
	for _, value := range values {
		if value >= 0 {
			list = append(list, aspect.Aspect(value))
		}
	}
	return list, nil
}

// subGroupSize returns the sub-group size that a function requires.
func subGroupSize(m *llvmir.Module, f *llvmir.Function) (uint32, bool) {
	size, err := devicecode.SubGroupSize(m, f) // requirements returns the errors
	return size, err == nil && size > 0
}

// An undefinedSymbol is a symbol that device code uses and no source defines.
type undefinedSymbol struct {
	name     string
	variable bool
	chain    []string // functions from a kernel to the function that refers to the symbol
}

func (u undefinedSymbol) String() string {
	kind, use := "function", "called"
	if u.variable {
		kind, use = "variable", "used"
	}
	return fmt.Sprintf("device %s '%s' is used but no source defines it; it is %s by %s", kind, kernelname.Display(u.name), use, calledBy(u.chain))
}

// calledBy returns a text with the functions of a chain from a kernel, the last one first.
func calledBy(chain []string) string { return callers(chain, "kernel") }

// callers is like calledBy, but for chains that start at a function of any kind.
func callers(chain []string, root string) string {
	var parts []string
	for i, name := range slices.Backward(chain) {
		kind := "function"
		if i == 0 {
			kind = root
		}
		parts = append(parts, fmt.Sprintf("%s '%s'", kind, kernelname.Display(name)))
	}
	if len(parts) > devicecode.MaxChain {
		parts = append(parts[:devicecode.MaxChain-1], "...", parts[len(parts)-1])
	}
	return strings.Join(parts, ", called by ")
}

// definedLater reports whether a function is defined by something other than a source.
func definedLater(name string) bool {
	return strings.HasPrefix(name, "llvm.") || strings.Contains(name, "__spirv_") || esimdBuiltin(name) ||
		strings.HasPrefix(name, "__builtin_IB_") || mangledPrefix(name, "intel_sub_group_") ||
		bfloat16Library.MatchString(name) || name == assertFail || constants.ReadsConstant(name)
}

// undefined returns the functions and variables that a module's kernels reach and no code defines,
// sorted by name, each with the shortest path to it. It omits intrinsics and the built-ins of
// SPIR-V, of OpenCL's Intel extensions, of Intel's GPU compiler and of explicit SIMD, which later
// tools define; the assertion handler, which the device defines; functions that read specialization
// constants, which are replaced later; a sanitizer's functions, which its library defines; the
// bfloat16 library, which the runtime links; and other device libraries, which DPC++'s compiler
// links. It also omits local memory, and variables with names reserved for compilers, such as the
// vtables of type information.
func undefined(m *llvmir.Module) []undefinedSymbol {
	p := newPaths(m)
	var list []undefinedSymbol
	libraries := aspects.IsPropagated(m)
	sanitizer := ""
	if list := sanitizerList(m); list != nil {
		sanitizer = sanitizerOf(list.Name())
	}
	for _, name := range slices.Sorted(maps.Keys(p.from)) {
		s := m.Symbol(name)
		g, variable := s.(*llvmir.Global)
		if variable && (g.AddrSpace() == localAddressSpace || strings.HasPrefix(name, "__") || strings.HasPrefix(name, "_ZTVN10__cxxabiv1")) {
			continue
		}
		if s.Defined() || definedLater(name) || sanitizer != "" && strings.HasPrefix(name, "__"+sanitizer+"_") ||
			libraries && inDeviceLibrary(name) {
			continue
		}
		list = append(list, undefinedSymbol{name, variable, p.chain(name)})
	}
	return list
}

// paths holds the shortest path from a kernel to each symbol that kernels reach.
type paths struct {
	module *llvmir.Module
	from   map[string]string // a kernel's is ""
}

func newPaths(m *llvmir.Module) *paths { return newPathsFrom(m, m.Kernels()) }

// newPathsFrom returns the paths from roots, which need not be kernels.
func newPathsFrom(m *llvmir.Module, roots []*llvmir.Function) *paths {
	p := &paths{m, map[string]string{}}
	var queue []llvmir.Symbol
	for _, f := range roots {
		p.from[f.Name()] = ""
		queue = append(queue, f)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, name := range queue[0].References() {
			if _, ok := p.from[name]; ok {
				continue
			}
			if s := m.Symbol(name); s != nil {
				p.from[name] = queue[0].Name()
				queue = append(queue, s)
			}
		}
	}
	return p
}

// chain returns the functions from a kernel to the function that refers to the symbol.
func (p *paths) chain(symbol string) []string {
	var chain []string
	for name := p.from[symbol]; name != ""; name = p.from[name] {
		if p.module.Function(name) != nil {
			chain = append(chain, name)
		}
	}
	slices.Reverse(chain)
	return chain
}

// calledBy returns a description of the path to a symbol, or "" if no kernel reaches it.
func (p *paths) calledBy(symbol string) string { return calledBy(p.chain(symbol)) }
