package offload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/inflate"
)

// What one call of NewFile or ReadAll keeps in memory at most, whatever the
// input claims. Containers of compilers stay far below.
const (
	maxEntries     = 1 << 18 // entries and containers together
	maxStrings     = 1 << 20
	maxStringBytes = 64 << 20 // of distinct strings
	maxInflated    = inflate.Most
)

// NewFile reads the container at the start of r, which has size bytes. What
// follows the container is not looked at; see [ReadAll].
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	return newFile(r, 0, size, new(budget))
}

// ReadAll reads containers that follow one another until the end of r.
func ReadAll(r io.ReaderAt, size int64) ([]*File, error) {
	var files []*File
	spent := new(budget)
	for offset := int64(0); offset < size || offset == 0; {
		f, err := newFile(r, offset, size-offset, spent)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		end := offset + f.Size
		next, _ := align(f.Size)
		if next = min(offset+next, size); next > end {
			padding := make([]byte, next-end)
			if err := readAt(r, padding, end); err != nil {
				return nil, err
			}
			if i := slices.IndexFunc(padding, func(b byte) bool { return b != 0 }); i >= 0 {
				return nil, &FormatError{end + int64(i), "bytes other than 0 between the end of a container and the next multiple of 8"}
			}
		}
		offset = next
	}
	return files, nil
}

// A budget counts what was spent of the limits.
type budget struct {
	entries, strings       int
	stringBytes, inflation int64
}

