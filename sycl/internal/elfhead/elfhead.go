// Package elfhead reads the headers of ELF files, of programs and objects for the
// host as well as of device images: what the file is, and where its segments and
// sections are. Files of 32 bits and big-endian ones are refused by name.
//
// Everything that a header says about sizes and places of headers and of the names
// of sections is checked. What it says about the content of segments and sections
// is not: see [Range].
package elfhead

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	headerSize  = 64
	segmentSize = 56
	sectionSize = 64

	maxSections = 1 << 20
	maxNames    = 256 << 20 // compilers put the names of symbols there, too
)

// A File is what the headers of a file say.
type File struct {
	Type, Machine uint16
	Segments      []Segment
	Sections      []Section
}

// A Range is a part of the file, which may reach past its end.
type Range struct {
	Offset, Size uint64
	Header       int64 // offset of the header with these numbers, for messages
}

// A Segment is a program header.
type Segment struct {
	Type    uint32
	Address uint64
	Range
}

// A Section is a section header.
type Section struct {
	Type       uint32
	Flags      uint64
	Link, Info uint32
	Range

	names string // from the name on, with a NUL somewhere
}

// Name returns the name of the section. It takes as long as the name is.
func (s Section) Name() string {
	name, _, _ := strings.Cut(s.names, "\x00")
	return name
}

// HasPrefix reports whether the name starts with a prefix.
func (s Section) HasPrefix(prefix string) bool { return strings.HasPrefix(s.names, prefix) }

// A FormatError is a fault of a file, and where it is.
type FormatError struct {
	Offset int64
	Msg    string
}

func (e *FormatError) Error() string { return fmt.Sprintf("ELF: offset %#x: %s", e.Offset, e.Msg) }

// BadInput marks errors that are the fault of an input file.
func (*FormatError) BadInput() {}

func errorf(offset int64, format string, args ...any) error {
	return &FormatError{offset, fmt.Sprintf(format, args...)}
}

var le = binary.LittleEndian

// Read reads the headers of the file in r, which has size bytes. Errors in the
// content are of type [*FormatError].
func Read(r io.ReaderAt, size int64) (*File, error) {
	p := parser{r, size}
	var head [headerSize]byte
	if size < 6 {
		return nil, errorf(0, "%d bytes are too few for an ELF file", size)
	}
	if err := p.read(head[:min(size, headerSize)], 0, "the ELF header"); err != nil {
		return nil, err
	}
	switch {
	case string(head[:4]) != "\x7fELF":
		return nil, errorf(0, "not an ELF file")
	case head[4] != 2 || head[5] != 1:
		return nil, errorf(4, "%s; only 64-bit little-endian ones are supported", variant(head[4], head[5]))
	case size < headerSize:
		return nil, errorf(0, "%d bytes are too few for the ELF header, which has %d", size, headerSize)
	}
	f := &File{Type: le.Uint16(head[16:]), Machine: le.Uint16(head[18:])}
	if count := uint64(le.Uint16(head[56:])); count > 0 {
		start := le.Uint64(head[32:])
		raw, err := p.table("program headers", start, le.Uint16(head[54:]), segmentSize, count, 32)
		if err != nil {
			return nil, err
		}
		f.Segments = make([]Segment, count)
		for i := range f.Segments {
			h := raw[i*segmentSize:]
			f.Segments[i] = Segment{
				Type: le.Uint32(h), Address: le.Uint64(h[16:]),
				Range: Range{le.Uint64(h[8:]), le.Uint64(h[32:]), int64(start) + int64(i)*segmentSize},
			}
		}
	}
	return f, p.sections(f, head[:])
}

func variant(class, order byte) string {
	bits, ok := map[byte]string{1: "32-bit", 2: "64-bit"}[class]
	endian, known := map[byte]string{1: "little-endian", 2: "big-endian"}[order]
	if !ok || !known {
		return fmt.Sprintf("the ELF file has class %d and byte order %d", class, order)
	}
	return "the ELF file is a " + bits + " " + endian + " one"
}

