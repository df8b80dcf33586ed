package spirv

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Debug information comes in two forms. OpLine names a file, line and column for the instructions
// after it. The extended instruction sets OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo.100
// and 200 also describe functions, lexical blocks and inlined calls: DebugScope sets the scope of
// the instructions after it, and DebugInlinedAt the call site of an inlined function, which may be
// in another inlined function. In the NonSemantic sets, numbers are ids of constants, and DebugLine
// replaces OpLine.
//
// Reports show the author's code. A kernel's entry point and most code inlined into it come from
// headers of the SYCL implementation, so only frames with a file in the workspace count.

// debugSet is the encoding of numbers in a debug information instruction set.
type debugSet uint8

const (
	debugLiterals  debugSet = 1 + iota // in place
	debugConstants                     // as constants
	debugColumns                       // as constants, and calls have columns
	debugForeign                       // in an unsupported encoding: its contents are ignored
)

var debugSets = map[string]debugSet{
	"SPIRV.debug":                      debugLiterals, // the predecessor of OpenCL.DebugInfo.100
	"OpenCL.DebugInfo.100":             debugLiterals,
	"NonSemantic.Shader.DebugInfo.100": debugConstants,
	"NonSemantic.Shader.DebugInfo.200": debugColumns,
}

// Numbers of the instructions of these sets.
const (
	debugFunction           = 20
	debugLexicalBlock       = 21
	debugDiscriminator      = 22
	debugScope              = 23
	debugNoScope            = 24
	debugInlinedAt          = 25
	debugSource             = 35
	debugFunctionDefinition = 101
	debugLine               = 103
	debugNoLine             = 104

	firstOperandOfExtInst     = 4
	operandOfOpenCLDefinition = 9
)

// debugInfo holds the debug information at module level. Debug instructions only refer to earlier
// instructions.
type debugInfo struct {
	sets      map[uint32]debugSet
	paths     map[uint32]string // of strings, computed on demand; "" outside of the workspace
	elsewhere map[uint32]string // sources with absolute paths outside of the workspace
	sources   map[uint32]string // paths
	functions map[uint32]function
	compiled  map[uint32]uint32 // from a function of the module to its description
	blocks    map[uint32]block
	calls     map[uint32]stack // DebugInlinedAt
}

// A function is a function in the source.
type function struct {
	symbol, name string
	place        srcloc.Location // of its declaration; zero if compiler-generated
	artificial   bool
}

// A block is a lexical scope: its function and its file.
type block struct {
	function uint32
	path     string
}

// A frame is a location in the author's code and its function, which is 0 if it is unknown. The
// zero frame means that there is no location.
type frame struct {
	srcloc.Location
	function uint32
}

// A stack holds the innermost and the outermost frame with the author's code, among the location of
// an instruction and the calls that are inlined there.
type stack struct{ inner, outer frame }

func newDebugInfo() debugInfo {
	return debugInfo{sets: map[uint32]debugSet{}, paths: map[uint32]string{}, sources: map[uint32]string{}, elsewhere: map[uint32]string{},
		functions: map[uint32]function{}, compiled: map[uint32]uint32{}, blocks: map[uint32]block{}, calls: map[uint32]stack{}}
}

// artificial reports whether a function is compiler-generated, like the entry point of a kernel.
func (d *debugInfo) artificial(function uint32) bool { return d.functions[function].artificial }

// called returns a stack with one more inner frame.
func (d *debugInfo) called(around stack, f frame) stack {
	if f.Path == "" || f.Line == 0 {
		return around
	}
	around.inner = f
	if around.outer == (frame{}) || d.artificial(around.outer.function) {
		around.outer = f
	}
	return around
}

// path returns the workspace path that a string names.
func (p *parser) path(id uint32) string {
	file, ok := p.debug.paths[id]
	if !ok {
		file, _ = srcloc.WorkspacePath(srcloc.RelativeTo(p.strings[id], p.workspaces))
		p.debug.paths[id] = file
	}
	return file
}

// recordDebug records a debug information instruction. It ignores malformed instructions, because
// the module works without them.
func (p *parser) recordDebug(i inst) {
	d := &p.debug
	if len(i.words) < firstOperandOfExtInst || d.sets[i.words[2]] == debugForeign {
		return
	}
	di := debugInst{d.sets[i.words[2]], i.words[1], i.words[3], i.words[firstOperandOfExtInst:]}
	if p.fn != nil {
		p.debugInFunction(di)
		return
	}
	p.debugOutside(di)
}

