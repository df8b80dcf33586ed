package syclbin

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
)

// What reading a file keeps in memory at most, whatever the file claims.
const (
	maxHeaders  = 1 << 20   // abstract modules, IR modules and native images
	maxMetadata = 128 << 20 // bytes of property set text
)

// NewFile reads the SYCLBIN file in r, which has size bytes: bare, or in an
// OffloadBinary container. Errors in the content are of type *FormatError or
// *offload.FormatError. The images are not read: r has to stay.
func NewFile(r io.ReaderAt, size int64) (*File, error) { return newFile(r, size, false) }

// NewLenientFile reads what NewFile reads and in addition what is wrong but can
// be repaired without guessing: files in which every abstract module says that
// its first image is image 0, which older compilers wrote; headers of images
// that no abstract module has; metadata of which [propset.ParseLax] can make
// something. Repairs are listed in File.Found.
func NewLenientFile(r io.ReaderAt, size int64) (*File, error) { return newFile(r, size, true) }

func newFile(r io.ReaderAt, size int64, lenient bool) (*File, error) {
	rd := &reader{r: r, lenient: lenient, file: &File{Size: size, State: NoState, Global: new(propset.Registry)}}
	if err := rd.read(); err != nil {
		return nil, err
	}
	f := rd.file
	if v, ok := f.Global.Set(propset.SYCLBINGlobal).Get(keyState); ok {
		if n, ok := v.Uint(); ok {
			f.State = State(n)
		}
	}
	rd.release()
	for _, m := range f.Modules {
		m.Metadata = f.Release.Read(m.Metadata)
	}
	return f, nil
}

// release finds out which release of the runtime the file is for. Containers of 2026
// do not tell it: development versions of the compiler used them before they had the
// numbers of aspects.
func (rd *reader) release() {
	f := rd.file
	recorded, err := release.Recorded(f.Global)
	switch {
	case err != nil:
		rd.found(releaseUnknown, "global metadata", "%v", err)
	case recorded != nil:
		f.Release, f.Recorded = recorded, true
		f.Global = f.Global.Clone()
		f.Global.Delete(release.Set)
		return
	}
	f.Release = release.Newest()
	if f.Told() {
		f.Release = release.Before2026()
	}
}

type reader struct {
	r        io.ReaderAt
	lenient  bool
	file     *File
	metadata int64 // bytes of metadata read so far
	global   *propset.Registry
}

