package binfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// file returns an ELF file with one segment and with sections with these names. The last section
// contains the names.
func file(names ...string) []byte {
	names = append(append([]string{""}, names...), ".shstrtab")
	table := strings.Join(names, "\x00") + "\x00"
	b := make([]byte, headerSize+segmentSize)
	copy(b, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(b[16:], 3)
	binary.LittleEndian.PutUint16(b[18:], 62)
	binary.LittleEndian.PutUint64(b[32:], headerSize)
	binary.LittleEndian.PutUint64(b[40:], uint64(len(b)+len(table)))
	binary.LittleEndian.PutUint16(b[54:], segmentSize)
	binary.LittleEndian.PutUint16(b[56:], 1)
	binary.LittleEndian.PutUint16(b[58:], sectionSize)
	binary.LittleEndian.PutUint16(b[60:], uint16(len(names)))
	binary.LittleEndian.PutUint16(b[62:], uint16(len(names)-1))
	segment := b[headerSize:]
	binary.LittleEndian.PutUint32(segment, 1)
	binary.LittleEndian.PutUint64(segment[8:], 0x10)
	binary.LittleEndian.PutUint64(segment[16:], 0x4010)
	binary.LittleEndian.PutUint64(segment[32:], 0x20)
	start := len(b)
	b = append(b, table...)
	at := 0
	for i, name := range names {
		h := make([]byte, sectionSize)
		binary.LittleEndian.PutUint32(h, uint32(at))
		binary.LittleEndian.PutUint32(h[4:], uint32(i))
		binary.LittleEndian.PutUint64(h[8:], 2)
		binary.LittleEndian.PutUint64(h[24:], uint64(start))
		binary.LittleEndian.PutUint64(h[32:], uint64(len(table)))
		binary.LittleEndian.PutUint32(h[40:], 7)
		binary.LittleEndian.PutUint32(h[44:], 8)
		b = append(b, h...)
		at += len(name) + 1
	}
	return b
}

func read(data []byte) (*ELF, error) { return ReadELF(bytes.NewReader(data), int64(len(data))) }

// describe returns the names of sections with their types.
func describe(f *ELF) string {
	var out []string
	for _, s := range f.Sections {
		out = append(out, fmt.Sprintf("%s:%d", s.Name(), s.Type))
	}
	return strings.Join(out, " ")
}

func TestRead(t *testing.T) {
	data := file(".text.a", ".data")
	f, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Segment{{1, 0, 0x4010, Range{0x10, 0x20, headerSize}}}; f.Type != 3 || f.Machine != 62 || !slices.Equal(f.Segments, want) {
		t.Errorf("type %d, machine %d, segments %+v", f.Type, f.Machine, f.Segments)
	}
	if got := describe(f); got != ":0 .text.a:1 .data:2 .shstrtab:3" {
		t.Errorf("sections %s", got)
	}
	s := f.Sections[1]
	if s.Flags != 2 || s.Link != 7 || s.Info != 8 || s.Offset != headerSize+segmentSize || s.Header != int64(len(data)-3*sectionSize) {
		t.Errorf("section %+v", s)
	}
	if !s.HasPrefix(".text.") || s.HasPrefix(".text.b") {
		t.Error("HasPrefix is wrong")
	}
}

// TestLargeNumbers checks numbers that do not fit into the header and are in section 0.
func TestLargeNumbers(t *testing.T) {
	data := file(".text")
	first := len(data) - 3*sectionSize
	copy(data[60:], []byte{0, 0, 0xff, 0xff})
	binary.LittleEndian.PutUint64(data[first+32:], 3)
	binary.LittleEndian.PutUint32(data[first+40:], 2)
	f, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(f); got != ":0 .text:1 .shstrtab:2" {
		t.Errorf("sections %s", got)
	}
}

func TestWithoutSections(t *testing.T) {
	unnamed := file(".text")
	copy(unnamed[62:], []byte{0, 0})
	if f, err := read(unnamed); err != nil || describe(f) != ":0 :1 :2" {
		t.Errorf("sections without names: %v", err)
	}
	none := file(".text")
	clear(none[40:48])
	if f, err := read(none); err != nil || len(f.Sections) != 0 || len(f.Segments) != 1 {
		t.Errorf("no sections: %v", err)
	}
}

func TestReadErrors(t *testing.T) {
	good := file(".text.a")
	names := len(good) - sectionSize // header of the section of names
	put := func(offset int, b ...byte) []byte {
		data := bytes.Clone(good)
		copy(data[offset:], b)
		return data
	}
	put64 := func(offset int, v uint64) []byte { return put(offset, binary.LittleEndian.AppendUint64(nil, v)...) }
	tests := []struct {
		name   string
		data   []byte
		offset int64
		want   string
	}{
		{"nothing", nil, 0, "file too short for an ELF file: 0 bytes"},
		{"a different file type", put(0, 'M', 'Z'), 0, "not an ELF file"},
		{"32 bits", put(4, 1), 4, "the ELF file is 32-bit little-endian; only 64-bit little-endian files are supported"},
		{"big-endian", put(5, 2), 4, "the ELF file is 64-bit big-endian"},
		{"a short file of 32 bits", put(4, 1)[:52], 4, "32-bit"},
		{"no class", put(4, 0), 4, "the ELF file has class 0 and byte order 1"},
		{"a short header", good[:63], 0, "file too short for the ELF header: 63 bytes"},
		{"program headers of a different size", put(54, 1), 32, "the size of the program headers is 1, want 56"},
		{"program headers past the end", put64(32, 1<<63), 32, "the 1 program headers at 0x8000000000000000 reach past the end"},
		{"section headers of a different size", put(58, 1), 40, "the size of the section headers is 1, want 64"},
		{"section headers past the end", put64(40, 1<<64-64), 40, "section headers at 0xffffffffffffffc0 reach past the end"},
		{"too many sections", put(60, 0, 0), 60, "(limit 1048576)"},
		{"missing section of names", put(62, 3), 62, "in section 3 of 3"},
		{"names past the end", put64(names+24, 1<<63), int64(names), "the names of the sections, 19 bytes"},
		{"too many names", put64(names+32, 1<<63), int64(names), "reach past the end"},
		{"a name past the names", put(names, 19), int64(names), "the name of section 2 is past the end of the string table"},
		{"an unterminated name", put64(names+32, 5), headerSize + segmentSize, "do not end in NUL"},
	}
	binary.LittleEndian.PutUint64(tests[11].data[len(good)-3*sectionSize+32:], maxSections+1)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(test.data)
			var fault *ELFError
			if !errors.As(err, &fault) || !strings.Contains(fault.Msg, test.want) || fault.Offset != test.offset {
				t.Errorf("error %v, want %q at %#x", err, test.want, test.offset)
			}
		})
	}
	var fault *ELFError
	if _, err := ReadELF(bytes.NewReader(good[:len(good)-1]), int64(len(good))); !errors.As(err, &fault) || !strings.Contains(fault.Msg, "ends early") {
		t.Errorf("truncated file: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(".text.a", ".data"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := read(data)
		if err != nil {
			if fault := (*ELFError)(nil); !errors.As(err, &fault) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, s := range file.Sections {
			if name := s.Name(); !s.HasPrefix(name) || strings.Contains(name, "\x00") {
				t.Errorf("name %q", name)
			}
			if s.Header < 0 || s.Header > int64(len(data))-sectionSize {
				t.Errorf("header at %#x, beyond the size %#x", s.Header, len(data))
			}
		}
	})
}

func TestShortName(t *testing.T) {
	f, err := read(file(".text", ".text.long"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range f.Sections {
		if name, ok := s.ShortName(5); ok {
			got = append(got, name)
		}
	}
	if want := []string{"", ".text"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if name, ok := (Section{}).ShortName(5); name != "" || !ok {
		t.Errorf("section without a name: %q, %v", name, ok)
	}
}
