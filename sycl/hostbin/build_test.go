package hostbin

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"

	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// A program is the data of a program that contains pointers.
type program struct {
	start    uint64 // address of the data
	data     []byte
	pointers []uint64 // offsets in the data
}

// A pointer is an address in a table of words.
type pointer uint64

func (p *program) put(b []byte) pointer {
	for len(p.data)%8 != 0 {
		p.data = append(p.data, 0xee)
	}
	at := p.start + uint64(len(p.data))
	p.data = append(p.data, b...)
	return pointer(at)
}

func (p *program) text(s string) pointer { return p.put([]byte(s + "\x00")) }

// words appends numbers and pointers, and returns their start and end.
func (p *program) words(words ...any) (begin, end pointer) {
	begin = p.put(nil)
	for _, w := range words {
		switch w := w.(type) {
		case int:
			p.data = binary.LittleEndian.AppendUint64(p.data, uint64(w))
		case pointer:
			p.pointers = append(p.pointers, uint64(len(p.data)))
			p.data = binary.LittleEndian.AppendUint64(p.data, uint64(w))
		default:
			panic(fmt.Sprint(w))
		}
	}
	return begin, pointer(p.start) + pointer(len(p.data))
}

func (p *program) image(version, kind, format int, newEntries bool, triple string, code []byte, kernels ...string) []any {
	var entries []any
	for _, k := range kernels {
		if newEntries {
			entries = append(entries, 0, 1|kind<<16, 0, p.text(k), 0, 0, 0)
		} else {
			entries = append(entries, 0, p.text(k), 0, 0)
		}
	}
	entriesBegin, entriesEnd := p.words(entries...)
	key, value := p.text("aspects"), p.put([]byte{64, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0})
	target, gpu := p.text("compile_target"), p.put([]byte("\x68\x00\x00\x00\x00\x00\x00\x00intel_gpu_pvc"))
	begin, end := p.words(key, value, 2, 16, target, gpu, 2, 21, p.text("reqd_sub_group_size"), 0, 1, 16)
	name := p.text("SYCL/device requirements")
	setsBegin, setsEnd := p.words(name, begin, end)
	at := p.put(code)
	words := []any{version | kind<<16 | format<<24, p.text(triple), p.text("-cl-opt"), p.text("-l")}
	if version == 2 {
		words = append(words, 0, 0)
	}
	return append(words, at, at+pointer(len(code)), entriesBegin, entriesEnd, setsBegin, setsEnd)
}

func (p *program) descriptor(count int, images ...any) {
	begin, _ := p.words(images...)
	p.words(1|count<<16, begin, 0, 0)
}

// openMP appends an OpenMP descriptor of images with that code.
func (p *program) openMP(newEntries bool, codes ...string) {
	// A table of several programming models, including OpenMP, and a variable.
	var words []any
	addr := p.text("region")
	for i, name := range []string{"__omp_offloading_a", "counter", "_ZTS1C"} {
		size, kind := 4*(i%2), 1+7*(i/2)
		switch {
		case newEntries:
			words = append(words, 0, 1|kind<<16|i<<32, addr, p.text(name), size, 0, 0)
		case kind == 1:
			words = append(words, addr, p.text(name), size, 0)
		}
	}
	begin, end := p.words(words...)
	var images []any
	for _, code := range codes {
		at := p.put([]byte(code))
		images = append(images, at, at+pointer(len(code)), begin, end)
	}
	first, _ := p.words(images...)
	p.words(len(codes), first, begin, end)
}

const (
	elfBase  = 0x400000
	elfStart = 0x100 // of the data in the file
)

