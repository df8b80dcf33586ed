package spirv

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
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
	debug *debugInfo
}

type node struct {
	id      uint32 // of a function, 0 for constants and variables
	name    string
	defined bool          // has a body
	own     map[use]frame // the place that shows each of its own uses
	uses    use           // of this node and, after spread, of all that it reaches
	callees []int
	calls   map[int]frame // of callees
	body    frame         // the outermost code of the author

	matrices matrixRecords
}

func (g *graph) add() int {
	g.nodes = append(g.nodes, node{})
	return len(g.nodes) - 1
}

// spread gives each node the uses of all nodes that it reaches.
func (g *graph) spread() {
	var work []int
	for n := range g.nodes {
		c := &g.nodes[n].callees
		slices.Sort(*c)
		*c = slices.Compact(*c)
		work = append(work, n)
	}
	callers := g.callers()
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

// callers returns the nodes that refer to each node.
func (g *graph) callers() [][]int {
	callers := make([][]int, len(g.nodes))
	for n := range g.nodes {
		for _, callee := range g.nodes[n].callees {
			callers[callee] = append(callers[callee], n)
		}
	}
	return callers
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

// Origin returns why a kernel needs an aspect, and whether it does: the nearest
// function that itself uses the feature, and the place in the author's code. That is
// the use, or the call of a function that is not the author's. Functions have the
// names of the linker.
func (m *Module) Origin(k *Kernel, a aspect.Aspect) (srcloc.Origin, bool) {
	bit := slices.Index(useAspects[:], a)
	if bit < 0 || k.uses&(1<<bit) == 0 {
		return srcloc.Origin{}, false
	}
	g := m.graph
	from := map[int]int{k.node: k.node}
	for queue := []int{k.node}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if where, ok := g.nodes[n].own[1<<bit]; ok {
			o := srcloc.Origin{Aspect: a.Named()}
			for used := n; ; n = from[n] {
				if where != (frame{}) && o.Location.IsZero() {
					o.Location, o.Function = where.Location, m.functionName(k, where, n)
				}
				if n == from[n] {
					if o.Location.IsZero() && g.nodes[used].name != k.Name {
						o.Function = g.nodes[used].name
					}
					break
				}
				where = g.nodes[from[n]].calls[n]
			}
			return o, true
		}
		for _, c := range g.nodes[n].callees {
			if _, ok := from[c]; !ok && g.nodes[c].uses&(1<<bit) != 0 {
				from[c] = n
				queue = append(queue, c)
			}
		}
	}
	return srcloc.Origin{}, false
}

// moduleDef takes in a type, a constant or a variable at module level.
func (p *parser) moduleDef(i inst) error {
	switch i.op {
	case opTypeBool, opTypeInt, opTypeFloat, opTypeVector, opTypeMatrix, opTypeImage, opTypeSampler, opTypeSampledImage,
		opTypeArray, opTypeRuntimeArray, opTypeStruct, opTypePointer, opTypeCoopMatrix, opTypeJointMatrix, opTypeVmeImage:
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
		p.m.hasImages = p.m.hasImages || i.op != opTypeSampler
		parts = nil
	case opTypeStruct:
		p.lastStruct = i.words[0]
	case opTypePointer:
		if err := i.need(3); err != nil {
			return err
		}
		d.typ = i.words[2]
		parts = nil
	default:
		if err := i.need(2); err != nil {
			return err
		}
		parts = parts[:1] // the others are counts, scopes and layouts
		if i.op == opTypeCoopMatrix || i.op == opTypeJointMatrix {
			d.uses = useMatrix
			if m, ok := p.matrixType(i); ok {
				p.matrices[i.words[0]] = m
			}
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
	types map[uint32]uint32 // of values that an atomic store could store, and of matrices

	// folded has what values need that are computed from specialization constants
	// alone: such a computation is done when the module is compiled.
	folded map[uint32]use

	// isCalled says that calls of the function stay calls, so that what they pass
	// by value is copied.
	isCalled bool
	position
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
		p.fn = &body{node: d.node - 1, types: map[uint32]uint32{}, folded: map[uint32]use{},
			isCalled: i.words[2]&controlDontInline != 0 && !p.isKernel(i.words[1])}
		p.graph.nodes[p.fn.node].id = i.words[1]
		p.use(p.defs[i.words[0]].uses)
		return nil
	case opFunctionEnd:
		p.settle()
		p.fn = nil
		return nil
	case opLine:
		if err := i.need(3); err != nil {
			return err
		}
		p.fn.goTo(srcloc.Location{Path: p.path(i.words[0]), Line: i.words[1], Column: i.words[2]})
		return nil
	case opNoLine:
		p.fn.goTo(srcloc.Location{})
		return nil
	case opLabel:
		p.fn.position = position{}
		p.graph.nodes[p.fn.node].defined = true
		return nil
	}
	p.look()
	switch i.op {
	case opFunctionParameter:
		if err := i.need(2); err != nil {
			return err
		}
		if p.fn.isCalled && p.byValue[i.words[1]] {
			p.use(p.defs[p.defs[i.words[0]].typ].uses)
		}
	case opVariableLengthArray, opUntypedVariableLengthA:
		p.use(usePrivateAlloca)
	case opFunctionPointerCall:
		p.use(useIndirectCall)
	case opMatrixMultiplyAccum:
		p.use(useMatrix)
	case opCoopMatrixMulAdd, opJointMatrixMad:
		p.multiply(i)
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
			p.use(p.atomic(i.op, t))
		} else if d, ok := p.defs[value]; ok {
			p.use(p.atomic(i.op, d.typ))
		}
	}
	if shape.hasType {
		if err := i.need(2); err != nil {
			return err
		}
		if p.fold(i, shape) {
			return nil
		}
		typ := i.words[0]
		uses := p.defs[typ].uses
		if i.op >= opHandleToImage && i.op <= opHandleToSampledImage {
			uses = useBindlessImage
		}
		p.use(uses)
		need := p.atomic(i.op, typ)
		if i.op >= opAtomicLoad && i.op <= opAtomicXor || i.op == opAtomicFAdd || i.op == opAtomicFMin || i.op == opAtomicFMax {
			p.use(need)
		}
		m, isMatrix := p.matrices[typ]
		if isMatrix {
			p.graph.nodes[p.fn.node].matrices.types.add(m.record())
		}
		if need != 0 || isMatrix {
			p.fn.types[i.words[1]] = typ
		}
	}
	n := &p.graph.nodes[p.fn.node]
	for _, id := range shape.ids(i.words) {
		d, ok := p.defs[id]
		if !ok {
			p.use(p.fn.folded[id])
			continue
		}
		p.use(d.uses) // functions bring their own, and a variable is a pointer
		if d.node != 0 {
			n.callees = append(n.callees, d.node-1)
			p.call(d.node - 1)
		}
	}
	return nil
}

// fold reports whether an instruction computes with specialization constants and
// others alone, so that compilers for devices leave nothing of it but the result.
// What plain constants make is folded by the compilers that write modules.
func (p *parser) fold(i inst, shape shape) bool {
	if !isFoldable(i.op) {
		return false
	}
	specialized := false
	for _, id := range shape.ids(i.words) {
		if _, ok := p.fn.folded[id]; ok {
			specialized = true
			continue
		}
		d := p.defs[id]
		if !isConstant(d.op) && !isSpecConstant(d.op) || d.node != 0 {
			return false
		}
		specialized = specialized || isSpecConstant(d.op)
	}
	if specialized {
		typ, result := i.words[0], i.words[1]
		p.fn.folded[result] = p.defs[typ].uses
		p.fn.types[result] = typ
	}
	return specialized
}

// isFoldable is true for conversions, arithmetic, comparisons and selections.
func isFoldable(op uint16) bool {
	return op >= opConvertFToU && op <= opFConvert || op >= opSNegate && op <= opFMod || op >= opLogicalEqual && op <= opFUnordGreaterEqual
}

func isConstant(op uint16) bool { return op >= opConstantTrue && op <= opConstantComposite }

func isSpecConstant(op uint16) bool { return op >= opSpecConstantTrue && op <= opSpecConstantOp }

// isKernel reports whether a function is an entry point, or what an entry point of
// the translator wraps.
func (p *parser) isKernel(id uint32) bool {
	link, linked := p.linkage[id]
	return p.kernelIDs[id] || linked && p.kernelNames[link.name]
}

// atomic returns what an atomic operation on a type takes. Of those on a half, only
// the addition is more than devices with half do.
func (p *parser) atomic(op uint16, typ uint32) use {
	t := p.defs[typ]
	if len(t.lits) == 0 {
		return 0
	}
	switch {
	case t.lits[0] == 64:
		return useAtomic64 | t.uses
	case t.lits[0] == 16 && t.op == opTypeFloat && op == opAtomicFAdd:
		return useAtomic16 | t.uses
	}
	return 0
}

// use records that the function being read uses u here. Of several places, the
// first in the author's code counts.
func (p *parser) use(u use) {
	if u == 0 {
		return
	}
	n := &p.graph.nodes[p.fn.node]
	where := p.here().inner
	if u&^n.uses == 0 && where == (frame{}) {
		return
	}
	if n.own == nil {
		n.own = map[use]frame{}
	}
	for bit := range use(numUses) {
		if b := use(1) << bit; u&b != 0 && n.own[b] == (frame{}) {
			n.own[b] = where
		}
	}
	n.uses |= u
}

// call records that the function being read refers to a node here.
func (p *parser) call(callee int) {
	n := &p.graph.nodes[p.fn.node]
	where := p.here().inner
	if where == (frame{}) || n.calls[callee] != (frame{}) {
		return
	}
	if n.calls == nil {
		n.calls = map[int]frame{}
	}
	n.calls[callee] = where
}
