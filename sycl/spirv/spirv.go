// Package spirv reads the contents of a SPIR-V module (capabilities, kernels with their required sizes,
// specialization constants and linkage) and determines the device requirements of its kernels.
//
// A module is a header of five 32-bit words (magic number, version, generator, bound on ids,
// schema) followed by instructions. The first word of an instruction holds its length in words in
// the upper half and its opcode in the lower. The magic number determines the byte order. Names and
// numbers come from the SPIR-V specification, versions 1.0 to 1.6, and its extension registry;
// unknown instructions are skipped.
//
// Capabilities do not show what a kernel needs. They apply to the whole module, and LLVM's
// translator declares Float64 whenever a struct contains a double, and Float16Buffer for any use of
// half. Therefore needs are derived from uses: a kernel needs fp64 if an instruction that it
// reaches has a 64-bit float, or a value that contains one, as its result, a parameter or a
// constant operand. Neither a pointer to such a value nor a member that is never loaded or stored
// is a use.
package spirv

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

const magic = 0x07230203

// A FormatError is returned for data that is not a valid SPIR-V module.
type FormatError struct {
	Offset int64 // of the first byte of the invalid instruction or header word
	Msg    string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("not a usable SPIR-V module: offset %d: %s", e.Offset, e.Msg)
}

// BadInput marks the error as caused by an input file.
func (*FormatError) BadInput() {}

// A Version is a version of SPIR-V.
type Version struct{ Major, Minor uint8 }

// A Module holds the contents of a SPIR-V module.
type Module struct {
	Version      Version
	Capabilities []uint32   // in order of declaration
	Kernels      []Kernel   // in order of declaration
	Exports      []Function // defined functions with export linkage, except wrappers of kernels
	Imports      []string   // undefined functions that kernels or exports reach, without built-in ones, sorted
	Variables    []string   // undefined variables that kernels or exports reach, in the same form
	OutsidePath  string     // an absolute path of a source outside the workspaces, "" for none; headers in "include" directories do not count

	kernels     map[string]int // indexes in Kernels
	graph       *graph
	hasImages   bool     // declares an image type
	hasIDs      bool     // reads IDs of work-items
	unsupported []string // extensions that it uses and that some or all current compilers reject
}

// A Kernel is an entry point for the execution model Kernel.
type Kernel struct {
	Name string

	// Sizes are in the order of SPIR-V and of the metadata in LLVM IR, fastest-varying dimension
	// first, which is the reverse of SYCL's order. SPIR-V always has three sizes. Trailing ones (1)
	// are omitted, because the module does not show whether the program specified them.
	WorkGroupSize     []uint64 // required, nil if none is
	WorkGroupSizeHint []uint64
	MaxWorkGroupSize  []uint64
	SubGroupSize      uint32 // required, 0 if none is

	Location srcloc.Location // of the author's function, zero without debug information

	localMemory uint64 // bytes that explicit SIMD code reserves
	isVector    bool   // explicit SIMD code

	uses use
	node int
}

// An executionMode is an execution mode of a kernel, with its literal operands or, if the operands
// are ids, the values of the constants that they refer to.
type executionMode struct {
	mode     uint32
	operands []uint32
}

// A Function is a function that other modules can call.
type Function struct {
	Name string

	uses use
	node int
}

