package hostbin

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	elfHeader  = 64
	elfSection = 64
	elfSegment = 56
	elfRela    = 24
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
	in           *input
	typ, machine uint16
	segments     []elfRange
	sections     []elfRange
}

// An elfRange is a section or a segment as its header has it, unchecked.
type elfRange struct {
	name                         string // of a section
	typ                          uint32
	flags, address, offset, size uint64
	link, info                   uint32
	at                           int64 // of the header
}

// elf looks for images in an ELF file.
func (s *scanner) elf(in input) error {
	e, err := readELF(&in)
	if err != nil {
		return err
	}
	m := &memory{in: &in, s: s}
	if types, ok := elfAddressTypes[e.machine]; ok {
		if err := e.load(m, types); err != nil {
			return err
		}
		if err := m.tables(); err != nil {
			return err
		}
	}
	var list []section
	for _, h := range e.sections {
		if h.typ == sectionNoBits || !isOffloadSection(h.name) && !bytes.HasPrefix([]byte(h.name), []byte(bundleMagic)) {
			continue
		}
		sec, err := e.content(h, "section "+quote(h.name))
		if err != nil {
			return err
		}
		list = append(list, sec)
	}
	return s.sections(in, list, e.typ != elfRelocatable)
}

// readELF reads the headers of a file, its sections and its segments.
func readELF(in *input) (*elf, error) {
	var head [elfHeader]byte
	if err := in.read(head[:], 0, "the ELF header"); err != nil {
		return nil, err
	}
	if head[4] != 2 || head[5] != 1 {
		return nil, in.errorf(4, "the ELF file is not 64-bit little-endian; others are not supported")
	}
	e := &elf{in: in, typ: le.Uint16(head[16:]), machine: le.Uint16(head[18:])}
	table, entry, count := le.Uint64(head[32:]), le.Uint16(head[54:]), uint64(le.Uint16(head[56:]))
	if count > 0 {
		raw, err := e.table("program headers", table, uint64(entry), elfSegment, count, 32)
		if err != nil {
			return nil, err
		}
		for i := range count {
			h := raw[i*elfSegment:]
			e.segments = append(e.segments, elfRange{
				typ: le.Uint32(h), offset: le.Uint64(h[8:]), address: le.Uint64(h[16:]), size: le.Uint64(h[32:]),
				at: int64(table + i*elfSegment),
			})
		}
	}
	table, entry, count = le.Uint64(head[40:]), le.Uint16(head[58:]), uint64(le.Uint16(head[60:]))
	if table == 0 {
		return e, nil // no section headers
	}
	names := uint64(le.Uint16(head[62:]))
	// Numbers that do not fit into the header are in section 0.
	if count == 0 || names == 0xffff {
		first, err := e.table("section headers", table, uint64(entry), elfSection, 1, 40)
		if err != nil {
			return nil, err
		}
		if count == 0 {
			count = le.Uint64(first[32:])
		}
		if names == 0xffff {
			names = uint64(le.Uint32(first[40:]))
		}
	}
	if count > maxSections {
		return nil, in.errorf(60, "the ELF file has %d sections, more than %d", count, maxSections)
	}
	raw, err := e.table("section headers", table, uint64(entry), elfSection, count, 40)
	if err != nil {
		return nil, err
	}
	for i := range count {
		h := raw[i*elfSection:]
		e.sections = append(e.sections, elfRange{
			typ: le.Uint32(h[4:]), flags: le.Uint64(h[8:]), address: le.Uint64(h[16:]), offset: le.Uint64(h[24:]), size: le.Uint64(h[32:]),
			link: le.Uint32(h[40:]), info: le.Uint32(h[44:]),
			at: int64(table + i*elfSection),
		})
	}
	if names == 0 || count == 0 {
		return e, nil // sections without names
	}
	if names >= count {
		return nil, in.errorf(62, "the names of the sections are in section %d of %d", names, count)
	}
	text, err := e.bytes(e.sections[names], "the names of the sections", maxNames)
	if err != nil {
		return nil, err
	}
	for i := range e.sections {
		start := uint64(le.Uint32(raw[uint64(i)*elfSection:]))
		if start > uint64(len(text)) {
			return nil, in.errorf(e.sections[i].at, "the name of section %d is past the end of the names", i)
		}
		// Names that matter are short: others are not kept whole.
		name := text[start:min(uint64(len(text)), start+256)]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if bytes.HasPrefix(name, []byte(bundleMagic)) || isOffloadSection(string(name)) {
			e.sections[i].name = string(name)
		}
	}
	return e, nil
}

// table reads headers whose size has to be the usual one.
func (e *elf) table(what string, offset, entry, want, count uint64, at int64) ([]byte, error) {
	if entry != want {
		return nil, e.in.errorf(at, "the size of the %s is %d instead of %d", what, entry, want)
	}
	if !e.in.has(offset, count*want) { // count is at most maxSections
		return nil, e.in.errorf(at, "the %d %s at %#x reach past the end at %#x", count, what, offset, e.in.size)
	}
	raw := make([]byte, count*want)
	return raw, e.in.read(raw, int64(offset), "the "+what)
}

