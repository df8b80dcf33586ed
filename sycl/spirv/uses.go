package spirv

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
)

// use is a set of the optional features that instructions can use.
type use uint16

const (
	useFP16 use = 1 << iota
	useFP64
	useAtomic64
	useAtomic16
	useImage
	useMatrix
	usePrivateAlloca
	useIndirectCall
	useBindlessImage
	useClockDevice
	useClockWorkGroup
	useClockSubGroup
	numUses = iota
)

// useAspects has the aspect that stands for each use, by bit.
var useAspects = [numUses]aspect.Aspect{
	aspect.FP16,
	aspect.FP64,
	aspect.Atomic64,
	aspect.ExtOneAPIAtomic16,
	aspect.Image,
	aspect.ExtIntelMatrix,
	aspect.ExtOneAPIPrivateAlloca,
	aspect.ExtOneAPIVirtualFunctions,
	aspect.ExtOneAPIBindlessImages,
	aspect.ExtOneAPIClockDevice,
	aspect.ExtOneAPIClockWorkGroup,
	aspect.ExtOneAPIClockSubGroup,
}

// aspects returns the aspects for the uses.
func (u use) aspects() []aspect.Aspect {
	var list []aspect.Aspect
	for bit, a := range useAspects {
		if u&(1<<bit) != 0 {
			list = append(list, a)
		}
	}
	return list
}

// graph says which functions refer to which. Its nodes are functions and those
// constants and variables that hold pointers to functions.
type graph struct {
	nodes []node
}

type node struct {
	id      uint32 // of a function, 0 for constants and variables
	name    string
	defined bool // has a body
	own     map[use]Location
	uses    use // of this node and, after spread, of all that it reaches
	callees []int
	line    Location // of the first instruction with one
}

func (g *graph) add() int {
	g.nodes = append(g.nodes, node{})
	return len(g.nodes) - 1
}

// spread gives each node the uses of all nodes that it reaches.
func (g *graph) spread() {
	callers := make([][]int, len(g.nodes))
	var work []int
	for n := range g.nodes {
		c := &g.nodes[n].callees
		slices.Sort(*c)
		*c = slices.Compact(*c)
		for _, callee := range *c {
			callers[callee] = append(callers[callee], n)
		}
		work = append(work, n)
	}
	// A node comes back only when it gained a use, so at most numUses times.
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range callers[n] {
			if more := g.nodes[c].uses | g.nodes[n].uses; more != g.nodes[c].uses {
				g.nodes[c].uses = more
				work = append(work, c)
			}
		}
	}
}

// reach returns the nodes that roots reach, each with the node it was first
// reached from; roots are reached from themselves.
func (g *graph) reach(roots []int) map[int]int {
	from := map[int]int{}
	var queue []int
	for _, r := range roots {
		if _, ok := from[r]; !ok {
			from[r] = r
			queue = append(queue, r)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, c := range g.nodes[n].callees {
			if _, ok := from[c]; !ok {
				from[c] = n
				queue = append(queue, c)
			}
		}
	}
	return from
}

// location returns the first source line of a function. The function that the
// translator wraps around a kernel has none; the kernel behind it has.
func (g *graph) location(n int) Location {
	if l := g.nodes[n].line; l != (Location{}) || len(g.nodes[n].callees) != 1 {
		return l
	}
	return g.nodes[g.nodes[n].callees[0]].line
}

// An Origin is why a kernel needs an aspect: the chain of functions from the
// kernel to the one that uses the feature, and where that function does.
type Origin struct {
	Chain    []string // names, mangled; a function without a name is ""
	Location Location // zero without debug information
}

// Origin returns the shortest way from a kernel to a function that itself uses
// the feature behind the aspect, and whether there is one.
func (m *Module) Origin(k *Kernel, a aspect.Aspect) (Origin, bool) {
	bit := slices.Index(useAspects[:], a)
	if bit < 0 || k.uses&(1<<bit) == 0 {
		return Origin{}, false
	}
	g := m.graph
	from := map[int]int{k.node: k.node}
	for queue := []int{k.node}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if where, ok := g.nodes[n].own[1<<bit]; ok {
			o := Origin{Location: where}
			for ; ; n = from[n] {
				// Wrapper and kernel are one function to the reader.
				if name := g.nodes[n].name; g.nodes[n].id != 0 && (len(o.Chain) == 0 || o.Chain[len(o.Chain)-1] != name) {
					o.Chain = append(o.Chain, name)
				}
				if n == from[n] {
					break
				}
			}
			slices.Reverse(o.Chain)
			return o, true
		}
		for _, c := range g.nodes[n].callees {
			if _, ok := from[c]; !ok && g.nodes[c].uses&(1<<bit) != 0 {
				from[c] = n
				queue = append(queue, c)
			}
		}
	}
	return Origin{}, false
}

