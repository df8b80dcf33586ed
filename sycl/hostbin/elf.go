package hostbin

import (
	"errors"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

const (
	elfRela    = 24 // bytes
	elfSymbol  = 24
	elfDynamic = 16

	elfRelocatable = 1 // e_type of an object
	elfShared      = 3 // e_type of a library or a position-independent executable

	machineX86   = 62
	machineARM64 = 183

	sectionSymbols  = 2 // SHT_*
	sectionRela     = 4
	sectionNoBits   = 8
	sectionIndexes  = 18
	sectionSPIRV    = 0xff000009
	sectionAllocate = 2 // SHF_ALLOC

	indexReserved = 0xff00 // SHN_LORESERVE: indexes from here on do not name a section
	indexExtended = 0xffff // SHN_XINDEX: the section is in a table of type sectionIndexes

	segmentLoad    = 1 // PT_*
	segmentDynamic = 2

	segmentWritable = 2 // PF_W

	tagSymbols  = 6 // DT_*
	tagRela     = 7
	tagRelaSize = 8
)

// addressTypes are the relocation types that store a 64-bit address.
type addressTypes struct{ absolute, relative uint32 }

var elfAddressTypes = map[uint16]addressTypes{
	machineX86:   {absolute: 1, relative: 8},
	machineARM64: {absolute: 257, relative: 1027},
}

// An elf is a 64-bit little-endian ELF file.
type elf struct {
	in *input
	*binfile.ELF
}

// elf looks for images in an ELF file.
func (s *scanner) elf(in input) error {
	if kind, err := foreignELF(&in); err != nil || kind != "" {
		s.file.Foreign = kind
		return err
	}
	e, err := readELF(&in)
	if err != nil {
		return err
	}
	before := len(s.file.Images)
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
		if h.Type == sectionNoBits || !h.HasPrefix(offloadSection[:8]) && !h.HasPrefix(offload.BundleMagic) {
			continue
		}
		name, ok := h.ShortName(maxSectionName)
		if !ok || !isOffloadSection(name) && !strings.HasPrefix(name, offload.BundleMagic) {
			continue
		}
		sec, err := e.content(h.Range, "section "+safetext.Quote(name))
		if err != nil {
			return err
		}
		sec.name = name
		list = append(list, sec)
	}
	if err := s.sections(in, list, e.Type != elfRelocatable); err != nil || len(s.file.Images) == before {
		return err
	}
	constants, err := e.constants()
	if err != nil {
		return err
	}
	return s.findOtherCode(&in, constants, s.file.Images[before:])
}

// foreignELF returns the kind of a 32-bit or big-endian file, or "". Such files occur next to SYCL
// programs, as firmware or for other systems, but SYCL programs are never among them.
func foreignELF(in *input) (kind string, err error) {
	var head [6]byte
	if err := in.read(head[:], 0, "the ELF header"); err != nil {
		return "", err
	}
	switch class, order := head[4], head[5]; {
	case class == 1 && (order == 1 || order == 2):
		return "32-bit ELF file", nil
	case class == 2 && order == 2:
		return "big-endian ELF file", nil
	}
	return "", nil
}

// constants returns the sections with constants. It stops if they overlap.
func (e *elf) constants() ([]section, error) {
	var list []section
	total := int64(0)
	for _, h := range e.Sections {
		if h.Type == sectionNoBits || !h.HasPrefix(".rodata") && !h.HasPrefix(".lrodata") {
			continue
		}
		sec, err := e.content(h.Range, "a section with constants")
		if err != nil {
			return nil, err
		}
		if total += sec.size; total > e.in.size {
			break
		}
		list = append(list, sec)
	}
	return list, nil
}

// readELF reads the headers of a file.
func readELF(in *input) (*elf, error) {
	f, err := binfile.ReadELF(in.section(0, in.size), in.size)
	if elfErr := (*binfile.ELFError)(nil); errors.As(err, &elfErr) {
		return nil, in.errorWithFix(elfErr.Offset, elfErr.Fix, "%s", elfErr.Msg)
	}
	return &elf{in, f}, err
}

// content checks the location of a section or segment.
func (e *elf) content(h binfile.Range, what string) (section, error) {
	if !e.in.has(h.Offset, h.Size) {
		return section{}, e.in.truncatedf(h.Header, "%s, %d bytes at %#x, reaches past the end at %#x", what, h.Size, h.Offset, e.in.size)
	}
	return section{offset: int64(h.Offset), size: int64(h.Size)}, nil
}