func errorf(offset int64, format string, args ...any) error {
	return &FormatError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// found records something that is wrong and was read nevertheless.
func (rd *reader) found(rule Rule, place, format string, args ...any) {
	rd.file.Found = AppendFinding(rd.file.Found, rule, place, format, args...)
}

// read recognizes what the file is and reads it.
func (rd *reader) read() error {
	var head [8]byte
	n := min(rd.file.Size, int64(len(head)))
	if err := readAt(rd.r, head[:n], 0); err != nil {
		return err
	}
	switch format := imageformat.Detect(rd.r, rd.file.Size); {
	case format == imageformat.SYCLBIN:
		rd.file.Version = 1
		return rd.v1(rd.r, 0, rd.file.Size)
	case format == imageformat.Offload:
		return rd.container()
	case strings.HasPrefix(string(head[:n]), "SYBI"):
		return errorf(0, "starts with \"SYBI\", but a SYCLBIN file starts with \"IBYS\": the magic number 0x53594249 was written with the wrong byte order")
	case format == imageformat.Unknown:
		return errorf(0, "starts with %x, which is neither a SYCLBIN file (%x) nor an OffloadBinary container (%x)", head[:n], magic, offload.Magic)
	default:
		return errorf(0, "this is %s, not a SYCLBIN file: device images inside of it have to be taken out first", format.Predicate())
	}
}

// container reads what is in OffloadBinary containers.
func (rd *reader) container() error {
	files, err := offload.ReadAll(rd.r, rd.file.Size)
	if err != nil {
		return err
	}
	f := rd.file
	f.Container = files[0].Version
	if f.Container == 3 {
		rd.found(containerVersion, "container", "the container has version 3, which the DPC++ runtime does not load")
	}
	type wrapped struct {
		*offload.Entry
		base int64
	}
	var inner []wrapped // entries with a version 1 file
	var entries []wrapped
	parts, draft := false, false
	for _, c := range files {
		for _, e := range c.Entries {
			w := wrapped{e, c.Offset + e.Offset}
			entries = append(entries, w)
			var head [4]byte
			if e.Size() >= int64(len(head)) {
				if err := readAt(e, head[:], 0); err != nil {
					return err
				}
			}
			if string(head[:]) == magic {
				inner = append(inner, w)
			}
			if _, ok := e.String(stringRole); ok {
				parts = true
			}
			draft = draft || slices.ContainsFunc(e.Strings, func(s offload.String) bool {
				return strings.HasPrefix(s.Key, "SYCLBIN/")
			})
		}
	}
	switch {
	case len(inner) > 0:
		f.Version = 1
		f.ImageKind = inner[0].ImageKind
		switch {
		case len(inner) > 1:
			rd.found(containerSeveral, "container", "the container holds %d SYCLBIN files, of which other tools read the first only", len(inner))
		case inner[0].Entry != entries[0].Entry:
			rd.found(containerSeveral, "container", "the SYCLBIN file is not the first entry of the container, which is the only one that other tools read")
		case len(entries) > 1:
			rd.found(containerSeveral, "container", "the container holds %d entries that are not SYCLBIN files", len(entries)-1)
		}
		old := f.Container == 1 && f.ImageKind == offload.SPIRV // that number was SYCLBIN then
		if f.ImageKind != offload.SYCLBIN && !old {
			rd.found(containerKind, "container", "the container says that the file is of kind %d (%s), and runtimes load kind %d, or kind %d before 2026", uint16(f.ImageKind), f.ImageKind, uint16(offload.SYCLBIN), uint16(offload.SPIRV))
		}
		for _, e := range inner {
			if err := rd.v1(e, e.base, e.Size()); err != nil {
				return err
			}
		}
		return nil
	case parts:
		f.Version = 2
		v2 := v2Reader{reader: rd, count: len(entries), modules: make(map[int]*v2Module)}
		for i, e := range entries {
			if err := v2.entry(i, e.Entry, e.base); err != nil {
				return err
			}
		}
		return v2.finish()
	case draft:
		return errorf(0, "this is a SYCLBIN file of a draft that was given up, with property sets as strings of the container: build it again with a compiler that writes version 1")
	case len(entries) == 0:
		return errorf(0, "the OffloadBinary container has no entries")
	}
	return errorf(0, "an OffloadBinary container without SYCLBIN content: its first image is %s", imageformat.Detect(entries[0], entries[0].Size()).Predicate())
}

// Sizes of version 1.
const (
	fileHeaderSize = 56
	headerSize     = 32
)

// moduleHeader is an abstract module header of version 1.
type moduleHeader struct {
	metadata          blob
	ir, native        uint32 // counts
	firstIR, firstNat uint32 // indices
}

// imageHeader is an IR module or native image header of version 1.
type imageHeader struct {
	metadata, bytes blob
}

// blob is a range of a table, and where the header says so.
type blob struct {
	Range
	field int64
	part
}

// A part is a part of a file by its name.
type part struct {
	what string
	i    int // -1 when there is only one
}

func (p part) String() string {
	if p.i < 0 {
		return p.what
	}
	return fmt.Sprintf("%s %d", p.what, p.i)
}

// v1 reads a version 1 file in r, which is at base of the whole and has size
// bytes, and adds its modules.
func (rd *reader) v1(r io.ReaderAt, base, size int64) error {
	le := binary.LittleEndian
	if size < fileHeaderSize {
		return errorf(base, "%d bytes are too few for the header, which has %d", size, fileHeaderSize)
	}
	var head [fileHeaderSize]byte
	if err := readAt(r, head[:], 0); err != nil {
		return err
	}
	if version := le.Uint32(head[4:]); version != 1 {
		return errorf(base+4, "the version is %d; in this layout only 1 is supported", version)
	}
	count := [3]uint32{le.Uint32(head[8:]), le.Uint32(head[12:]), le.Uint32(head[16:])}
	total := int64(count[0]) + int64(count[1]) + int64(count[2])
	if total > (size-fileHeaderSize)/headerSize {
		return errorf(base+8, "%d abstract modules, %d IR modules and %d native images have more headers than the %d bytes of the file hold: the file was cut short or the counts are wrong", count[0], count[1], count[2], size)
	}
	if total > maxHeaders {
		return errorf(base+8, "more than %d modules and images", maxHeaders)
	}

	// The tables: metadata behind the headers, binary behind that.
	metaStart := fileHeaderSize + total*headerSize
	room := uint64(size - metaStart)
	metaSize, binSize := le.Uint64(head[24:]), le.Uint64(head[32:])
	if metaSize > room {
		return errorf(base+24, "the metadata table, %d bytes at %#x, reaches past the end of the file at %#x", metaSize, base+metaStart, base+size)
	}
	if rd.metadata += int64(metaSize); rd.metadata > maxMetadata {
		return errorf(base+24, "more than %d bytes of metadata", maxMetadata)
	}
	padded := (metaSize + 7) &^ 7
	if padded > room || binSize > room-padded {
		return errorf(base+32, "the binary table, %d bytes at %#x, reaches past the end of the file at %#x", binSize, uint64(base+metaStart)+padded, base+size)
	}
	binStart := metaStart + int64(padded)

	// Every header is read in one pass, and every range is checked.
	meta := table{name: "metadata table", base: base, size: int64(metaSize), blobs: make([]blob, 0, 1+total)}
	bin := table{name: "binary table", base: base, size: int64(binSize), blobs: make([]blob, 0, total-int64(count[0]))}
	global, err := meta.blob(head[40:], base+40, "global metadata", -1)
	if err != nil {
		return err
	}
	in := newHeaders(r, base+fileHeaderSize, total)
	modules := make([]moduleHeader, 0, count[0])
	for i := range int(count[0]) {
		raw, field, err := in.next()
		if err != nil {
			return err
		}
		m := moduleHeader{ir: le.Uint32(raw[16:]), firstIR: le.Uint32(raw[20:]), native: le.Uint32(raw[24:]), firstNat: le.Uint32(raw[28:])}
		if m.metadata, err = meta.blob(raw, field, "metadata of abstract module", i); err != nil {
			return err
		}
		modules = append(modules, m)
	}
	var images [2][]imageHeader
	for kind, name := range []string{"IR module", "native image"} {
		metadataName, bytesName := "metadata of "+name, "bytes of "+name
		images[kind] = make([]imageHeader, 0, count[1+kind])
		for i := range int(count[1+kind]) {
			raw, field, err := in.next()
			if err != nil {
				return err
			}
			var h imageHeader
			if h.metadata, err = meta.blob(raw, field, metadataName, i); err != nil {
				return err
			}
			if h.bytes, err = bin.blob(raw[16:], field+16, bytesName, i); err != nil {
				return err
			}
			images[kind] = append(images[kind], h)
		}
	}
	if err := meta.overlap(); err != nil {
		return err
	}
	if err := bin.overlap(); err != nil {
		return err
	}
	firstIR, err := rd.assign(base, IRModule, modules, count[1])
	if err != nil {
		return err
	}
	firstNative, err := rd.assign(base, NativeImage, modules, count[2])
	if err != nil {
		return err
	}

	// What is left cannot go past any end.
	f := rd.file
	metaText := make([]byte, metaSize)
	if err := readAt(r, metaText, metaStart); err != nil {
		return err
	}
	registry := func(b blob) (*propset.Registry, error) {
		return rd.parse(metaText[b.Offset:b.Offset+b.Size], base+metaStart+b.Offset, b.part)
	}
	g, err := registry(global)
	if err != nil {
		return err
	}
	if err := rd.setGlobal(g, Range{base + metaStart + global.Offset, global.Size}); err != nil {
		return err
	}
	read := func(kind Kind, headers []imageHeader) ([]*Image, error) {
		var list []*Image
		for _, h := range headers {
			metadata, err := registry(h.metadata)
			if err != nil {
				return nil, err
			}
			list = append(list, &Image{
				Kind:       kind,
				Metadata:   metadata,
				MetadataAt: Range{base + metaStart + h.metadata.Offset, h.metadata.Size},
				Source:     io.NewSectionReader(r, binStart+h.bytes.Offset, h.bytes.Size),
				At:         Range{base + binStart + h.bytes.Offset, h.bytes.Size},
			})
		}
		return list, nil
	}
	f.Modules = slices.Grow(f.Modules, len(modules))
	for i, h := range modules {
		m := &Module{MetadataAt: Range{base + metaStart + h.metadata.Offset, h.metadata.Size}}
		if m.Metadata, err = registry(h.metadata); err != nil {
			return err
		}
		if m.IR, err = read(IRModule, images[0][firstIR[i]:firstIR[i]+int64(h.ir)]); err != nil {
			return err
		}
		if m.Native, err = read(NativeImage, images[1][firstNative[i]:firstNative[i]+int64(h.native)]); err != nil {
			return err
		}
		f.Modules = append(f.Modules, m)
	}
	return nil
}

// assign returns for each module the index of its first image of that kind,
// after checking that each of the total images has one owner.
func (rd *reader) assign(base int64, kind Kind, modules []moduleHeader, total uint32) ([]int64, error) {
	indexField := int64(20)
	claim := func(m moduleHeader) (first, count int64) { return int64(m.firstIR), int64(m.ir) }
	if kind == NativeImage {
		indexField = 28
		claim = func(m moduleHeader) (first, count int64) { return int64(m.firstNat), int64(m.native) }
	}
	field := func(i int) int64 { return base + fileHeaderSize + int64(i)*headerSize + indexField }

	firsts := make([]int64, len(modules))
	owner := make([]int, total) // module + 1
	sum := int64(0)
	shared := "" // what is wrong about the first image with two owners
	sharedAt := int64(0)
	for i, m := range modules {
		first, count := claim(m)
		sum += count
		if first+count > int64(total) {
			return nil, errorf(field(i), "abstract module %d has the %ss %d to %d, but the file has %d", i, kind, first, first+count-1, total)
		}
		firsts[i] = first
		for j := first; j < first+count && shared == ""; j++ {
			if owner[j] != 0 {
				shared = fmt.Sprintf("%s %d belongs to abstract module %d and to abstract module %d", kind, j, owner[j]-1, i)
				sharedAt = field(i)
			}
			owner[j] = i + 1
		}
	}
	if shared != "" {
		if sum != int64(total) {
			return nil, errorf(sharedAt, "%s", shared)
		}
		if !rd.lenient {
			return nil, errorf(sharedAt, "%s: the counts add up, so this is a file of a compiler that does not advance first indices, which a lenient reader repairs", shared)
		}
		rd.found(firstIndex, "file", "%s; the %ss were given to the abstract modules one after another", shared, kind)
		next := int64(0)
		for i, m := range modules {
			_, count := claim(m)
			firsts[i] = next
			next += count
		}
		return firsts, nil
	}
	if j := slices.Index(owner, 0); j >= 0 {
		if !rd.lenient {
			return nil, errorf(base+8, "%s %d belongs to no abstract module", kind, j)
		}
		rd.found(unreferencedHeader, "file", "%s %d belongs to no abstract module and was left out", kind, j)
	}
	return firsts, nil
}

// table checks the ranges of one of the two byte tables.
type table struct {
	name  string
	base  int64
	size  int64
	blobs []blob
}

// blob reads an offset and a size.
func (t *table) blob(raw []byte, field int64, what string, i int) (blob, error) {
	offset, size := binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])
	b := blob{Range{}, field, part{what, i}}
	if offset > uint64(t.size) || size > uint64(t.size)-offset {
		return b, errorf(field, "the %v, %d bytes at %#x of the %s, reach past its end at %#x", b, size, offset, t.name, t.size)
	}
	b.Range = Range{int64(offset), int64(size)}
	if size > 0 {
		t.blobs = append(t.blobs, b)
	}
	return b, nil
}

