package offload

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Limits on what one call of ReadAll keeps in memory, regardless of the numbers in the input.
// Containers from compilers stay far below them.
const (
	maxEntries     = 1 << 18 // entries and containers together
	maxStrings     = 1 << 20
	maxStringBytes = 64 << 20 // of distinct strings
	maxInflated    = binfile.MaxInflated
)

// ReadAll reads the containers in r, which has size bytes: one, or several in sequence. Errors in
// the content are of type [*FormatError].
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
		next := align(f.Size)
		if next = min(offset+next, size); next > end {
			padding := make([]byte, next-end)
			if err := readAt(r, padding, end); err != nil {
				return nil, err
			}
			if i := slices.IndexFunc(padding, func(b byte) bool { return b != 0 }); i >= 0 {
				return nil, &FormatError{end + int64(i), "bytes other than 0 between the end of a container and the next multiple of 8", binfile.Damaged}
			}
		}
		offset = next
	}
	return files, nil
}

// A budget tracks how much of the limits has been used.
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
	r     io.ReaderAt // the container and everything after it
	base  int64       // of the container in its file, for errors
	size  int64       // of r, then of the inflated container
	spent *budget

	parts   []part            // that must not overlap
	strings map[extent]string // read so far, because most are shared
}

type extent struct{ offset, size int64 }

// A part is a range of the container and its purpose.
type part struct {
	extent
	what string
	i    int // of the entry, or -1 for the container's own parts
}

func (p part) String() string {
	if p.i < 0 {
		return p.what
	}
	return fmt.Sprintf("%s %d", p.what, p.i)
}

func (p *parser) errorf(offset int64, format string, args ...any) error {
	return &FormatError{p.base + offset, fmt.Sprintf(format, args...), binfile.Damaged}
}

// truncatedf is errorf for a truncated file.
func (p *parser) truncatedf(offset int64, format string, args ...any) error {
	return &FormatError{p.base + offset, fmt.Sprintf(format, args...), binfile.Cut}
}

// parse reads the header, inflates the rest if necessary, and reads the entries.
func (p *parser) parse() error {
	var buffer [40]byte
	raw, err := p.rawHeader(buffer[:])
	if err != nil {
		return err
	}
	h, err := p.header(raw)
	if err != nil {
		return err
	}
	p.size, p.file.Size, p.file.Inflated = h.size, h.size, h.inflated
	if h.inflated != 0 {
		if err := p.inflate(raw); err != nil {
			return err
		}
	}
	return p.entries(h, int64(len(raw)))
}

// rawHeader reads the header into the buffer, which has room for any version.
func (p *parser) rawHeader(buffer []byte) ([]byte, error) {
	have := min(p.size, int64(len(buffer)))
	if err := p.readAt(buffer[:have], 0); err != nil {
		return nil, err
	}
	switch {
	case have >= 4 && string(buffer[:4]) != Magic:
		return nil, p.errorf(0, "starts with %x, not with the magic bytes %x of an offload binary", buffer[:4], Magic)
	case have < headerSize(1):
		return nil, p.truncatedf(0, "file too short for the header: %d bytes, want %d", have, headerSize(1))
	}
	version := binary.LittleEndian.Uint32(buffer[4:])
	p.file.Version = version
	switch need := headerSize(version); {
	case version < 1 || version > 3:
		return nil, &FormatError{p.base + 4, fmt.Sprintf("unsupported version %d; expected 1, 2 or 3", version), binfile.Unsupported}
	case have < need:
		return nil, p.truncatedf(0, "file too short for the header: %d bytes, want %d in version %d", have, need, version)
	default:
		return buffer[:need], nil
	}
}

// A header holds the header fields after the version.
type header struct {
	size         int64 // of the container as it is stored
	table, count int64 // of the entries
	inflated     int64 // 0 if the container is not compressed
}

// header reads the fields after the version.
func (p *parser) header(raw []byte) (header, error) {
	length := int64(len(raw))
	f := fields{binfile.Buf(raw[8:]), p, length, nil}
	h := header{
		size:  f.number("size of the container"),
		table: f.number("offset of the entries"),
		count: f.number("number of entries"),
	}
	if len(f.Buf) > 0 {
		h.inflated = f.number("inflated size")
	}
	switch {
	case f.err != nil:
		return h, f.err
	case h.size < length:
		return h, p.errorf(8, "the size of the container, %d, is smaller than its header, %d", h.size, length)
	case h.size > p.size:
		return h, p.truncatedf(8, "the size of the container is %d, but there are only %d bytes", h.size, p.size)
	case h.table < length:
		return h, p.errorf(16, "the entries, at %#x, overlap the header of %d bytes", h.table, length)
	case h.inflated != 0 && h.table != length: // LLVM compresses everything after the header, starting with the entries
		return h, p.errorf(16, "the entries of a compressed container are at %#x, not after the header at %#x", h.table, length)
	}
	if p.file.Version == 1 {
		if h.count != entrySize {
			return h, p.errorf(24, "the size of an entry is %d, want %d", h.count, entrySize)
		}
		h.count = 1
	}
	return h, nil
}

