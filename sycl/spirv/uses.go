package spirv

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A use is a set of the aspects that instructions need, with one bit per element of useAspects.
type use uint16

// useAspects lists the aspect of each use, by bit.
var useAspects = aspect.OfFeatures()

// Uses to which code outside of the feature table also refers.
var (
	useFP16          = useOf(aspect.FP16)
	useImage         = useOf(aspect.Image)
	useMatrix        = useOf(aspect.ExtIntelMatrix)
	useBindlessImage = useOf(aspect.ExtOneAPIBindlessImages)
)

func useOf(a aspect.Aspect) use { return 1 << slices.Index(useAspects, a) }

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

// needs holds the device requirements of an instruction, in addition to the requirements of its
// types.
type needs struct {
	use          use
	scopes       map[uint32]use // by the value of the constant that is the first operand
	atomics      []atomicNeeds
	replacesType bool // the type of the result adds no needs
}

// atomicNeeds holds the needs of an atomic instruction on a scalar of a width.
type atomicNeeds struct {
	width  uint32
	floats bool // only on floats
	use    use
}

// add adds the feature of the instruction.
func (n *needs) add(f aspect.Feature) {
	u := useOf(f.Aspect)
	n.replacesType = n.replacesType || f.ReplacesType
	switch {
	case f.Kind == aspect.AtomicFeature:
		n.atomics = append(n.atomics, atomicNeeds{f.Width, f.FloatAddition, u})
	case f.Scope != 0:
		if n.scopes == nil {
			n.scopes = map[uint32]use{}
		}
		n.scopes[f.Scope] = u
	default:
		n.use |= u
	}
}

// A typeKey is the opcode of a type and, if relevant, its width.
type typeKey struct {
	op    uint16
	width uint32
}

// typeUses maps types to their uses, without the uses of components.
var typeUses = func() map[typeKey]use {
	table := map[typeKey]use{}
	for _, f := range aspect.Features {
		if f.Kind == aspect.TypeFeature {
			for _, op := range f.SPIRV {
				table[typeKey{op, f.Width}] |= useOf(f.Aspect)
			}
		}
	}
	return table
}()

// A graph is a reference graph. Its nodes are functions, undefined variables, and the constants and
// variables that contain pointers to these.
type graph struct {
	nodes []node
	debug *debugInfo

	forCompilers bool // some node is an intrinsic, inline assembly or a function that compilers provide
	hasLocal     bool // some node is a variable in local memory
}

type node struct {
	id      uint32 // of linkable nodes, 0 for constants and other variables
	name    string
	defined bool          // has a body
	own     map[use]frame // the location of each use in the node itself
	uses    use           // of this node and, after propagateUses, of all nodes that it reaches
	callees []int
	calls   map[int]frame // of callees
	body    frame         // the outermost code of the author

	intrinsic string // of an [aspect.IntrinsicFamily], "" if the function is not an intrinsic

	feature string // feature of the function in the table of package deviceconfig, "" for none

	parameters, registers uint64 // bytes of parameters, in memory and in registers
	local                 uint64 // bytes of local memory of the variable

	assembly []string // by [aspect.AssemblyNames], if the node is inline assembly

	matrices matrixRecords
}

func (g *graph) add() int {
	g.nodes = append(g.nodes, node{})
	return len(g.nodes) - 1
}

// propagateUses adds to each node the uses of all nodes that it reaches.
func (g *graph) propagateUses() {
	var work []int
	for n := range g.nodes {
		c := &g.nodes[n].callees
		slices.Sort(*c)
		*c = slices.Compact(*c)
		work = append(work, n)
	}
	callers := g.callers()
	// A node is revisited only after a use was added to it, so at most once per use.
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

// reach returns the nodes that roots reach, each with the node from which it was first reached.
// Roots are reached from themselves.
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

// Origin returns why a kernel needs an aspect: the nearest function that directly uses the feature,
// and the location in the author's code. The location is the use, or the call of a function outside
// of the author's code. Function names are symbols. If the kernel does not need the aspect, Origin
// returns false.
func (m *Module) Origin(k *Kernel, a aspect.Aspect) (srcloc.Origin, bool) {
	bit := slices.Index(useAspects, a)
	if bit < 0 || k.uses&(1<<bit) == 0 {
		return srcloc.Origin{}, false
	}
	n, from := m.graph.nearest(k.node, 1<<bit)
	if n < 0 {
		return srcloc.Origin{}, false
	}
	o := srcloc.Origin{Aspect: a.Named()}
	o.Function, o.Location = m.place(k, n, 1<<bit, from)
	return o, true
}

// nearest returns the nearest node to a root that directly has a use, or -1, and the predecessor of
// each node on the path; the root is its own predecessor.
func (g *graph) nearest(root int, u use) (int, map[int]int) {
	from := map[int]int{root: root}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if _, ok := g.nodes[n].own[u]; ok {
			return n, from
		}
		for _, c := range g.nodes[n].callees {
			if _, ok := from[c]; !ok && g.nodes[c].uses&u != 0 {
				from[c] = n
				queue = append(queue, c)
			}
		}
	}
	return -1, from
}

