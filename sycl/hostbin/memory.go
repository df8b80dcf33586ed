package hostbin

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A memory holds the loaded segments of a program, without ranges that are not in the file.
type memory struct {
	in        *input
	s         *scanner
	segments  []segment         // by address, without overlaps
	total     int64             // bytes of the segments
	relocated map[uint64]uint64 // words that relocations change
	undefined map[uint64]uint64 // words for symbols that an object does not define, numbered from 1
	reading   int64             // location of the image whose pointers are being followed
	pages     [64]page          // recently read parts of the file
	raw       []byte            // buffer of bytes and text
}

// A page is a part of the input that starts at a multiple of pageSize.
type page struct {
	number  int64
	content []byte // nil if nothing was read yet
}

// pageSize is the number of bytes read from the file at once. A program of 10,000 kernels has
// 200,000 names, properties and pointers, and most of them are next to each other.
const pageSize = 16 << 10

type segment struct {
	address  uint64
	constant bool // holds no pointers, unless it has relocations
	section
}

// mapped adds a range of the file, whose header is at offset at.
func (m *memory) mapped(address uint64, sec section, at int64) error {
	if address > 1<<63-1-uint64(sec.size) {
		return m.in.errorf(at, "%d bytes at address %#x reach past the end of memory", sec.size, address)
	}
	// Segments share a few pages at most. This limits the time to read all of them.
	if m.total += sec.size; m.total/4 > m.in.size {
		return m.in.errorf(at, "the loaded segments exceed four times the size of the file")
	}
	m.segments = append(m.segments, segment{address: address, section: sec})
	return nil
}

// mappedNext adds a section of an object, which has no address yet, and returns the address that it
// assigns: after the other sections, with a gap.
func (m *memory) mappedNext(sec section, at int64) (uint64, error) {
	const page = 1 << 12
	address := uint64(1 << 16)
	if n := len(m.segments); n > 0 {
		last := m.segments[n-1]
		address = (last.address + uint64(last.size) + 2*page) &^ (page - 1)
	}
	return address, m.mapped(address, sec, at)
}

// checkRanges checks the mapped ranges.
func (m *memory) checkRanges() error {
	m.relocated = make(map[uint64]uint64)
	m.undefined = make(map[uint64]uint64)
	slices.SortStableFunc(m.segments, func(a, b segment) int { return cmp.Compare(a.address, b.address) })
	for i := 1; i < len(m.segments); i++ {
		if a, b := m.segments[i-1], m.segments[i]; a.address+uint64(a.size) > b.address {
			return m.in.errorf(b.offset, "two segments are both loaded at address %#x", b.address)
		}
	}
	return nil
}

// undefine sets a word to a null pointer for a symbol that the object does not define.
func (m *memory) undefine(address, symbol uint64) {
	m.relocated[address] = 0
	m.undefined[address] = symbol + 1
}

// segment returns the segment that contains an address or ends at it.
func (m *memory) segment(address uint64) (segment, bool) {
	i := sort.Search(len(m.segments), func(i int) bool { return m.segments[i].address > address }) - 1
	if i < 0 || address-m.segments[i].address > uint64(m.segments[i].size) {
		return segment{}, false
	}
	return m.segments[i], true
}

// place returns the input offset of bytes in memory, and whether they are present.
func (m *memory) place(address, size uint64) (int64, bool) {
	g, ok := m.segment(address)
	if !ok || size > uint64(g.size)-(address-g.address) {
		return 0, false
	}
	return g.offset + int64(address-g.address), true
}

// read reads a few bytes of the input.
func (m *memory) read(b []byte, at int64, what string) error {
	number, start := at/pageSize, at%pageSize
	if start+int64(len(b)) > pageSize || at+int64(len(b)) > m.in.size {
		return m.in.read(b, at, what)
	}
	p := &m.pages[number%int64(len(m.pages))]
	if p.content == nil || p.number != number {
		content := p.content[:cap(p.content)]
		if content == nil {
			content = make([]byte, pageSize)
		}
		content = content[:min(pageSize, m.in.size-number*pageSize)]
		p.content = nil
		if err := m.in.read(content, number*pageSize, what); err != nil {
			return err
		}
		p.number, p.content = number, content
	}
	copy(b, p.content[start:])
	return nil
}

