package offload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// An Image is one entry to write.
type Image struct {
	ImageKind   ImageKind
	OffloadKind OffloadKind
	Flags       uint32
	Strings     []String // written in this order
	Content     Source
}

// A Source is the content of an image, such as an [*Entry], an
// [*io.SectionReader] or a [*strings.Reader].
type Source interface {
	io.ReaderAt
	Size() int64
}

// Slice returns size bytes of r at an offset without copying them. The caller must not modify them,
// or use them after r is closed. Slice returns nil if r is not in memory: r must have a method
// Slice(offset, size int64) []byte, or be an [io.SectionReader] of such a reader.
func Slice(r io.ReaderAt, offset, size int64) []byte {
	for {
		switch s := r.(type) {
		case interface {
			Slice(offset, size int64) []byte
		}:
			return s.Slice(offset, size)
		case *io.SectionReader:
			if offset < 0 || size < 0 || offset > s.Size() || size > s.Size()-offset {
				return nil
			}
			var start int64
			r, start, _ = s.Outer()
			offset += start
		default:
			return nil
		}
	}
}

// A Copier is a Source that can be copied to a writer faster than through Read, such as a whole
// file. CopyTo writes all of it, through buf if it needs a buffer, and returns the number of bytes.
// CopyTo may be called repeatedly.
type Copier interface {
	Source
	CopyTo(w io.Writer, buf []byte) (int64, error)
}

// Options configure how containers are written.
type Options struct {
	Version     uint32      // 1, 2 or 3; 0 is 2
	Compression Compression // in version 3 only
}

// Write writes the images exactly as LLVM does: in version 1, one container per image; in later
// versions, one container for all. Images are read while they are copied, twice if they are
// compressed.
func Write(w io.Writer, images []Image, o Options) error {
	version := o.Version
	if version == 0 {
		version = 2
	}
	switch {
	case version > 3:
		return fmt.Errorf("offload binary: cannot write version %d; expected 1, 2 or 3", version)
	case o.Compression != Uncompressed && version != 3:
		return fmt.Errorf("offload binary: version %d does not support compression; use version 3", version)
	case len(images) == 0:
		return errors.New("offload binary: no images")
	}
	step := len(images)
	if version == 1 {
		step = 1
	}
	for group := range slices.Chunk(images, step) {
		l, err := newLayout(version, group)
		if err != nil {
			return err
		}
		if err := l.write(w, o.Compression); err != nil {
			return err
		}
	}
	return nil
}

// A layout holds the parts of a container and their locations.
type layout struct {
	version uint32
	images  []Image
	table   stringTable
	pairs   int // of keys and values

	lists, texts, start int64 // locations of the string lists, of the strings and of the images
	size                int64
	head                []byte // header, entries, string lists, strings, and zeros up to the images
}

func newLayout(version uint32, images []Image) (*layout, error) {
	l := &layout{version: version, images: images}
	if err := l.collectStrings(); err != nil {
		return nil, err
	}
	if err := l.place(); err != nil {
		return nil, err
	}
	b := l.appendHeader(make([]byte, 0, l.start))
	b = l.appendEntries(b)
	b = l.appendLists(b)
	b = append(b, l.table.data...)
	l.head = append(b, make([]byte, l.start-int64(len(b)))...)
	return l, nil
}

func (l *layout) collectStrings() error {
	for i, img := range l.images {
		for _, s := range img.Strings {
			if strings.ContainsRune(s.Key, 0) || l.version == 1 && strings.ContainsRune(s.Value, 0) {
				return fmt.Errorf("offload binary: entry %d: the string %s contains a NUL byte, which version %d does not support there", i, safetext.Quote(s.Key), l.version)
			}
			l.table.add(s.Key)
			l.table.add(s.Value)
		}
		l.pairs += len(img.Strings)
	}
	l.table.finish()
	return nil
}

// place computes the locations of all parts.
func (l *layout) place() error {
	l.lists = headerSize(l.version) + entrySize*int64(len(l.images))
	l.texts = l.lists + stringEntrySize(l.version)*int64(l.pairs)
	l.start = align(l.texts + int64(len(l.table.data)))
	end := l.start
	for i, img := range l.images {
		n := img.Content.Size()
		if n < 0 || n > math.MaxInt64-alignment-end {
			return fmt.Errorf("offload binary: entry %d: image of %d bytes is too large", i, n)
		}
		end += n
	}
	l.size = align(end)
	return nil
}

