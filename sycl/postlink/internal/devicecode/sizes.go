package devicecode

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// The attributes that DPC++'s front end writes for required sizes, and the metadata that they are
// lowered to.
const (
	WorkGroupSizeMD   = "reqd_work_group_size"      // in the order of SPIR-V
	workGroupSizeAttr = "sycl-work-group-size"      // in source order, the reverse
	subGroupSizeMD    = "intel_reqd_sub_group_size" // a number
	subGroupSizeAttr  = "sycl-sub-group-size"       // a number
)

// AttachedNode returns a function's attached node of a kind, or nil.
func AttachedNode(m *llvmir.Module, f *llvmir.Function, kind string) (*llvmir.Node, error) {
	a, ok := f.Attachment(kind)
	if !ok {
		return nil, nil
	}
	if n := m.Node(a.ID); a.ID >= 0 && n != nil {
		return n, nil
	}
	return nil, &MetadataError{f.Name(), fmt.Sprintf("!%s: there is no node %s", kind, a.Text)}
}

// AttachedSizes returns the least to most non-negative numbers in attached metadata of a kind, or
// nil if there is none.
func AttachedSizes(m *llvmir.Module, f *llvmir.Function, kind string, least, most int) ([]uint64, error) {
	n, err := AttachedNode(m, f, kind)
	if n == nil || err != nil {
		return nil, err
	}
	operands := n.Operands()
	list := make([]uint64, 0, min(len(operands), most))
	for _, o := range operands {
		if v, ok := o.Int(); ok && v >= 0 && len(list) < most {
			list = append(list, uint64(v))
		}
	}
	if len(list) != len(operands) || len(list) < least {
		count := strconv.Itoa(least) + " to " + strconv.Itoa(most) + " sizes"
		if least == most {
			count = "one number"
		}
		return nil, &MetadataError{f.Name(), fmt.Sprintf("!%s: invalid node !%d; expected %s", kind, n.ID(), count)}
	}
	return list, nil
}

// WorkGroupSize returns the work-group size that a function requires, in the order of the metadata,
// which takes precedence over the attribute. It returns nil if no size is required. Metadata from
// SPIR-V has only the lower 32 bits of a size, so 0 represents 2^32, which no device supports.
func WorkGroupSize(m *llvmir.Module, f *llvmir.Function) ([]uint64, error) {
	if list, err := AttachedSizes(m, f, WorkGroupSizeMD, 1, 3); list != nil || err != nil {
		for i, n := range list {
			if n == 0 {
				list[i] = 1 << 32
			}
		}
		return list, err
	}
	text, ok := f.Attribute(workGroupSizeAttr)
	if !ok {
		return nil, nil
	}
	var list []uint64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 64)
		if err != nil || n == 0 || len(list) == 3 {
			return nil, &MetadataError{f.Name(), fmt.Sprintf("attribute %q: invalid value %q; expected 1 to 3 sizes separated by commas", workGroupSizeAttr, text)}
		}
		list = append(list, n)
	}
	slices.Reverse(list)
	return list, nil
}

// SubGroupSize returns the sub-group size that a function requires, or 0. Named sizes, which depend
// on the device, are 0 or negative. The same size may be specified several times.
func SubGroupSize(m *llvmir.Module, f *llvmir.Function) (uint32, error) {
	n, err := AttachedNode(m, f, subGroupSizeMD)
	if err != nil {
		return 0, err
	}
	if n == nil {
		return subGroupAttribute(f)
	}
	bad := &MetadataError{f.Name(), fmt.Sprintf("!%s: invalid node !%d; expected one number", subGroupSizeMD, n.ID())}
	operands := n.Operands()
	if len(operands) == 0 {
		return 0, bad
	}
	first, _ := operands[0].Int()
	for _, o := range operands {
		if v, ok := o.Int(); !ok || v != first || v > math.MaxUint32 {
			return 0, bad
		}
	}
	return uint32(max(first, 0)), nil
}

func subGroupAttribute(f *llvmir.Function) (uint32, error) {
	text, ok := f.Attribute(subGroupSizeAttr)
	if !ok {
		return 0, nil
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
	if err != nil || n == 0 {
		return 0, &MetadataError{f.Name(), fmt.Sprintf("attribute %q: invalid size %q; expected a positive number", subGroupSizeAttr, text)}
	}
	return uint32(n), nil
}
