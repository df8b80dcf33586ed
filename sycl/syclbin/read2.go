package syclbin

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
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

// roleStrings are the strings that each role has, after the format and the role,
// in the order of DPC++.
var roleStrings = map[string][]string{
	roleGlobal: {},
	roleModule: {stringIndex},
	roleIR:     {stringIndex, stringIRType, stringTriple},
	roleNative: {stringIndex, stringArch, stringTriple},
}

// v2Reader collects the entries of a version 2 file, which may be in any order.
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

// entry reads entry i, whose image is at base of the file.
func (v *v2Reader) entry(i int, e *offload.Entry, base int64) error {
	place := fmt.Sprintf("entry %d", i)
	role, ok := e.String(stringRole)
	if !ok {
		return errorf(base, "entry %d has no role, which every entry of a version 2 file has", i)
	}
	if _, ok := roleStrings[role]; !ok {
		return errorf(base, "entry %d has the unknown role %s", i, quote(role))
	}
	if v.file.ImageKind == offload.None {
		v.file.ImageKind = e.ImageKind
	}
	if e.ImageKind != offload.SYCLBIN {
		return errorf(base, "entry %d of a version 2 file is of kind %d (%s), not of kind %d", i, uint16(e.ImageKind), e.ImageKind, uint16(offload.SYCLBIN))
	}
	if e.OffloadKind != offload.SYCL {
		v.found(entryOffloadKind, place, "the offload kind is %s, not %s", e.OffloadKind, offload.SYCL)
	}
	if format, ok := e.String(stringFormat); !ok {
		v.found(entryStrings, place, "the string %s is missing", stringFormat)
	} else if format != "2" {
		if role == roleGlobal {
			return errorf(base, "the SYCLBIN version is %s; in this layout only 2 is supported", quote(format))
		}
		v.found(entryStrings, place, "the string %s is %s, not 2", stringFormat, quote(format))
	}
	v.checkKeys(place, role, e)

	if role == roleGlobal {
		if v.global != nil {
			return errorf(base, "entry %d is a second global_metadata entry", i)
		}
		reg, err := v.registry(e, base, 0, e.Size(), part{"global metadata", -1})
		v.global, v.file.Global, v.file.GlobalAt = reg, reg, Range{base, e.Size()}
		return err
	}

	text, _ := e.String(stringIndex)
	index, err := strconv.ParseUint(text, 10, 31)
	if err != nil || text[0] == '+' {
		return errorf(base, "entry %d has the %s %s, which is not a number", i, stringIndex, quote(text))
	}
	if index >= uint64(v.count) {
		return errorf(base, "entry %d has the %s %d, but there are only %d entries", i, stringIndex, index, v.count)
	}
	m := v.modules[int(index)]
	if m == nil {
		m = &v2Module{seen: i, offset: base}
		v.modules[int(index)] = m
	}
	if role == roleModule {
		if m.Metadata != nil {
			return errorf(base, "entry %d is a second am_metadata entry for abstract module %d", i, index)
		}
		m.Metadata, err = v.registry(e, base, 0, e.Size(), part{"metadata of abstract module", int(index)})
		m.MetadataAt = Range{base, e.Size()}
		return err
	}
	img, err := v.image(i, e, base, role)
	if err != nil {
		return err
	}
	if role == roleIR {
		m.IR = append(m.IR, img)
	} else {
		m.Native = append(m.Native, img)
	}
	v.checkCopies(place, e, img)
	return nil
}

// image reads an ir or native entry.
func (v *v2Reader) image(i int, e *offload.Entry, base int64, role string) (*Image, error) {
	const prefix = 8
	if e.Size() < prefix {
		return nil, errorf(base, "the image of entry %d has %d bytes, too few for the size of its metadata", i, e.Size())
	}
	var raw [prefix]byte
	if err := readAt(e, raw[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(raw[:])
	if n > uint64(e.Size()-prefix) {
		return nil, errorf(base, "the metadata of entry %d, %d bytes, is larger than what follows in its image, %d bytes", i, n, e.Size()-prefix)
	}
	size := int64(n)
	img := &Image{Kind: IRModule}
	if role == roleNative {
		img.Kind = NativeImage
	}
	img.MetadataAt = Range{base + prefix, size}
	img.At = Range{base + prefix + size, e.Size() - prefix - size}
	img.Source = io.NewSectionReader(e, prefix+size, e.Size()-prefix-size)
	var err error
	img.Metadata, err = v.registry(e, base, prefix, size, part{"metadata of entry", i})
	return img, err
}

// registry parses metadata at an offset of an entry's image.
func (v *v2Reader) registry(e *offload.Entry, base, offset, size int64, what part) (*propset.Registry, error) {
	if size > maxMetadata-v.metadata {
		return nil, errorf(base+offset, "more than %d bytes of metadata", maxMetadata)
	}
	v.metadata += size
	text := make([]byte, size)
	if err := readAt(e, text, offset); err != nil {
		return nil, err
	}
	return v.parse(text, base+offset, what)
}

// checkKeys finds strings that a role has not, and those it lacks.
func (v *v2Reader) checkKeys(place, role string, e *offload.Entry) {
	want := roleStrings[role]
	for _, key := range want {
		if _, ok := e.String(key); !ok && key != stringIndex {
			v.found(entryStrings, place, "the string %s is missing", key)
		}
	}
	for _, key := range []string{stringIndex, stringIRType, stringArch, stringTriple} {
		if _, ok := e.String(key); ok && !slices.Contains(want, key) {
			v.found(entryStrings, place, "the string %s does not belong to the role %s", key, role)
		}
	}
}

// checkCopies finds strings that differ from the metadata that they repeat.
func (v *v2Reader) checkCopies(place string, e *offload.Entry, img *Image) {
	check := func(key, want string) {
		if got, ok := e.String(key); ok && got != want {
			v.found(entryStrings, place, "the string %s is %s, but the metadata has %s", key, quote(got), quote(want))
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

// finish puts the modules in order.
func (v *v2Reader) finish() error {
	if v.global == nil {
		return errorf(0, "a version 2 file without a global_metadata entry")
	}
	for i := range len(v.modules) {
		if m := v.modules[i]; m == nil {
			// The largest index is not below the number of modules.
			return errorf(0, "there is no entry for abstract module %d, but there is one for a later module", i)
		} else if m.Metadata == nil {
			return errorf(m.offset, "abstract module %d has entry %d, but no am_metadata entry", i, m.seen)
		}
		v.file.Modules = append(v.file.Modules, &v.modules[i].Module)
	}
	return nil
}

// quote makes text from a file fit for a message.
func quote(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%.64q...", s)
	}
	return fmt.Sprintf("%q", s)
}