// bytes reads a section or segment.
func (e *elf) bytes(h binfile.Range, what string, most int64) ([]byte, error) {
	sec, err := e.content(h, what)
	if err != nil {
		return nil, err
	}
	if sec.size > most {
		return nil, e.in.errorf(h.Header, "%s has %d bytes (limit %d)", what, sec.size, most)
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
		m.segments[len(m.segments)-1].constant = e.Type == elfShared && h.Flags&segmentWritable == 0
	}
	if err := m.checkRanges(); err != nil {
		return err
	}
	for _, h := range e.Segments {
		if h.Type == segmentDynamic {
			return e.relocate(m, h.Range, types)
		}
	}
	return nil
}

// relocate applies the relocations that the dynamic segment points to.
func (e *elf) relocate(m *memory, dynamic binfile.Range, types addressTypes) error {
	d, err := e.dynamic(dynamic)
	if err != nil || d.size == 0 {
		return err
	}
	at, ok := m.place(d.rela, d.size)
	if !ok {
		return e.in.errorf(dynamic.Header, "the relocations, %d bytes at address %#x, are not in the file", d.size, d.rela)
	}
	m.relocated = make(map[uint64]uint64, min(d.size/elfRela, 1<<18))
	return e.eachRela(m.s, section{offset: at, size: int64(d.size)}, func(r rela) error {
		switch r.typ {
		case types.relative:
			m.relocated[r.place] = r.addend
		case types.absolute:
			value, defined, err := e.dynamicSymbol(m, d, r.index)
			if err != nil {
				return err
			}
			// Symbols of other files have no address here, so such pointers are null.
			if !defined {
				r.addend = 0
			}
			m.relocated[r.place] = value + r.addend
		}
		return nil
	})
}

// A dynamic holds memory locations from the dynamic segment.
type dynamic struct {
	header              int64 // of the segment, for messages
	symbols, rela, size uint64
}

// dynamic reads the dynamic segment.
func (e *elf) dynamic(at binfile.Range) (dynamic, error) {
	d := dynamic{header: at.Header}
	raw, err := e.bytes(at, "the dynamic segment", 1<<20)
	if err != nil {
		return d, err
	}
	for entry := range slices.Chunk(raw, elfDynamic) {
		if len(entry) < elfDynamic || le.Uint64(entry) == 0 {
			break
		}
		switch v := le.Uint64(entry[8:]); le.Uint64(entry) {
		case tagSymbols:
			d.symbols = v
		case tagRela:
			d.rela = v
		case tagRelaSize:
			d.size = v
		}
	}
	return d, nil
}

// dynamicSymbol returns the address of a symbol, and whether the file defines it. Symbol 0 has
// address 0.
func (e *elf) dynamicSymbol(m *memory, d dynamic, index uint32) (value uint64, defined bool, err error) {
	if index == 0 {
		return 0, true, nil
	}
	offset, ok := m.place(d.symbols+uint64(index)*elfSymbol, elfSymbol)
	if !ok {
		return 0, false, e.in.errorf(d.header, "symbol %d of a relocation is not in the file", index)
	}
	var raw [elfSymbol]byte
	if err := e.in.read(raw[:], offset, "a symbol"); err != nil {
		return 0, false, err
	}
	section, value := parseSymbol(raw[:])
	if section == 0 {
		return 0, false, nil
	}
	return value, true, nil
}

// parseSymbol returns the section of a symbol, or 0 if the file does not define it, and its
// address or its offset in the section.
func parseSymbol(raw []byte) (section uint16, value uint64) {
	return le.Uint16(raw[6:]), le.Uint64(raw[8:])
}

// A rela is a relocation.
type rela struct {
	at         int64 // in the file
	place      uint64
	typ, index uint32
	addend     uint64
}

// eachRela calls f for each relocation of a table.
func (e *elf) eachRela(s *scanner, table section, f func(rela) error) error {
	count := table.size / elfRela
	if err := s.relocate(e.in, table.offset, count); err != nil {
		return err
	}
	buffer := make([]byte, min(table.size, 4096*elfRela))
	for done := int64(0); done < count; {
		n := min(count-done, 4096)
		at := table.offset + done*elfRela
		chunk := binfile.Buf(buffer[:n*elfRela])
		if err := e.in.read(chunk, at, "the relocations"); err != nil {
			return err
		}
		for i := range n {
			r := rela{at: at + i*elfRela, place: chunk.Uint64(), typ: chunk.Uint32(), index: chunk.Uint32(), addend: chunk.Uint64()}
			if err := f(r); err != nil {
				return err
			}
		}
		done += n
	}
	return nil
}