// Numbers of opcodes, execution modes and other enumerants that the package uses.
const (
	opSourceContinued     = 2
	opSource              = 3
	opName                = 5
	opString              = 7
	opLine                = 8
	opExtension           = 10
	opExtInstImport       = 11
	opExtInst             = 12
	opEntryPoint          = 15
	opExecutionMode       = 16
	opCapability          = 17
	opTypeBool            = 20
	opTypeInt             = 21
	opTypeFloat           = 22
	opTypeVector          = 23
	opTypeMatrix          = 24
	opTypeImage           = 25
	opTypeSampler         = 26
	opTypeSampledImage    = 27
	opTypeArray           = 28
	opTypeRuntimeArray    = 29
	opTypeStruct          = 30
	opTypePointer         = 32
	opConstantTrue        = 41
	opConstant            = 43
	opConstantComposite   = 44
	opSpecConstantTrue    = 48
	opSpecConstantFalse   = 49
	opSpecConstant        = 50
	opSpecConstantOp      = 52
	opFunction            = 54
	opFunctionParameter   = 55
	opFunctionEnd         = 56
	opVariable            = 59
	opDecorate            = 71
	opGroupDecorate       = 74
	opConvertFToU         = 109
	opFConvert            = 115
	opSNegate             = 126
	opFMod                = 141
	opLogicalEqual        = 164
	opFUnordGreaterEqual  = 191
	opAtomicStore         = 228
	opLabel               = 248
	opNoLine              = 317
	opModuleProcessed     = 330
	opExecutionModeId     = 331
	opTypeCoopMatrix      = 4456
	opCoopMatrixLoad      = 4457
	opCoopMatrixStore     = 4458
	opCoopMatrixMulAdd    = 4459
	opReadClock           = 5056
	opAsm                 = 5610
	opTypeVmeImage        = 5700
	opTypeStructContinued = 6090
	opTypeJointMatrix     = 6119
	opJointMatrixMad      = 6122
	opMatrixLoadChecked   = 6193
	opMatrixStoreChecked  = 6194
	opMatrixPrefetch      = 6449

	modelKernel = 6

	modeLocalSize        = 17
	modeLocalSizeHint    = 18
	modeSubgroupSize     = 35
	modeLocalSizeId      = 38
	modeLocalSizeHintId  = 39
	modeLocalMemory      = 5618
	modeMaxWorkgroupSize = 5893

	decorationSpecId    = 1
	decorationBuiltIn   = 11
	decorationParameter = 38
	decorationLinkage   = 41
	decorationVector    = 5626 // VectorComputeFunctionINTEL

	parameterByVal = 2

	encodingBFloat16 = 0

	controlDontInline = 1 << 1

	linkageImport = 1

	headerWords = 5
)

// Parse parses a module. The module does not retain data. The paths of sources in one of the
// workspaces, which must be absolute, are made relative to it.
func Parse(data []byte, workspaces ...string) (*Module, error) {
	p := &parser{workspaces: workspaces, names: map[uint32]string{}, strings: map[uint32]string{}, debug: newDebugInfo(),
		modes: map[uint32][]rawMode{}, linkage: map[uint32]linkage{}, byValue: map[uint32]bool{}, vector: map[uint32]bool{}, matrices: map[uint32]matrix{}, matrixFeatures: map[string]int{},
		kernelIDs: map[uint32]bool{}, kernelNames: map[string]bool{}, store: shapeOf(opAtomicStore).needs}
	p.scratch = scratches.Get().(*scratch)
	defer func() {
		if len(p.words) < 1<<20 { // larger modules are rare
			scratches.Put(p.scratch)
		}
		p.scratch = nil // the module keeps the parser
	}()
	if err := p.parse(data); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.m, nil
}

