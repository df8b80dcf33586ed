package hostbin

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
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

// bigID marks objects with more than 65279 sections.
var bigID = []byte("\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8")

// coff looks for images in a PE file or a COFF object.
func (s *scanner) coff(in input) error {
	var dos [64]byte
	at := int64(0)
	if err := in.read(dos[:min(in.size, 64)], 0, "the COFF header"); err != nil {
		return err
	}
	linked := string(dos[:2]) == "MZ"
	if linked {
		at = int64(le.Uint32(dos[0x3c:]))
		var signature [4]byte
		if err := in.read(signature[:], at, "the PE signature"); err != nil {
			return err
		}
		if string(signature[:]) != "PE\x00\x00" {
			return in.errorf(at, "the PE signature is %q", signature[:])
		}
		at += 4
	}
	var head [coffBigHeader]byte
	if err := in.read(head[:coffHeader], at, "the COFF header"); err != nil {
		return err
	}
	c := coff{
		in: &in, m: &memory{in: &in, s: s}, machine: le.Uint16(head[:]),
		symbols: int64(le.Uint32(head[8:])), symbolCount: int64(le.Uint32(head[12:])), symbolSize: coffSymbol,
	}
	count, optional, table := int64(le.Uint16(head[2:])), int64(le.Uint16(head[16:])), at+coffHeader
	if !linked && c.machine == 0 {
		if in.size < coffBigHeader {
			return nil // an import
		}
		if err := in.read(head[:], 0, "the COFF header"); err != nil {
			return err
		}
		if !bytes.Equal(head[12:28], bigID) {
			return nil
		}
		c.machine = le.Uint16(head[6:])
		c.symbols, c.symbolCount, c.symbolSize = int64(le.Uint32(head[48:])), int64(le.Uint32(head[52:])), coffSymbol+2
		count, optional, table = int64(le.Uint32(head[44:])), 0, coffBigHeader
	}
	if linked {
		var magic [32]byte
		if err := in.read(magic[:], table, "the optional header"); err != nil {
			return err
		}
		if le.Uint16(magic[:]) != 0x20b || optional < 32 {
			return in.errorf(table, "the PE file is not a 64-bit one; others are not supported")
		}
		if c.base = le.Uint64(magic[24:]); c.base > 1<<62 {
			return in.errorf(table+24, "the image base %#x is beyond memory", c.base)
		}
	}
	table += optional
	if count > maxSections || !in.has(uint64(table), uint64(count)*coffSection) {
		return in.errorf(table, "the %d section headers reach past the end at %#x", count, in.size)
	}
	var list []section
	for i := range count {
		sec, err := c.section(table+i*coffSection, linked)
		if err != nil {
			return err
		}
		if isOffloadSection(sec.name) || strings.HasPrefix(sec.name, imageformat.BundleMagic) {
			list = append(list, sec)
		}
	}
	if err := c.m.ready(); err != nil {
		return err
	}
	if !linked {
		if err := c.relocate(); err != nil {
			return err
		}
	}
	if err := c.m.tables(); err != nil {
		return err
	}
	return s.sections(in, list, linked)
}

// A coff is a PE file or a COFF object.
type coff struct {
	in      *input
	m       *memory
	machine uint16
	base    uint64 // of a PE file in memory

	symbols, symbolCount, symbolSize int64

	sections []coffLoaded // of an object, as its symbols count them
}

// A coffLoaded is a section of an object that is loaded, if it has an address.
type coffLoaded struct {
	address           uint64
	size              int64
	relocations, many int64 // offset and number
	header            int64
}

// section loads a section. One without bytes has no name.
func (c *coff) section(at int64, linked bool) (section, error) {
	in := c.in
	var h [coffSection]byte
	if err := in.read(h[:], at, "a section header"); err != nil {
		return section{}, err
	}
	sec := section{offset: int64(le.Uint32(h[20:])), size: int64(le.Uint32(h[16:]))}
	flags := le.Uint32(h[36:])
	loaded := coffLoaded{size: sec.size, relocations: int64(le.Uint32(h[24:])), many: int64(le.Uint16(h[32:])), header: at}
	defer func() { c.sections = append(c.sections, loaded) }()
	if flags&coffUninitialized != 0 || sec.size == 0 {
		return section{}, nil
	}
	if !in.has(uint64(sec.offset), uint64(sec.size)) {
		return section{}, in.errorf(at, "a section of %d bytes at %#x reaches past the end at %#x", sec.size, sec.offset, in.size)
	}
	var err error
	switch {
	case linked:
		// What is in the file is padded. Pointers hold addresses already: the table
		// of base relocations says only where they are.
		sec.size = min(sec.size, int64(le.Uint32(h[8:])))
		err = c.m.mapped(c.base+uint64(le.Uint32(h[12:])), sec, at)
	case flags&(coffInfo|coffRemove|coffDiscardable) == 0:
		loaded.address, err = c.m.mappedNext(sec, at)
		if err == nil && flags&coffManyRelocations != 0 && loaded.many == 0xffff {
			var first [4]byte
			err = in.read(first[:], loaded.relocations, "the number of relocations")
			loaded.many = int64(le.Uint32(first[:]))
		}
	}
	if err != nil {
		return section{}, err
	}
	sec.name, err = coffNames{in: in, offset: c.symbols + c.symbolCount*c.symbolSize}.name(h[:8], at)
	return sec, err
}

// relocate applies the relocations of an object.
func (c *coff) relocate() error {
	absolute, ok := map[uint16]uint16{coffAMD64: 1, coffARM64: 14}[c.machine]
	if !ok {
		return nil
	}
	var symbols []byte
	for _, sec := range c.sections {
		if sec.address == 0 || sec.many == 0 {
			continue
		}
		if !c.in.has(uint64(sec.relocations), uint64(sec.many)*coffRelocation) {
			return c.in.errorf(sec.header, "%d relocations at %#x reach past the end at %#x", sec.many, sec.relocations, c.in.size)
		}
		if err := c.m.s.relocate(c.in, sec.header, sec.many); err != nil {
			return err
		}
		if symbols == nil {
			size := c.symbolCount * c.symbolSize
			if !c.in.has(uint64(c.symbols), uint64(size)) || size > maxSymbols {
				return c.in.errorf(c.symbols, "%d symbols reach past the end or have more than %d bytes", c.symbolCount, maxSymbols)
			}
			symbols = make([]byte, size)
			if err := c.in.read(symbols, c.symbols, "the symbols"); err != nil {
				return err
			}
		}
		raw := make([]byte, sec.many*coffRelocation)
		if err := c.in.read(raw, sec.relocations, "the relocations"); err != nil {
			return err
		}
		for i := 0; i < len(raw); i += coffRelocation {
			at, r := sec.relocations+int64(i), raw[i:]
			place, index := int64(le.Uint32(r)), int64(le.Uint32(r[4:]))
			if le.Uint16(r[8:]) != absolute {
				continue
			}
			if place > sec.size-8 {
				return c.in.errorf(at, "a relocation is at %#x, past the end of its section", place)
			}
			if index >= c.symbolCount {
				return c.in.errorf(at, "a relocation names symbol %d of %d", index, c.symbolCount)
			}
			address := sec.address + uint64(place)
			target, ok := c.symbol(symbols[index*c.symbolSize:])
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
	}
	return nil
}

// symbol returns the address of a symbol, and whether it is in a section that is
// loaded.
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

// coffNames resolves names that are longer than a section header holds.
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
