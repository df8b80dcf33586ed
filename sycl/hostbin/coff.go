package hostbin

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

const (
	coffHeader    = 20
	coffBigHeader = 56
	coffSection   = 40
	coffSymbol    = 18

	coffRelocation = 10

	coffAMD64 = 0x8664
	coffARM64 = 0xaa64

	coffUninitialized   = 0x80 // IMAGE_SCN_*
	coffInfo            = 0x200
	coffRemove          = 0x800
	coffManyRelocations = 0x1000000
	coffDiscardable     = 0x2000000
)

// bigID identifies objects with more than 65279 sections.
var bigID = []byte("\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8")

// coff looks for images in a PE file or a COFF object.
func (s *scanner) coff(in input) error {
	before := len(s.file.Images)
	c := coff{in: &in, m: &memory{in: &in, s: s}}
	if known, err := c.headers(); err != nil || !known {
		s.file.Foreign = c.foreign
		return err
	}
	list, err := c.load()
	if err != nil {
		return err
	}
	if err := c.m.checkRanges(); err != nil {
		return err
	}
	if !c.linked {
		if err := c.relocate(); err != nil {
			return err
		}
	}
	if err := c.m.tables(); err != nil {
		return err
	}
	if err := s.sections(in, list, c.linked); err != nil || len(s.file.Images) == before {
		return err
	}
	return s.findOtherCode(&in, c.constants, s.file.Images[before:])
}

// A coff is a PE file or a COFF object.
type coff struct {
	in      *input
	m       *memory
	machine uint16
	linked  bool   // a PE file
	foreign string // the kind of a PE file that is not a 64-bit one
	base    uint64 // of a PE file in memory

	table, count                     int64 // of the section headers
	symbols, symbolCount, symbolSize int64

	constants []section
	sections  []coffLoaded // of an object, in the numbering of its symbols
	symbolRaw []byte       // of all symbols, once they are read
}

// headers reads everything before the section headers. It returns false for an import of a library,
// which has no sections, and for PE files that are not 64-bit ones.
func (c *coff) headers() (known bool, err error) {
	at, err := c.signature()
	if err != nil {
		return false, err
	}
	var head [coffHeader]byte
	if err := c.in.read(head[:], at, "the COFF header"); err != nil {
		return false, err
	}
	at += coffHeader
	h := binfile.Buf(head[:])
	c.machine, c.count = h.Uint16(), int64(h.Uint16())
	h.Skip(4) // the time
	c.symbols, c.symbolCount, c.symbolSize = int64(h.Uint32()), int64(h.Uint32()), coffSymbol
	optional := int64(h.Uint16())
	c.table = at + optional
	switch {
	case c.linked:
		return c.optionalHeader(at, optional)
	case c.machine == 0:
		return c.bigHeader()
	}
	return true, nil
}

// signature returns the offset of the COFF header, which follows a signature in a PE file.
func (c *coff) signature() (int64, error) {
	var dos [64]byte
	if err := c.in.read(dos[:min(c.in.size, 64)], 0, "the COFF header"); err != nil {
		return 0, err
	}
	c.linked = string(dos[:2]) == "MZ"
	if !c.linked {
		return 0, nil
	}
	at := int64(le.Uint32(dos[0x3c:]))
	var signature [4]byte
	if err := c.in.read(signature[:], at, "the PE signature"); err != nil {
		return 0, err
	}
	if string(signature[:]) != "PE\x00\x00" {
		return 0, c.in.errorf(at, "the PE signature is %q", signature[:])
	}
	return at + 4, nil
}

// bigHeader reads the header of an object with many sections, which replaces the usual header.
func (c *coff) bigHeader() (known bool, err error) {
	if c.in.size < coffBigHeader {
		return false, nil
	}
	var head [coffBigHeader]byte
	if err := c.in.read(head[:], 0, "the COFF header"); err != nil {
		return false, err
	}
	h := binfile.Buf(head[6:])
	c.machine = h.Uint16()
	h.Skip(4) // the time
	if !bytes.Equal(h.Sub(len(bigID)), bigID) {
		return false, nil
	}
	h.Skip(16) // reserved
	c.table, c.count = coffBigHeader, int64(h.Uint32())
	c.symbols, c.symbolCount, c.symbolSize = int64(h.Uint32()), int64(h.Uint32()), coffSymbol+2
	return true, nil
}