func (l *layout) appendHeader(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, Magic...)
	b = le.AppendUint32(b, l.version)
	b = le.AppendUint64(b, uint64(l.size))
	b = le.AppendUint64(b, uint64(headerSize(l.version)))
	if l.version == 1 {
		b = le.AppendUint64(b, entrySize)
	} else {
		b = le.AppendUint64(b, uint64(len(l.images)))
	}
	if l.version >= 3 {
		b = le.AppendUint64(b, 0)
	}
	return b
}

func (l *layout) appendEntries(b []byte) []byte {
	le := binary.LittleEndian
	list, image := l.lists, l.start
	for _, img := range l.images {
		b = le.AppendUint16(b, uint16(img.ImageKind))
		b = le.AppendUint16(b, uint16(img.OffloadKind))
		b = le.AppendUint32(b, img.Flags)
		b = le.AppendUint64(b, uint64(list))
		b = le.AppendUint64(b, uint64(len(img.Strings)))
		b = le.AppendUint64(b, uint64(image))
		b = le.AppendUint64(b, uint64(img.Content.Size()))
		list += stringEntrySize(l.version) * int64(len(img.Strings))
		image += img.Content.Size()
	}
	return b
}

func (l *layout) appendLists(b []byte) []byte {
	le := binary.LittleEndian
	for _, img := range l.images {
		for _, s := range img.Strings {
			b = le.AppendUint64(b, uint64(l.texts+l.table.offsets[s.Key]))
			b = le.AppendUint64(b, uint64(l.texts+l.table.offsets[s.Value]))
			if l.version > 1 {
				b = le.AppendUint64(b, uint64(len(s.Value)))
			}
		}
	}
	return b
}

func (l *layout) write(w io.Writer, c Compression) error {
	if c == Uncompressed {
		return l.copy(w, l.head)
	}
	head := headerSize(l.version)
	deflate := func(w io.Writer) error {
		z, err := compressor(w, c)
		if err != nil {
			return err
		}
		if err := l.copy(z, l.head[head:]); err != nil {
			return err
		}
		return z.Close()
	}
	// The header contains the compressed size, so compute that first.
	var n counter
	if err := deflate(&n); err != nil {
		return err
	}
	header := slices.Clone(l.head[:head])
	binary.LittleEndian.PutUint64(header[8:], uint64(head+int64(n)))
	binary.LittleEndian.PutUint64(header[32:], uint64(l.size))
	if _, err := w.Write(header); err != nil {
		return err
	}
	before := n
	n = 0
	if err := deflate(io.MultiWriter(w, &n)); err != nil {
		return err
	}
	if n != before {
		return errors.New("offload binary: an image changed while it was written")
	}
	end := align(head + int64(n))
	_, err := w.Write(make([]byte, end-head-int64(n)))
	return err
}

// copy writes head, the images and the final padding.
func (l *layout) copy(w io.Writer, head []byte) error {
	if _, err := w.Write(head); err != nil {
		return err
	}
	end := int64(len(l.head))
	buf := make([]byte, 128<<10) // for all images, because there may be many small ones
	for i, img := range l.images {
		size := img.Content.Size()
		var n int64
		var err error
		if c, ok := img.Content.(Copier); ok {
			n, err = c.CopyTo(w, buf)
		} else {
			n, err = io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(img.Content, 0, size), buf)
		}
		if err != nil {
			return fmt.Errorf("offload binary: entry %d: %w", i, err)
		}
		if n != size {
			return fmt.Errorf("offload binary: entry %d: the image ended after %d of its %d bytes", i, n, size)
		}
		end += size
	}
	_, err := w.Write(make([]byte, l.size-end))
	return err
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// A stringTable holds NUL-terminated strings. A string that is a suffix of another shares its
// bytes. The layout matches LLVM's ELF string tables: a NUL for the empty string, then the strings
// in descending order, compared backwards.
type stringTable struct {
	offsets map[string]int64
	data    []byte
}

func (t *stringTable) add(s string) {
	if t.offsets == nil {
		t.offsets = make(map[string]int64)
	}
	t.offsets[s] = 0
}

func (t *stringTable) finish() {
	list := make([]string, 0, len(t.offsets))
	for s := range t.offsets {
		if s != "" {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return compareBackwards(b, a) })
	t.data = []byte{0}
	before := ""
	for _, s := range list {
		if !strings.HasSuffix(before, s) {
			t.data = append(append(t.data, s...), 0)
			before = s
		}
		t.offsets[s] = int64(len(t.data) - 1 - len(s))
	}
}

// compareBackwards compares strings by their bytes from the last to the first.
func compareBackwards(a, b string) int {
	for i := 1; i <= min(len(a), len(b)); i++ {
		if x, y := a[len(a)-i], b[len(b)-i]; x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}