// content checks where a section or segment is.
func (e *elf) content(h elfRange, what string) (section, error) {
	if !e.in.has(h.offset, h.size) {
		return section{}, e.in.errorf(h.at, "%s, %d bytes at %#x, reaches past the end at %#x", what, h.size, h.offset, e.in.size)
	}
	return section{h.name, int64(h.offset), int64(h.size)}, nil
}

// bytes reads a section or segment.
func (e *elf) bytes(h elfRange, what string, most int64) ([]byte, error) {
	sec, err := e.content(h, what)
	if err != nil {
		return nil, err
	}
	if sec.size > most {
		return nil, e.in.errorf(h.at, "%s has %d bytes, more than %d", what, sec.size, most)
	}
	raw := make([]byte, sec.size)
	return raw, e.in.read(raw, sec.offset, what)
}

// load maps the file into memory and relocates it.
func (e *elf) load(m *memory, types addressTypes) error {
	if e.typ == elfRelocatable {
		return e.loadObject(m, types)
	}
	for _, h := range e.segments {
		if h.typ != segmentLoad || h.size == 0 {
			continue
		}
		sec, err := e.content(h, "a segment")
		if err != nil {
			return err
		}
		if err := m.mapped(h.address, sec, h.at); err != nil {
			return err
		}
	}
	if err := m.ready(); err != nil {
		return err
	}
	for _, h := range e.segments {
		if h.typ == segmentDynamic {
			return e.relocate(m, h, types)
		}
	}
	return nil
}

// relocate applies the relocations that the dynamic segment points at.
func (e *elf) relocate(m *memory, dynamic elfRange, types addressTypes) error {
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
		return e.in.errorf(dynamic.at, "the relocations, %d bytes at address %#x, are not in the file", size, rela)
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
					return e.in.errorf(dynamic.at, "symbol %d of a relocation is not in the file", index)
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
	if s.relocations += int(min(count, maxRelocations+1)); s.relocations > maxRelocations {
		return e.in.errorf(table.offset, "more than %d relocations", maxRelocations)
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

// loadObject gives the sections of an object addresses, one after another, and
// applies the relocations of the sections.
func (e *elf) loadObject(m *memory, types addressTypes) error {
	// The table of a descriptor is data: code and what describes it are left out.
	bases := make([]uint64, len(e.sections))
	next := uint64(1 << 16)
	for i, h := range e.sections {
		if h.typ == sectionNoBits || h.flags&sectionAllocate == 0 || h.size == 0 {
			continue
		}
		sec, err := e.content(h, "a section")
		if err != nil {
			return err
		}
		bases[i] = next
		if err := m.mapped(next, sec, h.at); err != nil {
			return err
		}
		next += (h.size + 1<<12) &^ (1<<12 - 1) // never adjacent
		next += 1 << 12
	}
	if err := m.ready(); err != nil {
		return err
	}
	var symbols []byte // of the last symbol table used
	last := uint32(0)
	for _, h := range e.sections {
		if h.typ != sectionRela || uint64(h.info) >= uint64(len(e.sections)) || bases[h.info] == 0 {
			continue
		}
		base, target := bases[h.info], e.sections[h.info]
		if uint64(h.link) >= uint64(len(e.sections)) || e.sections[h.link].typ != sectionSymbols {
			return e.in.errorf(h.at, "the relocations name section %d, which is no symbol table", h.link)
		}
		if symbols == nil || last != h.link {
			var err error
			if symbols, err = e.bytes(e.sections[h.link], "the symbols", maxNames); err != nil {
				return err
			}
			last = h.link
		}
		table, err := e.content(h, "a table of relocations")
		if err != nil {
			return err
		}
		err = e.eachRela(table, func(at int64, place uint64, typ, index uint32, addend uint64) error {
			if typ != types.absolute {
				return nil
			}
			if place > target.size {
				return e.in.errorf(at, "a relocation is at %#x, past the end of its section", place)
			}
			if uint64(index) >= uint64(len(symbols))/elfSymbol {
				return e.in.errorf(at, "a relocation names symbol %d of %d", index, len(symbols)/elfSymbol)
			}
			symbol := symbols[uint64(index)*elfSymbol:]
			if in := uint64(le.Uint16(symbol[6:])); in != 0 && in < uint64(len(bases)) && bases[in] != 0 {
				m.relocated[base+place] = bases[in] + le.Uint64(symbol[8:]) + addend
			} else {
				m.relocated[base+place] = 0
			}
			return nil
		}, m.s)
		if err != nil {
			return err
		}
	}
	return nil
}

// sortSegments is the order in which addresses are looked up.
func sortSegments(list []segment) {
	slices.SortStableFunc(list, func(a, b segment) int { return cmp.Compare(a.address, b.address) })
}
