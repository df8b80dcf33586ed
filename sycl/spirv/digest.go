package spirv

import (
	"maps"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// PutDigests adds the digests of a module's kernels to the property sets of its device image.
func PutDigests(r *propset.Registry, data []byte) error {
	digests, err := Digests(data)
	for _, kernel := range slices.Sorted(maps.Keys(digests)) { // in a deterministic order
		r.Add(propset.KernelDigests).Put(kernel, propset.Uint(digests[kernel]))
	}
	return err
}

// Digests returns a digest of the code of each kernel: its execution modes, its instructions, the
// instructions of the functions that it calls, and the types, constants and variables that they
// use. Digests do not depend on ids, the names of functions that the module defines, the text of
// string literals, or other code of the module. A digest that does not cover all of the code is
// marked as such ([propset.IsPartialDigest]). The module must not have debug information.
func Digests(data []byte) (map[string]uint32, error) {
	words, _, err := decode(nil, data)
	if err != nil {
		return nil, err
	}
	d := &digester{
		modes: map[uint32][]inst{}, definitions: map[uint32]definition{}, decorations: map[uint32][][]uint32{},
		functions: map[uint32]*functionDigest{},
	}
	err = eachInst(words, func(i inst) error {
		if i.op == opFunction && len(i.words) > 1 {
			d.functions[i.words[1]] = &functionDigest{}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachInst(words, func(i inst) error {
		d.inst(i)
		return nil
	})
	if err != nil {
		return nil, err
	}
	digests := map[string]uint32{}
	for _, e := range d.entries {
		name, _, err := e.text(2)
		if err != nil {
			return nil, err
		}
		sum, partial := d.kernel(e.words[1])
		digests[name] = (uint32(sum) ^ uint32(sum>>32)) &^ propset.PartialDigest
		if partial {
			digests[name] |= propset.PartialDigest
		}
	}
	return digests, nil
}

// A digester computes digests of a module's code.
type digester struct {
	entries     []inst
	modes       map[uint32][]inst     // execution modes by kernel
	definitions map[uint32]definition // types, constants and variables
	decorations map[uint32][][]uint32
	functions   map[uint32]*functionDigest
	current     *functionDigest // the function around an instruction
	local       map[uint32]uint64
	partial     bool // whether an operand since the last reset is not covered by digests
}

// A definition is a type, a constant or a variable outside of functions.
type definition struct {
	digest  uint64
	bytes   bool // a type of 8-bit integers, a sequence of them, or a value of such a type
	partial bool // whether the digest does not cover all of the value
}

// A functionDigest is the digest of a function without the functions that it calls.
type functionDigest struct {
	digest  uint64
	calls   []uint32
	partial bool // whether the digest does not cover all of the code
}

// typeShapes are the operands of types, as in shapes.
var typeShapes = map[uint16]string{
	19: "r", 20: "r", 21: "rll", 22: "rl", 23: "ril", 24: "ril", 25: "ri", 26: "r", 27: "ri", 28: "rii", 29: "ri", 30: "rI", 31: "r",
	32: "rli", 33: "rI", 34: "r", 35: "r", 36: "r", 37: "r", 38: "r", opTypeCoopMatrix: "riI", opTypeJointMatrix: "riI",
}

func (d *digester) inst(i inst) {
	switch {
	case i.op == opEntryPoint && len(i.words) > 2:
		d.entries = append(d.entries, i)
	case slices.Contains([]uint16{opExecutionMode, opExecutionModeId}, i.op) && len(i.words) > 1:
		d.modes[i.words[0]] = append(d.modes[i.words[0]], i)
	case i.op == opDecorate && len(i.words) > 1 && !(d.functions[i.words[0]] != nil && isExport(i)):
		d.decorations[i.words[0]] = append(d.decorations[i.words[0]], i.words[1:])
	case i.op == opFunction && len(i.words) > 1:
		d.current, d.local, d.partial = d.functions[i.words[1]], map[uint32]uint64{}, false
		d.current.digest = d.digest(i)
	case d.current != nil:
		d.current.digest = mix(d.current.digest, d.digest(i))
		if i.op == opFunctionEnd {
			d.current.partial, d.current = d.partial, nil
		}
	case i.op == opExtInstImport && len(i.words) > 1:
		d.definitions[i.words[0]] = definition{digest: literals(i.words[1:])}
	case typeShapes[i.op] != "" && len(i.words) > 0:
		bytes := i.op == opTypeInt && len(i.words) > 1 && i.words[1] == 8
		if slices.Contains([]uint16{opTypeArray, opTypePointer, opTypeVector}, i.op) && len(i.words) > 2 {
			bytes = d.definitions[i.words[1]].bytes || d.definitions[i.words[2]].bytes
		}
		d.definitions[i.words[0]] = definition{digest: d.digest(i), bytes: bytes}
	default:
		shape := shapeOf(i.op)
		if len(i.words) < 2 || !shape.hasType {
			return
		}
		of := definition{bytes: d.definitions[i.words[0]].bytes}
		literal := of.bytes && i.op == opVariable && len(i.words) > 3
		if literal {
			i.words = i.words[:3]
		}
		d.partial = literal || slices.Contains([]uint16{opSpecConstantTrue, opSpecConstantFalse, opSpecConstant}, i.op) // whose names matter
		of.digest = d.digest(i)
		of.partial = d.partial
		d.definitions[i.words[1]] = of
	}
}

// isExport reports whether a decoration names a function or variable that the module defines.
func isExport(i inst) bool {
	const imported = 1
	return i.words[1] == decorationLinkage && i.words[len(i.words)-1] != imported
}

// digest returns the digest of an instruction.
func (d *digester) digest(i inst) uint64 {
	letters, ok := typeShapes[i.op]
	if !ok {
		letters = shapeOf(i.op).letters
	}
	if i.op == opFunctionParameter {
		letters = "tr"
	}
	out := mix(uint64(i.op), uint64(len(i.words)))
	if letters == "" {
		return out
	}
	n := 0
	for ; n < len(letters) && n < len(i.words); n++ {
		switch letters[n] {
		case 'l', 'O':
			out = mix(out, uint64(i.words[n]))
		case 'r':
			out = mix(out, d.result(i.words[n]))
		case 'I':
			for ; n < len(i.words); n++ {
				out = mix(out, d.operand(i.words[n]))
			}
			return out
		default:
			out = mix(out, d.operand(i.words[n]))
		}
	}
	if n >= len(i.words) || !literalsFollow(i, len(letters)) {
		return out
	}
	if i.op == opSpecConstantOp {
		for _, id := range i.words[n:] {
			out = mix(out, d.operand(id))
		}
		return out
	}
	return mix(out, literals(i.words[n:]))
}

// literalsFollow reports whether the words after the operands of a shape are literals.
func literalsFollow(i inst, operands int) bool {
	const opSwitch = 251 // literals and labels
	return i.op != opSwitch && !(slices.Contains(accesses, i.op) && i.words[operands] > plainAccess)
}

// result returns the digest of a result: its number in the function, and its decorations.
func (d *digester) result(id uint32) uint64 {
	out := uint64(0)
	if d.current != nil && d.functions[id] == nil {
		out = d.operand(id)
	}
	for _, decoration := range d.decorations[id] {
		out = mix(out, literals(decoration))
	}
	return out
}

// operand returns the digest of an operand.
func (d *digester) operand(id uint32) uint64 {
	if of, ok := d.definitions[id]; ok {
		d.partial = d.partial || of.partial
		return of.digest
	}
	if d.current == nil {
		d.partial = d.partial || d.functions[id] != nil // a function pointer
		return 0
	}
	number, ok := d.local[id]
	if !ok {
		number = uint64(len(d.local)) + 1
		d.local[id] = number
		if d.functions[id] != nil {
			d.current.calls = append(d.current.calls, id)
		}
	}
	return number
}

// kernel returns the digest of a kernel with the functions that it calls, and whether it does not
// cover all of their code.
func (d *digester) kernel(id uint32) (out uint64, partial bool) {
	queue, number := []uint32{id}, map[uint32]int{id: 0}
	d.partial = false
	var modes []uint64
	for _, i := range d.modes[id] {
		mode := mix(uint64(i.op), uint64(i.words[1]))
		for _, w := range i.words[2:] {
			if i.op == opExecutionModeId {
				mode = mix(mode, d.operand(w))
			} else {
				mode = mix(mode, uint64(w))
			}
		}
		modes = append(modes, mode)
	}
	partial = d.partial
	slices.Sort(modes)
	for _, mode := range modes {
		out = mix(out, mode)
	}
	for i := 0; i < len(queue); i++ {
		of := d.functions[queue[i]]
		if of == nil {
			continue
		}
		out, partial = mix(out, of.digest), partial || of.partial
		for _, called := range of.calls {
			if _, ok := number[called]; !ok {
				number[called] = len(queue)
				queue = append(queue, called)
			}
			out = mix(out, uint64(number[called]))
		}
	}
	return out, partial
}

// mix returns a digest of two numbers.
func mix(a, b uint64) uint64 {
	a = (a ^ b) * 0x9e3779b97f4a7c15
	return a ^ a>>29
}

func literals(words []uint32) uint64 {
	out := uint64(len(words))
	for _, w := range words {
		out = mix(out, uint64(w))
	}
	return out
}
