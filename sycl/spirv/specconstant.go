package spirv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A SpecConstant is a scalar constant whose value can be set before the module is
// compiled.
type SpecConstant struct {
	ID      uint32 // the operand of the SpecId decoration
	Type    Scalar
	Default []byte // little endian, as long as the size of the type; 0 or 1 for a boolean
	Offset  int64  // of its instruction, in bytes

	order binary.AppendByteOrder
}

// A Scalar is the type of a specialization constant.
type Scalar struct {
	Kind     ScalarKind
	Bits     uint32 // 8 for a boolean
	Signed   bool   // for an integer; OpenCL modules do not specify it
	Encoding uint32 // of an OtherFloat
}

// A ScalarKind is the encoding of a number.
type ScalarKind uint8

const (
	Bool ScalarKind = iota
	Int
	Float      // IEEE 754
	BFloat16   // the upper half of a 32-bit float
	OtherFloat // an encoding from an extension
)

// Size returns the size in bytes.
func (s Scalar) Size() int { return int(s.Bits / 8) }

func (s Scalar) String() string {
	switch s.Kind {
	case Bool:
		return "bool"
	case Int:
		return fmt.Sprintf("i%d", s.Bits)
	case BFloat16:
		return "bfloat16"
	case OtherFloat:
		return fmt.Sprintf("float%d (encoding %d)", s.Bits, s.Encoding)
	}
	switch s.Bits {
	case 16:
		return "half"
	case 32:
		return "float"
	}
	return "double"
}

// ReadSpecConstants returns the specialization constants of a module, in order. If device code
// reads a constant with several calls, the translator can write several constants with the same
// number, and setting the number sets all of them. Only instructions before the first function
// count.
func ReadSpecConstants(r io.Reader) ([]SpecConstant, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	words, order, err := decode(nil, data)
	if err != nil {
		return nil, err
	}
	s := specScanner{order: order, ids: map[uint32]uint32{}, types: map[uint32]Scalar{}}
	if err := eachInst(words, s.inst); err != nil && err != errFunctions {
		return nil, err
	}
	return s.list, nil
}

// errFunctions stops reading at the first function.
var errFunctions = errors.New("functions begin")

// A specScanner reads a module up to its first function.
type specScanner struct {
	order binary.ByteOrder
	ids   map[uint32]uint32 // operand of SpecId, by result or by decoration group
	types map[uint32]Scalar
	list  []SpecConstant
}

func (s *specScanner) inst(i inst) error {
	switch i.op {
	case opDecorate:
		if len(i.words) < 2 || i.words[1] != decorationSpecId {
			return nil
		}
		if err := i.need(3); err != nil {
			return err
		}
		s.ids[i.words[0]] = i.words[2]
		return nil
	case opGroupDecorate:
		if err := i.need(1); err != nil {
			return err
		}
		if id, ok := s.ids[i.words[0]]; ok {
			for _, target := range i.words[1:] {
				s.ids[target] = id
			}
		}
		return nil
	case opTypeBool, opTypeInt, opTypeFloat:
		return s.scalar(i)
	case opSpecConstantTrue, opSpecConstantFalse, opSpecConstant:
		return s.constant(i)
	case opFunction:
		return errFunctions
	}
	return nil
}

// scalar records a type.
func (s *specScanner) scalar(i inst) error {
	operands := 2
	if i.op == opTypeBool {
		operands = 1
	}
	if err := i.need(operands); err != nil {
		return err
	}
	t := Scalar{Kind: Bool, Bits: 8}
	switch {
	case i.op == opTypeInt:
		t = Scalar{Kind: Int, Bits: i.words[1], Signed: len(i.words) > 2 && i.words[2] == 1}
	case i.op == opTypeFloat && len(i.words) == 2:
		t = Scalar{Kind: Float, Bits: i.words[1]}
	case i.op == opTypeFloat && i.words[2] == encodingBFloat16 && i.words[1] == 16:
		t = Scalar{Kind: BFloat16, Bits: 16}
	case i.op == opTypeFloat:
		t = Scalar{Kind: OtherFloat, Bits: i.words[1], Encoding: i.words[2]}
	}
	switch {
	case t.Bits == 16, t.Bits == 32, t.Bits == 64, t.Bits == 8 && t.Kind != Float:
		s.types[i.words[0]] = t
	}
	return nil
}

// constant records a specialization constant.
func (s *specScanner) constant(i inst) error {
	if err := i.need(2); err != nil {
		return err
	}
	id, ok := s.ids[i.words[1]]
	if !ok {
		return nil
	}
	c := SpecConstant{ID: id, Offset: i.offset, order: s.order.(binary.AppendByteOrder)}
	c.Type, ok = s.types[i.words[0]]
	isBool, literals := i.op != opSpecConstant, i.words[2:]
	switch {
	case !ok:
		return i.errorf("constant %d has an unsupported type; expected bool, or an integer or float of 8, 16, 32 or 64 bits", id)
	case (c.Type.Kind == Bool) != isBool:
		return i.errorf("constant %d has type %v", id, c.Type)
	case isBool && len(literals) > 0, !isBool && len(literals) != (c.Type.Size()+3)/4:
		return i.errorf("constant %d has %d words for type %v", id, len(literals), c.Type)
	case isBool:
		c.Default = []byte{0}
		if i.op == opSpecConstantTrue {
			c.Default[0] = 1
		}
	default:
		for _, w := range literals {
			c.Default = binary.LittleEndian.AppendUint32(c.Default, w)
		}
		c.Default = c.Default[:c.Type.Size()]
	}
	s.list = append(s.list, c)
	return nil
}

// A Patch replaces bytes of a module with the same number of bytes.
type Patch struct {
	Offset int64
	Bytes  []byte
}

// Patch returns the patch that changes the default value of the constant. The value must have the
// size of its type. All other bytes of the module are unchanged.
func (c *SpecConstant) Patch(value []byte) (Patch, error) {
	switch {
	case len(value) != c.Type.Size():
		return Patch{}, fmt.Errorf("got %d bytes for a constant of type %v, want %d", len(value), c.Type, c.Type.Size())
	case c.Type.Kind != Bool:
		return Patch{c.Offset + 4*3, c.literals(value)}, nil
	case value[0] > 1:
		return Patch{}, fmt.Errorf("invalid bool value %d; expected 0 or 1", value[0])
	}
	op := uint32(opSpecConstantFalse) - uint32(value[0]) // OpSpecConstantTrue precedes OpSpecConstantFalse
	return Patch{c.Offset, c.order.AppendUint32(nil, 3<<16|op)}, nil
}

// literals returns the words of a number. A number narrower than a word is sign- or zero-extended
// according to its type.
func (c *SpecConstant) literals(value []byte) (words []byte) {
	size := (len(value) + 3) / 4 * 4
	full := make([]byte, size)
	if c.Type.Signed && value[len(value)-1] >= 0x80 {
		for i := range full {
			full[i] = 0xff
		}
	}
	copy(full, value)
	for w := range slices.Chunk(full, 4) {
		words = c.order.AppendUint32(words, binary.LittleEndian.Uint32(w))
	}
	return words
}