// optionalHeader reads the PE header that follows the COFF header.
func (c *coff) optionalHeader(at, size int64) (known bool, err error) {
	var magic [32]byte
	if err := c.in.read(magic[:], at, "the optional header"); err != nil {
		return false, err
	}
	if le.Uint16(magic[:]) != 0x20b || size < 32 {
		c.foreign = "32-bit PE file"
		return false, nil
	}
	if c.base = le.Uint64(magic[24:]); c.base > 1<<62 {
		return false, c.in.errorf(at+24, "the image base %#x is beyond memory", c.base)
	}
	return true, nil
}

// load loads the sections, and returns the sections with known names.
func (c *coff) load() ([]section, error) {
	if c.count > maxSections || !c.in.has(uint64(c.table), uint64(c.count)*coffSection) {
		return nil, c.in.truncatedf(c.table, "the %d section headers reach past the end at %#x", c.count, c.in.size)
	}
	var list []section
	for i := range c.count {
		sec, err := c.section(c.table + i*coffSection)
		if err != nil {
			return nil, err
		}
		if isOffloadSection(sec.name) || strings.HasPrefix(sec.name, offload.BundleMagic) {
			list = append(list, sec)
		}
		if strings.HasPrefix(sec.name, ".rdata") {
			c.constants = append(c.constants, sec)
		}
	}
	return list, nil
}

// A coffLoaded is a section of an object. It is loaded if its address is not 0.
type coffLoaded struct {
	address           uint64
	size              int64
	relocations, many int64 // offset and number
	header            int64
}

// section loads a section. A section without bytes has no name.
func (c *coff) section(at int64) (section, error) {
	var raw [coffSection]byte
	if err := c.in.read(raw[:], at, "a section header"); err != nil {
		return section{}, err
	}
	h := binfile.Buf(raw[:])
	name := h.Sub(8)
	memorySize, address := int64(h.Uint32()), uint64(h.Uint32())
	var sec section
	sec.size, sec.offset = int64(h.Uint32()), int64(h.Uint32())
	loaded := coffLoaded{size: sec.size, relocations: int64(h.Uint32()), header: at}
	h.Skip(4) // the line numbers
	loaded.many = int64(h.Uint16())
	h.Skip(2) // the number of line numbers
	flags := h.Uint32()
	defer func() { c.sections = append(c.sections, loaded) }()
	if flags&coffUninitialized != 0 || sec.size == 0 {
		return section{}, nil
	}
	if !c.in.has(uint64(sec.offset), uint64(sec.size)) {
		return section{}, c.in.truncatedf(at, "a section of %d bytes at %#x reaches past the end at %#x", sec.size, sec.offset, c.in.size)
	}
	var err error
	switch {
	case c.linked:
		// The bytes in the file are padded. Pointers already hold addresses; the base relocation table
		// only states where the pointers are.
		sec.size = min(sec.size, memorySize)
		err = c.m.mapped(c.base+address, sec, at)
	case flags&(coffInfo|coffRemove|coffDiscardable) == 0:
		loaded.address, err = c.m.mappedNext(sec, at)
		if err == nil && flags&coffManyRelocations != 0 && loaded.many == 0xffff {
			var first [4]byte
			err = c.in.read(first[:], loaded.relocations, "the number of relocations")
			loaded.many = int64(le.Uint32(first[:]))
		}
	}
	if err != nil {
		return section{}, err
	}
	sec.name, err = coffNames{in: c.in, offset: c.symbols + c.symbolCount*c.symbolSize}.name(name, at)
	return sec, err
}

// relocate applies the relocations of an object.
func (c *coff) relocate() error {
	absolute, ok := map[uint16]uint16{coffAMD64: 1, coffARM64: 14}[c.machine]
	if !ok {
		return nil
	}
	for _, sec := range c.sections {
		if sec.address == 0 || sec.many == 0 {
			continue
		}
		if err := c.relocateSection(sec, absolute); err != nil {
			return err
		}
	}
	return nil
}

