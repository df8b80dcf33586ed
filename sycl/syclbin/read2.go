package syclbin

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Strings of the entries of version 2.
const (
	stringFormat = "sycl_format_version"
	stringRole   = "role"
	stringIndex  = "am_index"
	stringIRType = "ir_type"
	stringArch   = "arch"
	stringTriple = "triple"

	roleGlobal = "global_metadata"
	roleModule = "am_metadata"
	roleIR     = "ir"
	roleNative = "native"
)

// roleStrings are the strings of each role, after the format and the role, in DPC++'s order.
var roleStrings = map[string][]string{
	roleGlobal: {},
	roleModule: {stringIndex},
	roleIR:     {stringIndex, stringIRType, stringTriple},
	roleNative: {stringIndex, stringArch, stringTriple},
}

// v2 reads the entries of a version 2 file.
func (rd *reader) v2(entries []wrapped) error {
	rd.file.Version = 2
	v := v2Reader{reader: rd, count: len(entries), modules: make(map[int]*v2Module)}
	for i, e := range entries {
		if err := v.entry(i, e); err != nil {
			return err
		}
	}
	return v.finish()
}

// A v2Reader collects the entries of a version 2 file, which may be in any order.
type v2Reader struct {
	*reader
	count   int // of entries
	modules map[int]*v2Module
}

type v2Module struct {
	Module
	seen   int   // an entry with that index
	offset int64 // of the image of that entry
}

// entry reads entry i.
func (v *v2Reader) entry(i int, e wrapped) error {
	role, err := v.role(i, e)
	if err != nil {
		return err
	}
	if role == roleGlobal {
		return v.globalEntry(i, e)
	}
	m, index, err := v.module(i, e)
	if err != nil {
		return err
	}
	if role == roleModule {
		if m.Metadata != nil {
			return errorf(e.base, "entry %d is a second am_metadata entry for abstract module %d", i, index)
		}
		m.MetadataRange = Range{e.base, e.Size()}
		m.Metadata, err = v.registry(e, 0, e.Size(), part{"metadata of abstract module", index})
		return err
	}
	img, err := v.image(i, e, role)
	if err != nil {
		return err
	}
	if role == roleIR {
		m.IR = append(m.IR, img)
	} else {
		m.Native = append(m.Native, img)
	}
	v.checkCopies(i, e, img)
	return nil
}

func placeOf(entry int) string { return fmt.Sprintf("entry %d", entry) }

// role returns the role of an entry, and checks its header and strings.
func (v *v2Reader) role(i int, e wrapped) (string, error) {
	role, ok := e.String(stringRole)
	if !ok {
		return "", errorf(e.base, "entry %d of a version 2 file has no role", i)
	}
	if _, ok := roleStrings[role]; !ok {
		return "", errorf(e.base, "entry %d has the unknown role %s", i, safetext.Quote(role))
	}
	if v.file.ImageKind == offload.KindNone {
		v.file.ImageKind = e.ImageKind
	}
	if e.ImageKind != offload.KindSYCLBIN {
		return "", errorf(e.base, "entry %d of a version 2 file is of kind %d (%s), not of kind %d", i, uint16(e.ImageKind), e.ImageKind, uint16(offload.KindSYCLBIN))
	}
	if e.OffloadKind != offload.SYCL {
		v.addFinding(entryOffloadKind, placeOf(i), "the offload kind is %s, not %s", e.OffloadKind, offload.SYCL)
	}
	switch format, ok := e.String(stringFormat); {
	case !ok:
		v.addFinding(entryStrings, placeOf(i), "the string %s is missing", stringFormat)
	case format != "2" && role == roleGlobal:
		return "", errorf(e.base, "unsupported SYCLBIN version %s; expected 2 in this layout", safetext.Quote(format))
	case format != "2":
		v.addFinding(entryStrings, placeOf(i), "the string %s is %s, not 2", stringFormat, safetext.Quote(format))
	}
	v.checkKeys(i, role, e)
	return role, nil
}

// globalEntry reads the global_metadata entry.
func (v *v2Reader) globalEntry(i int, e wrapped) error {
	if v.global != nil {
		return errorf(e.base, "entry %d is a second global_metadata entry", i)
	}
	reg, err := v.registry(e, 0, e.Size(), part{"global metadata", -1})
	v.global, v.file.Global, v.file.GlobalRange = reg, reg, Range{e.base, e.Size()}
	return err
}

