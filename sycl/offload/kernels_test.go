package offload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

func put32(data []byte, at int, n uint32) []byte {
	data = slices.Clone(data)
	binary.LittleEndian.PutUint32(data[at:], n)
	return data
}

// elf returns an ELF file for Intel GPUs with empty sections with these names.
func elf(names ...string) []byte {
	le := binary.LittleEndian
	names = append(names, ".shstrtab")
	table := []byte{0}
	var starts []uint32
	for _, name := range names {
		starts = append(starts, uint32(len(table)))
		table = append(append(table, name...), 0)
	}
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], 0xff12)
	le.PutUint16(b[18:], machineIntel)
	le.PutUint64(b[40:], uint64(64+len(table)))
	le.PutUint16(b[58:], 64)
	le.PutUint16(b[60:], uint16(1+len(names)))
	le.PutUint16(b[62:], uint16(len(names)))
	b = append(b, table...)
	b = append(b, make([]byte, 64)...) // section 0
	for _, start := range starts {
		s := make([]byte, 64)
		le.PutUint32(s, start)
		le.PutUint64(s[24:], 64)
		le.PutUint64(s[32:], uint64(len(table)))
		b = append(b, s...)
	}
	return b
}

func kernelsOf(data []byte) ([]string, error) {
	return Kernels(bytes.NewReader(data), int64(len(data)))
}

func TestKernels(t *testing.T) {
	got, err := kernelsOf(elf(".text.second", ".data.x", ".text.first", ".text", ".text.second", ".text.Intel_Symbol_Table_Void_Program", ".ze_info"))
	if want := []string{"first", "second"}; !slices.Equal(got, want) || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestKernelsErrors(t *testing.T) {
	good := elf(".text.a")
	start := len(good) - 3*64 // offset of the section headers
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"a short file", good[:63], "file too short for the ELF header: 63 bytes"},
		{"a 32-bit file", append([]byte("\x7fELF\x01\x01"), good[6:]...), "is 32-bit little-endian"},
		{"no sections", put(good, 40, 0), "has no sections"},
		{"sections past the end", put(good, 40, 1<<63), "3 section headers at 0x8000000000000000 reach past the end of the ELF file"},
		{"a truncated file", good[:len(good)-1], "reach past the end of the ELF file"},
		{"names past the sections", put32(good, 62, 3), "in section 3 of 3"},
		{"names past the end", put(good, start+2*64+32, 1<<63), "the names of the sections, 9223372036854775808 bytes"},
		{"a name past the names", put32(good, start+64, 1000), "the name of section 1 is past the end of the string table"},
		{"an unterminated name", put(good, start+2*64+32, 5+3), "the names of the sections do not end in NUL"},
		{"a name with a line break", elf(".text.a\nb"), `the name "a\nb" of section 1 contains a line break`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := kernelsOf(test.data)
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func FuzzKernels(f *testing.F) {
	f.Add(elf(".text.second", ".text.first"))
	f.Add(hsaco("second.kd", "first.kd"))
	f.Add([]byte(spirv(binary.LittleEndian, entry, 6, 1, 'k')))
	f.Add([]byte(".version 7.8\n.entry second(\n.entry first("))
	f.Fuzz(func(t *testing.T, data []byte) {
		names, err := kernelsOf(data)
		if err == nil && !slices.IsSorted(names) {
			t.Errorf("%q is not sorted", names)
		}
	})
}

// spirv returns a module with these words after the header.
func spirv(order binary.ByteOrder, words ...uint32) string {
	data := make([]byte, 0, 4*(5+len(words)))
	for _, w := range append([]uint32{0x07230203, 0x00010400, 0, 10, 0}, words...) {
		data = order.(binary.AppendByteOrder).AppendUint32(data, w)
	}
	return string(data)
}

// The first words of OpCapability, OpEntryPoint and OpFunction, which include the lengths.
const capability, entry, function = 2<<16 | 17, 4<<16 | 15, 5<<16 | 54

func TestEntryPoints(t *testing.T) {
	const shader = 5
	for _, test := range []struct {
		name, data string
		want       []string
		fault      string
	}{
		{"two kernels, sorted", spirv(binary.LittleEndian, capability, 6, entry, 6, 1, 'k', entry, 6, 2, 'a'), []string{"a", "k"}, ""},
		{"big-endian", spirv(binary.BigEndian, entry, 6, 1, 'k', function, 1, 1, 0, 2), []string{"k"}, ""},
		{"a long name with an interface", spirv(binary.LittleEndian, 7<<16|15, 6, 1, 0x65646362, 'f', 7, 8), []string{"bcdef"}, ""},
		{"a shader", spirv(binary.LittleEndian, entry, shader, 1, 'k'), nil, ""},
		{"an entry point after a function", spirv(binary.LittleEndian, function, 1, 1, 0, 2, entry, 6, 1, 'k'), nil, ""},
		{"a duplicate name", spirv(binary.LittleEndian, entry, 6, 1, 'k', entry, 6, 2, 'k'), []string{"k"}, ""},
		{"an unterminated name", spirv(binary.LittleEndian, entry, 6, 1, 0x65646362), nil, "offset 0x14: unterminated name of an entry point"},
		{"a name with a line break", spirv(binary.LittleEndian, entry, 6, 1, 0x0a61), nil, "contains a line break"},
		{"no name", spirv(binary.LittleEndian, 3<<16|15, 6, 1), nil, "an entry point has no name"},
		{"a truncated entry point", spirv(binary.LittleEndian, entry, 6), nil, "unexpected end of the SPIR-V module"},
		{"a truncated instruction", spirv(binary.LittleEndian, 9<<16|17, 6), nil, "offset 0x14: unexpected end"},
		{"an instruction without words", spirv(binary.LittleEndian, 17), nil, "0 words"},
		{"only a header", "\x03\x02\x23\x07", nil, "unexpected end"},
	} {
		names, err := kernelsOf([]byte(test.data))
		if !slices.Equal(names, test.want) {
			t.Errorf("%s: kernels %q, want %q", test.name, names, test.want)
		}
		if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.fault)
		}
	}
}

func TestHasNoKernels(t *testing.T) {
	for _, test := range []struct {
		name, data string
		want       bool
	}{
		{"SPIR-V with only a function", spirv(binary.LittleEndian, capability, 6, function, 1, 2, 0, 3), true},
		{"SPIR-V with an entry point", spirv(binary.LittleEndian, capability, 6, entry, 6, 1, 0x6b), false},
		{"empty SPIR-V", spirv(binary.BigEndian, capability, 6), true},
		{"big-endian SPIR-V with an entry point", spirv(binary.BigEndian, entry, 6, 1, 0x6b), false},
		{"SPIR-V with an instruction without words", spirv(binary.LittleEndian, 17), false},
		{"SPIR-V that ends in an instruction", spirv(binary.LittleEndian, capability), false},
		{"SPIR-V without a header", "\x03\x02\x23\x07", false},
		{"ELF with kernels", string(elf(".text.k")), false},
		{"ELF without kernels", string(elf(".text.Intel_Symbol_Table_Void_Program")), true},
		{"bitcode", "BC\xc0\xde", false},
	} {
		if got := HasNoKernels(strings.NewReader(test.data), int64(len(test.data))); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
