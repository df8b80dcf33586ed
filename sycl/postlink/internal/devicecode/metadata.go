package devicecode

import (
	"fmt"
	"math"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// Attributes of functions and calls.
const (
	AttrModuleID           = "sycl-module-id"      // the source of a kernel or SYCL_EXTERNAL function
	AttrIndirectlyCallable = "indirectly-callable" // the set that a virtual function belongs to
	AttrCallsIndirectly    = "calls-indirectly"    // sets of virtual functions, separated by commas
	AttrVirtualCall        = "virtual-call"        // of an instruction
)

// Metadata of functions about aspects and targets.
const (
	UsedAspectsMD     = "sycl_used_aspects"     // also of an instruction
	DeclaredAspectsMD = "sycl_declared_aspects" // [[sycl::device_has()]]
	FixedTargetsMD    = "sycl_fixed_targets"    // of kernels and SYCL_EXTERNAL functions
)

// A MetadataError is returned for malformed metadata or attributes.
type MetadataError struct {
	Function string // "" for the module
	Msg      string
}

func (e *MetadataError) Error() string {
	if e.Function == "" {
		return e.Msg
	}
	return fmt.Sprintf("function %s: %s", e.Function, e.Msg)
}

// BadInput marks the error as caused by an input file.
func (*MetadataError) BadInput() {}

// MDString returns a string in the form that metadata uses, without the "!".
func MDString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c == '"' || c == '\\' || c > '~' {
			fmt.Fprintf(&b, "\\%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// FixedTargets returns the names of a function's fixed targets and reports whether it has a list,
// which may be empty. DPC++ writes the numbers of aspects that are named like the targets;
// FixedTargets converts them to names.
func FixedTargets(m *llvmir.Module, f *llvmir.Function) (targets []string, ok bool, err error) {
	id, ok := f.Metadata(FixedTargetsMD)
	if !ok {
		return nil, false, nil
	}
	bad := &MetadataError{f.Name(), fmt.Sprintf("!%s: !%d is not a list of targets", FixedTargetsMD, id)}
	n := m.Node(id)
	if n == nil {
		return nil, false, bad
	}
	for _, operand := range n.Operands() {
		if name, ok := operand.StringValue(); ok {
			targets = append(targets, name)
		} else if value, ok := operand.Int(); ok && FitsAspect(value) {
			targets = append(targets, aspect.Aspect(value).String())
		} else {
			return nil, false, bad
		}
	}
	return targets, true, nil
}

// AspectNumbers returns the aspects in a list of numbers, or of pairs of a name and a number.
func AspectNumbers(m *llvmir.Module, id int) ([]int32, bool) {
	n := m.Node(id)
	if n == nil {
		return nil, false
	}
	return NodeAspects(m, n)
}

// NodeAspects is like AspectNumbers for a node, which need not have a number.
func NodeAspects(m *llvmir.Module, n *llvmir.Node) ([]int32, bool) {
	var values []int32
	for _, operand := range n.Operands() {
		value, ok := AspectOperand(m, operand)
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// AspectOperand returns an aspect that is a number, or a pair of a name and a number.
func AspectOperand(m *llvmir.Module, o llvmir.NodeOperand) (int32, bool) {
	if value, ok := o.Int(); ok {
		return int32(value), FitsAspect(value)
	}
	n, ok := o.Inline()
	if !ok {
		if id, ok := o.NodeID(); ok {
			n = m.Node(id)
		}
	}
	_, value, ok := AspectPair(n)
	return value, ok
}

// AspectPair returns the name and the number in a node such as !{!"fp64", i32 6}.
func AspectPair(n *llvmir.Node) (name string, value int32, ok bool) {
	if n == nil {
		return "", 0, false
	}
	operands := n.Operands()
	if len(operands) != 2 {
		return "", 0, false
	}
	name, ok = operands[0].StringValue()
	if !ok {
		return "", 0, false
	}
	number, ok := operands[1].Int()
	return name, int32(number), ok && FitsAspect(number)
}

// FitsAspect reports whether a value fits in an i32. DPC++ uses negative numbers internally, to
// separate kernels; they are not device aspects.
func FitsAspect(value int64) bool { return value >= math.MinInt32 && value <= math.MaxInt32 }

// OperandNode returns the node that an operand is, or refers to.
func OperandNode(m *llvmir.Module, o llvmir.NodeOperand) (*llvmir.Node, bool) {
	if id, ok := o.NodeID(); ok {
		n := m.Node(id)
		return n, n != nil
	}
	return o.Inline()
}

// SetNames splits a comma-separated list of set names.
func SetNames(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