// A debugInst is a debug information instruction.
type debugInst struct {
	set        debugSet
	id, number uint32
	operands   []uint32
}

// word returns an operand, or 0 if it is missing.
func (i debugInst) word(n int) uint32 {
	if n < len(i.operands) {
		return i.operands[n]
	}
	return 0
}

// value returns the number that an operand encodes.
func (i debugInst) value(p *parser, n int) uint32 {
	v := i.word(n)
	if i.set == debugLiterals {
		return v
	}
	if c := p.defs.find(v); c.op == opConstant && len(c.lits) > 0 {
		return c.lits[0]
	}
	return 0
}

// debugInFunction records an instruction that sets the location of the instructions after it.
func (p *parser) debugInFunction(i debugInst) {
	d := &p.debug
	switch i.number {
	case debugScope:
		p.fn.stand(i.word(0), i.word(1))
	case debugNoScope:
		p.fn.leave()
	case debugLine:
		p.fn.goTo(srcloc.Location{Path: d.sources[i.word(0)], Line: i.value(p, 1), Column: i.value(p, 3)})
	case debugNoLine:
		p.fn.goTo(srcloc.Location{})
	case debugFunctionDefinition:
		d.compiled[i.word(1)] = i.word(0)
	}
}

// debugOutside records an instruction that describes a source, a function or a block.
func (p *parser) debugOutside(i debugInst) {
	d := &p.debug
	switch i.number {
	case debugSource:
		raw := p.strings[i.word(0)]
		if d.sources[i.id] = p.path(i.word(0)); d.sources[i.id] == "" && strings.HasPrefix(raw, "/") && !strings.Contains(raw, "/include/") {
			d.elsewhere[i.id] = raw
		}
	case debugFunction:
		f := function{name: p.strings[i.word(0)], symbol: p.strings[i.word(6)], artificial: i.value(p, 3) == 0}
		file := d.sources[i.word(2)]
		if file != "" && !f.artificial {
			f.place = srcloc.Location{Path: file, Line: i.value(p, 3), Column: i.value(p, 4)}
		} else if !f.artificial {
			p.m.OutsidePath = cmp.Or(p.m.OutsidePath, d.elsewhere[i.word(2)])
		}
		d.functions[i.id], d.blocks[i.id] = f, block{i.id, file}
		if i.set == debugLiterals {
			d.compiled[i.word(operandOfOpenCLDefinition)] = i.id
		}
	case debugLexicalBlock:
		d.blocks[i.id] = block{d.blocks[i.word(3)].function, d.sources[i.word(0)]}
	case debugDiscriminator:
		d.blocks[i.id] = block{d.blocks[i.word(2)].function, d.sources[i.word(0)]}
	case debugInlinedAt:
		n := 1
		at := srcloc.Location{Line: i.value(p, 0)}
		if i.set == debugColumns {
			n, at.Column = 2, i.value(p, 1)
		}
		in := d.blocks[i.word(n)]
		at.Path = in.path
		d.calls[i.id] = d.called(d.calls[i.word(n+1)], frame{at, in.function})
	}
}

// position is the location of the current instruction.
type position struct {
	line          srcloc.Location
	scope, caller uint32
	now           stack
	known         bool // now is up to date
}

func (at *position) goTo(l srcloc.Location) { at.line, at.known = l, false }

func (at *position) stand(scope, caller uint32) { at.scope, at.caller, at.known = scope, caller, false }

// leave ends the scope. Instructions until the next scope have no location, although the line may
// remain for that scope.
func (at *position) leave() { *at = position{line: at.line, known: true} }

// here returns the location of the current instruction.
func (p *parser) here() stack {
	at := &p.fn.position
	if !at.known {
		in := p.debug.blocks[at.scope].function
		if at.scope == 0 {
			in = p.debug.compiled[p.graph.nodes[p.fn.node].id]
		}
		at.now = p.debug.called(p.debug.calls[at.caller], frame{at.line, in})
		at.known = true
	}
	return at.now
}

// startBody records the start of the body of the current function.
func (p *parser) startBody() {
	n := &p.graph.nodes[p.fn.node]
	if n.body != (frame{}) && !p.debug.artificial(n.body.function) {
		return
	}
	if outer := p.here().outer; outer != (frame{}) && (n.body == (frame{}) || !p.debug.artificial(outer.function)) {
		n.body = outer
	}
}

