package hostbin

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	coffHeader    = 20
	coffBigHeader = 56
	coffSection   = 40
	coffSymbol    = 18

	coffAMD64 = 0x8664
	coffARM64 = 0xaa64

	coffUninitialized = 0x80 // IMAGE_SCN_CNT_UNINITIALIZED_DATA
)

// bigID marks objects with more than 65279 sections.
var bigID = []byte("\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8")

func isCOFF(head []byte) bool {
	if len(head) < coffHeader {
		return false
	}
	machine := le.Uint16(head)
	if machine == 0 && le.Uint16(head[2:]) == 0xffff {
		return true // a large object, or an import of a library
	}
	return machine == coffAMD64 || machine == coffARM64
}

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
	count, symbols, symbolCount := int64(le.Uint16(head[2:])), int64(le.Uint32(head[8:])), int64(le.Uint32(head[12:]))
	optional, table, symbolSize := int64(le.Uint16(head[16:])), at+coffHeader, int64(coffSymbol)
	if !linked && le.Uint16(head[:]) == 0 {
		if in.size < coffBigHeader {
			return nil // an import
		}
		if err := in.read(head[:], 0, "the COFF header"); err != nil {
			return err
		}
		if !bytes.Equal(head[12:28], bigID) {
			return nil
		}
		count, symbols, symbolCount = int64(le.Uint32(head[44:])), int64(le.Uint32(head[48:])), int64(le.Uint32(head[52:]))
		optional, table, symbolSize = 0, coffBigHeader, coffSymbol+2
	}
	m := &memory{in: &in, s: s}
	var base uint64
	if linked {
		var magic [32]byte
		if err := in.read(magic[:], table, "the optional header"); err != nil {
			return err
		}
		if le.Uint16(magic[:]) != 0x20b || optional < 32 {
			return in.errorf(table, "the PE file is not a 64-bit one; others are not supported")
		}
		base = le.Uint64(magic[24:])
	}
	table += optional
	if count > maxSections || !in.has(uint64(table), uint64(count)*coffSection) {
		return in.errorf(table, "the %d section headers reach past the end at %#x", count, in.size)
	}
	names := coffNames{in: &in, offset: symbols + symbolCount*symbolSize}
	var list []section
	for i := range count {
		var h [coffSection]byte
		if err := in.read(h[:], table+i*coffSection, "a section header"); err != nil {
			return err
		}
		sec := section{offset: int64(le.Uint32(h[20:])), size: int64(le.Uint32(h[16:]))}
		if le.Uint32(h[36:])&coffUninitialized != 0 || sec.size == 0 {
			continue
		}
		if !in.has(uint64(sec.offset), uint64(sec.size)) {
			return in.errorf(table+i*coffSection, "section %d, %d bytes at %#x, reaches past the end at %#x", i, sec.size, sec.offset, in.size)
		}
		if linked {
			// What is in the file is padded.
			sec.size = min(sec.size, int64(le.Uint32(h[8:])))
			if base > 1<<62 {
				return in.errorf(table, "the image base %#x is beyond memory", base)
			}
			if err := m.mapped(base+uint64(le.Uint32(h[12:])), sec, table+i*coffSection); err != nil {
				return err
			}
		}
		name, err := names.name(h[:8], table+i*coffSection)
		if err != nil {
			return err
		}
		if isOffloadSection(name) || strings.HasPrefix(name, bundleMagic) {
			sec.name = name
			list = append(list, sec)
		}
	}
	if err := m.ready(); err != nil {
		return err
	}
	if linked {
		if err := m.tables(); err != nil {
			return err
		}
	}
	return s.sections(in, list, linked)
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
	b := make([]byte, min(256, n.in.size-start))
	if err := n.in.read(b, start, "the name of a section"); err != nil {
		return "", err
	}
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b), nil
}