// loadObject assigns addresses to the sections of an object and applies their relocations.
func (e *elf) loadObject(m *memory, types addressTypes) error {
	o := elfObject{elf: e, m: m, types: types, bases: make([]uint64, len(e.Sections))}
	if err := o.load(); err != nil {
		return err
	}
	for _, h := range e.Sections {
		if h.Type != sectionRela || uint64(h.Info) >= uint64(len(e.Sections)) || o.bases[h.Info] == 0 {
			continue
		}
		if err := o.relocate(h); err != nil {
			return err
		}
	}
	return nil
}

// An elfObject is a relocatable ELF file.
type elfObject struct {
	*elf
	m     *memory
	types addressTypes
	bases []uint64 // addresses of the sections, 0 for those that are not loaded

	symbols   []byte // of the symbol table
	symbolsIn uint32 // its section
	indexes   []byte // the section of each symbol, 4 bytes each, if there are too many for the symbols
}

// load assigns addresses to the sections.
func (o *elfObject) load() error {
	for i, h := range o.Sections {
		if h.Type == sectionNoBits || h.Flags&sectionAllocate == 0 || h.Size == 0 {
			continue
		}
		sec, err := o.content(h.Range, "a section")
		if err != nil {
			return err
		}
		if o.bases[i], err = o.m.mappedNext(sec, h.Header); err != nil {
			return err
		}
	}
	return o.m.checkRanges()
}

// relocate applies the relocations in a section.
func (o *elfObject) relocate(h binfile.Section) error {
	if err := o.readSymbols(h); err != nil {
		return err
	}
	table, err := o.content(h.Range, "a table of relocations")
	if err != nil {
		return err
	}
	base, size := o.bases[h.Info], o.Sections[h.Info].Size
	return o.eachRela(o.m.s, table, func(r rela) error {
		switch count := uint64(len(o.symbols)) / elfSymbol; {
		case r.typ != o.types.absolute:
			return nil
		case r.place > size:
			return o.in.errorf(r.at, "a relocation is at %#x, past the end of its section", r.place)
		case uint64(r.index) >= count:
			return o.in.errorf(r.at, "a relocation refers to symbol %d, but the file has %d symbols", r.index, count)
		}
		section, value := parseSymbol(o.symbols[uint64(r.index)*elfSymbol:])
		in := uint64(section)
		switch at := uint64(r.index) * 4; {
		case section == indexExtended && at+4 > uint64(len(o.indexes)):
			return o.in.errorf(r.at, "the section of symbol %d is missing in the table of sections, which has %d bytes", r.index, len(o.indexes))
		case section == indexExtended:
			in = uint64(le.Uint32(o.indexes[at:]))
		case section >= indexReserved:
			in = 0
		}
		if in != 0 && in < uint64(len(o.bases)) && o.bases[in] != 0 {
			o.m.relocated[base+r.place] = o.bases[in] + value + r.addend
		} else {
			o.m.undefine(base+r.place, uint64(r.index))
		}
		return nil
	})
}

// readSymbols reads the symbols that relocations name, unless they were already read: an object
// has one symbol table.
func (o *elfObject) readSymbols(relocations binfile.Section) error {
	in := relocations.Link
	if uint64(in) >= uint64(len(o.Sections)) || o.Sections[in].Type != sectionSymbols {
		return o.elf.in.errorf(relocations.Header, "the relocations refer to section %d, which is not a symbol table", in)
	}
	switch {
	case o.symbols != nil && o.symbolsIn == in:
		return nil
	case o.symbols != nil:
		return o.elf.in.errorf(relocations.Header, "relocations refer to two symbol tables, sections %d and %d", in, o.symbolsIn)
	}
	var err error
	o.symbols, err = o.bytes(o.Sections[in].Range, "the symbols", maxSymbols)
	o.symbolsIn = in
	for _, h := range o.Sections {
		if err == nil && h.Type == sectionIndexes && h.Link == in {
			o.indexes, err = o.bytes(h.Range, "the sections of symbols", maxSymbols)
		}
	}
	return err
}
