package syclbin

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
)

// What Kernels reads of an ELF file at most.
const (
	maxSections     = 1 << 17
	maxSectionNames = 64 << 20
)

// ELFKernels returns the names of the kernels in an ELF image for Intel or NVIDIA
// GPUs, sorted: those compilers put the code of each kernel into a section
// .text.NAME. Errors in the content are of type *FormatError.
func ELFKernels(r io.ReaderAt, size int64) ([]string, error) {
	const (
		headerSize  = 64
		sectionSize = 64
	)
	le := binary.LittleEndian
	var head [headerSize]byte
	if size < headerSize {
		return nil, errorf(0, "%d bytes are too few for the header of a 64-bit ELF file", size)
	}
	if err := readAt(r, head[:], 0); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(head[:], []byte("\x7fELF\x02\x01")) {
		return nil, errorf(0, "not a 64-bit little-endian ELF file")
	}
	offset, entry := le.Uint64(head[40:]), le.Uint16(head[58:])
	count, names := uint64(le.Uint16(head[60:])), uint64(le.Uint16(head[62:]))
	if offset == 0 {
		return nil, errorf(40, "the ELF file has no sections")
	}
	if entry != sectionSize {
		return nil, errorf(58, "the size of a section header is %d instead of %d", entry, sectionSize)
	}
	section := func(i uint64) ([]byte, error) {
		if offset > uint64(size) || i >= (uint64(size)-offset)/sectionSize {
			return nil, errorf(40, "section header %d is past the end of the ELF file", i)
		}
		raw := make([]byte, sectionSize)
		return raw, readAt(r, raw, int64(offset+i*sectionSize))
	}
	// Numbers that do not fit into the header are in section 0.
	if count == 0 || names == 0xffff {
		first, err := section(0)
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
		return nil, errorf(60, "the ELF file has %d sections, more than %d", count, maxSections)
	}
	if names >= count {
		return nil, errorf(62, "the names of the sections are in section %d of %d", names, count)
	}
	raw, err := section(names)
	if err != nil {
		return nil, err
	}
	at, length := le.Uint64(raw[24:]), le.Uint64(raw[32:])
	if at > uint64(size) || length > uint64(size)-at {
		return nil, errorf(int64(offset+names*sectionSize), "the names of the sections reach past the end of the ELF file")
	}
	if length > maxSectionNames {
		return nil, errorf(int64(offset+names*sectionSize), "the names of the sections have %d bytes, more than %d", length, maxSectionNames)
	}
	table := make([]byte, length)
	if err := readAt(r, table, int64(at)); err != nil {
		return nil, err
	}
	var kernels []string
	for i := range count {
		raw, err := section(i)
		if err != nil {
			return nil, err
		}
		start := uint64(le.Uint32(raw))
		if start >= length {
			if start == 0 {
				continue // there are no names at all
			}
			return nil, errorf(int64(offset+i*sectionSize), "the name of section %d is past the end of the names", i)
		}
		if !bytes.HasPrefix(table[start:], []byte(textSection)) {
			continue
		}
		text, _, ok := bytes.Cut(table[start+uint64(len(textSection)):], []byte{0})
		if !ok {
			return nil, errorf(int64(offset+i*sectionSize), "the name of section %d does not end", i)
		}
		if name := string(text); name != "" && name != notKernel {
			if strings.ContainsAny(name, "\n\r") {
				return nil, errorf(int64(offset+i*sectionSize), "the name %s of section %d has a line break in it", quote(name), i)
			}
			kernels = append(kernels, name)
			if len(kernels)*len(name) > maxSectionNames {
				return nil, errorf(int64(at), "the names of the kernels are too long: %d of them, the last of %d bytes", len(kernels), len(name))
			}
		}
	}
	slices.Sort(kernels)
	return slices.Compact(kernels), nil
}

const (
	textSection = ".text."
	notKernel   = "Intel_Symbol_Table_Void_Program" // functions that are called from elsewhere
)
