package postlink

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// requirements returns the requirements of the image: everything that its functions use or declare,
// and the sub-group sizes of its entry points and SYCL_EXTERNAL functions.
//
// An image may run on the fixed targets that all of its functions were compiled for; functions
// compiled without fixed targets do not count. If functions require different work-group sizes, the
// image does not require any.
func (c *imageCode) requirements() (*requirement.Requirements, error) {
	q := &requirement.Requirements{}
	aspects := aspectLists{map[aspect.Aspect]bool{}, map[int]bool{}}
	var targets targetSet
	for _, f := range c.functions {
		if err := c.addFunction(q, &aspects, &targets, f); err != nil {
			return nil, err
		}
	}
	q.Aspects = slices.Sorted(maps.Keys(aspects.all))
	targets.put(q)
	if err := c.addSubGroups(q); err != nil {
		return nil, err
	}
	slices.Sort(q.SubGroupSizes)
	q.SubGroupSizes = slices.Compact(q.SubGroupSizes)
	return q, nil
}

// addSubGroups adds the sub-group sizes that functions require. Callers cannot see the sizes of
// SYCL_EXTERNAL functions in other sources, and DPC++ omits these sizes. If kernels have fixed
// targets, the sizes do not count, as the design document specifies.
func (c *imageCode) addSubGroups(q *requirement.Requirements) error {
	list := slices.Clone(c.entryPoints)
	for _, f := range c.functions {
		if _, external := f.Attribute(devicecode.AttrModuleID); external && f.Defined() && !q.HasFixedTargets {
			list = append(list, f)
		}
	}
	for _, f := range list {
		size, err := devicecode.SubGroupSize(c.module, f)
		if err != nil {
			return err
		}
		if size > 0 {
			q.SubGroupSizes = append(q.SubGroupSizes, size)
		}
	}
	return nil
}

// addFunction adds the requirements of a function.
func (c *imageCode) addFunction(q *requirement.Requirements, aspects *aspectLists, targets *targetSet, f *llvmir.Function) error {
	if name, ok := aspect.Intrinsic(f.Name()); ok && !f.Defined() {
		q.Need(&requirement.Requirements{Intrinsics: []string{name}})
	}
	if err := c.addAspects(aspects, f); err != nil {
		return err
	}
	if err := c.addTargets(targets, f); err != nil {
		return err
	}
	if err := c.addWorkGroup(q, f); err != nil {
		return err
	}
	return c.addMatrices(q, f)
}

// aspectLists holds the aspects of functions. Many functions share a list.
type aspectLists struct {
	all  map[aspect.Aspect]bool
	seen map[int]bool // nodes
}

// addAspects adds the aspects that a function uses or declares.
func (c *imageCode) addAspects(a *aspectLists, f *llvmir.Function) error {
	for _, kind := range []string{devicecode.UsedAspectsMD, devicecode.DeclaredAspectsMD} {
		n, err := c.metadata(f, kind)
		if err != nil {
			return err
		}
		if n == nil || a.seen[n.ID()] {
			continue
		}
		a.seen[n.ID()] = true
		values, ok := devicecode.AspectNumbers(c.module, n.ID())
		if !ok {
			return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: !%d is not a list of aspects", kind, n.ID())}
		}
		for _, v := range values {
			if v >= 0 { // negative numbers only separate kernels
				a.all[aspect.Aspect(v)] = true
			}
		}
	}
	return nil
}

// addWorkGroup adds the work-group size and the dimensionality that a function requires. As in
// DPC++, a dimensionality counts only if no earlier function requires a size.
func (c *imageCode) addWorkGroup(q *requirement.Requirements, f *llvmir.Function) error {
	size, err := devicecode.WorkGroupSize(c.module, f)
	if err != nil {
		return err
	}
	dims, err := c.workGroupDims(f)
	if err != nil {
		return err
	}
	if q.WorkGroupSize == nil && !q.WorkGroupSizesDiffer {
		q.WorkGroupDims = max(q.WorkGroupDims, dims)
	}
	switch {
	case q.WorkGroupSizesDiffer:
	case q.WorkGroupSize == nil:
		q.WorkGroupSize = size
	case size != nil && !slices.Equal(q.WorkGroupSize, size):
		q.WorkGroupSize, q.WorkGroupSizesDiffer = nil, true
	}
	return nil
}

// addMatrices adds the matrices that a function uses. DPC++ uses the matrices of the last function,
// which is equivalent because the split keeps kernels with different matrices apart.
func (c *imageCode) addMatrices(q *requirement.Requirements, f *llvmir.Function) error {
	var more requirement.Requirements
	for _, m := range []struct {
		kind string
		text *string
	}{{"sycl_joint_matrix", &more.JointMatrix}, {"sycl_joint_matrix_mad", &more.JointMatrixMad}} {
		n, err := c.metadata(f, m.kind)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		words := n.Strings()
		*m.text = strings.Join(words, ";")
		if len(words) != len(n.Operands()) || !plainText(*m.text) {
			return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: !%d is not a list of texts", m.kind, n.ID())}
		}
	}
	if more.JointMatrix == "" && more.JointMatrixMad == "" {
		return nil
	}
	return q.Merge(&more)
}

// plainText reports whether readers of properties interpret s as text.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// A targetSet holds the fixed targets that all functions so far were compiled for. Targets are
// names, or aspect numbers if DPC++ wrote them.
type targetSet struct {
	any     bool // some function has targets
	named   bool // some function has names
	names   []string
	numbers map[string]aspect.Aspect
	lists   map[int]bool // metadata that has been seen
}

func (c *imageCode) addTargets(s *targetSet, f *llvmir.Function) error {
	n, err := c.metadata(f, devicecode.FixedTargetsMD)
	if n == nil || err != nil || s.lists[n.ID()] {
		return err
	}
	if s.lists == nil {
		s.lists, s.numbers = map[int]bool{}, map[string]aspect.Aspect{}
	}
	s.lists[n.ID()] = true
	var list []string
	for _, o := range n.Operands() {
		if name, ok := o.StringValue(); ok && name != "" && !strings.Contains(name, ",") && plainText(name) {
			s.named = true
			list = append(list, name)
		} else if v, ok := o.Int(); ok && v >= 0 && v < 256 { // readers would interpret greater numbers as text
			a := aspect.Aspect(v)
			s.numbers[a.String()] = a
			list = append(list, a.String())
		} else {
			return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: !%d is not a list of targets", devicecode.FixedTargetsMD, n.ID())}
		}
	}
	switch {
	case len(list) == 0: // compiled without fixed targets
	case !s.any:
		s.any, s.names = true, list
	default:
		made := map[string]bool{}
		for _, name := range list {
			made[deviceconfig.Canonical(name)] = true
		}
		s.names = slices.DeleteFunc(s.names, func(name string) bool { return !made[deviceconfig.Canonical(name)] })
	}
	return nil
}

func (s *targetSet) put(q *requirement.Requirements) {
	q.HasFixedTargets = s.any
	if s.named {
		slices.Sort(s.names)
		q.FixedTargets = slices.Compact(s.names)
		return
	}
	for _, name := range s.names {
		q.FixedTargetAspects = append(q.FixedTargetAspects, s.numbers[name])
	}
	slices.Sort(q.FixedTargetAspects)
	q.FixedTargetAspects = slices.Compact(q.FixedTargetAspects)
}