// linked returns an ELF file with one segment. Its pointers either have relocations or hold
// addresses.
func (p *program) linked(typ uint16, relocated bool) []byte {
	data := bytes.Clone(p.data)
	var rela []byte
	if relocated {
		for _, at := range p.pointers {
			rela = binary.LittleEndian.AppendUint64(rela, p.start+at)
			rela = binary.LittleEndian.AppendUint64(rela, 8)
			rela = append(rela, data[at:at+8]...)
			clear(data[at : at+8])
		}
	}
	for len(data)%8 != 0 {
		data = append(data, 0)
	}
	relaAt := elfStart + len(data)
	dynamicAt := relaAt + len(rela)
	var dynamic []byte
	for _, v := range []uint64{tagRela, elfBase + uint64(relaAt), tagRelaSize, uint64(len(rela)), 0, 0} {
		dynamic = binary.LittleEndian.AppendUint64(dynamic, v)
	}
	size := uint64(dynamicAt + len(dynamic))
	out := elfHead(typ, 0, 0, 2)
	segment := func(typ uint32, offset, size uint64) {
		h := binary.LittleEndian.AppendUint32(nil, typ)
		h = binary.LittleEndian.AppendUint32(h, segmentWritable)
		for _, v := range []uint64{offset, elfBase + offset, elfBase + offset, size, size, 8} {
			h = binary.LittleEndian.AppendUint64(h, v)
		}
		out = append(out, h...)
	}
	segment(segmentLoad, 0, size)
	segment(segmentDynamic, uint64(dynamicAt), uint64(len(dynamic)))
	out = append(out, make([]byte, elfStart-len(out))...)
	return append(append(append(out, data...), rela...), dynamic...)
}

// readOnly clears the flags of the first segment of an ELF file.
func readOnly(data []byte) []byte {
	clear(data[elfHeader+4 : elfHeader+8])
	return data
}

const (
	elfHeader  = 64
	elfSection = 64
	elfSegment = 56
)

