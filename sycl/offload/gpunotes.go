package offload

import (
	"encoding/binary"
	"io"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
)

const (
	compatSection = ".note.intelgt.compat"
	noteOwner     = "IntelGT\x00"
	noteHeader    = 12
	maxNotes      = 1 << 16 // bytes of the section; compilers write 172

	noteProductConfig = 6
)

// ProductConfig returns the product config in the notes of an ELF file for Intel GPUs, which is
// the version of the GPU, or 0 if there is none. Errors in the content are of type [*FormatError].
//
// Section .note.intelgt.compat has notes of the owner IntelGT: u32 size of the owner, u32 size of
// the value, u32 type, the owner and the value, both padded to 4 bytes.
func ProductConfig(r io.ReaderAt, size int64) (uint32, error) {
	f, err := readELF(r, size)
	if err != nil {
		return 0, err
	}
	config, found := uint32(0), false
	total := uint64(0)
	for _, s := range f.Sections {
		if name, ok := s.ShortName(len(compatSection)); !ok || name != compatSection {
			continue
		}
		if total += s.Size; s.Size > maxNotes || total > maxNotes {
			return 0, imageErrorf(s.Header, "section %s has %d bytes (limit %d)", compatSection, max(s.Size, total), maxNotes)
		}
		data, err := sectionContent(r, size, s)
		if err != nil {
			return 0, err
		}
		err = eachNote(data, int64(s.Offset), func(at int64, typ uint32, value []byte) error {
			switch {
			case typ != noteProductConfig:
				return nil
			case len(value) != 4:
				return imageErrorf(at, "the product config has %d bytes, expected 4", len(value))
			}
			read := binary.LittleEndian.Uint32(value)
			if found && read != config {
				return imageErrorf(at, "duplicate product config: %#x and %#x", config, read)
			}
			config, found = read, true
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return config, nil
}

// eachNote calls visit for each note of IntelGT in a section at an offset.
func eachNote(data []byte, offset int64, visit func(at int64, typ uint32, value []byte) error) error {
	for at := 0; at < len(data); {
		b := binfile.Buf(data[at:])
		if len(b) < noteHeader {
			return imageErrorf(offset+int64(at), "unexpected end of section %s: a note has a header of %d bytes", compatSection, noteHeader)
		}
		owner, length, typ := uint64(b.Uint32()), uint64(b.Uint32()), b.Uint32()
		padded := func(n uint64) uint64 { return (n + 3) &^ 3 }
		if padded(owner)+length > uint64(len(b)) {
			return imageErrorf(offset+int64(at), "a note of %d and %d bytes reaches past the end of section %s", owner, length, compatSection)
		}
		name, value := b[:owner], b[padded(owner):padded(owner)+length]
		if string(name) == noteOwner {
			if err := visit(offset+int64(at), typ, value); err != nil {
				return err
			}
		}
		at += noteHeader + int(padded(owner)+padded(length)) // the last padding may be missing
	}
	return nil
}
