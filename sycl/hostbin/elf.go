package hostbin

import (
	"errors"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
	"github.com/rules-sycl/rules_sycl/sycl/internal/elfhead"
)

const (
	elfRela    = 24 // bytes
	elfSymbol  = 24
	elfDynamic = 16

	elfRelocatable = 1 // e_type of an object

	machineX86   = 62
	machineARM64 = 183

	sectionSymbols  = 2 // SHT_*
	sectionRela     = 4
	sectionNoBits   = 8
	sectionSPIRV    = 0xff000009
	sectionAllocate = 2 // SHF_ALLOC

	segmentLoad    = 1 // PT_*
	segmentDynamic = 2

	tagSymbols  = 6 // DT_*
	tagRela     = 7
	tagRelaSize = 8
)

// relocation types that put an address of 64 bits in place.
type addressTypes struct{ absolute, relative uint32 }

var elfAddressTypes = map[uint16]addressTypes{
	machineX86:   {absolute: 1, relative: 8},
	machineARM64: {absolute: 257, relative: 1027},
}

// An elf is a 64-bit little-endian ELF file.
type elf struct {
	in *input
	*elfhead.File
}

// elf looks for images in an ELF file.
func (s *scanner) elf(in input) error {
	e, err := readELF(&in)
	if err != nil {
		return err
	}
	m := &memory{in: &in, s: s}
	if types, ok := elfAddressTypes[e.Machine]; ok {
		if err := e.load(m, types); err != nil {
			return err
		}
		if err := m.tables(); err != nil {
			return err
		}
	}
	var list []section
	for _, h := range e.Sections {
		if h.Type == sectionNoBits || !h.HasPrefix(offloadSection[:8]) && !h.HasPrefix(imageformat.BundleMagic) {
			continue
		}
		name := h.Name()
		if len(name) > maxSectionName || !isOffloadSection(name) && !strings.HasPrefix(name, imageformat.BundleMagic) {
			continue
		}
		sec, err := e.content(h.Range, "section "+quote(name))
		if err != nil {
			return err
		}
		sec.name = name
		list = append(list, sec)
	}
	return s.sections(in, list, e.Type != elfRelocatable)
}

// readELF reads the headers of a file.
func readELF(in *input) (*elf, error) {
	f, err := elfhead.Read(in.section(0, in.size), in.size)
	if fault := (*elfhead.FormatError)(nil); errors.As(err, &fault) {
		return nil, in.errorf(fault.Offset, "%s", fault.Msg)
	}
	return &elf{in, f}, err
}

// content checks where a section or segment is.
func (e *elf) content(h elfhead.Range, what string) (section, error) {
	if !e.in.has(h.Offset, h.Size) {
		return section{}, e.in.errorf(h.Header, "%s, %d bytes at %#x, reaches past the end at %#x", what, h.Size, h.Offset, e.in.size)
	}
	return section{offset: int64(h.Offset), size: int64(h.Size)}, nil
}

// bytes reads a section or segment.
func (e *elf) bytes(h elfhead.Range, what string, most int64) ([]byte, error) {
	sec, err := e.content(h, what)
	if err != nil {
		return nil, err
	}
	if sec.size > most {
		return nil, e.in.errorf(h.Header, "%s has %d bytes, more than %d", what, sec.size, most)
	}
	raw := make([]byte, sec.size)
	return raw, e.in.read(raw, sec.offset, what)
}

// load maps the file into memory and relocates it.
func (e *elf) load(m *memory, types addressTypes) error {
	if e.Type == elfRelocatable {
		return e.loadObject(m, types)
	}
	for _, h := range e.Segments {
		if h.Type != segmentLoad || h.Size == 0 {
			continue
		}
		sec, err := e.content(h.Range, "a segment")
		if err != nil {
			return err
		}
		if err := m.mapped(h.Address, sec, h.Header); err != nil {
			return err
		}
	}
	if err := m.ready(); err != nil {
		return err
	}
	for _, h := range e.Segments {
		if h.Type == segmentDynamic {
			return e.relocate(m, h.Range, types)
		}
	}
	return nil
}

