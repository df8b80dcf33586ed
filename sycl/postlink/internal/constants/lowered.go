package constants

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// LoweredConstants returns the constants in the metadata of a module whose calls were already
// replaced. A linked module has the constants of all inputs, whose numbers must not clash.
func LoweredConstants(m *llvmir.Module) ([]propset.SpecConstant, error) {
	named := m.NamedMetadata(constantsMD)
	if named == nil {
		return nil, nil
	}
	values, err := loweredDefaults(m)
	if err != nil {
		return nil, err
	}
	var list []propset.SpecConstant
	for _, id := range named.Nodes() {
		c, err := loweredConstant(m.Node(id))
		if err != nil {
			return nil, err
		}
		if c.Size() > uint64(len(values)) {
			return nil, &Error{Msg: fmt.Sprintf("!%s: the default values end within the specialization constant '%s'", defaultsMD, printable(c.Name))}
		}
		c.Default, values = values[:c.Size():c.Size()], values[c.Size():]
		list = append(list, c)
	}
	return withoutClashes(list)
}

// loweredConstant returns the constant in a node !{!"name", i32 number, i32 offset, i32 size, ...}.
func loweredConstant(n *llvmir.Node) (propset.SpecConstant, error) {
	bad := &Error{Msg: fmt.Sprintf("!%s has a node that is not a name and three numbers for each part", constantsMD)}
	if n == nil {
		return propset.SpecConstant{}, bad
	}
	operands := n.Operands()
	if len(operands) < 4 || len(operands)%3 != 1 {
		return propset.SpecConstant{}, bad
	}
	name, ok := operands[0].StringValue()
	if !ok || !isName(name) {
		return propset.SpecConstant{}, bad
	}
	c := propset.SpecConstant{Name: name}
	var numbers []uint32
	for _, o := range operands[1:] {
		v, ok := o.Int()
		if !ok || v < math.MinInt32 || v > math.MaxUint32 {
			return c, bad
		}
		numbers = append(numbers, uint32(v))
	}
	end := uint64(0)
	for r := range slices.Chunk(numbers, 3) {
		record := propset.SpecRecord{ID: r[0], Offset: r[1], Size: r[2]}
		if uint64(record.Offset) < end || record.Size == 0 {
			return c, bad
		}
		end = uint64(record.Offset) + uint64(record.Size)
		c.Records = append(c.Records, record)
	}
	return c, nil
}

// loweredDefaults returns the default values of all constants.
func loweredDefaults(m *llvmir.Module) ([]byte, error) {
	named := m.NamedMetadata(defaultsMD)
	if named == nil {
		return nil, nil
	}
	layout, err := m.Layout()
	if err != nil {
		return nil, &Error{Msg: err.Error()}
	}
	var values []byte
	for _, id := range named.Nodes() {
		n := m.Node(id)
		if n == nil || len(n.Operands()) != 1 {
			return nil, &Error{Msg: fmt.Sprintf("!%s: !%d is not one default value", defaultsMD, id)}
		}
		v, err := m.Value(n.Operands()[0].Text)
		if err != nil {
			return nil, &Error{Msg: fmt.Sprintf("!%s: %v", defaultsMD, err)}
		}
		memory, err := newMemory(layout, v)
		if err != nil {
			return nil, &Error{Msg: fmt.Sprintf("!%s: !%d: %v", defaultsMD, id, err)}
		}
		if values = append(values, memory.bytes...); len(values) > mostTotal {
			return nil, &Error{Msg: fmt.Sprintf("!%s: the default values are too large (limit %d bytes)", defaultsMD, mostTotal)}
		}
	}
	return values, nil
}

// withoutClashes returns each constant once. It returns an error if constants with the same name
// differ, or if a number belongs to several constants.
func withoutClashes(list []propset.SpecConstant) ([]propset.SpecConstant, error) {
	const fix = "The modules that have them were lowered before they were linked; link them first, and then run post-link"
	var kept []propset.SpecConstant
	byName := map[string]propset.SpecConstant{}
	byNumber := map[uint32]string{}
	for _, c := range list {
		if old, ok := byName[c.Name]; ok {
			if !slices.Equal(old.Records, c.Records) || !bytes.Equal(old.Default, c.Default) {
				return nil, &Error{Msg: fmt.Sprintf("the specialization constant '%s' is in the module twice, with different numbers or default values. %s", printable(c.Name), fix)}
			}
			continue
		}
		byName[c.Name] = c
		for _, r := range c.Scalars() {
			if other, ok := byNumber[r.ID]; ok {
				return nil, &Error{Msg: fmt.Sprintf("the specialization constants '%s' and '%s' both have the number %d. %s", printable(other), printable(c.Name), r.ID, fix)}
			}
			byNumber[r.ID] = c.Name
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// Numbers returns the numbers of the SPIR-V constants in functions, and reports whether the module
// has any.
func Numbers(m *llvmir.Module) (numbers map[string][]uint32, any bool) {
	numbers = map[string][]uint32{}
	for _, callee := range m.Functions() {
		if !strings.HasPrefix(callee.Name(), "_Z20__spirv_SpecConstant") {
			continue
		}
		for _, user := range m.SymbolUsers(callee.Name()) {
			f, ok := user.(*llvmir.Function)
			if !ok {
				continue
			}
			for in := range f.Calls() {
				if name, _ := in.Callee(); name != callee.Name() || in.NumOperands() == 0 {
					continue
				}
				if v, ok := in.Operand(0).Int(); ok && v >= 0 && v <= math.MaxUint32 {
					numbers[f.Name()] = append(numbers[f.Name()], uint32(v))
					any = true
				}
			}
		}
	}
	return numbers, any
}