// fields holds consecutive numbers in the container, up to end.
type fields struct {
	binfile.Buf
	p   *parser
	end int64
	err error // about the first invalid number
}

// number reads a 64-bit number that must be a size, an offset or a count.
func (f *fields) number(what string) int64 {
	offset := f.end - int64(len(f.Buf))
	n := f.Uint64()
	if n >= 1<<63 && f.err == nil {
		f.err = f.p.errorf(offset, "the %s, %d, is beyond any file", what, n)
	}
	return int64(n)
}

// entries reads the entries, which start at or after length, the length of the header.
func (p *parser) entries(h header, length int64) error {
	if h.table > p.size || h.count > (p.size-h.table)/entrySize {
		return p.errorf(16, "%d entries at %#x reach past the end of the container at %#x", h.count, h.table, p.size)
	}
	p.spent.entries += 1 + int(min(h.count, maxEntries))
	if p.spent.entries > maxEntries {
		return p.errorf(24, "too many entries (limit %d)", maxEntries)
	}
	p.part("the header", -1, 0, length)
	p.part("the table of entries", -1, h.table, h.count*entrySize)
	p.strings = make(map[extent]string)
	for i := range h.count {
		if err := p.entry(int(i), h.table+i*entrySize); err != nil {
			return err
		}
	}
	return p.overlap()
}

func (p *parser) part(what string, i int, offset, size int64) {
	if size > 0 {
		p.parts = append(p.parts, part{extent{offset, size}, what, i})
	}
}

// overlap returns an error if parts share bytes.
func (p *parser) overlap() error {
	slices.SortStableFunc(p.parts, func(a, b part) int { return cmp.Compare(a.offset, b.offset) })
	for i := 1; i < len(p.parts); i++ {
		if a, b := p.parts[i-1], p.parts[i]; a.offset+a.size > b.offset {
			return p.errorf(b.offset, "%v overlaps %v", b, a)
		}
	}
	return nil
}

// entry reads entry i, which is at offset.
func (p *parser) entry(i int, offset int64) error {
	var raw [entrySize]byte
	if err := p.readAt(raw[:], offset); err != nil {
		return err
	}
	f := fields{binfile.Buf(raw[:]), p, offset + entrySize, nil}
	e := &Entry{ImageKind: ImageKind(f.Uint16()), OffloadKind: OffloadKind(f.Uint16()), Flags: f.Uint32()}
	table, count := f.number("offset of the strings"), f.number("number of strings")
	e.Offset, e.size = f.number("offset of the image"), f.number("size of the image")
	if f.err != nil {
		return f.err
	}
	if e.Offset > p.size || e.size > p.size-e.Offset {
		return p.errorf(offset+24, "the image of entry %d, %d bytes at %#x, reaches past the end of the container at %#x", i, e.size, e.Offset, p.size)
	}
	e.ReaderAt = io.NewSectionReader(p.r, e.Offset, e.size)
	p.part("the image of entry", i, e.Offset, e.size)

	size := stringEntrySize(p.file.Version)
	if table > p.size || count > (p.size-table)/size {
		return p.errorf(offset+8, "the %d strings of entry %d, listed at %#x, reach past the end of the container at %#x", count, i, table, p.size)
	}
	p.spent.strings += int(min(count, maxStrings+1))
	if p.spent.strings > maxStrings {
		return p.errorf(offset+16, "too many strings (limit %d)", maxStrings)
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
	f := fields{binfile.Buf(raw[:size]), p, offset + size, nil}
	key, at, length := f.number("offset of a key"), f.number("offset of a value"), int64(-1)
	if p.file.Version > 1 {
		length = f.number("size of a value")
	}
	if f.err != nil {
		return s, f.err
	}
	if s.Key, err = p.text(offset, key, "key"); err != nil {
		return s, err
	}
	if p.file.Version == 1 {
		s.Value, err = p.text(offset+8, at, "value of "+safetext.Quote(s.Key))
	} else {
		s.Value, err = p.value(offset, extent{at, length}, s.Key)
	}
	return s, err
}

// value reads the value of a key in version 2 or later. The pair is at offset.
func (p *parser) value(offset int64, at extent, key string) (string, error) {
	if at.offset > p.size || at.size > p.size-at.offset {
		return "", p.errorf(offset+8, "the value of %s, %d bytes at %#x, reaches past the end of the container at %#x", safetext.Quote(key), at.size, at.offset, p.size)
	}
	if text, ok := p.strings[at]; ok {
		return text, nil
	}
	if err := p.spend(offset+16, at.size); err != nil {
		return "", err
	}
	text := make([]byte, at.size)
	if err := p.readAt(text, at.offset); err != nil {
		return "", err
	}
	p.strings[at] = string(text)
	return p.strings[at], nil
}

// text reads a NUL-terminated string at offset, which the field at from contains.
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
		return p.errorf(offset, "the strings are too long (limit %d bytes)", maxStringBytes)
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
		return &FormatError{offset + int64(n), "the file changed while it was being read", binfile.Cut}
	}
	return fmt.Errorf("offload binary: offset %#x: %w", offset, err)
}