func elfHead(typ uint16, sections uint64, count, segments uint16) []byte {
	h := make([]byte, elfHeader)
	copy(h, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(h[16:], typ)
	binary.LittleEndian.PutUint16(h[18:], machineX86)
	binary.LittleEndian.PutUint64(h[32:], elfHeader)
	binary.LittleEndian.PutUint64(h[40:], sections)
	binary.LittleEndian.PutUint16(h[54:], elfSegment)
	binary.LittleEndian.PutUint16(h[56:], segments)
	binary.LittleEndian.PutUint16(h[58:], elfSection)
	binary.LittleEndian.PutUint16(h[60:], count)
	binary.LittleEndian.PutUint16(h[62:], count-1)
	return h
}

type testSection struct {
	name       string
	typ, flags uint32
	link, info uint32
	content    []byte
}

// object returns an ELF object. Its sections are numbered from 1.
func object(sections ...testSection) []byte {
	names := "\x00"
	sections = append(append([]testSection{{}}, sections...), testSection{name: ".shstrtab", typ: 3})
	var nameAt []int
	for _, s := range sections {
		nameAt = append(nameAt, len(names))
		names += s.name + "\x00"
	}
	sections[len(sections)-1].content = []byte(names)
	var body, headers []byte
	for i, s := range sections {
		for len(body)%8 != 0 {
			body = append(body, 0)
		}
		h := binary.LittleEndian.AppendUint32(nil, uint32(nameAt[i]))
		h = binary.LittleEndian.AppendUint32(h, s.typ)
		for _, v := range []uint64{uint64(s.flags), 0, uint64(elfHeader + len(body)), uint64(len(s.content)), uint64(s.link) | uint64(s.info)<<32, 8, 0} {
			h = binary.LittleEndian.AppendUint64(h, v)
		}
		if i == 0 {
			clear(h)
		}
		headers, body = append(headers, h...), append(body, s.content...)
	}
	out := elfHead(elfRelocatable, uint64(elfHeader+len(body)), uint16(len(sections)), 0)
	return append(append(out, body...), headers...)
}

// relocatable returns an object whose data has relocations for its pointers.
func (p *program) relocatable() []byte {
	data := bytes.Clone(p.data)
	var rela []byte
	for _, at := range p.pointers {
		rela = binary.LittleEndian.AppendUint64(rela, at)
		rela = binary.LittleEndian.AppendUint64(rela, 1|1<<32)
		rela = binary.LittleEndian.AppendUint64(rela, binary.LittleEndian.Uint64(data[at:])-p.start)
		clear(data[at : at+8])
	}
	symbols := make([]byte, 2*elfSymbol)
	binary.LittleEndian.PutUint16(symbols[elfSymbol+6:], 1)
	return object(
		testSection{name: ".data.rel.ro", typ: 1, flags: sectionAllocate, content: data},
		testSection{name: ".rela.data.rel.ro", typ: sectionRela, link: 3, info: 1, content: rela},
		testSection{name: ".symtab", typ: sectionSymbols, content: symbols},
	)
}

// manySections changes an object of relocatable to store the section of its symbol in a separate
// table, as required for objects with too many sections.
func manySections(p *program) []byte {
	b := p.relocatable()
	headers := binary.LittleEndian.Uint64(b[40:])
	symbols := b[headers+3*elfSection:]
	at := binary.LittleEndian.Uint64(symbols[24:]) + elfSymbol + 6
	binary.LittleEndian.PutUint16(b[at:], indexExtended)
	table := binary.LittleEndian.AppendUint32(make([]byte, 4), 1)
	h := make([]byte, elfSection)
	binary.LittleEndian.PutUint32(h[4:], sectionIndexes)
	binary.LittleEndian.PutUint64(h[24:], uint64(len(b)+elfSection))
	binary.LittleEndian.PutUint64(h[32:], uint64(len(table)))
	binary.LittleEndian.PutUint32(h[40:], 3)
	binary.LittleEndian.PutUint16(b[60:], binary.LittleEndian.Uint16(b[60:])+1)
	return append(append(b, h...), table...)
}

const peBase = 0x140000000

// pe returns a Windows program. Its data is at the relative address 0x1000.
func (p *program) pe() []byte {
	out := make([]byte, 0x200)
	copy(out, "MZ")
	out[0x3c] = 0x40
	copy(out[0x40:], "PE\x00\x00")
	head := out[0x44:]
	binary.LittleEndian.PutUint16(head, coffAMD64)
	binary.LittleEndian.PutUint16(head[2:], 1)
	binary.LittleEndian.PutUint16(head[16:], 112)
	binary.LittleEndian.PutUint16(head[20:], 0x20b)
	binary.LittleEndian.PutUint64(head[44:], peBase)
	h := head[20+112:]
	copy(h, ".rdata")
	binary.LittleEndian.PutUint32(h[8:], uint32(len(p.data)))
	binary.LittleEndian.PutUint32(h[12:], 0x1000)
	binary.LittleEndian.PutUint32(h[16:], uint32(len(p.data)+0x10))
	binary.LittleEndian.PutUint32(h[20:], 0x200)
	return append(append(out, p.data...), make([]byte, 0x10)...)
}

// coffRelocatable returns an object whose data has relocations for its pointers, with the addends
// in the data.
func (p *program) coffRelocatable(machine, absolute uint16) []byte {
	le := binary.LittleEndian
	data := bytes.Clone(p.data)
	var relocations []byte
	for _, at := range p.pointers {
		// The symbol is 16 bytes into the section.
		le.PutUint64(data[at:], le.Uint64(data[at:])-p.start-16)
		relocations = le.AppendUint32(relocations, uint32(at))
		relocations = le.AppendUint32(relocations, 1)
		relocations = le.AppendUint16(relocations, absolute)
	}
	out := make([]byte, coffHeader+coffSection)
	h := out[coffHeader:]
	copy(h, ".rdata")
	le.PutUint32(h[16:], uint32(len(data)))
	le.PutUint32(h[20:], uint32(len(out)))
	le.PutUint32(h[24:], uint32(len(out)+len(data)))
	le.PutUint16(h[32:], uint16(len(p.pointers)))
	le.PutUint32(h[36:], 0x40000040)
	le.PutUint16(out, machine)
	le.PutUint16(out[2:], 1)
	symbols := make([]byte, 2*coffSymbol)
	le.PutUint32(symbols[coffSymbol+8:], 16)
	le.PutUint16(symbols[coffSymbol+12:], 1)
	le.PutUint32(out[8:], uint32(len(out)+len(data)+len(relocations)))
	le.PutUint32(out[12:], 2)
	return append(slices.Concat(out, data, relocations, symbols), 4, 0, 0, 0)
}

// manyRelocations changes the object to store its number of relocations in an additional first
// relocation, as required if the number does not fit into the header.
func manyRelocations(object []byte) []byte {
	le := binary.LittleEndian
	b := bytes.Clone(object)
	h := b[coffHeader:]
	at, many := le.Uint32(h[24:]), le.Uint16(h[32:])
	le.PutUint16(h[32:], 0xffff)
	le.PutUint32(h[36:], le.Uint32(h[36:])|coffManyRelocations)
	le.PutUint32(b[8:], le.Uint32(b[8:])+coffRelocation)
	first := le.AppendUint32(nil, uint32(many)+1)
	return slices.Insert(b, int(at), append(first, 0, 0, 0, 0, 0, 0)...)
}

// coffObject returns an object with one section, whose name is long.
func coffObject(name string, content []byte) []byte {
	out := make([]byte, coffHeader+coffSection)
	binary.LittleEndian.PutUint16(out, coffAMD64)
	binary.LittleEndian.PutUint16(out[2:], 1)
	binary.LittleEndian.PutUint32(out[8:], uint32(len(out)+len(content))) // no symbols, then strings
	h := out[coffHeader:]
	copy(h, "/4")
	binary.LittleEndian.PutUint32(h[16:], uint32(len(content)))
	binary.LittleEndian.PutUint32(h[20:], uint32(len(out)))
	out = append(out, content...)
	out = binary.LittleEndian.AppendUint32(out, uint32(4+len(name)+1))
	return append(out, name+"\x00"...)
}

// member returns an archive member.
func member(name, content string) string {
	m := fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, 0, 0, 0, "644", len(content)) + content
	if len(m)%2 == 1 {
		m += "\n"
	}
	return m
}

