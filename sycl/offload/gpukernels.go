package offload

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
)

const (
	dynamicSymbols   = 11 // type of a section
	symbolSize       = 24
	kernelDescriptor = ".kd" // suffix of the symbol that a program looks up for a kernel
)

// descriptorKernels returns the kernels in an ELF file for AMD GPUs. Each kernel has a descriptor,
// a dynamic symbol NAME.kd.
func descriptorKernels(r io.ReaderAt, size int64, f *binfile.ELF) ([]string, error) {
	dynamic := func(s binfile.Section) bool { return s.Type == dynamicSymbols }
	i := slices.IndexFunc(f.Sections, dynamic)
	if i < 0 {
		return nil, nil
	}
	s := f.Sections[i]
	if other := slices.IndexFunc(f.Sections[i+1:], dynamic); other >= 0 {
		return nil, imageErrorf(f.Sections[i+1+other].Header, "sections %d and %d are both dynamic symbol tables; expected one", i, i+1+other)
	}
	if uint64(s.Link) >= uint64(len(f.Sections)) {
		return nil, imageErrorf(s.Header, "section %d: the string table is section %d, and the file has %d sections", i, s.Link, len(f.Sections))
	}
	names, err := sectionContent(r, size, f.Sections[s.Link])
	if err != nil {
		return nil, err
	}
	symbols, err := sectionContent(r, size, s)
	if err != nil {
		return nil, err
	}
	var kernels []string
	total := 0 // names may share their bytes
	for at := 0; at+symbolSize <= len(symbols); at += symbolSize {
		start := binary.LittleEndian.Uint32(symbols[at:])
		if uint64(start) >= uint64(len(names)) {
			return nil, imageErrorf(int64(s.Offset)+int64(at), "a symbol name is past the end of the string table")
		}
		text, _, _ := bytes.Cut(names[start:], []byte{0})
		name, ok := bytes.CutSuffix(text, []byte(kernelDescriptor))
		if total += len(text); total > maxKernelNames {
			return nil, imageErrorf(s.Header, "the names of the symbols are too long (limit %d bytes)", maxKernelNames)
		}
		if !ok || len(name) == 0 {
			continue
		}
		if bytes.ContainsAny(name, "\n\r") {
			return nil, imageErrorf(int64(s.Offset)+int64(at), "the name %.64q of a symbol contains a line break", name)
		}
		kernels = append(kernels, string(name))
	}
	return kernels, nil
}

// sectionContent reads a section with symbols or their names.
func sectionContent(r io.ReaderAt, size int64, s binfile.Section) ([]byte, error) {
	switch {
	case s.Offset > uint64(size) || s.Size > uint64(size)-s.Offset:
		return nil, imageErrorf(s.Header, "the section %.64q, %d bytes at %#x, reaches past the end of the ELF file at %#x", s.Name(), s.Size, s.Offset, size)
	case s.Size > maxKernelNames:
		return nil, imageErrorf(s.Header, "the section %.64q has %d bytes (limit %d)", s.Name(), s.Size, maxKernelNames)
	}
	data, err := io.ReadAll(io.NewSectionReader(r, int64(s.Offset), int64(s.Size)))
	if err == nil && uint64(len(data)) < s.Size {
		err = imageErrorf(int64(s.Offset)+int64(len(data)), "the section %.64q ends early", s.Name())
	}
	return data, err
}

// ptxKernels returns the kernels in PTX: the names after the .entry directives.
func ptxKernels(r io.Reader) ([]string, error) {
	p := ptxReader{r: bufio.NewReaderSize(r, 1<<16)}
	var kernels []string
	total := 0
	previous := ""
	for {
		word, err := p.word()
		if err == io.EOF {
			slices.Sort(kernels)
			return slices.Compact(kernels), nil
		}
		if err != nil {
			return nil, err
		}
		if previous == ".entry" {
			if total += len(word); total > maxKernelNames {
				return nil, imageErrorf(p.offset, "the names of the kernels are too long (limit %d bytes)", maxKernelNames)
			}
			kernels = append(kernels, strings.Clone(word))
		}
		previous = word
	}
}

// A ptxReader splits PTX into words: names, directives and numbers.
type ptxReader struct {
	r      *bufio.Reader
	offset int64
	buffer []byte
}

// maxPTXWord is the maximum length of a word.
const maxPTXWord = 1 << 16

// word returns the next word outside comments and strings.
func (p *ptxReader) word() (string, error) {
	p.buffer = p.buffer[:0]
	for {
		c, err := p.next()
		switch {
		case err == io.EOF && len(p.buffer) > 0:
			return string(p.buffer), nil
		case err != nil:
			return "", err
		case inPTXWord(c):
			if p.buffer = append(p.buffer, c); len(p.buffer) > maxPTXWord {
				return "", imageErrorf(p.offset, "a name in the PTX is too long (limit %d bytes)", maxPTXWord)
			}
			continue
		case len(p.buffer) > 0:
			p.r.UnreadByte()
			p.offset--
			return string(p.buffer), nil
		case c == '"':
			err = p.skip("\"")
		case c == '/':
			err = p.comment()
		}
		if err != nil {
			return "", err
		}
	}
}

func inPTXWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '$' || c == '%' || c == '.'
}

func (p *ptxReader) next() (byte, error) {
	c, err := p.r.ReadByte()
	if err == nil {
		p.offset++
	}
	return c, err
}

// comment skips a comment whose first character was read.
func (p *ptxReader) comment() error {
	switch c, err := p.next(); {
	case err != nil:
		return err
	case c == '/':
		return p.skip("\n")
	case c == '*':
		return p.skip("*/")
	}
	return nil
}

// skip skips everything up to and including end, which has one or two characters.
func (p *ptxReader) skip(end string) error {
	matched := 0
	for matched < len(end) {
		c, err := p.next()
		switch {
		case err != nil:
			return err
		case c == end[matched]:
			matched++
		case c == end[0]:
			matched = 1
		default:
			matched = 0
		}
	}
	return nil
}