// A scratch holds the memory that a parser needs for the words and definitions of a module. The
// next parser reuses it, because programs have thousands of small modules.
type scratch struct {
	words []uint32
	defs  definitions
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// A parser holds the state collected from the instructions. Its maps hold only defined ids, so the
// size of the module limits their size, not the bound in its header.
type parser struct {
	*scratch
	workspaces []string
	m          *Module
	bound      uint32 // on ids
	graph      graph

	names   map[uint32]string // debug names of functions
	strings map[uint32]string // for file names
	modes   map[uint32][]rawMode
	linkage map[uint32]linkage
	byValue map[uint32]bool // parameters that point to arguments passed by value
	vector  map[uint32]bool // functions that are explicit SIMD code

	matrices       map[uint32]matrix // by type
	matrixFeatures map[string]int    // nodes of the features for matrices, by name
	entries        []entry

	kernelIDs   map[uint32]bool // of the functions that are entry points
	kernelNames map[string]bool

	debug debugInfo

	extensions []string // declared so far

	needsTypes bool   // the module has atomic stores, or stores or multiplications of matrices
	store      *needs // of an atomic store
	lastStruct uint32 // for the continuation of long structs
	fn         *body  // the function being read, nil between functions
}

// definitions holds the types, constants, variables and functions of a module by id.
type definitions struct {
	list   []def
	index  []int32          // positions in list plus one, by id; 0 for other ids
	sparse map[uint32]int32 // replaces index if a module has more ids than words
	none   def
}

// reset removes all definitions and prepares for a module with a number of words and a bound on
// ids.
func (d *definitions) reset(bound uint32, words int) {
	d.list, d.index, d.sparse = d.list[:0], d.index[:0], nil
	if uint64(bound) > uint64(words) {
		d.sparse = map[uint32]int32{}
		return
	}
	d.index = slices.Grow(d.index, int(bound))[:bound]
	clear(d.index)
}

// find returns the definition of an id. If the id is not defined at module level, op is 0. The
// pointer is valid until the next definition.
func (d *definitions) find(id uint32) *def {
	n := int32(0)
	if uint64(id) < uint64(len(d.index)) {
		n = d.index[id]
	} else if d.sparse != nil {
		n = d.sparse[id]
	}
	if n == 0 {
		return &d.none
	}
	return &d.list[n-1]
}

// add adds the definition of an id below the bound.
func (d *definitions) add(id uint32, definition def) {
	d.list = append(d.list, definition)
	if d.sparse != nil {
		d.sparse[id] = int32(len(d.list))
	} else {
		d.index[id] = int32(len(d.list))
	}
}

// A def holds the data about an id at module level.
type def struct {
	op     uint16
	typ    uint32 // result type
	offset int64
	uses   use      // needs of a value of this type, or of this constant
	lits   []uint32 // literals of scalar types and constants
	node   int      // index in the graph plus one; 0 if it refers to nothing that is linked

	layout    layout // of a type
	hasLayout bool
}

type rawMode struct {
	mode   uint32
	args   []uint32
	byID   bool
	offset int64
}

type linkage struct {
	name string
	kind uint32
}

type entry struct {
	name   string
	id     uint32
	offset int64
}

// An inst is an instruction. words[0] is its first operand.
type inst struct {
	op     uint16
	words  []uint32
	offset int64
}

func (i inst) errorf(format string, args ...any) error {
	return &FormatError{i.offset, fmt.Sprintf("opcode %d: ", i.op) + fmt.Sprintf(format, args...)}
}

// need returns an error for an instruction with fewer than n operand words.
func (i inst) need(n int) error {
	if len(i.words) < n {
		return i.errorf("%d operand words, want at least %d", len(i.words), n)
	}
	return nil
}

// text decodes the string that starts at operand word n and returns it with the
// number of the operand after it.
func (i inst) text(n int) (string, int, error) {
	b := make([]byte, 0, 256)
	for w := n; w < len(i.words); w++ {
		for shift := 0; shift < 32; shift += 8 {
			c := byte(i.words[w] >> shift)
			if c == 0 {
				if !utf8.Valid(b) {
					return "", 0, i.errorf("a string is not valid UTF-8")
				}
				return string(b), w + 1, nil
			}
			b = append(b, c)
		}
	}
	return "", 0, i.errorf("a string does not end within its instruction")
}

// symbol is like text, but for names that runtimes or linkers use.
func (i inst) symbol(n int) (string, error) {
	name, _, err := i.text(n)
	if err != nil {
		return "", err
	}
	if name == "" {
		return "", i.errorf("an empty name")
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", i.errorf("control character in the name %q", name)
	}
	return name, nil
}

func (p *parser) parse(data []byte) error {
	words, _, err := decode(p.words, data)
	if err != nil {
		return err
	}
	p.words = words
	version := words[1]
	p.m, p.bound = &Module{Version: Version{uint8(version >> 16), uint8(version >> 8)}}, words[3]
	if version&0xff0000ff != 0 || p.m.Version.Major != 1 || p.m.Version.Minor > 6 {
		return &FormatError{4, fmt.Sprintf("unsupported version word %#08x; expected versions 1.0 to 1.6", version)}
	}
	if p.bound == 0 {
		return &FormatError{12, "the bound on ids is 0"}
	}
	p.defs.reset(p.bound, len(words))
	// Calls may name later functions, so functions are collected first.
	if err := eachInst(words, p.scanFunctions); err != nil {
		return err
	}
	if err := eachInst(words, p.inst); err != nil {
		return err
	}
	if p.fn != nil {
		return &FormatError{int64(len(data)), "unterminated last function"}
	}
	return nil
}

// decode returns the words of a module, header included, and their byte order. It reuses the memory
// of buf, which may be nil.
func decode(buf []uint32, data []byte) ([]uint32, binary.ByteOrder, error) {
	if len(data) < 4*headerWords {
		return nil, nil, &FormatError{0, fmt.Sprintf("module too short for the header: %d bytes, want %d", len(data), 4*headerWords)}
	}
	order, ok := byteOrder(data)
	if !ok {
		return nil, nil, &FormatError{0, "no magic number"}
	}
	if len(data)%4 != 0 {
		return nil, nil, &FormatError{int64(len(data)), fmt.Sprintf("%d bytes are not whole words", len(data))}
	}
	words := slices.Grow(buf[:0], len(data)/4)[:len(data)/4]
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	if order == binary.BigEndian {
		for i, w := range words {
			words[i] = bits.ReverseBytes32(w)
		}
	}
	return words, order, nil
}

// encode returns the bytes of words, the reverse of decode.
func encode(words []uint32, order binary.ByteOrder) []byte {
	data := make([]byte, 4*len(words))
	for n, w := range words {
		order.PutUint32(data[4*n:], w)
	}
	return data
}

// byteOrder returns the byte order indicated by the magic number.
func byteOrder(header []byte) (order binary.ByteOrder, ok bool) {
	switch uint32(magic) {
	case binary.LittleEndian.Uint32(header):
		return binary.LittleEndian, true
	case binary.BigEndian.Uint32(header):
		return binary.BigEndian, true
	}
	return nil, false
}

// eachInst calls visit for each instruction.
func eachInst(words []uint32, visit func(inst) error) error {
	for i := headerWords; i < len(words); {
		n := int(words[i] >> 16)
		in := inst{op: uint16(words[i]), offset: 4 * int64(i)}
		if n == 0 || n > len(words)-i {
			return in.errorf("a length of %d words with %d left in the module", n, len(words)-i)
		}
		in.words = words[i+1 : i+n]
		if err := visit(in); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// scanFunctions defines the functions, and records whether the module has instructions that need the
// types of values.
func (p *parser) scanFunctions(i inst) error {
	switch i.op {
	case opFunction:
		if err := i.need(4); err != nil {
			return err
		}
		return p.define(i, def{op: i.op, typ: i.words[0], node: p.graph.add() + 1}, i.words[1])
	case opAtomicStore, opCoopMatrixStore, opCoopMatrixMulAdd, opJointMatrixMad:
		p.needsTypes = true
	}
	return nil
}

// define records the definition of an id at module level.
func (p *parser) define(i inst, d def, id uint32) error {
	if id == 0 || id >= p.bound {
		return i.errorf("id %d is not below the bound %d", id, p.bound)
	}
	if old := p.defs.find(id); old.op != 0 {
		return i.errorf("id %d is already defined at offset %d", id, old.offset)
	}
	d.offset = i.offset
	p.defs.add(id, d)
	return nil
}

// inst processes one instruction.
func (p *parser) inst(i inst) error {
	// Debug information refers to functions that are not called.
	if i.op == opExtInst && len(i.words) > 2 && p.debug.sets[i.words[2]] != 0 {
		p.recordDebug(i)
		return nil
	}
	if p.fn != nil || i.op == opFunction {
		return p.bodyInst(i)
	}
	switch i.op {
	case opCapability, opExecutionMode, opExecutionModeId:
		return p.declare(i)
	case opExtension:
		return p.extension(i)
	case opName, opString, opExtInstImport:
		return p.text(i)
	case opEntryPoint:
		return p.entryPoint(i)
	case opDecorate:
		return p.decorate(i)
	}
	return p.moduleDef(i)
}

// extension processes the declaration of an extension, which follows all capabilities.
func (p *parser) extension(i inst) error {
	name, _, err := i.text(0)
	if err != nil {
		return err
	}
	// If an extension is renamed, its capability keeps the number, but compilers reject names that
	// they do not know. Therefore the name in the module counts.
	p.extensions = append(p.extensions, name)
	p.m.unsupported = slices.DeleteFunc(p.m.unsupported, func(other string) bool {
		return !slices.Contains(p.extensions, other) && withoutVendor(other) == withoutVendor(name)
	})
	if _, retired := aspect.RetiredExtensions[name]; retired || deviceconfig.IsFeature(name) {
		p.m.addUnsupported(name)
	}
	return nil
}

// withoutVendor returns the name of an extension without its vendor: "subgroups" for
// SPV_INTEL_subgroups. Other names are unchanged.
func withoutVendor(name string) string {
	if rest, ok := strings.CutPrefix(name, "SPV_"); ok {
		_, name, _ = strings.Cut(rest, "_")
	}
	return name
}

// declare processes declarations of the module or of a function.
func (p *parser) declare(i inst) error {
	if i.op == opCapability {
		if err := i.need(1); err != nil {
			return err
		}
		p.m.Capabilities = append(p.m.Capabilities, i.words[0])
		if e := aspect.ExtensionOf(i.words[0]); e != nil {
			p.m.addUnsupported(e.Name)
		} else if name, ok := deviceconfig.FeatureOf(i.words[0]); ok && name != deviceconfig.Images {
			p.m.addUnsupported(name)
		}
		return nil
	}
	if err := i.need(2); err != nil {
		return err
	}
	id := i.words[0]
	p.modes[id] = append(p.modes[id], rawMode{i.words[1], i.words[2:], i.op == opExecutionModeId, i.offset})
	return nil
}

// addUnsupported records an extension or capability that some compilers reject.
func (m *Module) addUnsupported(name string) {
	if !slices.Contains(m.unsupported, name) {
		m.unsupported = append(m.unsupported, name)
	}
}

// text processes an instruction that assigns a string to an id.
func (p *parser) text(i inst) error {
	if err := i.need(2); err != nil {
		return err
	}
	id := i.words[0]
	text, _, err := i.text(1)
	switch {
	case err != nil:
		return err
	case i.op == opName:
		if p.defs.find(id).op == opFunction {
			p.names[id] = text
		}
	case i.op == opString:
		p.strings[id] = text
	case debugSets[text] != 0:
		p.debug.sets[id] = debugSets[text]
	case strings.Contains(text, "DebugInfo") || strings.HasPrefix(text, "NonSemantic."):
		p.debug.sets[id] = debugForeign
	}
	return nil
}

func (p *parser) entryPoint(i inst) error {
	if err := i.need(3); err != nil {
		return err
	}
	name, err := i.symbol(2)
	if err != nil {
		return err
	}
	if i.words[0] == modelKernel {
		p.entries = append(p.entries, entry{name, i.words[1], i.offset})
		p.kernelIDs[i.words[1]], p.kernelNames[name] = true, true
	}
	return nil
}

func (p *parser) decorate(i inst) error {
	if err := i.need(2); err != nil {
		return err
	}
	switch i.words[1] {
	case decorationParameter:
		if len(i.words) > 2 && i.words[2] == parameterByVal {
			p.byValue[i.words[0]] = true
		}
	case decorationVector:
		p.vector[i.words[0]] = true
	case decorationBuiltIn:
		p.m.hasIDs = p.m.hasIDs || len(i.words) > 2 && slices.Contains(workItemIDs, i.words[2])
	case decorationLinkage:
		name, err := i.symbol(2)
		if err != nil {
			return err
		}
		_, next, _ := i.text(2)
		if err := i.need(next + 1); err != nil {
			return err
		}
		p.linkage[i.words[0]] = linkage{name, i.words[next]}
	}
	return nil
}

// finish builds the module after all instructions were read.
func (p *parser) finish() error {
	p.m.graph = &p.graph
	p.graph.debug = &p.debug
	p.graph.propagateUses()
	p.graph.setBodies()
	p.m.kernels = map[string]int{}
	for i, e := range p.entries {
		if _, ok := p.m.kernels[e.name]; ok {
			return &FormatError{e.offset, fmt.Sprintf("duplicate kernel name %q", e.name)}
		}
		p.m.kernels[e.name] = i
		k, err := p.kernel(e)
		if err != nil {
			return err
		}
		p.m.Kernels = append(p.m.Kernels, k)
	}
	if p.m.hasImages {
		p.m.addUnsupported(deviceconfig.Images)
	}
	p.nameFunctions()
	p.imports()
	return nil
}

// nameFunctions sets the names of the functions in the graph, and lists the exported functions.
func (p *parser) nameFunctions() {
	for n := range p.graph.nodes {
		node := &p.graph.nodes[n]
		if node.id == 0 {
			continue
		}
		link, linked := p.linkage[node.id]
		node.name = p.names[node.id]
		if linked {
			node.name = link.name
		}
		if name, ok := aspect.Intrinsic(node.name); ok && !node.defined {
			node.intrinsic, p.graph.forCompilers = name, true
		}
		if feature := igcFeature(node.name); feature != "" && !node.defined {
			node.feature, p.graph.forCompilers = feature, true
		}
		// A kernel with external linkage is translated to a function with that linkage, and an entry point
		// that calls it.
		if linked && node.defined && link.kind != linkageImport && !p.kernelNames[link.name] {
			p.m.Exports = append(p.m.Exports, Function{Name: link.name, uses: node.uses, node: n})
		}
	}
	slices.SortFunc(p.m.Exports, func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
	for _, k := range p.m.Kernels {
		p.graph.nodes[k.node].name = k.Name
	}
}

// imports lists the functions and variables that kernels and exported functions reach, but that the
// module does not define.
func (p *parser) imports() {
	m := p.m
	var roots []int
	for _, k := range m.Kernels {
		roots = append(roots, k.node)
	}
	for _, f := range m.Exports {
		roots = append(roots, f.node)
	}
	for n := range p.graph.reach(roots) {
		node := &p.graph.nodes[n]
		switch link, ok := p.linkage[node.id]; {
		case !ok || node.defined || link.kind != linkageImport || builtin(link.name):
		case p.defs.find(node.id).op == opVariable:
			m.Variables = append(m.Variables, link.name)
		default:
			m.Imports = append(m.Imports, link.name)
		}
	}
	for _, names := range []*[]string{&m.Imports, &m.Variables} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
}

// builtin reports whether SPIR-V consumers provide a function. The name of such a function, or the
// part after _Z and a number, starts with two underscores, or with the prefix of Intel's OpenCL
// extensions for sub-groups. Functions that read specialization constants also have such names, but
// are not built-in.
func builtin(name string) bool {
	if rest, ok := strings.CutPrefix(name, "_Z"); ok {
		name = strings.TrimLeft(rest, "0123456789")
	}
	return strings.HasPrefix(name, "__") && !IsSpecConstantGetter(name) || strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, "intel_sub_group_")
}

// IsSpecConstantGetter reports whether a function reads specialization constants in DPC++'s device
// code. A post-link step replaces the calls of such functions.
func IsSpecConstantGetter(name string) bool {
	return strings.Contains(name, "__sycl_get") && strings.Contains(name, "2020SpecConstantValue")
}

func (p *parser) kernel(e entry) (Kernel, error) {
	d := p.defs.find(e.id)
	if d.op != opFunction {
		return Kernel{}, &FormatError{e.offset, fmt.Sprintf("kernel %q is id %d, which is not a function", e.name, e.id)}
	}
	n := d.node - 1
	k := Kernel{Name: e.name, node: n, uses: p.graph.nodes[n].uses, Location: p.graph.location(n), isVector: p.vector[e.id]}
	for _, raw := range p.modes[e.id] {
		mode, known := p.mode(raw)
		if !known {
			continue
		}
		var err error
		switch mode.mode {
		case modeLocalSize, modeLocalSizeId:
			k.WorkGroupSize, err = mode.sizes()
		case modeLocalSizeHint, modeLocalSizeHintId:
			k.WorkGroupSizeHint, err = mode.sizes()
		case modeMaxWorkgroupSize:
			k.MaxWorkGroupSize, err = mode.sizes()
		case modeSubgroupSize:
			if len(mode.operands) != 1 || mode.operands[0] == 0 {
				err = fmt.Errorf("the required sub-group size is %d; expected one size above 0", mode.operands)
				break
			}
			k.SubGroupSize = mode.operands[0]
		case modeLocalMemory:
			if len(mode.operands) == 1 {
				k.localMemory = uint64(mode.operands[0])
			}
		}
		if err != nil {
			return Kernel{}, &FormatError{raw.offset, fmt.Sprintf("kernel %q: %v", e.name, err)}
		}
	}
	return k, nil
}

// mode resolves the ids of an execution mode. If specialization can still change the values, known
// is false.
func (p *parser) mode(raw rawMode) (mode executionMode, known bool) {
	mode = executionMode{raw.mode, raw.args}
	if !raw.byID {
		return mode, true
	}
	mode.operands = make([]uint32, len(raw.args))
	known = true
	for n, id := range raw.args {
		d := p.defs.find(id)
		if len(d.lits) == 0 || d.op != opConstant && d.op != opSpecConstant {
			return mode, false
		}
		known = known && d.op == opConstant
		mode.operands[n] = d.lits[0]
	}
	return mode, known
}

// sizes returns the sizes of a work-group without trailing ones (1). DPC++ writes the lower 32 bits
// of a size, so 0 represents a size that is too large for every device.
func (mode executionMode) sizes() ([]uint64, error) {
	if len(mode.operands) != 3 {
		return nil, fmt.Errorf("a work-group size is %d; expected three sizes", mode.operands)
	}
	var s []uint64
	for n, v := range mode.operands {
		if n == 0 || v != 1 || slices.ContainsFunc(mode.operands[n:], func(v uint32) bool { return v != 1 }) {
			size := uint64(v)
			if size == 0 {
				size = 1 << 32
			}
			s = append(s, size)
		}
	}
	return s, nil
}