// words reads 8-byte words with relocations applied.
func (m *memory) words(address, count uint64, what string) ([]uint64, error) {
	raw, err := m.bytes(address, 8*count, what)
	if err != nil {
		return nil, err
	}
	return m.relocate(make([]uint64, 0, count), address, raw), nil
}

func (m *memory) relocate(words []uint64, address uint64, raw []byte) []uint64 {
	for i := 0; i+8 <= len(raw); i += 8 {
		w, ok := m.relocated[address+uint64(i)]
		if !ok {
			w = le.Uint64(raw[i:])
		}
		words = append(words, w)
	}
	return words
}

// bytes reads bytes, which are valid until the next call of bytes or text.
func (m *memory) bytes(address, size uint64, what string) ([]byte, error) {
	at, ok := m.place(address, size)
	if !ok {
		return nil, m.in.errorf(m.reading, "%s of %d bytes at address %#x is not in a loaded part of the file", what, size, address)
	}
	m.raw = slices.Grow(m.raw[:0], int(size))[:size] // no larger than a segment
	return m.raw, m.read(m.raw, at, what)
}

// text reads a NUL-terminated string. A null pointer is an empty string.
func (m *memory) text(address uint64, what string) (string, error) {
	if address == 0 {
		return "", nil
	}
	at, ok := m.place(address, 1)
	if !ok {
		return "", m.in.errorf(m.reading, "%s is at address %#x, which the file does not load", what, address)
	}
	g, _ := m.segment(address)
	rest := uint64(g.size) - (address - g.address)
	var b strings.Builder
	m.raw = slices.Grow(m.raw[:0], 256)[:min(rest, 256)]
	buffer := m.raw
	for offset := at; rest > 0; {
		chunk := buffer[:min(rest, uint64(len(buffer)))]
		if err := m.read(chunk, offset, what); err != nil {
			return "", err
		}
		end := bytes.IndexByte(chunk, 0)
		if end >= 0 {
			chunk = chunk[:end]
		}
		if err := m.s.addBytes(m.in, at, int64(len(chunk))); err != nil {
			return "", err
		}
		b.Write(chunk)
		if end >= 0 {
			return b.String(), nil
		}
		rest, offset = rest-uint64(len(chunk)), offset+int64(len(chunk))
	}
	return "", m.in.errorf(at, "%s does not end in NUL", what)
}

// Sizes in 8-byte words.
const (
	descriptorWords = 4
	imageWords2     = 12 // with a manifest
	imageWords3     = 10
	oldEntryWords   = 4
	entryWords      = 7
	setWords        = 3
	propertyWords   = 4
)