// relocateSection applies the relocations of a section that store absolute addresses.
func (c *coff) relocateSection(sec coffLoaded, absolute uint16) error {
	if !c.in.has(uint64(sec.relocations), uint64(sec.many)*coffRelocation) {
		return c.in.truncatedf(sec.header, "%d relocations at %#x reach past the end at %#x", sec.many, sec.relocations, c.in.size)
	}
	if err := c.m.s.relocate(c.in, sec.header, sec.many); err != nil {
		return err
	}
	if err := c.readSymbols(); err != nil {
		return err
	}
	raw := make(binfile.Buf, sec.many*coffRelocation)
	if err := c.in.read(raw, sec.relocations, "the relocations"); err != nil {
		return err
	}
	for at := sec.relocations; len(raw) > 0; at += coffRelocation {
		place, index, typ := int64(raw.Uint32()), int64(raw.Uint32()), raw.Uint16()
		switch {
		case typ != absolute:
			continue
		case place > sec.size-8:
			return c.in.errorf(at, "a relocation is at %#x, past the end of its section", place)
		case index >= c.symbolCount:
			return c.in.errorf(at, "a relocation refers to symbol %d, but the file has %d symbols", index, c.symbolCount)
		}
		address := sec.address + uint64(place)
		target, ok := c.symbol(c.symbolRaw[index*c.symbolSize:])
		if !ok {
			c.m.undefine(address, uint64(index))
			continue
		}
		addend, err := c.m.bytes(address, 8, "a relocated word")
		if err != nil {
			return err
		}
		c.m.relocated[address] = target + le.Uint64(addend)
	}
	return nil
}

// readSymbols reads the symbols on first use.
func (c *coff) readSymbols() error {
	if c.symbolRaw != nil {
		return nil
	}
	size := c.symbolCount * c.symbolSize
	if !c.in.has(uint64(c.symbols), uint64(size)) || size > maxSymbols {
		return c.in.truncatedf(c.symbols, "%d symbols reach past the end or are too large (limit %d bytes)", c.symbolCount, maxSymbols)
	}
	c.symbolRaw = make([]byte, size)
	return c.in.read(c.symbolRaw, c.symbols, "the symbols")
}

// symbol returns the address of a symbol, and whether its section is loaded.
func (c *coff) symbol(raw []byte) (uint64, bool) {
	number := int64(int16(le.Uint16(raw[12:])))
	if c.symbolSize != coffSymbol {
		number = int64(int32(le.Uint32(raw[12:])))
	}
	if number < 1 || number > int64(len(c.sections)) || c.sections[number-1].address == 0 {
		return 0, false
	}
	return c.sections[number-1].address + uint64(le.Uint32(raw[8:])), true
}

// coffNames resolves names that are longer than a section header allows.
type coffNames struct {
	in     *input
	offset int64 // of the string table
}

func (n coffNames) name(raw []byte, at int64) (string, error) {
	short := string(bytes.TrimRight(raw, "\x00"))
	digits, ok := strings.CutPrefix(short, "/")
	if !ok {
		return short, nil
	}
	var offset uint64
	var err error
	if coded, ok := strings.CutPrefix(digits, "/"); ok { // too large for seven digits
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		for _, c := range []byte(coded) {
			d := strings.IndexByte(alphabet, c)
			if d < 0 {
				return short, nil
			}
			offset = offset*64 + uint64(d)
		}
	} else if offset, err = strconv.ParseUint(digits, 10, 32); err != nil {
		return short, nil // a name that starts with a slash
	}
	start := n.offset + int64(offset)
	if !n.in.has(uint64(start), 1) {
		return "", n.in.errorf(at, "the name of a section is at %#x, past the end", start)
	}
	b := make([]byte, min(maxSectionName, n.in.size-start))
	if err := n.in.read(b, start, "the name of a section"); err != nil {
		return "", err
	}
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b), nil
}
