package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// specConstants has a constant of each type. Two constants have the number 3, and two the number
// 20, as in the output of translators for two calls that read one constant.
const specConstants = `
	OpCapability Kernel
	OpName %i "i"
	OpDecorate %a SpecId 0
	OpDecorate %b SpecId 1
	OpDecorate %c SpecId 2
	OpDecorate %d SpecId 3
	OpDecorate %e SpecId 4
	OpDecorate %f SpecId 5
	OpDecorate %g SpecId 6
	OpDecorate %h SpecId 7
	OpDecorate %i SpecId 8
	OpDecorate %j SpecId 9
	OpDecorate %k SpecId 3
	OpDecorate %group SpecId 20
	%group = OpDecorationGroup
	OpGroupDecorate %group %l %m
	%bool = OpTypeBool
	%uchar = OpTypeInt 8 0
	%ushort = OpTypeInt 16 0
	%uint = OpTypeInt 32 0
	%ulong = OpTypeInt 64 0
	%short = OpTypeInt 16 1
	%half = OpTypeFloat 16
	%float = OpTypeFloat 32
	%double = OpTypeFloat 64
	%bf = OpTypeFloat 16 0
	%pair = OpTypeStruct %uchar %float
	%a = OpSpecConstantTrue %bool
	%b = OpSpecConstant %uchar 200
	%c = OpSpecConstant %ushort 513
	%d = OpSpecConstant %uint 7
	%e = OpSpecConstant %ulong 7 1
	%f = OpSpecConstant %short 0xfffffffe
	%g = OpSpecConstant %half 0x3e00
	%h = OpSpecConstant %float 0x40200000
	%i = OpSpecConstant %double 2.5
	%j = OpSpecConstant %bf 0x3f80
	%k = OpSpecConstant %uint 7
	%l = OpSpecConstantFalse %bool
	%m = OpSpecConstant %uchar 1
	%undecorated = OpSpecConstant %uint 1
	%whole = OpSpecConstantComposite %pair %b %h
	%void = OpTypeVoid
	%fn = OpTypeFunction %void
	%F = OpFunction %void None %fn
	%x = OpLabel
	OpReturn
	OpFunctionEnd
`

func listed(list []SpecConstant) []string {
	var lines []string
	for _, c := range list {
		lines = append(lines, fmt.Sprintf("%d %v %x", c.ID, c.Type, c.Default))
	}
	return lines
}

func TestReadSpecConstants(t *testing.T) {
	want := []string{
		"0 bool 01", "1 i8 c8", "2 i16 0102", "3 i32 07000000", "4 i64 0700000001000000", "5 i16 feff", "6 half 003e",
		"7 float 00002040", "8 double 0000000000000440", "9 bfloat16 803f", "3 i32 07000000", "20 bool 00", "20 i8 01",
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		data := assemble(t, order, specConstants)
		list, err := ReadSpecConstants(bytes.NewReader(data))
		if err != nil || !slices.Equal(listed(list), want) {
			t.Errorf("%v: got  %q, %v\nwant %q", order, listed(list), err, want)
		}
		for _, c := range list {
			if op := order.(binary.ByteOrder).Uint32(data[c.Offset:]) & 0xffff; op < opSpecConstantTrue || op > opSpecConstant {
				t.Errorf("%v: constant %d: opcode at offset %d is %d", order, c.ID, c.Offset, op)
			}
		}
	}
}

// TestPatch checks that a patched module is equal to a module compiled with the new values.
func TestPatch(t *testing.T) {
	values := map[uint32][]byte{
		0: {0}, 1: {7}, 2: {0xff, 0xff}, 3: {1, 2, 3, 4}, 4: {1, 0, 0, 0, 2, 0, 0, 0}, 5: {0, 0x80}, 6: {0, 0x40},
		7: {0, 0, 0x80, 0x3f}, 8: {0, 0, 0, 0, 0, 0, 4, 0xc0}, 9: {0, 0x40}, 20: {1},
	}
	wanted := strings.NewReplacer(
		"%a = OpSpecConstantTrue", "%a = OpSpecConstantFalse", "%uchar 200", "%uchar 7", "%ushort 513", "%ushort 65535",
		"%uint 7", "%uint 0x04030201", "%ulong 7 1", "%ulong 1 2", "%short 0xfffffffe", "%short 0xffff8000", "%half 0x3e00", "%half 0x4000",
		"0x40200000", "0x3f800000", "%double 2.5", "%double -2.5", "0x3f80\n", "0x4000\n", "%l = OpSpecConstantFalse", "%l = OpSpecConstantTrue",
	).Replace(specConstants)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		data, want := assemble(t, order, specConstants), assemble(t, order, wanted)
		list := testkit.Must(ReadSpecConstants(bytes.NewReader(data)))(t)
		for _, c := range list {
			p := testkit.Must(c.Patch(values[c.ID]))(t)
			copy(data[p.Offset:], p.Bytes)
		}
		if !bytes.Equal(data, want) {
			t.Errorf("%v: patched module differs", order)
		}
	}
	list, _ := ReadSpecConstants(bytes.NewReader(assemble(t, binary.LittleEndian, specConstants)))
	for value, want := range map[string]string{"\x02": "invalid bool value 2", "": "0 bytes for a constant of type bool, want 1", "\x01\x00": "2 bytes"} {
		if _, err := list[0].Patch([]byte(value)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", value, err, want)
		}
	}
}

