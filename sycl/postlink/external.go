package postlink

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// KnownAspects are the aspects that functions use or declare as far as their own
// source tells: what PropagateAspects found there. After it has seen the linked
// module, callers know all of what they call.
type KnownAspects map[*llvmir.Function][]aspect.Aspect

// NewKnownAspects reads the aspects of all functions.
func NewKnownAspects(m *llvmir.Module) (KnownAspects, error) {
	known := KnownAspects{}
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

// ExpectedRequirements returns what the kernels of an image say that it needs: the
// aspects that they use or declare, their sub-group sizes and fixed targets. It is
// what CheckExternals compares other functions with.
func ExpectedRequirements(m *llvmir.Module, kernels []*llvmir.Function, known KnownAspects) (*requirement.Requirements, error) {
	q := &requirement.Requirements{}
	for _, k := range kernels {
		q.Aspects = append(q.Aspects, known[k]...)
		if size, ok := subGroupSize(m, k); ok {
			q.SubGroupSizes = append(q.SubGroupSizes, size)
		}
		targets, _, err := fixedTargetsOf(m, k)
		if err != nil {
			return nil, err
		}
		if len(targets) > 0 {
			q.HasFixedTargets = true
			q.FixedTargets = append(q.FixedTargets, targets...)
		}
	}
	slices.Sort(q.FixedTargets)
	q.FixedTargets = slices.Compact(q.FixedTargets)
	slices.Sort(q.Aspects)
	q.Aspects = slices.Compact(q.Aspects)
	slices.Sort(q.SubGroupSizes)
	q.SubGroupSizes = slices.Compact(q.SubGroupSizes)
	return q, nil
}

// CheckExternals compares the functions of an image with what its kernels expect: a
// caller of a SYCL_EXTERNAL function of another source knows no more of it than its
// declaration says.
//
// It returns what the image needs in the end, and warns of functions that its
// kernels did not expect. For kernels with fixed targets only those count: a
// function that was compiled for others takes away what it was not compiled for,
// one that was compiled without the switch takes nothing away.
func CheckExternals(m *llvmir.Module, functions []*llvmir.Function, known KnownAspects, expected *requirement.Requirements) (*requirement.Requirements, []Diagnostic, error) {
	return checkExternals(m, functions, known, expected, sync.OnceValue(func() *paths { return newPaths(m) }))
}

// checkExternals is CheckExternals with the ways to all functions, which are asked
// for when there is a warning.
func checkExternals(m *llvmir.Module, functions []*llvmir.Function, known KnownAspects, expected *requirement.Requirements, ways func() *paths) (*requirement.Requirements, []Diagnostic, error) {
	final := *expected
	final.Aspects = slices.Clone(expected.Aspects)
	final.SubGroupSizes = slices.Clone(expected.SubGroupSizes)
	final.FixedTargets = slices.Clone(expected.FixedTargets)
	fixed := expected.HasFixedTargets && len(expected.FixedTargets) > 0
	var list []Diagnostic
	warn := func(f *llvmir.Function, note, format string, args ...any) {
		where, _ := f.DebugLoc()
		d := Diagnostic{Location: where, Text: fmt.Sprintf("function '%s' ", briefName(f.Name())) + fmt.Sprintf(format, args...)}
		if note != "" {
			d.Notes = append(d.Notes, note)
		}
		if chain := ways().calledBy(f.Name()); chain != "" {
			d.Notes = append(d.Notes, "it is called by "+chain)
		}
		list = append(list, d)
	}
	for _, f := range functions {
		if !f.Defined() {
			continue
		}
		if fixed {
			targets, ok, err := fixedTargetsOf(m, f)
			if err != nil {
				return nil, nil, err
			}
			if ok && (len(targets) == 0 || slices.ContainsFunc(targets, func(t string) bool { return !hasTarget(expected.FixedTargets, t) })) {
				warn(f, "", "compiled with a different `-fsycl-fixed-targets` switch than its calling kernel.")
				if len(targets) > 0 {
					final.FixedTargets = slices.DeleteFunc(final.FixedTargets, func(t string) bool { return !hasTarget(targets, t) })
				}
			}
			continue
		}
		for _, a := range known[f] {
			if !slices.Contains(expected.Aspects, a) {
				warn(f, "Missing [[sycl::device_has()]] on SYCL_EXTERNAL function?",
					"uses aspect '%v' not expected by its calling kernel.", a)
				final.Aspects = append(final.Aspects, a)
			}
		}
		if size, ok := subGroupSize(m, f); ok && !slices.Contains(expected.SubGroupSizes, size) {
			warn(f, "Missing [[sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL function?",
				"has required sub-group size '%d' that does not match its calling kernel.", size)
			final.SubGroupSizes = append(final.SubGroupSizes, size)
		}
	}
	slices.Sort(final.Aspects)
	final.Aspects = slices.Compact(final.Aspects)
	slices.Sort(final.SubGroupSizes)
	final.SubGroupSizes = slices.Compact(final.SubGroupSizes)
	return &final, list, nil
}

func hasTarget(targets []string, target string) bool {
	return slices.ContainsFunc(targets, func(t string) bool { return deviceconfig.Canonical(t) == deviceconfig.Canonical(target) })
}

// usedOrDeclared returns the aspects of a function's metadata in ascending order.
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
	size, ok := metadataInts(m, f, "intel_reqd_sub_group_size")
	if !ok || len(size) != 1 || size[0] <= 0 || size[0] > 1<<31 {
		return 0, false
	}
	return uint32(size[0]), true
}