func newFile(r io.ReaderAt, offset, size int64, spent *budget) (*File, error) {
	p := parser{
		base: offset, size: size, spent: spent,
		r:    io.NewSectionReader(r, offset, size),
		file: &File{Offset: offset},
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.file, nil
}

type parser struct {
	file  *File
	r     io.ReaderAt // the container, and what follows it
	base  int64       // of the container in its file, for errors
	size  int64       // of r, then of the inflated container
	spent *budget

	parts   []part            // that must not overlap
	strings map[extent]string // read so far: most are shared
}

type extent struct{ offset, size int64 }

// A part is a range of the container and what it is for.
type part struct {
	extent
	what string
	i    int // of the entry, -1 for the container's own parts
}

func (p part) String() string {
	if p.i < 0 {
		return p.what
	}
	return fmt.Sprintf("%s %d", p.what, p.i)
}

func (p *parser) errorf(offset int64, format string, args ...any) error {
	return &FormatError{p.base + offset, fmt.Sprintf(format, args...)}
}

// parse reads the header, inflates the rest if need be, and reads the entries.
func (p *parser) parse() error {
	var header [40]byte
	have := min(p.size, int64(len(header)))
	if err := p.readAt(header[:have], 0); err != nil {
		return err
	}
	switch {
	case have >= 4 && string(header[:4]) != Magic:
		return p.errorf(0, "starts with %x, not with the magic bytes %x of an offload binary", header[:4], Magic)
	case have < headerSize(1):
		return p.errorf(0, "%d bytes are too few for the header, which has %d", have, headerSize(1))
	}
	f := p.file
	f.Version = binary.LittleEndian.Uint32(header[4:])
	if f.Version < 1 || f.Version > 3 {
		return p.errorf(4, "the version is %d; supported are 1, 2 and 3", f.Version)
	}
	head := headerSize(f.Version)
	if have < head {
		return p.errorf(0, "%d bytes are too few for the header, which has %d in version %d", have, head, f.Version)
	}
	stored, err := p.number(header[8:], 8, "size of the container")
	if err != nil {
		return err
	}
	switch {
	case stored < head:
		return p.errorf(8, "the size of the container, %d, is less than that of its header, %d", stored, head)
	case stored > p.size:
		return p.errorf(8, "the size of the container is %d, but only %d bytes are there: the file was cut short", stored, p.size)
	}
	p.size = stored
	f.Size = stored

	table, err := p.number(header[16:], 16, "offset of the entries")
	if err != nil {
		return err
	}
	if table < head {
		return p.errorf(16, "the entries, at %#x, overlap the header of %d bytes", table, head)
	}
	count, err := p.number(header[24:], 24, "number of entries")
	if err != nil {
		return err
	}
	if f.Version == 1 {
		if count != entrySize {
			return p.errorf(24, "the size of an entry is %d instead of %d", count, entrySize)
		}
		count = 1
	}
	if f.Version >= 3 {
		f.Inflated, err = p.number(header[32:], 32, "inflated size")
		if err != nil {
			return err
		}
		if f.Inflated != 0 {
			// LLVM compresses from the entries on, which follow the header.
			if table != head {
				return p.errorf(16, "the entries of a compressed container are at %#x, not behind the header at %#x", table, head)
			}
			if err := p.inflate(header[:head]); err != nil {
				return err
			}
		}
	}
	if table > p.size || count > (p.size-table)/entrySize {
		return p.errorf(16, "%d entries at %#x reach past the end of the container at %#x", count, table, p.size)
	}
	p.spent.entries += 1 + int(min(count, maxEntries))
	if p.spent.entries > maxEntries {
		return p.errorf(24, "more than %d entries", maxEntries)
	}
	p.part("the header", -1, 0, head)
	p.part("the table of entries", -1, table, count*entrySize)
	p.strings = make(map[extent]string)
	for i := range count {
		if err := p.entry(int(i), table+i*entrySize); err != nil {
			return err
		}
	}
	return p.overlap()
}

// number reads a 64-bit number that has to be a size, an offset or a count.
func (p *parser) number(b []byte, offset int64, what string) (int64, error) {
	n := binary.LittleEndian.Uint64(b)
	if n >= 1<<63 {
		return 0, p.errorf(offset, "the %s, %d, is beyond any file", what, n)
	}
	return int64(n), nil
}

func (p *parser) part(what string, i int, offset, size int64) {
	if size > 0 {
		p.parts = append(p.parts, part{extent{offset, size}, what, i})
	}
}

// overlap reports parts that share bytes.
func (p *parser) overlap() error {
	slices.SortStableFunc(p.parts, func(a, b part) int {
		switch {
		case a.offset < b.offset:
			return -1
		case a.offset > b.offset:
			return 1
		}
		return 0
	})
	for i := 1; i < len(p.parts); i++ {
		if a, b := p.parts[i-1], p.parts[i]; a.offset+a.size > b.offset {
			return p.errorf(b.offset, "%v overlaps %v", b, a)
		}
	}
	return nil
}

func (p *parser) entry(i int, offset int64) error {
	var raw [entrySize]byte
	if err := p.readAt(raw[:], offset); err != nil {
		return err
	}
	var field [4]int64 // offset and number of strings, offset and size of the image
	for j, what := range []string{"offset of the strings", "number of strings", "offset of the image", "size of the image"} {
		n, err := p.number(raw[8+8*j:], offset+8+8*int64(j), what)
		if err != nil {
			return err
		}
		field[j] = n
	}
	e := &Entry{
		ImageKind:   ImageKind(binary.LittleEndian.Uint16(raw[0:])),
		OffloadKind: OffloadKind(binary.LittleEndian.Uint16(raw[2:])),
		Flags:       binary.LittleEndian.Uint32(raw[4:]),
		Offset:      field[2],
		size:        field[3],
	}
	if e.Offset > p.size || e.size > p.size-e.Offset {
		return p.errorf(offset+24, "the image of entry %d, %d bytes at %#x, reaches past the end of the container at %#x", i, e.size, e.Offset, p.size)
	}
	e.ReaderAt = io.NewSectionReader(p.r, e.Offset, e.size)
	p.part("the image of entry", i, e.Offset, e.size)

	table, count, size := field[0], field[1], stringEntrySize(p.file.Version)
	if table > p.size || count > (p.size-table)/size {
		return p.errorf(offset+8, "the %d strings of entry %d, listed at %#x, reach past the end of the container at %#x", count, i, table, p.size)
	}
	p.spent.strings += int(min(count, maxStrings+1))
	if p.spent.strings > maxStrings {
		return p.errorf(offset+16, "more than %d strings", maxStrings)
	}
	p.part("the string list of entry", i, table, count*size)
	for j := range count {
		s, err := p.pair(table + j*size)
		if err != nil {
			return err
		}
		e.Strings = append(e.Strings, s)
	}
	p.file.Entries = append(p.file.Entries, e)
	return nil
}

// pair reads one key and value.
func (p *parser) pair(offset int64) (s String, err error) {
	var raw [stringSize]byte
	size := stringEntrySize(p.file.Version)
	if err := p.readAt(raw[:size], offset); err != nil {
		return s, err
	}
	key, err := p.number(raw[0:], offset, "offset of a key")
	if err != nil {
		return s, err
	}
	value, err := p.number(raw[8:], offset+8, "offset of a value")
	if err != nil {
		return s, err
	}
	if s.Key, err = p.text(offset, key, "key"); err != nil {
		return s, err
	}
	if p.file.Version == 1 {
		s.Value, err = p.text(offset+8, value, "value of "+quote(s.Key))
		return s, err
	}
	length, err := p.number(raw[16:], offset+16, "size of a value")
	if err != nil {
		return s, err
	}
	if value > p.size || length > p.size-value {
		return s, p.errorf(offset+8, "the value of %s, %d bytes at %#x, reaches past the end of the container at %#x", quote(s.Key), length, value, p.size)
	}
	at := extent{value, length}
	if text, ok := p.strings[at]; ok {
		s.Value = text
		return s, nil
	}
	if err := p.spend(offset+16, length); err != nil {
		return s, err
	}
	text := make([]byte, length)
	if err := p.readAt(text, value); err != nil {
		return s, err
	}
	s.Value = string(text)
	p.strings[at] = s.Value
	return s, nil
}

// text reads a string that ends in NUL. The field at from says that it is at
// offset.
func (p *parser) text(from, offset int64, what string) (string, error) {
	at := extent{offset, -1}
	if s, ok := p.strings[at]; ok {
		return s, nil
	}
	if offset >= p.size {
		return "", p.errorf(from, "the %s, at %#x, is past the end of the container at %#x", what, offset, p.size)
	}
	var b strings.Builder
	var buf [64]byte
	for pos := offset; pos < p.size; pos += int64(len(buf)) {
		chunk := buf[:min(int64(len(buf)), p.size-pos)]
		if err := p.readAt(chunk, pos); err != nil {
			return "", err
		}
		end := slices.Index(chunk, 0)
		if end < 0 {
			if err := p.spend(from, int64(len(chunk))); err != nil {
				return "", err
			}
			b.Write(chunk)
			continue
		}
		if err := p.spend(from, int64(end)); err != nil {
			return "", err
		}
		b.Write(chunk[:end])
		p.strings[at] = b.String()
		return b.String(), nil
	}
	return "", p.errorf(from, "the %s, at %#x, does not end before the container does", what, offset)
}

func (p *parser) spend(offset, n int64) error {
	if n > maxStringBytes-p.spent.stringBytes {
		return p.errorf(offset, "more than %d bytes of strings", maxStringBytes)
	}
	p.spent.stringBytes += n
	return nil
}

// readAt fills b from the container.
func (p *parser) readAt(b []byte, offset int64) error {
	err := readAt(p.r, b, offset)
	var short *FormatError
	if errors.As(err, &short) {
		short.Offset += p.base
	}
	return err
}

func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return &FormatError{offset + int64(n), "the file ended while it was read"}
	}
	return fmt.Errorf("offload binary: offset %#x: %w", offset, err)
}

// quote makes text from a file fit for a message.
func quote(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%.64q...", s)
	}
	return fmt.Sprintf("%q", s)
}