// finishFunction ends the current function. Uses without a location, such as the use of a
// parameter, get the function's location.
func (p *parser) finishFunction() {
	n := &p.graph.nodes[p.fn.node]
	id := p.debug.compiled[n.id]
	place := p.debug.functions[id].place
	if place.IsZero() {
		return
	}
	for u, f := range n.own {
		if f == (frame{}) {
			n.own[u] = frame{place, id}
		}
	}
}

// setBodies sets the body of each function without the author's code, such as an entry point that
// calls the author's function, to the body of the nearest reachable function with the author's
// code.
func (g *graph) setBodies() {
	if !slices.ContainsFunc(g.nodes, func(n node) bool { return n.body != (frame{}) }) {
		return // no debug information
	}
	callers := g.callers()
	for _, artificial := range []bool{false, true} {
		var queue []int
		for n := range g.nodes {
			if b := g.nodes[n].body; b != (frame{}) && g.debug.artificial(b.function) == artificial {
				queue = append(queue, n)
			}
		}
		for len(queue) > 0 {
			n := queue[0]
			queue = queue[1:]
			for _, c := range callers[n] {
				if b := &g.nodes[c].body; *b == (frame{}) || !artificial && g.debug.artificial(b.function) {
					*b = g.nodes[n].body
					queue = append(queue, c)
				}
			}
		}
	}
}

// location returns the start of the author's code of a function: the location of the function that
// contains it, not of its first statement.
func (g *graph) location(n int) srcloc.Location {
	body := g.nodes[n].body
	if place := g.debug.functions[body.function].place; !place.IsZero() {
		return place
	}
	return body.Location
}

// functionName returns the name of a frame's function, or "" if it is the function of the kernel.
// The function is in node n of the graph, or inlined there.
func (m *Module) functionName(k *Kernel, f frame, n int) string {
	g := m.graph
	if f.function == 0 {
		if g.nodes[n].name == k.Name {
			return ""
		}
		return g.nodes[n].name
	}
	if f.function == g.nodes[k.node].body.function || g.debug.artificial(f.function) {
		return ""
	}
	fn := g.debug.functions[f.function]
	switch {
	case fn.symbol != "":
		return fn.symbol
	case g.debug.compiled[g.nodes[n].id] == f.function && g.nodes[n].name != "":
		return g.nodes[n].name
	}
	return fn.name
}