func container(t testing.TB, triple, arch, code string) []byte {
	t.Helper()
	var b bytes.Buffer
	err := offload.Write(&b, []offload.Image{{
		OffloadKind: offload.SYCL,
		Strings:     []offload.String{{Key: "triple", Value: triple}, {Key: "arch", Value: arch}},
		Content:     bytes.NewReader([]byte(code)),
	}}, offload.Options{Version: 1})
	testkit.NoError(t, err)
	return b.Bytes()
}

// compress returns a compressed bundle.
func compress(t testing.TB, version, method uint16, bundle []byte) []byte {
	t.Helper()
	var stream bytes.Buffer
	if method == 1 {
		w := testkit.Must(zstd.NewWriter(nil))(t)
		stream.Write(w.EncodeAll(bundle, nil))
	} else {
		w := zlib.NewWriter(&stream)
		w.Write(bundle)
		w.Close()
	}
	le := binary.LittleEndian
	b := le.AppendUint16([]byte("CCOB"), version)
	b = le.AppendUint16(b, method)
	switch version {
	case 1:
		b = le.AppendUint32(b, uint32(len(bundle)))
	case 2:
		b = le.AppendUint32(b, uint32(24+stream.Len()))
		b = le.AppendUint32(b, uint32(len(bundle)))
	case 3:
		b = le.AppendUint64(b, uint64(32+stream.Len()))
		b = le.AppendUint64(b, uint64(len(bundle)))
	}
	sum := md5.Sum(bundle)
	return append(append(b, sum[:8]...), stream.Bytes()...)
}

// textBundle returns a text bundle of clang-offload-bundler.
func textBundle(comment string, parts ...string) string {
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		fmt.Fprintf(&b, "\n%s %s__START__ %s\n%s\n%s %s__END__ %s\n", comment, offload.BundleMagic, parts[i], parts[i+1], comment, offload.BundleMagic, parts[i])
	}
	return b.String()
}
