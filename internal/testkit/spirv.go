package testkit

import "encoding/binary"

// A SPIRVConstant is a specialization constant of a module.
type SPIRVConstant struct {
	ID   uint32
	Type SPIRVType
	Bits uint64 // of the default value
}

// A SPIRVType is a type of constants: its opcode and operands.
type SPIRVType struct {
	op       uint32
	operands []uint32
}

// Types of constants.
var (
	Bool   = SPIRVType{20, nil}
	I8     = SPIRVType{21, []uint32{8, 0}}
	I24    = SPIRVType{21, []uint32{24, 0}}
	I32    = SPIRVType{21, []uint32{32, 0}}
	I64    = SPIRVType{21, []uint32{64, 0}}
	Float  = SPIRVType{22, []uint32{32}}
	Double = SPIRVType{22, []uint32{64}}
)

// SPIRV returns a module for OpenCL with a kernel that has an empty body, and with specialization
// constants.
func SPIRV(kernel string, constants ...SPIRVConstant) []byte {
	words := []uint32{0x07230203, 0x00010400, 0, uint32(10 + 2*len(constants)), 0}
	inst := func(op uint32, operands ...uint32) {
		words = append(words, uint32(len(operands)+1)<<16|op)
		words = append(words, operands...)
	}
	const void, function, entry, label, first = 1, 2, 3, 4, 10
	for _, capability := range []uint32{4, 5, 6, 9, 10, 11, 22, 39} { // Addresses, Linkage, Kernel, Float16, Float64, Int64, Int16, Int8
		inst(17, capability)
	}
	inst(14, 2, 2) // OpMemoryModel Physical64 OpenCL
	name := append([]byte(kernel), make([]byte, 4-len(kernel)%4)...)
	operands := []uint32{6, entry}
	for i := 0; i < len(name); i += 4 {
		operands = append(operands, binary.LittleEndian.Uint32(name[i:]))
	}
	inst(15, operands...) // OpEntryPoint
	for i, c := range constants {
		inst(71, first+uint32(2*i), 1, c.ID) // OpDecorate SpecId
	}
	inst(19, void)
	types := map[string]uint32{}
	for i, c := range constants {
		key := string(binary.LittleEndian.AppendUint32(nil, c.Type.op))
		for _, o := range c.Type.operands {
			key = string(binary.LittleEndian.AppendUint32([]byte(key), o))
		}
		if types[key] == 0 {
			types[key] = first + uint32(2*i) + 1
			inst(c.Type.op, append([]uint32{types[key]}, c.Type.operands...)...)
		}
		result := first + uint32(2*i)
		switch {
		case c.Type.op == Bool.op:
			inst(49-uint32(c.Bits), types[key], result) // OpSpecConstantTrue or -False
		case c.Type.operands[0] == 64:
			inst(50, types[key], result, uint32(c.Bits), uint32(c.Bits>>32))
		default:
			inst(50, types[key], result, uint32(c.Bits))
		}
	}
	inst(33, function, void)
	inst(54, void, entry, 0, function)
	inst(248, label)
	inst(253)
	inst(56)
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