// moduleDef takes in a type, a constant or a variable at module level.
func (p *parser) moduleDef(i inst) error {
	switch i.op {
	case opTypeBool, opTypeInt, opTypeFloat, opTypeVector, opTypeMatrix, opTypeImage, opTypeSampler, opTypeSampledImage,
		opTypeArray, opTypeRuntimeArray, opTypeStruct, opTypeCoopMatrix, opTypeJointMatrix, opTypeVmeImage:
		return p.typeDef(i)
	case opTypeStructContinued:
		d := p.defs[p.lastStruct]
		for _, id := range i.words {
			d.uses |= p.defs[id].uses
		}
		p.defs[p.lastStruct] = d
		return nil
	}
	shape := shapeOf(i.op)
	if !shape.hasType {
		return nil
	}
	if err := i.need(2); err != nil {
		return err
	}
	d := def{op: i.op, typ: i.words[0], uses: p.defs[i.words[0]].uses}
	ids := shape.ids(i.words)
	switch i.op {
	case opConstant, opSpecConstant:
		d.lits = slices.Clone(i.words[2:])
	case opSpecConstantOp:
		for _, id := range ids {
			d.uses |= p.defs[id].uses
		}
	case opConstantFuncPointer:
		d.uses |= useIndirectCall
	}
	switch i.op {
	case opSpecConstant, opSpecConstantTrue, opSpecConstantFalse:
		p.consts = append(p.consts, i.words[1])
	}
	for _, id := range ids {
		if o := p.defs[id]; o.node != 0 {
			if d.node == 0 {
				d.node = p.graph.add() + 1
			}
			n := &p.graph.nodes[d.node-1]
			n.callees = append(n.callees, o.node-1)
		}
	}
	return p.define(i, d, i.words[1])
}

// typeDef takes in a type. Types come after those they are made of, except
// behind pointers, and a pointer is no use of what it points to.
func (p *parser) typeDef(i inst) error {
	if err := i.need(1); err != nil {
		return err
	}
	d := def{op: i.op}
	parts := i.words[1:]
	switch i.op {
	case opTypeBool:
	case opTypeInt, opTypeFloat:
		if err := i.need(2); err != nil {
			return err
		}
		d.lits = []uint32{i.words[1]}
		// A third operand is an encoding other than that of IEEE 754, such as bfloat16.
		if i.op == opTypeFloat && len(i.words) == 2 {
			switch i.words[1] {
			case 16:
				d.uses = useFP16
			case 64:
				d.uses = useFP64
			}
		}
		parts = nil
	case opTypeImage, opTypeSampler, opTypeSampledImage, opTypeVmeImage:
		d.uses = useImage
		parts = nil
	case opTypeStruct:
		p.lastStruct = i.words[0]
	default:
		if err := i.need(2); err != nil {
			return err
		}
		parts = parts[:1] // the others are counts, scopes and layouts
		if i.op == opTypeCoopMatrix || i.op == opTypeJointMatrix {
			d.uses = useMatrix
		}
	}
	for _, id := range parts {
		d.uses |= p.defs[id].uses
	}
	return p.define(i, d, i.words[0])
}