// overlap reports ranges that share bytes. No writer makes them, and without
// them the size of the file bounds what its parts add up to.
func (t *table) overlap() error {
	slices.SortStableFunc(t.blobs, func(a, b blob) int {
		switch {
		case a.Offset < b.Offset:
			return -1
		case a.Offset > b.Offset:
			return 1
		}
		return 0
	})
	for i := 1; i < len(t.blobs); i++ {
		if a, b := t.blobs[i-1], t.blobs[i]; a.Offset+a.Size > b.Offset {
			return errorf(b.field, "the %v overlap the %v in the %s", b, a, t.name)
		}
	}
	return nil
}

// headers reads the list of headers a block at a time.
type headers struct {
	r     io.ReaderAt
	pos   int64 // of block in r
	base  int64 // of r in the file
	left  int64 // headers not in block
	block []byte
}

func newHeaders(r io.ReaderAt, first, count int64) *headers {
	return &headers{r: r, pos: fileHeaderSize, base: first - fileHeaderSize, left: count}
}

// next returns the next header and its offset in the file.
func (h *headers) next() (raw []byte, field int64, err error) {
	if len(h.block) == 0 {
		n := min(h.left, 4096)
		h.block = make([]byte, n*headerSize)
		if err := readAt(h.r, h.block, h.pos); err != nil {
			return nil, 0, err
		}
		h.left -= n
	}
	raw, h.block = h.block[:headerSize], h.block[headerSize:]
	field = h.base + h.pos
	h.pos += headerSize
	return raw, field, nil
}

// parse parses metadata, whose place in the file is offset.
func (rd *reader) parse(text []byte, offset int64, what part) (*propset.Registry, error) {
	if rd.lenient {
		reg, warnings, err := propset.ParseLax("", text)
		if err != nil {
			return nil, &FormatError{offset, what.String(), err}
		}
		for _, w := range warnings {
			rd.found(metadataText, what.String(), "%v", w)
		}
		return reg, nil
	}
	reg, err := propset.Parse("", text)
	if err != nil {
		return nil, &FormatError{offset, what.String(), err}
	}
	return reg, nil
}

// setGlobal takes the global metadata of the file, or of one more file in the same
// container, which has to agree.
func (rd *reader) setGlobal(g *propset.Registry, at Range) error {
	f := rd.file
	if rd.global != nil && !g.Equal(rd.global) {
		return errorf(at.Offset, "the container holds SYCLBIN files with different global metadata, which do not make one file")
	}
	rd.global, f.Global, f.GlobalAt = g, g, at
	return nil
}

// readAt fills b, and tells a file that ends from one that cannot be read.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errorf(offset+int64(n), "the file ended while it was read")
	}
	return fmt.Errorf("syclbin: offset %#x: %w", offset, err)
}