// relocate applies the relocations that the dynamic segment points at.
func (e *elf) relocate(m *memory, dynamic elfhead.Range, types addressTypes) error {
	raw, err := e.bytes(dynamic, "the dynamic segment", 1<<20)
	if err != nil {
		return err
	}
	var symbols, rela, size uint64
	for entry := range slices.Chunk(raw, elfDynamic) {
		if len(entry) < elfDynamic || le.Uint64(entry) == 0 {
			break
		}
		switch v := le.Uint64(entry[8:]); le.Uint64(entry) {
		case tagSymbols:
			symbols = v
		case tagRela:
			rela = v
		case tagRelaSize:
			size = v
		}
	}
	if size == 0 {
		return nil
	}
	at, ok := m.place(rela, size)
	if !ok {
		return e.in.errorf(dynamic.Header, "the relocations, %d bytes at address %#x, are not in the file", size, rela)
	}
	return e.eachRela(section{offset: at, size: int64(size)}, func(_ int64, place uint64, typ, index uint32, addend uint64) error {
		switch typ {
		case types.relative:
			m.relocated[place] = addend
		case types.absolute:
			// Symbols of other files have no address here: such pointers are null.
			var value uint64
			if index != 0 {
				var raw [elfSymbol]byte
				offset, ok := m.place(symbols+uint64(index)*elfSymbol, elfSymbol)
				if !ok {
					return e.in.errorf(dynamic.Header, "symbol %d of a relocation is not in the file", index)
				}
				if err := e.in.read(raw[:], offset, "a symbol"); err != nil {
					return err
				}
				if le.Uint16(raw[6:]) == 0 {
					m.relocated[place] = 0
					return nil
				}
				value = le.Uint64(raw[8:])
			}
			m.relocated[place] = value + addend
		}
		return nil
	}, m.s)
}

// eachRela calls f for each relocation of a table.
func (e *elf) eachRela(table section, f func(at int64, place uint64, typ, index uint32, addend uint64) error, s *scanner) error {
	count := table.size / elfRela
	if err := s.relocate(e.in, table.offset, count); err != nil {
		return err
	}
	buffer := make([]byte, min(table.size, 4096*elfRela))
	for done := int64(0); done < count; {
		n := min(count-done, 4096)
		at := table.offset + done*elfRela
		chunk := buffer[:n*elfRela]
		if err := e.in.read(chunk, at, "the relocations"); err != nil {
			return err
		}
		for i := range n {
			r := chunk[i*elfRela:]
			if err := f(at+i*elfRela, le.Uint64(r), le.Uint32(r[8:]), le.Uint32(r[12:]), le.Uint64(r[16:])); err != nil {
				return err
			}
		}
		done += n
	}
	return nil
}

// loadObject gives the sections of an object addresses and applies their
// relocations.
func (e *elf) loadObject(m *memory, types addressTypes) error {
	bases := make([]uint64, len(e.Sections))
	for i, h := range e.Sections {
		if h.Type == sectionNoBits || h.Flags&sectionAllocate == 0 || h.Size == 0 {
			continue
		}
		sec, err := e.content(h.Range, "a section")
		if err != nil {
			return err
		}
		if bases[i], err = m.mappedNext(sec, h.Header); err != nil {
			return err
		}
	}
	if err := m.ready(); err != nil {
		return err
	}
	var symbols []byte // of the last symbol table used
	last := uint32(0)
	for _, h := range e.Sections {
		if h.Type != sectionRela || uint64(h.Info) >= uint64(len(e.Sections)) || bases[h.Info] == 0 {
			continue
		}
		base, target := bases[h.Info], e.Sections[h.Info]
		if uint64(h.Link) >= uint64(len(e.Sections)) || e.Sections[h.Link].Type != sectionSymbols {
			return e.in.errorf(h.Header, "the relocations name section %d, which is no symbol table", h.Link)
		}
		if symbols == nil || last != h.Link {
			var err error
			if symbols, err = e.bytes(e.Sections[h.Link].Range, "the symbols", maxSymbols); err != nil {
				return err
			}
			last = h.Link
		}
		table, err := e.content(h.Range, "a table of relocations")
		if err != nil {
			return err
		}
		err = e.eachRela(table, func(at int64, place uint64, typ, index uint32, addend uint64) error {
			if typ != types.absolute {
				return nil
			}
			if place > target.Size {
				return e.in.errorf(at, "a relocation is at %#x, past the end of its section", place)
			}
			if uint64(index) >= uint64(len(symbols))/elfSymbol {
				return e.in.errorf(at, "a relocation names symbol %d of %d", index, len(symbols)/elfSymbol)
			}
			symbol := symbols[uint64(index)*elfSymbol:]
			if in := uint64(le.Uint16(symbol[6:])); in != 0 && in < uint64(len(bases)) && bases[in] != 0 {
				m.relocated[base+place] = bases[in] + le.Uint64(symbol[8:]) + addend
			} else {
				m.undefine(base+place, uint64(index))
			}
			return nil
		}, m.s)
		if err != nil {
			return err
		}
	}
	return nil
}