// StripDebug returns a module without debug information, and without the strings and constants that
// only debug information refers to. The result does not depend on line numbers in the source.
func StripDebug(data []byte) ([]byte, error) {
	words, order, err := decode(nil, data)
	if err != nil {
		return nil, err
	}
	s, err := newStripper(words)
	if err != nil {
		return nil, err
	}
	kept := slices.Clone(words[:headerWords])
	err = eachInst(words, func(i inst) error {
		if i.op == opSource { // without the file and its text
			i.words = i.words[:min(len(i.words), 2)]
		}
		if s.isKept(i) {
			kept = append(kept, uint32(len(i.words)+1)<<16|uint32(i.op))
			kept = append(kept, i.words...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Translators use the last ids for debug information.
	for ; kept[3] > 1 && s.gone[kept[3]-1]; kept[3]-- {
	}
	return encode(kept, order), nil
}

// ReplaceStrings returns a module in which replace has been applied to all strings of debug
// information, such as file names and the command line of the compiler.
func ReplaceStrings(data []byte, replace func(string) string) ([]byte, error) {
	words, order, err := decode(nil, data)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(words[:headerWords])
	err = eachInst(words, func(i inst) error {
		if i.op == opString {
			text, _, err := i.text(1)
			if err != nil {
				return err
			}
			i.words = append(slices.Clip(i.words[:1]), textWords(replace(text))...)
		}
		if len(i.words) >= 1<<16-1 {
			return i.errorf("a string is too long")
		}
		out = append(out, uint32(len(i.words)+1)<<16|uint32(i.op))
		out = append(out, i.words...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return encode(out, order), nil
}

// textWords returns a string as the words of an instruction.
func textWords(text string) []uint32 {
	words := make([]uint32, len(text)/4+1)
	for n := range len(text) {
		words[n/4] |= uint32(text[n]) << (n % 4 * 8)
	}
	return words
}

// stripper determines which instructions of a module describe its source.
type stripper struct {
	sets        map[uint32]bool // instruction sets for debug information
	gone        map[uint32]bool // results of removed instructions
	values      map[uint32]bool // strings and numbers; true if debug information refers to them
	used        map[uint32]bool // operands of kept instructions
	nonSemantic bool            // the module has other non-semantic instruction sets, which are kept
}

// nonSemanticInfo is the extension that allows a module to import non-semantic instruction sets.
const nonSemanticInfo = "SPV_KHR_non_semantic_info"

func newStripper(words []uint32) (*stripper, error) {
	s := &stripper{map[uint32]bool{}, map[uint32]bool{}, map[uint32]bool{}, map[uint32]bool{}, false}
	if err := eachInst(words, s.look); err != nil {
		return nil, err
	}
	for id, described := range s.values {
		if described && !s.used[id] {
			s.gone[id] = true
		}
	}
	return s, nil
}

// look records the result of an instruction and its operands, which are always results of earlier
// instructions.
func (s *stripper) look(i inst) error {
	switch {
	case i.op == opExtInstImport && len(i.words) > 0:
		name, _, err := i.text(1)
		switch {
		case err == nil && debugSets[name] != 0:
			s.sets[i.words[0]], s.gone[i.words[0]] = true, true
		case strings.HasPrefix(name, "NonSemantic."):
			s.nonSemantic = true
		}
	case i.op == opString && len(i.words) > 0:
		s.values[i.words[0]] = true // even if only OpSource and OpLine do
	case i.op == opConstant && len(i.words) > 1:
		s.values[i.words[1]] = false
	case s.isDebug(i):
		s.gone[i.words[1]] = true
		for _, id := range i.words[firstOperandOfExtInst:] {
			if _, ok := s.values[id]; ok {
				s.values[id] = true
			}
		}
	default:
		for _, id := range valueOperands(i) {
			s.used[id] = true
		}
	}
	return nil
}

func (s *stripper) isDebug(i inst) bool {
	return i.op == opExtInst && len(i.words) >= firstOperandOfExtInst && s.sets[i.words[2]]
}

// isKept reports whether an instruction is kept.
func (s *stripper) isKept(i inst) bool {
	switch i.op {
	case opSourceContinued, opLine, opNoLine, opModuleProcessed:
		return false
	case opExtension:
		name, _, err := i.text(0)
		return err != nil || name != nonSemanticInfo || len(s.sets) == 0 || s.nonSemantic
	case opString, opExtInstImport, opName:
		return len(i.words) == 0 || !s.gone[i.words[0]]
	case opConstant:
		return len(i.words) < 2 || !s.gone[i.words[1]]
	case opExtInst:
		return !s.isDebug(i)
	}
	return true
}

// valueOperands returns the operands of an instruction that may be strings and numbers, or all of
// its words if that is unknown.
func valueOperands(i inst) []uint32 {
	if slices.Contains(withoutValues, i.op) {
		return nil
	}
	shape := shapeOf(i.op)
	if shape.letters == "" {
		return i.words
	}
	if access := len(shape.letters); slices.Contains(accesses, i.op) && len(i.words) > access && i.words[access] > plainAccess {
		return i.words
	}
	return shape.ids(i.words)
}

// Opcodes, and the memory operands without ids: volatile, aligned and nontemporal.
var (
	// withoutValues lists the instructions whose operands are names, literals, functions, variables
	// and types. It does not include array types, whose length is a constant. Opcodes without a name
	// here: OpMemberName (6), OpMemoryModel (14), OpTypeVoid (19), OpTypeOpaque (31), OpTypeFunction
	// (33), OpMemberDecorate (72).
	withoutValues = []uint16{
		opSource, opSourceContinued, opName, 6, opLine, opExtension, 14, opEntryPoint, opExecutionMode, opCapability,
		19, opTypeBool, opTypeInt, opTypeFloat, opTypeVector, opTypeMatrix, opTypeImage, opTypeSampler,
		opTypeSampledImage, opTypeRuntimeArray, opTypeStruct, 31, opTypePointer, 33, opDecorate, 72, opModuleProcessed,
	}
	accesses = []uint16{61, 62, 63, 64} // OpLoad, OpStore, OpCopyMemory, OpCopyMemorySized
)

const plainAccess = 1 | 2 | 4