// place returns the location in the author's code of a use of a node: the use itself, or the call
// of the function on the path that is not part of the author's code.
func (m *Module) place(k *Kernel, used int, u use, from map[int]int) (function string, l srcloc.Location) {
	g := m.graph
	where := g.nodes[used].own[u]
	for n := used; ; n = from[n] {
		if where != (frame{}) {
			return m.functionName(k, where, n), where.Location
		}
		if n == from[n] {
			break
		}
		where = g.nodes[from[n]].calls[n]
	}
	if name := g.nodes[used].name; name != k.Name {
		return name, l
	}
	return "", l
}

// moduleDef records a type, a constant or a variable at module level.
func (p *parser) moduleDef(i inst) error {
	shape := shapeOf(i.op)
	if !shape.hasType {
		return p.typeOrPart(i)
	}
	if err := i.need(2); err != nil {
		return err
	}
	d := def{op: i.op, typ: i.words[0], uses: p.defs.find(i.words[0]).uses | shape.needs.use}
	if i.op == opConstant || i.op == opSpecConstant {
		d.lits = i.words[2:]
	}
	if link, ok := p.linkage[i.words[1]]; ok && i.op == opVariable && link.kind == linkageImport {
		d.node = p.graph.add() + 1
		p.graph.nodes[d.node-1].id = i.words[1]
	} else if i.op == opVariable && len(i.words) > 2 && i.words[2] == storageWorkgroup {
		d.node = p.graph.add() + 1
		p.graph.nodes[d.node-1].local, p.graph.hasLocal = p.defs.find(p.defs.find(i.words[0]).typ).layout.size, true
	}
	if i.op == opAsm {
		text, _, err := i.text(4)
		if err != nil {
			return err
		}
		d.node = p.graph.add() + 1
		p.graph.nodes[d.node-1].assembly = aspect.AssemblyNames(text)
		p.graph.forCompilers = true
	}
	for _, id := range shape.ids(i.words) {
		if o := p.defs.find(id); o.node != 0 {
			if d.node == 0 {
				d.node = p.graph.add() + 1
			}
			n := &p.graph.nodes[d.node-1]
			n.callees = append(n.callees, o.node-1)
		}
	}
	return p.define(i, d, i.words[1])
}

// typeOrPart records a type, or a part of a type, and ignores other instructions.
func (p *parser) typeOrPart(i inst) error {
	if typeOperands[i.op] > 0 {
		return p.typeDef(i)
	}
	if d := p.defs.find(p.lastStruct); i.op == opTypeStructContinued && d.op != 0 {
		for _, id := range i.words {
			d.uses |= p.defs.find(id).uses
		}
	}
	return nil
}

