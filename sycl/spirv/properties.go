package spirv

import (
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// Kernel returns the kernel with the given name, or nil if the module does not contain it.
func (m *Module) Kernel(name string) *Kernel {
	i, ok := m.kernels[name]
	if !ok {
		return nil
	}
	return &m.Kernels[i]
}

// Importers returns the kernels that reach an undefined function or variable, in order
// of declaration.
func (m *Module) Importers(name string) []*Kernel {
	var list []*Kernel
	for i := range m.Kernels {
		for n := range m.graph.reach([]int{m.Kernels[i].node}) {
			if node := &m.graph.nodes[n]; node.name == name && !node.defined {
				list = append(list, &m.Kernels[i])
				break
			}
		}
	}
	return list
}

// KernelRequirements returns the device requirements of one kernel of the module.
func (m *Module) KernelRequirements(k *Kernel) *requirement.Requirements {
	q := &requirement.Requirements{Aspects: m.aspects(k.uses), WorkGroupSize: slices.Clone(k.WorkGroupSize)}
	if k.SubGroupSize != 0 {
		q.SubGroupSizes = []uint32{k.SubGroupSize}
	}
	if k.uses&useMatrix != 0 {
		q.JointMatrix, q.JointMatrixMad = m.graph.matrices([]int{k.node})
	}
	q.Need(m.compilerNeeds([]int{k.node}))
	q.Need(m.limits(k))
	return q
}

// Requirements returns the combined device requirements of all kernels in the module or, if it has no
// kernels, of all exported functions.
func (m *Module) Requirements() *requirement.Requirements {
	q := &requirement.Requirements{}
	var u use
	var roots []int
	for i := range m.Kernels {
		k := &m.Kernels[i]
		q.Need(m.limits(k))
		u |= k.uses
		roots = append(roots, k.node)
		if k.SubGroupSize != 0 {
			q.SubGroupSizes = append(q.SubGroupSizes, k.SubGroupSize)
		}
		switch {
		case k.WorkGroupSize == nil || q.WorkGroupSizesDiffer:
		case q.WorkGroupSize == nil:
			q.WorkGroupSize = slices.Clone(k.WorkGroupSize)
		case !slices.Equal(q.WorkGroupSize, k.WorkGroupSize):
			q.WorkGroupSize, q.WorkGroupSizesDiffer = nil, true
		}
	}
	if len(m.Kernels) == 0 {
		for _, f := range m.Exports {
			u |= f.uses
			roots = append(roots, f.node)
		}
	}
	if u&useMatrix != 0 {
		q.JointMatrix, q.JointMatrixMad = m.graph.matrices(roots)
	}
	q.Need(m.compilerNeeds(roots))
	q.Aspects = m.aspects(u)
	slices.Sort(q.SubGroupSizes)
	q.SubGroupSizes = slices.Compact(q.SubGroupSizes)
	return q
}

// aspects returns the aspects of uses and of module-wide capabilities, in ascending order.
func (m *Module) aspects(u use) []aspect.Aspect {
	// Images are a requirement for device compilers, see compilerNeeds. DPC++ does not require the
	// aspects either.
	list := (u &^ (useImage | useBindlessImage)).aspects()
	if m.isESIMD() {
		list = append(list, aspect.ExtIntelESIMD) // no single instruction indicates it
	}
	slices.Sort(list)
	return list
}

// compilerNeeds returns the requirements of roots that not all device compilers meet: extensions of
// the module, and the intrinsics and the inline assembly that roots reach.
func (m *Module) compilerNeeds(roots []int) *requirement.Requirements {
	q := &requirement.Requirements{Extensions: m.unsupported}
	if !m.graph.forCompilers {
		return q
	}
	for n := range m.graph.reach(roots) {
		node := &m.graph.nodes[n]
		if node.intrinsic != "" {
			q.Intrinsics = append(q.Intrinsics, node.intrinsic)
		}
		if node.feature != "" {
			q.Extensions = append(slices.Clip(q.Extensions), node.feature)
		}
		q.Assembly = append(q.Assembly, node.assembly...)
	}
	return q
}

// isESIMD reports whether the kernels are explicit SIMD code.
func (m *Module) isESIMD() bool {
	for _, f := range aspect.Features {
		if f.Kind == aspect.MarkFeature && slices.ContainsFunc(f.SPIRV, func(c uint16) bool { return slices.Contains(m.Capabilities, uint32(c)) }) {
			return true
		}
	}
	return false
}

// Properties returns the property sets of a device image that consists of the module. It fails if a
// name in the module is not a valid property key.
func Properties(m *Module) (*propset.Registry, error) {
	r := new(propset.Registry)
	m.Requirements().Put(r)
	for _, f := range m.Exports {
		r.Add(propset.ExportedSymbols).Put(f.Name, propset.Uint(1))
	}
	for _, k := range m.Kernels {
		r.Add(propset.KernelNames).Put(k.Name, propset.Uint(1))
	}
	for _, name := range m.Imports {
		r.Add(propset.ImportedSymbols).Put(name, propset.Uint(1))
	}
	for _, k := range m.Kernels {
		if k.WorkGroupSize != nil {
			r.Add(propset.ProgramMetadata).Put(k.Name+"@reqd_work_group_size", narrow(k.WorkGroupSize))
			r.Add(propset.ProgramMetadata).Put(k.Name+"@work_group_num_dim", propset.Uint(uint32(len(k.WorkGroupSize))))
		}
		if k.MaxWorkGroupSize != nil {
			r.Add(propset.ProgramMetadata).Put(k.Name+"@max_work_group_size", narrow(k.MaxWorkGroupSize))
		}
		if k.SubGroupSize != 0 {
			r.Add(propset.ProgramMetadata).Put(k.Name+"@reqd_sub_group_size", propset.Uint(k.SubGroupSize))
		}
	}
	if m.isESIMD() {
		r.Add(propset.MiscProperties).Put("isEsimdImage", propset.Uint(1))
	}
	if err := r.Validate(); err != nil {
		return nil, &FormatError{0, fmt.Sprintf("a name does not fit into a property set: %v", err)}
	}
	return r, nil
}

// narrow returns sizes, which have 32 bits in SPIR-V, as the value of a property.
func narrow(sizes []uint64) propset.Value {
	v := make([]uint32, len(sizes))
	for i, n := range sizes {
		v[i] = uint32(n)
	}
	return propset.Uint32s(v...)
}