// body is the function that is being read.
type body struct {
	node  int
	line  Location
	types map[uint32]uint32 // of values that an atomic store could store
}

// bodyInst takes in an instruction of a function.
func (p *parser) bodyInst(i inst) error {
	shape := shapeOf(i.op)
	switch i.op {
	case opFunction:
		if p.fn != nil {
			return i.errorf("a function inside a function")
		}
		d := p.defs[i.words[1]]
		p.fn = &body{node: d.node - 1, types: map[uint32]uint32{}}
		p.graph.nodes[p.fn.node].id = i.words[1]
		p.use(p.defs[i.words[0]].uses)
		return nil
	case opFunctionEnd:
		p.fn = nil
		return nil
	case opLine:
		if err := i.need(3); err != nil {
			return err
		}
		p.fn.line = Location{p.strings[i.words[0]], i.words[1], i.words[2]}
		if n := &p.graph.nodes[p.fn.node]; n.line == (Location{}) {
			n.line = p.fn.line
		}
		return nil
	case opNoLine:
		p.fn.line = Location{}
		return nil
	case opLabel:
		p.graph.nodes[p.fn.node].defined = true
		return nil
	case opVariableLengthArray, opUntypedVariableLengthA:
		p.use(usePrivateAlloca)
	case opFunctionPointerCall:
		p.use(useIndirectCall)
	case opMatrixMultiplyAccum:
		p.use(useMatrix)
	case opReadClock:
		if err := i.need(3); err != nil {
			return err
		}
		if d := p.defs[i.words[2]]; d.op == opConstant && len(d.lits) > 0 {
			switch d.lits[0] {
			case 1:
				p.use(useClockDevice)
			case 2:
				p.use(useClockWorkGroup)
			case 3:
				p.use(useClockSubGroup)
			}
		}
	case opAtomicStore:
		if err := i.need(4); err != nil {
			return err
		}
		value := i.words[3]
		if t, ok := p.fn.types[value]; ok {
			p.use(p.atomic(t))
		} else if d, ok := p.defs[value]; ok {
			p.use(p.atomic(d.typ))
		}
	}
	if shape.hasType {
		if err := i.need(2); err != nil {
			return err
		}
		typ := i.words[0]
		uses := p.defs[typ].uses
		if i.op >= opHandleToImage && i.op <= opHandleToSampledImage {
			uses = useBindlessImage
		}
		p.use(uses)
		need := p.atomic(typ)
		if i.op >= opAtomicLoad && i.op <= opAtomicXor || i.op == opAtomicFAdd || i.op == opAtomicFMin || i.op == opAtomicFMax {
			p.use(need)
		}
		if need != 0 {
			p.fn.types[i.words[1]] = typ
		}
	}
	n := &p.graph.nodes[p.fn.node]
	for _, id := range shape.ids(i.words) {
		d, ok := p.defs[id]
		if !ok {
			continue
		}
		p.use(d.uses) // functions bring their own, and a variable is a pointer
		if d.node != 0 {
			n.callees = append(n.callees, d.node-1)
		}
	}
	return nil
}

// atomic returns what an atomic operation on a type takes.
func (p *parser) atomic(typ uint32) use {
	t := p.defs[typ]
	if len(t.lits) == 0 {
		return 0
	}
	switch {
	case t.lits[0] == 64:
		return useAtomic64 | t.uses
	case t.lits[0] == 16 && t.op == opTypeFloat:
		return useAtomic16 | t.uses
	}
	return 0
}

// use records that the function being read uses u here.
func (p *parser) use(u use) {
	n := &p.graph.nodes[p.fn.node]
	if u&^n.uses == 0 {
		return
	}
	if n.own == nil {
		n.own = map[use]Location{}
	}
	for bit := range use(numUses) {
		if b := use(1) << bit; u&b != 0 && n.uses&b == 0 {
			n.own[b] = p.fn.line
		}
	}
	n.uses |= u
}