// typeDef records a type. Types follow their components, except through pointers, and a pointer is
// not a use of its pointee.
func (p *parser) typeDef(i inst) error {
	if err := i.need(typeOperands[i.op]); err != nil {
		return err
	}
	d := def{op: i.op}
	d.layout, d.hasLayout = p.layout(i)
	parts := i.words[1:]
	switch i.op {
	case opTypeInt, opTypeFloat:
		d.lits, parts = i.words[1:2], nil
		// A third operand is an encoding other than IEEE 754, such as bfloat16.
		if len(i.words) == 2 {
			d.uses = typeUses[typeKey{i.op, i.words[1]}]
		}
	case opTypeImage, opTypeSampler, opTypeSampledImage, opTypeVmeImage:
		d.uses, parts = typeUses[typeKey{op: i.op}], nil
		p.m.hasImages = p.m.hasImages || i.op != opTypeSampler
	case opTypeStruct:
		p.lastStruct = i.words[0]
	case opTypePointer:
		d.typ, parts = i.words[2], nil
	case opTypeCoopMatrix, opTypeJointMatrix:
		d.uses, parts = typeUses[typeKey{op: i.op}], parts[:1]
		if m, ok := p.matrixType(i); ok {
			p.matrices[i.words[0]] = m
		}
	case opTypeVector, opTypeMatrix, opTypeArray, opTypeRuntimeArray:
		parts = parts[:1] // the other operand is a count
	}
	for _, id := range parts {
		d.uses |= p.defs.find(id).uses
	}
	return p.define(i, d, i.words[0])
}

// typeOperands maps types to their minimum number of operands.
var typeOperands = map[uint16]int{
	opTypeBool: 1, opTypeInt: 2, opTypeFloat: 2, opTypeVector: 2, opTypeMatrix: 2, opTypeArray: 2, opTypeRuntimeArray: 2,
	opTypeImage: 1, opTypeSampler: 1, opTypeSampledImage: 1, opTypeVmeImage: 1, opTypeStruct: 1, opTypePointer: 3,
	opTypeCoopMatrix: 2, opTypeJointMatrix: 2,
}

// A body is the function being read.
type body struct {
	node  int
	types map[uint32]uint32 // of values that an atomic store could store, and of matrices

	// folded holds the needs of values that are computed only from specialization constants. Such
	// computations are folded when the module is compiled.
	folded map[uint32]use

	// isCalled indicates that calls of the function are not inlined, so arguments passed by value
	// are copied.
	isCalled bool
	position
}

// bodyInst records an instruction of a function.
func (p *parser) bodyInst(i inst) error {
	switch i.op {
	case opFunction:
		return p.beginFunction(i)
	case opFunctionEnd:
		p.finishFunction()
		p.fn = nil
	case opLine:
		if err := i.need(3); err != nil {
			return err
		}
		p.fn.goTo(srcloc.Location{Path: p.path(i.words[0]), Line: i.words[1], Column: i.words[2]})
	case opNoLine:
		p.fn.goTo(srcloc.Location{})
	case opLabel:
		p.fn.position = position{}
		p.graph.nodes[p.fn.node].defined = true
	default:
		return p.code(i)
	}
	return nil
}

func (p *parser) beginFunction(i inst) error {
	if p.fn != nil {
		return i.errorf("a function inside a function")
	}
	d := p.defs.find(i.words[1])
	p.fn = &body{node: d.node - 1, types: map[uint32]uint32{}, folded: map[uint32]use{},
		isCalled: i.words[2]&controlDontInline != 0 && !p.isKernel(i.words[1])}
	p.graph.nodes[p.fn.node].id = i.words[1]
	p.use(p.defs.find(i.words[0]).uses)
	return nil
}

// code records an instruction that computes a value.
func (p *parser) code(i inst) error {
	shape := shapeOf(i.op)
	p.startBody()
	if err := p.special(i, shape); err != nil {
		return err
	}
	if shape.hasType {
		if err := i.need(2); err != nil {
			return err
		}
		if p.fold(i, shape) {
			return nil
		}
		p.result(i, shape)
	}
	n := &p.graph.nodes[p.fn.node]
	for _, id := range shape.ids(i.words) {
		d := p.defs.find(id)
		if d.op == 0 {
			p.use(p.fn.folded[id])
			continue
		}
		p.use(d.uses) // the uses of functions are added later, and a variable is a pointer
		if d.node != 0 {
			n.callees = append(n.callees, d.node-1)
			p.call(d.node - 1)
		}
	}
	return nil
}