// tables finds descriptor tables and adds their images.
func (m *memory) tables() error {
	buffer := make([]byte, tableStep+8*(descriptorWords-1))
	for _, g := range m.segments {
		if g.constant && !m.isRelocated(g) {
			continue
		}
		skip := -g.address & 7 // descriptors are aligned in memory
		for from := skip; from+8*descriptorWords <= uint64(g.size); from += tableStep {
			chunk := buffer[:min(uint64(len(buffer)), uint64(g.size)-from)]
			if err := m.in.read(chunk, g.offset+int64(from), "a segment"); err != nil {
				return err
			}
			if err := m.tablesIn(chunk, g, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// isRelocated reports whether a relocation changes a segment.
func (m *memory) isRelocated(g segment) bool {
	for address := range m.relocated {
		if address-g.address < uint64(g.size) {
			return true
		}
	}
	return false
}

// tableStep is the number of bytes searched for descriptors at once.
const tableStep = 1 << 16

// tablesIn finds the descriptors that start in a part of a segment.
func (m *memory) tablesIn(chunk []byte, g segment, from uint64) error {
	for i := 0; i+8*descriptorWords <= len(chunk) && i < tableStep; i += 8 {
		first := le.Uint32(chunk[i:])
		if le.Uint32(chunk[i+4:]) != 0 || first == 0 {
			continue // most words are not a small number
		}
		at := from + uint64(i)
		isSYCL := first&0xffff == 1 && first>>16 != 0
		if !isSYCL && (first > maxImages || !m.isPointer(g.address+at+8, chunk[i+8:])) {
			continue
		}
		if err := m.table(chunk[i:i+8*descriptorWords], g.address+at, g.offset+int64(at)); err != nil {
			return err
		}
	}
	return nil
}

// isPointer reports whether the word at an address, which starts with these bytes, can be a
// pointer to the images of a descriptor.
func (m *memory) isPointer(address uint64, raw []byte) bool {
	w, ok := m.relocated[address]
	if !ok {
		w = le.Uint64(raw)
	}
	return w != 0 && w%8 == 0
}

// table adds the images of the descriptor at an address, if there is one. Its bytes are at an
// offset of the file.
func (m *memory) table(raw []byte, address uint64, offset int64) error {
	var words [descriptorWords]uint64
	w := m.relocate(words[:0], address, raw)
	if w[0] != le.Uint64(raw) {
		return nil
	}
	m.reading = offset
	switch {
	case uint16(w[0]) == 1 && w[0]>>16 != 0 && w[2] == 0 && w[3] == 0 && m.startsImage(w[1]):
		return m.images(w[1], w[0]>>16)
	case w[0] <= maxImages && m.isOpenMP(address, w):
		return m.openMP(w)
	}
	return nil
}

// startsImage reports whether the bytes at the address look like an image with a target. If so,
// errors in them are reported.
func (m *memory) startsImage(address uint64) bool {
	if address == 0 || address%8 != 0 {
		return false
	}
	w, err := m.words(address, 2, "an image")
	if err != nil || imageWords(w[0]) == 0 {
		return false
	}
	at, ok := m.place(w[1], 2)
	if !ok {
		return false
	}
	var start [2]byte
	err = m.in.read(start[:], at, "a target")
	return err == nil && 'A' <= start[0] && start[0] <= 'z' && start[1] >= '0' && start[1] <= 'z'
}

// imageWords returns the size of an image from its first word, or 0 if it is not an image.
func imageWords(first uint64) uint64 {
	version, kind, format := uint16(first), uint8(first>>16), uint8(first>>24)
	if kind != 4 && kind != 8 || format > compressed || first>>32 != 0 {
		return 0
	}
	switch version {
	case 2:
		return imageWords2
	case 3:
		return imageWords3
	}
	return 0
}

// statedFormats are the formats by their numbers in image tables.
var statedFormats = [...]offload.Format{offload.UnknownFormat, offload.Native, offload.SPIRV, offload.Bitcode}

// compressed is the format of images that are one zstd frame.
const compressed = 4

// images adds the images of a descriptor.
func (m *memory) images(address, count uint64) error {
	for i := range count {
		first, err := m.words(address, 1, "an image of a descriptor")
		if err != nil {
			return err
		}
		m.reading = m.at(address)
		size := imageWords(first[0])
		if size == 0 {
			return m.in.errorf(m.reading, "image %d of %d in a descriptor starts with %#x; expected version 2 or 3 and the offload kind SYCL", i, count, first[0])
		}
		w, err := m.words(address, size, "an image of a descriptor")
		if err != nil {
			return err
		}
		if err := m.image(address, w); err != nil {
			return err
		}
		address += 8 * size
	}
	return nil
}

func (m *memory) image(address uint64, w []uint64) error {
	img := &Image{Origin: Origin{Address: address}, Model: "sycl"}
	for i, to := range []*string{&img.Triple, &img.CompileOptions, &img.LinkOptions} {
		var err error
		if *to, err = m.text(w[1+i], []string{"a target", "the compile options", "the link options"}[i]); err != nil {
			return err
		}
	}
	rest := w[len(w)-6:]
	at, size, err := m.bounds(rest[0], rest[1], 1, "the bytes of an image")
	if err != nil {
		return err
	}
	img.Origin.Offset = m.in.base + at
	img.Source = m.in.section(at, int64(size))
	switch format := uint8(w[0] >> 24); format {
	case compressed:
		if img.Source, err = m.s.inflatedImage(m.in, at, int64(size)); err != nil {
			return err
		}
	default:
		img.Stated = statedFormats[format]
	}
	if img.Entries, err = m.entries(rest[2], rest[3]); err != nil {
		return err
	}
	if img.Properties, err = m.sets(rest[4], rest[5]); err != nil {
		return err
	}
	if version := uint16(w[0]); version < release.Newest().Descriptor {
		img.Properties = release.Before2026().Read(img.Properties)
	}
	if set := img.Properties.Set(propset.DeviceRequirements); set != nil {
		if v, ok := set.Get("compile_target"); ok {
			img.Arch, _ = v.Text()
		}
	}
	return m.s.add(m.in, img)
}

// bounds checks an array given by its start and end, and returns its location and number of
// elements.
func (m *memory) bounds(begin, end, words8 uint64, what string) (at int64, count uint64, err error) {
	if begin == end {
		if at, ok := m.place(begin, 0); ok {
			return at, 0, nil
		}
		return 0, 0, nil
	}
	at, ok := m.place(begin, 0)
	if !ok || end < begin {
		return 0, 0, m.in.errorf(m.reading, "%s is from address %#x to %#x, which the file does not load", what, begin, end)
	}
	if _, ok := m.place(begin, end-begin); !ok {
		return 0, 0, m.in.errorf(at, "%s, %d bytes at address %#x, reaches past the end of what is loaded", what, end-begin, begin)
	}
	if (end-begin)%words8 != 0 {
		return 0, 0, m.in.errorf(at, "%s has %d bytes, which is not a multiple of %d", what, end-begin, words8)
	}
	return at, (end - begin) / words8, nil
}

// elements returns the words of an array.
func (m *memory) elements(begin, end, words uint64, what string) ([]uint64, error) {
	at, count, err := m.bounds(begin, end, 8*words, what)
	if err != nil || count == 0 {
		return nil, err
	}
	if m.s.properties += int(min(count, maxProperties+1)); m.s.properties > maxProperties {
		return nil, m.in.errorf(at, "too many properties and entries (limit %d)", maxProperties)
	}
	return m.words(begin, count*words, what)
}

// entries returns the names of the entries.
func (m *memory) entries(begin, end uint64) ([]string, error) {
	return m.entriesWith(begin, end, func(newer bool, entry []uint64) bool { return true })
}

// entriesWith returns the names of the entries for which take returns true. newer states whether
// the words in entry have the newer layout.
func (m *memory) entriesWith(begin, end uint64, take func(newer bool, entry []uint64) bool) ([]string, error) {
	const what = "the table of entries"
	if begin == end {
		return nil, nil
	}
	words, name := oldEntryWords, 1
	first, err := m.words(begin, 2, what)
	if err != nil {
		return nil, err
	}
	newer := m.isEntry(begin, first)
	if newer {
		words, name = entryWords, 3
	}
	table, err := m.elements(begin, end, uint64(words), what)
	if err != nil {
		return nil, err
	}
	var names []string
	for entry := range slices.Chunk(table, words) {
		if !take(newer, entry) {
			continue
		}
		text, err := m.text(entry[name], "the name of an entry")
		if err != nil {
			return nil, err
		}
		names = append(names, text)
	}
	return names, nil
}

// isEntry reports whether the first two words of an entry have the newer layout. The second word of
// an old entry is the pointer to its name, which is never at such a low address.
func (m *memory) isEntry(address uint64, w []uint64) bool {
	_, pointer := m.relocated[address+8]
	kind := uint16(w[1] >> 16)
	flags := w[1] >> 32 // not SYCL, whose kind is 4 or 8
	return !pointer && w[0] == 0 && uint16(w[1]) == 1 && (kind == 1 || kind == 2 || flags == 0 && (kind == 4 || kind == 8))
}

// sets returns the property sets.
func (m *memory) sets(begin, end uint64) (*propset.Registry, error) {
	r := new(propset.Registry)
	table, err := m.elements(begin, end, setWords, "the table of property sets")
	if err != nil {
		return nil, err
	}
	if n := len(table) / setWords; n > maxSets {
		return nil, m.in.errorf(m.at(begin), "an image has %d property sets (limit %d)", n, maxSets)
	}
	for i := 0; i < len(table); i += setWords {
		name, err := m.text(table[i], "the name of a property set")
		if err != nil {
			return nil, err
		}
		if r.Set(name) != nil {
			return nil, m.in.errorf(m.at(table[i]), "duplicate property set %s in an image", safetext.Quote(name))
		}
		set := r.Add(name)
		if err := m.properties(set, table[i+1], table[i+2]); err != nil {
			return nil, err
		}
	}
	if err := r.Validate(); err != nil {
		return nil, m.in.errorf(m.at(begin), "%v", err)
	}
	return r, nil
}

// properties adds the properties of a table to a set.
func (m *memory) properties(set *propset.Set, begin, end uint64) error {
	table, err := m.elements(begin, end, propertyWords, "a table of properties")
	if err != nil {
		return err
	}
	for p := range slices.Chunk(table, propertyWords) {
		key, err := m.text(p[0], "the key of a property")
		if err != nil {
			return err
		}
		v, err := m.value(p[1], uint32(p[2]), p[3], set.Name, key)
		if err != nil {
			return err
		}
		if !set.Insert(key, v) {
			return m.in.errorf(m.at(p[0]), "duplicate property %[2]s in property set %[1]s", safetext.Quote(set.Name), safetext.Quote(key))
		}
	}
	return nil
}

// at returns the input offset of an address, for messages.
func (m *memory) at(address uint64) int64 {
	if at, ok := m.place(address, 0); ok {
		return at
	}
	return m.reading
}

// value reads the value of a property.
func (m *memory) value(address uint64, typ uint32, size uint64, set, key string) (propset.Value, error) {
	fail := func(format string, args ...any) (propset.Value, error) {
		return propset.Value{}, m.in.errorf(m.at(address), "property %s of set %s: "+format, append([]any{safetext.Quote(key), safetext.Quote(set)}, args...)...)
	}
	switch typ {
	case uint32(propset.Uint32):
		if size>>32 != 0 {
			return fail("%#x is not a 32-bit number", size)
		}
		return propset.Uint(uint32(size)), nil
	case uint32(propset.ByteArray):
		at, ok := m.place(address, size)
		if !ok || size < 8 {
			return fail("a byte array of %d bytes (including its 8-byte length) at address %#x is not in a loaded part of the file", size, address)
		}
		if err := m.s.addBytes(m.in, at, int64(size)); err != nil {
			return propset.Value{}, err
		}
		raw, err := m.bytes(address, size, "a byte array")
		if err != nil {
			return propset.Value{}, err
		}
		bits, payload := le.Uint64(raw), raw[8:]
		if bits > 8*uint64(len(payload)) || (bits+7)/8 != uint64(len(payload)) {
			return fail("the byte array declares %d bits but holds %d bytes", bits, len(payload))
		}
		return propset.Bits(payload, bits), nil
	}
	return fail("unknown type %d; expected 1 (number) or 2 (byte array)", typ)
}