type parser struct {
	r    io.ReaderAt
	size int64
}

// sections reads the section headers and the names.
func (p parser) sections(f *File, head []byte) error {
	start, entry := le.Uint64(head[40:]), le.Uint16(head[58:])
	count, names := uint64(le.Uint16(head[60:])), uint64(le.Uint16(head[62:]))
	if start == 0 {
		return nil // no section headers
	}
	const what = "section headers"
	// Numbers that do not fit into the header are in section 0.
	if count == 0 || names == 0xffff {
		first, err := p.table(what, start, entry, sectionSize, 1, 40)
		if err != nil {
			return err
		}
		if count == 0 {
			count = le.Uint64(first[32:])
		}
		if names == 0xffff {
			names = uint64(le.Uint32(first[40:]))
		}
	}
	if count > maxSections {
		return errorf(60, "the ELF file has %d sections, more than %d", count, maxSections)
	}
	raw, err := p.table(what, start, entry, sectionSize, count, 40)
	if err != nil {
		return err
	}
	f.Sections = make([]Section, count)
	for i := range f.Sections {
		h := raw[i*sectionSize:]
		f.Sections[i] = Section{
			Type: le.Uint32(h[4:]), Flags: le.Uint64(h[8:]), Link: le.Uint32(h[40:]), Info: le.Uint32(h[44:]),
			Range: Range{le.Uint64(h[24:]), le.Uint64(h[32:]), int64(start) + int64(i)*sectionSize},
		}
	}
	if names == 0 || count == 0 {
		return nil // sections without names
	}
	if names >= count {
		return errorf(62, "the names of the sections are in section %d of %d", names, count)
	}
	text, err := p.names(f.Sections[names])
	if err != nil {
		return err
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		at := uint64(le.Uint32(raw[i*sectionSize:]))
		if at > uint64(len(text)) || at == uint64(len(text)) && at > 0 {
			return errorf(s.Header, "the name of section %d is past the end of the names", i)
		}
		s.names = text[at:]
	}
	return nil
}

// names reads the table of names, in which every name ends.
func (p parser) names(s Section) (string, error) {
	const what = "the names of the sections"
	switch {
	case s.Offset > uint64(p.size) || s.Size > uint64(p.size)-s.Offset:
		return "", errorf(s.Header, "%s, %d bytes at %#x, reach past the end of the ELF file at %#x", what, s.Size, s.Offset, p.size)
	case s.Size > maxNames:
		return "", errorf(s.Header, "%s have %d bytes, more than %d", what, s.Size, maxNames)
	}
	var b strings.Builder
	n, err := io.Copy(&b, io.NewSectionReader(p.r, int64(s.Offset), int64(s.Size)))
	switch {
	case err != nil:
		return "", err
	case uint64(n) < s.Size:
		return "", early(int64(s.Offset)+n, what)
	case n > 0 && !strings.HasSuffix(b.String(), "\x00"):
		return "", errorf(int64(s.Offset), "%s do not end in NUL", what)
	}
	return b.String(), nil
}

// table reads headers, whose size has to be the usual one.
func (p parser) table(what string, start uint64, entry, want uint16, count uint64, at int64) ([]byte, error) {
	if entry != want {
		return nil, errorf(at, "the size of the %s is %d instead of %d", what, entry, want)
	}
	if size := count * uint64(want); start > uint64(p.size) || size > uint64(p.size)-start { // count is at most maxSections
		return nil, errorf(at, "the %d %s at %#x reach past the end of the ELF file at %#x", count, what, start, p.size)
	}
	raw := make([]byte, count*uint64(want))
	return raw, p.read(raw, int64(start), "the "+what)
}

func (p parser) read(b []byte, offset int64, what string) error {
	n, err := p.r.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return early(offset+int64(n), what)
	}
	return err
}

func early(offset int64, what string) error {
	return errorf(offset, "%s ends early: the file is shorter than it was said to be", what)
}