// special records the needs of an instruction that do not depend on types.
func (p *parser) special(i inst, shape shape) error {
	p.use(shape.needs.use)
	switch i.op {
	case opFunctionParameter:
		if err := i.need(2); err != nil {
			return err
		}
		p.parameter(i.words[0], i.words[1])
		if p.fn.isCalled && p.byValue[i.words[1]] {
			p.use(p.defs.find(p.defs.find(i.words[0]).typ).uses)
		}
	case opCoopMatrixLoad:
		if len(i.words) > 3 {
			p.needLayout(i.words[0], i.words[3])
		}
	case opCoopMatrixStore:
		if len(i.words) > 2 {
			p.needLayout(p.fn.types[i.words[1]], i.words[2])
		}
	case opMatrixLoadChecked:
		p.needMatrixFeature(matrixChecked)
		if len(i.words) > 5 {
			p.needLayout(i.words[0], i.words[5])
		}
	case opMatrixStoreChecked:
		p.needMatrixFeature(matrixChecked)
		if len(i.words) > 4 {
			if layout, ok := p.constant(i.words[4]); ok && layout != layoutRows {
				p.needMatrixFeature(matrixLayout)
			}
		}
	case opMatrixPrefetch:
		p.needMatrixFeature(matrixChecked)
	case opCoopMatrixMulAdd, opJointMatrixMad:
		p.multiply(i)
	case opReadClock:
		if err := i.need(3); err != nil {
			return err
		}
		if scope, ok := p.constant(i.words[2]); ok {
			p.use(shape.needs.scopes[scope])
		}
	case opAtomicStore:
		if err := i.need(4); err != nil {
			return err
		}
		typ, ok := p.fn.types[i.words[3]]
		if !ok {
			typ = p.defs.find(i.words[3]).typ
		}
		p.use(p.atomicOf(shape.needs, typ))
	}
	return nil
}

// result records the result of an instruction.
func (p *parser) result(i inst, shape shape) {
	typ := i.words[0]
	if !shape.needs.replacesType {
		p.use(p.defs.find(typ).uses)
	}
	p.use(p.atomicOf(shape.needs, typ))
	m, isMatrix := p.matrices[typ]
	if isMatrix {
		p.graph.nodes[p.fn.node].matrices.types.add(m.record())
	}
	if p.needsTypes && (isMatrix || p.atomicOf(p.store, typ) != 0) {
		p.fn.types[i.words[1]] = typ
	}
}

// fold reports whether all operands of an instruction are specialization constants or other
// constants. Device compilers then keep only the result. Computations with plain constants are
// folded by the compilers that write modules.
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
		d := p.defs.find(id)
		if !isConstant(d.op) && !isSpecConstant(d.op) || d.node != 0 {
			return false
		}
		specialized = specialized || isSpecConstant(d.op)
	}
	if specialized {
		typ, result := i.words[0], i.words[1]
		p.fn.folded[result] = p.defs.find(typ).uses
		p.fn.types[result] = typ
	}
	return specialized
}

// isFoldable reports whether an opcode is a conversion, arithmetic, a comparison or a selection.
func isFoldable(op uint16) bool {
	return op >= opConvertFToU && op <= opFConvert || op >= opSNegate && op <= opFMod || op >= opLogicalEqual && op <= opFUnordGreaterEqual
}

func isConstant(op uint16) bool { return op >= opConstantTrue && op <= opConstantComposite }

func isSpecConstant(op uint16) bool { return op >= opSpecConstantTrue && op <= opSpecConstantOp }

// isKernel reports whether a function is an entry point, or wrapped by an entry point of the
// translator.
func (p *parser) isKernel(id uint32) bool {
	link, linked := p.linkage[id]
	return p.kernelIDs[id] || linked && p.kernelNames[link.name]
}

// atomicOf returns the needs of an instruction that is an atomic operation on a type.
func (p *parser) atomicOf(n *needs, typ uint32) use {
	if len(n.atomics) == 0 {
		return 0
	}
	t := p.defs.find(typ)
	for _, a := range n.atomics {
		if len(t.lits) > 0 && t.lits[0] == a.width && (!a.floats || t.op == opTypeFloat) {
			return a.use | t.uses
		}
	}
	return 0
}

// use records that the function being read uses u at the current location. If there are several
// locations, the first one in the author's code counts.
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
	for bit := range useAspects {
		if b := use(1) << bit; u&b != 0 && n.own[b] == (frame{}) {
			n.own[b] = where
		}
	}
	n.uses |= u
}

// call records that the function being read refers to a node at the current location.
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