func TestReadSpecConstantsErrors(t *testing.T) {
	const head = "OpDecorate %c SpecId 4\n%uint = OpTypeInt 32 0\n%bool = OpTypeBool\n"
	for _, test := range []struct {
		name, text, want string
		offset           int64
	}{
		{"no number", "OpDecorate %c SpecId", "opcode 71: 2 operand words, want at least 3", 20},
		{"no type", "OpDecorate %c SpecId 4\n%c = OpSpecConstant %uint 1", "constant 4 has an unsupported type", 36},
		{"a 24-bit integer", "OpDecorate %c SpecId 4\n%t = OpTypeInt 24 0\n%c = OpSpecConstant %t 1", "constant 4 has an unsupported type", 52},
		{"too few words", head + "%c = OpSpecConstant %uint", "has 0 words for type i32", 60},
		{"too many words", head + "%c = OpSpecConstant %uint 1 2", "has 2 words for type i32", 60},
		{"a bool with a number", head + "%c = OpSpecConstantTrue %bool 1", "has 1 words for type bool", 60},
		{"a bool of type i32", head + "%c = OpSpecConstantTrue %uint", "constant 4 has type i32", 60},
		{"a number of type bool", head + "%c = OpSpecConstant %bool 1", "constant 4 has type bool", 60},
		{"a type without a width", "%uint = OpTypeInt", "opcode 21: 1 operand words, want at least 2", 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadSpecConstants(bytes.NewReader(assemble(t, binary.LittleEndian, test.text)))
			var format *FormatError
			if !errors.As(err, &format) || format.Offset != test.offset || !strings.Contains(format.Msg, test.want) {
				t.Errorf("got %v, want offset %d: %s", err, test.offset, test.want)
			}
		})
	}
	whole := assemble(t, binary.LittleEndian, specConstants)
	for _, test := range []struct {
		name, want string
		data       []byte
	}{
		{"a short header", "offset 0: module too short for the header: 19 bytes", whole[:19]},
		{"an invalid magic number", "offset 0: no magic number", make([]byte, 20)},
		{"a partial word", "offset 22: 22 bytes are not whole words", whole[:22]},
		{"an instruction without its end", "offset 20: opcode 17: a length of 2 words with 1 left", whole[:24]},
		{"a decoration without its end", "offset 40: opcode 71: a length of 4 words with 2 left", whole[:48]},
		{"no length", "offset 20: opcode 0: a length of 0 words", append(slices.Clone(whole[:20]), 0, 0, 0, 0)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := ReadSpecConstants(bytes.NewReader(test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestTranslatedSpecConstants reads the output of llvm-spirv 21 for kernels.cpp.
func TestTranslatedSpecConstants(t *testing.T) {
	f := testkit.Must(os.Open(filepath.Join("testdata", "kernels.spv")))(t)
	defer f.Close()
	list, err := ReadSpecConstants(f)
	if err != nil || len(list) != 2 || list[0].ID != 0 || list[1].Type != (Scalar{Kind: Float, Bits: 32}) {
		t.Errorf("got %q, %v", listed(list), err)
	}
}

// FuzzReadSpecConstants checks that patches are within the module, and that a patched module has
// the new values.
func FuzzReadSpecConstants(f *testing.F) {
	f.Add(assemble(f, binary.LittleEndian, specConstants))
	f.Add(assemble(f, binary.BigEndian, specConstants))
	if data, err := os.ReadFile(filepath.Join("testdata", "kernels.spv")); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadSpecConstants(bytes.NewReader(data))
		if err != nil {
			return
		}
		data = slices.Clone(data)
		for _, c := range list {
			value := slices.Clone(c.Default)
			value[0] ^= 1
			p, err := c.Patch(value)
			if err != nil || p.Offset < 20 || p.Offset+int64(len(p.Bytes)) > int64(len(data)) {
				t.Fatalf("%v: %v, %v", c, p, err)
			}
			copy(data[p.Offset:], p.Bytes)
		}
		again, err := ReadSpecConstants(bytes.NewReader(data))
		if err != nil || len(again) != len(list) {
			t.Fatalf("patched: %v, %v", again, err)
		}
		for i, c := range again {
			if c.Default[0] != list[i].Default[0]^1 || c.Offset != list[i].Offset {
				t.Fatalf("got %v of %v", c, list[i])
			}
		}
	})
}
