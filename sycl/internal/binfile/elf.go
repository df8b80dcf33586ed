package binfile

import (
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
	maxNames    = 256 << 20 // compilers put the names of symbols there too
)

// An ELF holds the contents of the headers of an ELF file.
type ELF struct {
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
	Type, Flags uint32
	Address     uint64
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

// Name returns the name of the section, in time proportional to its length.
func (s Section) Name() string {
	name, _, _ := strings.Cut(s.names, "\x00")
	return name
}

// ShortName returns the name of the section, and whether its length is at most most bytes.
func (s Section) ShortName(most int) (string, bool) {
	name, _, ok := strings.Cut(s.names[:min(most+1, len(s.names))], "\x00")
	return name, ok || len(s.names) == 0
}

// HasPrefix reports whether the name starts with a prefix.
func (s Section) HasPrefix(prefix string) bool { return strings.HasPrefix(s.names, prefix) }

// An ELFError is an error in a file, with its location.
type ELFError struct {
	Offset int64
	Msg    string
	Fix    string // what to do about the file
}

func (e *ELFError) Error() string { return fmt.Sprintf("ELF: offset %#x: %s", e.Offset, e.Msg) }

// BadInput marks the error as caused by an input file.
func (*ELFError) BadInput() {}

func errorf(offset int64, format string, args ...any) error {
	return &ELFError{offset, fmt.Sprintf(format, args...), Damaged}
}

// truncatedf is errorf for truncated files.
func truncatedf(offset int64, format string, args ...any) error {
	return &ELFError{offset, fmt.Sprintf(format, args...), Cut}
}

// ReadELF reads the headers of the ELF file in r, which has size bytes. Errors in the file are of
// type [*ELFError]. 32-bit and big-endian files are rejected with a specific message.
//
// It checks all sizes and offsets of headers and section names, but not the contents of segments
// and sections: see [Range].
func ReadELF(r io.ReaderAt, size int64) (*ELF, error) {
	p := parser{r, size}
	var head [headerSize]byte
	if size < 6 {
		return nil, truncatedf(0, "file too short for an ELF file: %d bytes", size)
	}
	if err := p.read(head[:min(size, headerSize)], 0, "the ELF header"); err != nil {
		return nil, err
	}
	switch {
	case string(head[:4]) != "\x7fELF":
		return nil, errorf(0, "not an ELF file")
	case head[4] != 2 || head[5] != 1:
		return nil, &ELFError{4, variant(head[4], head[5]) + "; only 64-bit little-endian files are supported", Unsupported}
	case size < headerSize:
		return nil, truncatedf(0, "file too short for the ELF header: %d bytes, want %d", size, headerSize)
	}
	h := Buf(head[16:])
	f := &ELF{Type: h.Uint16(), Machine: h.Uint16()}
	h.Skip(4 + 8) // the version and the entry point
	segments := table{what: "program headers", start: h.Uint64(), field: 32, want: segmentSize}
	sections := table{what: "section headers", start: h.Uint64(), field: 40, want: sectionSize}
	h.Skip(4 + 2) // the flags and the size of this header
	segments.size, segments.count = h.Uint16(), uint64(h.Uint16())
	sections.size, sections.count = h.Uint16(), uint64(h.Uint16())
	names := uint64(h.Uint16())
	if err := p.segments(f, segments); err != nil {
		return nil, err
	}
	return f, p.sections(f, sections, names)
}

func variant(class, order byte) string {
	bits, ok := map[byte]string{1: "32-bit", 2: "64-bit"}[class]
	endian, known := map[byte]string{1: "little-endian", 2: "big-endian"}[order]
	if !ok || !known {
		return fmt.Sprintf("the ELF file has class %d and byte order %d", class, order)
	}
	return "the ELF file is " + bits + " " + endian
}

type parser struct {
	r    io.ReaderAt
	size int64
}

// A table is a list of headers, as described in the file header.
type table struct {
	what  string
	start uint64
	field int64 // offset of the start in the header of the file
	size  uint16
	want  uint16 // the usual size
	count uint64
}

// segments reads the program headers.
func (p parser) segments(f *ELF, t table) error {
	if t.count == 0 {
		return nil
	}
	raw, err := p.table(t)
	if err != nil {
		return err
	}
	f.Segments = make([]Segment, t.count)
	for i := range f.Segments {
		h, s := raw.Sub(segmentSize), &f.Segments[i]
		s.Header = int64(t.start) + int64(i)*segmentSize
		s.Type, s.Flags = h.Uint32(), h.Uint32()
		s.Offset, s.Address = h.Uint64(), h.Uint64()
		h.Skip(8) // the physical address
		s.Size = h.Uint64()
	}
	return nil
}

// sections reads the section headers and the names, which one of the sections holds.
func (p parser) sections(f *ELF, t table, names uint64) error {
	if t.start == 0 {
		return nil // no section headers
	}
	// Numbers that do not fit into the file header are in section header 0.
	if t.count == 0 || names == 0xffff {
		first := t
		first.count = 1
		raw, err := p.table(first)
		if err != nil {
			return err
		}
		raw.Skip(32)
		if size := raw.Uint64(); t.count == 0 {
			t.count = size
		}
		if link := raw.Uint32(); names == 0xffff {
			names = uint64(link)
		}
	}
	if t.count > maxSections {
		return errorf(60, "the ELF file has %d sections (limit %d)", t.count, maxSections)
	}
	raw, err := p.table(t)
	if err != nil {
		return err
	}
	f.Sections = make([]Section, t.count)
	starts := make([]uint32, t.count) // of the names
	for i := range f.Sections {
		h, s := raw.Sub(sectionSize), &f.Sections[i]
		s.Header = int64(t.start) + int64(i)*sectionSize
		starts[i], s.Type, s.Flags = h.Uint32(), h.Uint32(), h.Uint64()
		h.Skip(8) // the address
		s.Offset, s.Size, s.Link, s.Info = h.Uint64(), h.Uint64(), h.Uint32(), h.Uint32()
	}
	if names == 0 || t.count == 0 {
		return nil // sections without names
	}
	if names >= t.count {
		return errorf(62, "the names of the sections are in section %d of %d", names, t.count)
	}
	return p.nameSections(f, starts, f.Sections[names])
}

// nameSections sets the names of the sections from their offsets into a table.
func (p parser) nameSections(f *ELF, starts []uint32, table Section) error {
	text, err := p.names(table)
	if err != nil {
		return err
	}
	for i, start := range starts {
		s, at := &f.Sections[i], uint64(start)
		if at > uint64(len(text)) || at == uint64(len(text)) && at > 0 {
			return errorf(s.Header, "the name of section %d is past the end of the string table", i)
		}
		s.names = text[at:]
	}
	return nil
}

// names reads the table of names and checks that every name is terminated.
func (p parser) names(s Section) (string, error) {
	const what = "the names of the sections"
	switch {
	case s.Offset > uint64(p.size) || s.Size > uint64(p.size)-s.Offset:
		return "", truncatedf(s.Header, "%s, %d bytes at %#x, reach past the end of the ELF file at %#x", what, s.Size, s.Offset, p.size)
	case s.Size > maxNames:
		return "", errorf(s.Header, "%s have %d bytes (limit %d)", what, s.Size, maxNames)
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

// table reads headers, which must have the usual size.
func (p parser) table(t table) (Buf, error) {
	if t.size != t.want {
		return nil, errorf(t.field, "the size of the %s is %d, want %d", t.what, t.size, t.want)
	}
	if size := t.count * uint64(t.want); t.start > uint64(p.size) || size > uint64(p.size)-t.start { // the count is at most maxSections
		return nil, truncatedf(t.field, "the %d %s at %#x reach past the end of the ELF file at %#x", t.count, t.what, t.start, p.size)
	}
	raw := make([]byte, t.count*uint64(t.want))
	return raw, p.read(raw, int64(t.start), "the "+t.what)
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
	return truncatedf(offset, "%s ends early", what)
}
