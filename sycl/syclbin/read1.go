package syclbin

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// Sizes of version 1.
const (
	fileHeaderSize = 56
	headerSize     = 32
)

// A v1Reader reads a version 1 file.
type v1Reader struct {
	*reader
	r    io.ReaderAt // the file
	base int64       // offset of the version 1 file in the whole file, for locations
	size int64

	meta, bin table
	global    blob
	modules   []moduleHeader
	images    [2][]imageHeader // by Kind
	text      []byte           // of the metadata table
}

// moduleHeader is an abstract module header of version 1.
type moduleHeader struct {
	metadata blob
	images   [2]span // by Kind
}

// A span holds the number of images of a kind in a module, and the index of the first.
type span struct{ count, first uint32 }

func (s span) end() int64 { return int64(s.first) + int64(s.count) }

// imageHeader is an IR module or native image header of version 1.
type imageHeader struct {
	metadata, bytes blob
}

// v1 reads the version 1 file in r, which is at offset base of the whole file and has size bytes,
// and adds its modules.
func (rd *reader) v1(r io.ReaderAt, base, size int64) error {
	v := v1Reader{reader: rd, r: r, base: base, size: size}
	for _, step := range []func() error{
		v.header,
		v.headers,
		v.meta.overlap,
		v.bin.overlap,
		func() error { return v.assign(IRModule) },
		func() error { return v.assign(NativeImage) },
		v.addModules, // all ranges are valid now
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// header reads the header of the file.
func (v *v1Reader) header() error {
	if v.size < fileHeaderSize {
		return errorf(v.base, "file too short for the header: %d bytes, want %d", v.size, fileHeaderSize)
	}
	var raw [fileHeaderSize]byte
	if err := readAt(v.r, raw[:], 0); err != nil {
		return err
	}
	h := binfile.Buf(raw[len(magic):])
	if version := h.Uint32(); version != 1 {
		return errorf(v.base+4, "the version is %d; in this layout only 1 is supported", version)
	}
	modules, ir, native := h.Uint32(), h.Uint32(), h.Uint32()
	h.Skip(4)
	metaSize, binSize := h.Uint64(), h.Uint64()

	total := int64(modules) + int64(ir) + int64(native)
	if total > (v.size-fileHeaderSize)/headerSize {
		return errorf(v.base+8, "%d abstract modules, %d IR modules and %d native images have more headers than the %d bytes of the file; the file is truncated or the counts are wrong", modules, ir, native, v.size)
	}
	if total > maxHeaders {
		return errorf(v.base+8, "too many modules and images (limit %d)", maxHeaders)
	}
	if err := v.placeTables(fileHeaderSize+total*headerSize, metaSize, binSize); err != nil {
		return err
	}
	v.meta.blobs = make([]blob, 0, 1+total)
	v.bin.blobs = make([]blob, 0, total-int64(modules))
	v.modules = make([]moduleHeader, modules)
	v.images = [2][]imageHeader{make([]imageHeader, ir), make([]imageHeader, native)}
	var err error
	v.global, err = v.meta.blob(&h, v.base+40, part{"global metadata", -1})
	return err
}

// placeTables checks the sizes of the tables and sets their locations. The metadata table is at
// start, and the binary table follows it.
func (v *v1Reader) placeTables(start int64, metaSize, binSize uint64) error {
	end := v.base + v.size
	room := uint64(v.size - start)
	if metaSize > room {
		return errorf(v.base+24, "the metadata table, %d bytes at %#x, reaches past the end of the file at %#x", metaSize, v.base+start, end)
	}
	if v.metadata += int64(metaSize); v.metadata > maxMetadata {
		return errorf(v.base+24, "too much metadata (limit %d bytes)", maxMetadata)
	}
	padded := (metaSize + 7) &^ 7
	if padded > room || binSize > room-padded {
		return errorf(v.base+32, "the binary table, %d bytes at %#x, reaches past the end of the file at %#x", binSize, uint64(v.base+start)+padded, end)
	}
	v.meta = table{name: "metadata table", start: start, size: int64(metaSize)}
	v.bin = table{name: "binary table", start: start + int64(padded), size: int64(binSize)}
	return nil
}

// headers reads the headers of modules and images.
func (v *v1Reader) headers() error {
	all := make(binfile.Buf, v.meta.start-fileHeaderSize)
	if err := readAt(v.r, all, fileHeaderSize); err != nil {
		return err
	}
	field := v.base + fileHeaderSize // offset of the next header
	var err error
	for i := range v.modules {
		m := &v.modules[i]
		if m.metadata, err = v.meta.blob(&all, field, part{"metadata of abstract module", i}); err != nil {
			return err
		}
		for kind := range m.images {
			m.images[kind] = span{all.Uint32(), all.Uint32()}
		}
		field += headerSize
	}
	for kind, name := range []string{"IR module", "native image"} {
		metadataName, bytesName := "metadata of "+name, "bytes of "+name
		for i := range v.images[kind] {
			img := &v.images[kind][i]
			if img.metadata, err = v.meta.blob(&all, field, part{metadataName, i}); err != nil {
				return err
			}
			if img.bytes, err = v.bin.blob(&all, field+16, part{bytesName, i}); err != nil {
				return err
			}
			field += headerSize
		}
	}
	return nil
}

// assign checks that each image of a kind has one owner. If some have several owners but the counts
// add up, a lenient reader assigns all images to the modules in order.
func (v *v1Reader) assign(kind Kind) error {
	total := int64(len(v.images[kind]))
	owner := make([]int, total) // module + 1
	sum := int64(0)
	var shared *FormatError // of the first image with two owners
	for i, m := range v.modules {
		s := m.images[kind]
		field := v.base + fileHeaderSize + int64(i)*headerSize + 20 + 8*int64(kind)
		sum += int64(s.count)
		if s.end() > total {
			return errorf(field, "abstract module %d has the %ss %d to %d, but the file has %d", i, kind, s.first, s.end()-1, total)
		}
		for j := int64(s.first); j < s.end() && shared == nil; j++ {
			if owner[j] != 0 {
				shared = &FormatError{Offset: field, Msg: fmt.Sprintf("%s %d belongs to abstract module %d and to abstract module %d", kind, j, owner[j]-1, i)}
			}
			owner[j] = i + 1
		}
	}
	switch orphan := slices.Index(owner, 0); {
	case shared != nil && sum != total:
		return shared
	case shared != nil && !v.lenient:
		shared.Msg += "; the counts are consistent, so the compiler that wrote the file does not advance first indices; a lenient reader can repair this"
		return shared
	case shared != nil:
		v.addFinding(firstIndex, "file", "%s; the %ss were given to the abstract modules one after another", shared.Msg, kind)
		v.assignInOrder(kind)
	case orphan >= 0 && !v.lenient:
		return errorf(v.base+8, "%s %d belongs to no abstract module", kind, orphan)
	case orphan >= 0:
		v.addFinding(unreferencedHeader, "file", "%s %d belongs to no abstract module and was omitted", kind, orphan)
	}
	return nil
}

// assignInOrder assigns the images of a kind to the modules in order.
func (v *v1Reader) assignInOrder(kind Kind) {
	next := uint32(0)
	for i := range v.modules {
		s := &v.modules[i].images[kind]
		s.first = next
		next += s.count
	}
}

// addModules adds the modules to the file.
func (v *v1Reader) addModules() error {
	v.text = make([]byte, v.meta.size)
	if err := readAt(v.r, v.text, v.meta.start); err != nil {
		return err
	}
	global, err := v.registry(v.global)
	if err != nil {
		return err
	}
	if err := v.setGlobal(global, v.at(&v.meta, v.global)); err != nil {
		return err
	}
	f := v.file
	f.Modules = slices.Grow(f.Modules, len(v.modules))
	for _, h := range v.modules {
		m := &Module{MetadataRange: v.at(&v.meta, h.metadata)}
		if m.Metadata, err = v.registry(h.metadata); err != nil {
			return err
		}
		if m.IR, err = v.imagesOf(IRModule, h); err != nil {
			return err
		}
		if m.Native, err = v.imagesOf(NativeImage, h); err != nil {
			return err
		}
		f.Modules = append(f.Modules, m)
	}
	return nil
}

// imagesOf returns the images of a module that are of a kind.
func (v *v1Reader) imagesOf(kind Kind, m moduleHeader) ([]*Image, error) {
	s := m.images[kind]
	var list []*Image
	for _, h := range v.images[kind][s.first:s.end()] {
		metadata, err := v.registry(h.metadata)
		if err != nil {
			return nil, err
		}
		list = append(list, &Image{
			Kind:          kind,
			Metadata:      metadata,
			MetadataRange: v.at(&v.meta, h.metadata),
			Source:        io.NewSectionReader(v.r, v.bin.start+h.bytes.Offset, h.bytes.Size),
			Range:         v.at(&v.bin, h.bytes),
		})
	}
	return list, nil
}

// registry parses a part of the metadata table.
func (v *v1Reader) registry(b blob) (*propset.Registry, error) {
	return v.parse(v.text[b.Offset:b.Offset+b.Size], v.at(&v.meta, b).Offset, b.part)
}

// at returns the range of a part of a table in the whole file.
func (v *v1Reader) at(t *table, b blob) Range {
	return Range{v.base + t.start + b.Offset, b.Size}
}

// A blob is a range of a table, with the location of the header fields that define it.
type blob struct {
	Range
	field int64
	part
}

// A part is a named part of a file.
type part struct {
	what string
	i    int // -1 if there is only one
}

func (p part) String() string {
	if p.i < 0 {
		return p.what
	}
	return fmt.Sprintf("%s %d", p.what, p.i)
}

// A table checks the ranges of one of the two byte tables.
type table struct {
	name  string
	start int64 // in the file
	size  int64
	blobs []blob
}

// blob reads an offset and a size, which are at offset field of the whole file.
func (t *table) blob(h *binfile.Buf, field int64, what part) (blob, error) {
	offset, size := h.Uint64(), h.Uint64()
	b := blob{Range{}, field, what}
	if offset > uint64(t.size) || size > uint64(t.size)-offset {
		return b, errorf(field, "the %v, %d bytes at %#x of the %s, reach past its end at %#x", b, size, offset, t.name, t.size)
	}
	b.Range = Range{int64(offset), int64(size)}
	if size > 0 {
		t.blobs = append(t.blobs, b)
	}
	return b, nil
}

// overlap returns an error if ranges share bytes. No writer produces such files, and without
// overlaps the size of the file limits the total size of its parts.
func (t *table) overlap() error {
	slices.SortStableFunc(t.blobs, func(a, b blob) int { return cmp.Compare(a.Offset, b.Offset) })
	for i := 1; i < len(t.blobs); i++ {
		if a, b := t.blobs[i-1], t.blobs[i]; a.Offset+a.Size > b.Offset {
			return errorf(b.field, "the %v overlap the %v in the %s", b, a, t.name)
		}
	}
	return nil
}
