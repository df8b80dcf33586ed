// Package postlink turns linked device code into modules that can be compiled
// and loaded on their own.
//
// The steps work on textual LLVM IR of package llvmir, one function a step:
//
//	MarkModule           remember which source a kernel comes from (before linking)
//	DropHostCode         forget what only the host needs
//	LowerKernelNames     required sizes in a kernel's name type become metadata
//	Split                which kernels go together
//	Undefined            what a module calls that nobody defines
//
// Attribute and metadata names are those of DPC++'s post-link step.
package postlink

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

// moduleIDAttribute names a kernel's source, as DPC++'s front end does.
const moduleIDAttribute = "sycl-module-id"

// MarkModule notes on every kernel of a module which source it comes from.
// Kernels that DPC++'s front end has marked keep their mark.
func MarkModule(m *llvmir.Module, id string) {
	for _, k := range m.Kernels() {
		if _, ok := k.Attribute(moduleIDAttribute); !ok {
			k.SetAttribute(moduleIDAttribute, id)
		}
	}
	// Stock clang compiles a source's main for the device too. Nothing can call
	// it there, and two sources may have one each.
	if main := m.Function("main"); main != nil && main.Defined {
		main.Internalize()
	}
}

// DropHostCode removes what keeps host code alive in a device module: the lists
// of static constructors and destructors, which no device runs.
func DropHostCode(m *llvmir.Module) {
	for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
		m.DeleteGlobal(name)
	}
}

// kernelWith is how the name type sycl_lite::kernel_with<Name, X, Y, Z, SubGroup>
// of our device header starts in a kernel's name. Stock clang has no attributes
// for required sizes in SYCL code, so the header puts them into the name.
const kernelWith = "_ZTSN9sycl_lite11kernel_withI"

// LowerKernelNames gives a kernel whose name type carries required sizes the
// metadata that the SPIR-V translators understand.
func LowerKernelNames(m *llvmir.Module) error {
	for _, k := range m.Kernels() {
		if !strings.HasPrefix(k.Name, kernelWith) {
			continue
		}
		n, ok := kernelSizes(k.Name)
		if !ok {
			return fmt.Errorf("kernel %s: the sizes in its name type kernel_with cannot be read", kernelname.Display(k.Name))
		}
		if workGroup := n[:3]; !slices.Equal(workGroup, []uint32{0, 0, 0}) && !k.HasMetadata("reqd_work_group_size") {
			if slices.Contains(workGroup, 0) {
				return fmt.Errorf("kernel %s: a required work-group size of 0", kernelname.Display(k.Name))
			}
			k.AddMetadata("reqd_work_group_size", m.AddNode(fmt.Sprintf("i32 %d, i32 %d, i32 %d", n[0], n[1], n[2])))
		}
		if n[3] != 0 && !k.HasMetadata("intel_reqd_sub_group_size") {
			k.AddMetadata("intel_reqd_sub_group_size", m.AddNode(fmt.Sprintf("i32 %d", n[3])))
		}
	}
	return nil
}

// kernelSizes reads the last four template arguments of a kernel_with name:
// Lj8E is the unsigned literal 8, and the name ends in the template's and the
// nested name's own E.
func kernelSizes(name string) ([]uint32, bool) {
	rest, ok := strings.CutSuffix(name, "EE")
	if !ok {
		return nil, false
	}
	sizes := make([]uint32, 4)
	for i := 3; i >= 0; i-- {
		if rest, ok = strings.CutSuffix(rest, "E"); !ok {
			return nil, false
		}
		at := strings.LastIndex(rest, "Lj")
		if at < 0 {
			return nil, false
		}
		n, err := strconv.ParseUint(rest[at+2:], 10, 32)
		if err != nil {
			return nil, false
		}
		sizes[i] = uint32(n)
		rest = rest[:at]
	}
	return sizes, true
}

// A Group is a set of kernels that become one module.
type Group struct {
	ID      string   // the module id; empty when all kernels are together
	Kernels []string // sorted
}

// A SplitMode says which kernels become a module together.
type SplitMode string

// The split modes, named as -fsycl-device-code-split= takes them.
const (
	SplitPerSource SplitMode = "per_source"
	SplitOff       SplitMode = "off"
)

// Split groups a module's kernels. Groups are sorted by ID.
func Split(m *llvmir.Module, mode SplitMode) ([]Group, error) {
	kernels := map[string][]string{}
	for _, k := range m.Kernels() {
		id := ""
		if mode == SplitPerSource {
			var ok bool
			if id, ok = k.Attribute(moduleIDAttribute); !ok {
				return nil, fmt.Errorf("kernel %s does not say which source it comes from (attribute %q)", kernelname.Display(k.Name), moduleIDAttribute)
			}
		}
		kernels[id] = append(kernels[id], k.Name)
	}
	var groups []Group
	for _, id := range slices.Sorted(maps.Keys(kernels)) {
		groups = append(groups, Group{id, slices.Sorted(slices.Values(kernels[id]))})
	}
	return groups, nil
}

// An UndefinedFunction is called on the device and defined nowhere.
type UndefinedFunction struct {
	Name  string
	Chain []string // functions from a kernel down to the one that names it
}

func (u UndefinedFunction) String() string {
	s := fmt.Sprintf("device function '%s' is used but no source defines it; it is called by ", kernelname.Display(u.Name))
	for i := len(u.Chain) - 1; i >= 0; i-- {
		kind := "function"
		if i == 0 {
			kind = "kernel"
		}
		s += fmt.Sprintf("%s '%s'", kind, kernelname.Display(u.Chain[i]))
		if i > 0 {
			s += ", called by "
		}
	}
	return s
}

// Undefined lists the functions that a module's kernels reach and nobody defines,
// sorted by name. Intrinsics and SPIR-V built-ins are the translator's to define.
func Undefined(m *llvmir.Module) []UndefinedFunction {
	found := map[string]UndefinedFunction{}
	visited := map[string]bool{}
	var visit func(f *llvmir.Function, chain []string)
	visit = func(f *llvmir.Function, chain []string) {
		if visited[f.Name] {
			return
		}
		visited[f.Name] = true
		chain = append(chain, f.Name)
		for _, name := range f.References() {
			callee := m.Function(name)
			switch {
			case callee == nil: // a global variable
			case callee.Defined:
				visit(callee, chain)
			case strings.HasPrefix(name, "llvm."), strings.Contains(name, "__spirv_"):
			default:
				if _, ok := found[name]; !ok {
					found[name] = UndefinedFunction{name, slices.Clone(chain)}
				}
			}
		}
	}
	for _, k := range m.Kernels() {
		visit(k, nil)
	}
	var list []UndefinedFunction
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[name])
	}
	return list
}