// An UndefinedFunction is called on the device and defined nowhere.
type UndefinedFunction struct {
	Name  string
	Chain []string // functions from a kernel down to the one that names it
}

func (u UndefinedFunction) String() string {
	if readsConstant(u.Name) {
		return "the value of a specialization constant is asked for, which this step does not provide; that is in " + calledBy(u.Chain)
	}
	return fmt.Sprintf("device function '%s' is used but no source defines it; it is called by %s", kernelname.Display(u.Name), calledBy(u.Chain))
}

// calledBy names the functions of a chain from a kernel, the last one first.
func calledBy(chain []string) string { return callers(chain, "kernel") }

// callers is calledBy for chains whose first function is of another kind.
func callers(chain []string, root string) string {
	var parts []string
	for i, name := range slices.Backward(chain) {
		kind := "function"
		if i == 0 {
			kind = root
		}
		parts = append(parts, fmt.Sprintf("%s '%s'", kind, kernelname.Display(name)))
	}
	if len(parts) > maxChain {
		parts = append(parts[:maxChain-1], "...", parts[len(parts)-1])
	}
	return strings.Join(parts, ", called by ")
}

// readsConstant reports whether a function is one by which DPC++'s headers read a
// specialization constant.
func readsConstant(name string) bool {
	return mangledPrefix(name, "__sycl_getScalar2020SpecConstantValue") || mangledPrefix(name, "__sycl_getComposite2020SpecConstantValue")
}

// Undefined lists the functions that a module's kernels reach and nobody defines,
// sorted by name, each with the shortest way to it. Intrinsics, SPIR-V built-ins and
// those of explicit SIMD are for later tools to define, what a failed assertion calls is
// the device's, the bfloat16 library is the runtime's to link, and DPC++'s compiler links other device libraries to its modules.
func Undefined(m *llvmir.Module) []UndefinedFunction {
	p := newPaths(m)
	var list []UndefinedFunction
	libraries := finished(m)
	for _, name := range slices.Sorted(maps.Keys(p.from)) {
		f := m.Function(name)
		if f == nil || f.Defined() || strings.HasPrefix(name, "llvm.") || strings.Contains(name, "__spirv_") || esimdBuiltin(name) || bfloat16Library.MatchString(name) || name == assertFail ||
			libraries && inDeviceLibrary(name) {
			continue
		}
		list = append(list, UndefinedFunction{name, p.chain(name)})
	}
	return list
}

// paths has the shortest way from a kernel to each symbol that kernels reach.
type paths struct {
	module *llvmir.Module
	from   map[string]string // a kernel's is ""
}

func newPaths(m *llvmir.Module) *paths { return newPathsFrom(m, m.Kernels()) }

// newPathsFrom returns the ways from other functions than kernels.
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
			if s := m.Lookup(name); s != nil {
				p.from[name] = queue[0].Name()
				queue = append(queue, s)
			}
		}
	}
	return p
}

// chain returns the functions from a kernel down to the one that names the symbol.
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

// calledBy returns the words for the way to a symbol, "" when no kernel reaches it.
func (p *paths) calledBy(symbol string) string { return calledBy(p.chain(symbol)) }
