package spirv

import (
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A layout is the size of a type in memory, and in registers when IGC passes it as an argument.
type layout struct {
	size, align uint64

	// registers is the number of register bytes of an argument of the type. IGC passes each member of a
	// struct and each byte of padding separately, in at least 4 bytes.
	registers uint64
}

// maxLayout is the maximum size. It is larger than the memory of any device.
const maxLayout = 1 << 48

// times returns the layout of n elements.
func (l layout) times(n uint64) layout {
	scale := func(size uint64) uint64 {
		if size != 0 && n > maxLayout/size {
			return maxLayout
		}
		return min(size*n, maxLayout)
	}
	return layout{scale(l.size), l.align, scale(l.registers)}
}

// scalar returns the layout of a number or pointer.
func scalar(size uint64) layout { return layout{size, size, max(size, 4)} }

// roundUp returns the next multiple of an alignment, which may be 0.
func roundUp(size, align uint64) uint64 {
	if align > 1 {
		size += (align - size%align) % align
	}
	return size
}

// layout returns the layout of a type. Pointers, images and samplers are 8 bytes as arguments. ok
// is false for types on which no size depends, such as opaque types.
func (p *parser) layout(i inst) (l layout, ok bool) {
	switch parts := i.words[1:]; i.op {
	case opTypeBool:
		l = scalar(1)
	case opTypeInt, opTypeFloat:
		l = scalar(uint64(parts[0]) / 8)
	case opTypePointer, opTypeImage, opTypeSampler, opTypeSampledImage:
		l = scalar(pointerSize)
	case opTypeVector:
		n := uint64(parts[1])
		element := p.defs.find(parts[0]).layout
		l = element.times(n)
		if n == 3 { // a vector of three elements has the size of four
			l.size = element.times(4).size
		}
		l.align = l.size
	case opTypeArray:
		l = p.defs.find(parts[0]).layout.times(p.length(parts[1]))
	case opTypeStruct:
		for _, id := range parts {
			l.add(p.defs.find(id).layout)
		}
		l.pad(l.align)
	default:
		return l, false
	}
	return l, true
}

// pad adds padding up to an alignment. IGC also passes each byte of padding separately.
func (l *layout) pad(align uint64) {
	size := roundUp(l.size, align)
	l.registers = min(l.registers+4*(size-l.size), maxLayout)
	l.size = size
}

// length returns the number of elements of an array, a constant of 32 or 64 bits, or 0 if it is not
// known.
func (p *parser) length(id uint32) uint64 {
	d := p.defs.find(id)
	if d.op != opConstant && d.op != opSpecConstant {
		return 0
	}
	switch len(d.lits) {
	case 1:
		return uint64(d.lits[0])
	case 2:
		return uint64(d.lits[1])<<32 | uint64(d.lits[0])
	}
	return 0
}

const pointerSize = 8

// add adds a member at the end of a struct.
func (l *layout) add(m layout) {
	l.pad(m.align)
	l.size = min(l.size+m.size, maxLayout)
	l.align = max(l.align, m.align)
	l.registers = min(l.registers+m.registers, maxLayout)
}

// parameter records a parameter of the function being read. IGC counts the bytes of arguments
// without padding between them.
func (p *parser) parameter(typ, id uint32) {
	d := p.defs.find(typ)
	if p.byValue[id] {
		d = p.defs.find(d.typ)
	}
	l := d.layout
	if !d.hasLayout {
		l = scalar(pointerSize)
	}
	n := &p.graph.nodes[p.fn.node]
	n.parameters = min(n.parameters+l.size, maxLayout)
	n.registers = min(n.registers+l.registers, maxLayout)
}

// idRegisters is the number of register bytes for work-item IDs.
const idRegisters uint64 = 224

// workItemIDs are the built-in variables that are computed from local IDs.
var workItemIDs = []uint32{27, 28, 29, 34}

// storageWorkgroup is the storage class of local memory.
const storageWorkgroup = 4

// limits returns a kernel's requirements for parameters and local memory that some devices may not
// meet.
func (m *Module) limits(k *Kernel) *requirement.Requirements {
	q := new(requirement.Requirements)
	node := &m.graph.nodes[k.node]
	registers := node.registers
	if !m.hasIDs { // IDs also use registers, which device limits do not include
		registers -= min(registers, idRegisters)
	}
	if k.isVector { // the compiler for explicit SIMD does not separate the members of structs
		registers = 0
	}
	q.NeedParameters(node.parameters, registers)
	local := k.localMemory
	if m.graph.hasLocal {
		for n := range m.graph.reach([]int{k.node}) {
			local = min(local+m.graph.nodes[n].local, maxLayout)
		}
	}
	q.NeedLocalMemory(local)
	return q
}

// Features of functions that IGC provides, in the table of package deviceconfig.
const (
	rayQuery   = "intel_ray_query"
	loadStore  = "__builtin_IB_lsc" // for the load/store unit, and for other hardware of the same GPUs
	igcBuiltin = "__builtin_IB"
)

// igcFunctions lists prefixes of the functions' names. The first match counts.
var igcFunctions = []struct{ prefix, feature string }{
	{"intel_ray_query_", rayQuery},
	{"intel_get_ray_", rayQuery},
	{"intel_get_hit_", rayQuery},
	{"intel_has_committed_hit", rayQuery},
	{"intel_is_traversal_done", rayQuery},
	{"__builtin_IB_lsc_", loadStore},
	{"__builtin_IB_subgroup_block_", loadStore},
	{"__builtin_IB_ftobf_", loadStore},
	{"__builtin_IB_", igcBuiltin},
}

// igcFeature returns the feature of a function that IGC provides, or "".
func igcFeature(name string) string {
	for _, f := range igcFunctions {
		if strings.HasPrefix(name, f.prefix) {
			return f.feature
		}
	}
	return ""
}