// module returns the module that an entry belongs to, and its index.
func (v *v2Reader) module(i int, e wrapped) (*v2Module, int, error) {
	text, _ := e.String(stringIndex)
	index, err := strconv.ParseUint(text, 10, 31)
	if err != nil || text[0] == '+' {
		return nil, 0, errorf(e.base, "entry %d has the %s %s, which is not a number", i, stringIndex, safetext.Quote(text))
	}
	if index >= uint64(v.count) {
		return nil, 0, errorf(e.base, "entry %d has the %s %d, but there are only %d entries", i, stringIndex, index, v.count)
	}
	m := v.modules[int(index)]
	if m == nil {
		m = &v2Module{seen: i, offset: e.base}
		v.modules[int(index)] = m
	}
	return m, int(index), nil
}

// image reads an ir or native entry.
func (v *v2Reader) image(i int, e wrapped, role string) (*Image, error) {
	const prefix = 8
	if e.Size() < prefix {
		return nil, errorf(e.base, "the image of entry %d has %d bytes, too few for the size of its metadata", i, e.Size())
	}
	var raw [prefix]byte
	if err := readAt(e.Entry, raw[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(raw[:])
	if n > uint64(e.Size()-prefix) {
		return nil, errorf(e.base, "the metadata of entry %d, %d bytes, is larger than what follows in its image, %d bytes", i, n, e.Size()-prefix)
	}
	size := int64(n)
	img := &Image{Kind: IRModule}
	if role == roleNative {
		img.Kind = NativeImage
	}
	img.MetadataRange = Range{e.base + prefix, size}
	img.Range = Range{e.base + prefix + size, e.Size() - prefix - size}
	img.Source = io.NewSectionReader(e.Entry, prefix+size, e.Size()-prefix-size)
	var err error
	img.Metadata, err = v.registry(e, prefix, size, part{"metadata of entry", i})
	return img, err
}

// registry parses metadata at an offset of an entry's image.
func (v *v2Reader) registry(e wrapped, offset, size int64, what part) (*propset.Registry, error) {
	if size > maxMetadata-v.metadata {
		return nil, errorf(e.base+offset, "too much metadata (limit %d bytes)", maxMetadata)
	}
	v.metadata += size
	text := make([]byte, size)
	if err := readAt(e.Entry, text, offset); err != nil {
		return nil, err
	}
	return v.parse(text, e.base+offset, what)
}

// checkKeys adds findings for missing strings of an entry, and for strings that its role must not
// have.
func (v *v2Reader) checkKeys(i int, role string, e wrapped) {
	want := roleStrings[role]
	for _, key := range want {
		if _, ok := e.String(key); !ok && key != stringIndex {
			v.addFinding(entryStrings, placeOf(i), "the string %s is missing", key)
		}
	}
	for _, key := range []string{stringIndex, stringIRType, stringArch, stringTriple} {
		if _, ok := e.String(key); ok && !slices.Contains(want, key) {
			v.addFinding(entryStrings, placeOf(i), "the string %s does not belong to the role %s", key, role)
		}
	}
}

// checkCopies adds findings for strings that differ from the metadata that they repeat.
func (v *v2Reader) checkCopies(i int, e wrapped, img *Image) {
	check := func(key, want string) {
		if got, ok := e.String(key); ok && got != want {
			v.addFinding(entryStrings, placeOf(i), "the string %s is %s, but the metadata has %s", key, safetext.Quote(got), safetext.Quote(want))
		}
	}
	check(stringTriple, img.Triple())
	if img.Kind == NativeImage {
		check(stringArch, img.Arch())
		return
	}
	if typ, ok := img.Type(); ok {
		check(stringIRType, strconv.FormatUint(uint64(typ), 10))
	}
}

// finish adds the modules to the file, in order.
func (v *v2Reader) finish() error {
	if v.global == nil {
		return errorf(0, "missing global_metadata entry in a version 2 file")
	}
	for i := range len(v.modules) {
		if m := v.modules[i]; m == nil {
			// Then the largest index is not less than the number of modules.
			return errorf(0, "missing entry for abstract module %d, although a later module has one", i)
		} else if m.Metadata == nil {
			return errorf(m.offset, "abstract module %d has entry %d, but no am_metadata entry", i, m.seen)
		}
		v.file.Modules = append(v.file.Modules, &v.modules[i].Module)
	}
	return nil
}
