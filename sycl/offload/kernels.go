package offload

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
)

// maxKernelNames is the maximum total size in bytes of the kernel names in a file.
const maxKernelNames = 64 << 20

// Kernels returns the sorted names of the kernels in an image: the entry points of SPIR-V and
// PTX, and the kernels in native code for Intel, NVIDIA and AMD GPUs. It returns none for other
// formats, see [ListsKernels]. Errors in the content are of type [*FormatError].
func Kernels(r io.ReaderAt, size int64) ([]string, error) {
	switch Detect(r, size) {
	case SPIRV:
		return entryPoints(bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1024)) // most modules are small
	case Zebin, Cubin:
		return elfKernels(r, size, sectionKernels)
	case HSACO:
		return elfKernels(r, size, func(f *binfile.ELF) ([]string, error) { return descriptorKernels(r, size, f) })
	case PTX:
		return ptxKernels(io.NewSectionReader(r, 0, size))
	}
	return nil, nil
}

// elfKernels reads the headers of an ELF file and uses them to find kernels.
func elfKernels(r io.ReaderAt, size int64, find func(*binfile.ELF) ([]string, error)) ([]string, error) {
	f, err := readELF(r, size)
	if err != nil {
		return nil, err
	}
	kernels, err := find(f)
	if err != nil {
		return nil, err
	}
	slices.Sort(kernels)
	return slices.Compact(kernels), nil
}

// readELF reads the headers of an ELF file that has sections.
func readELF(r io.ReaderAt, size int64) (*binfile.ELF, error) {
	f, err := binfile.ReadELF(r, size)
	if formatErr := (*binfile.ELFError)(nil); errors.As(err, &formatErr) {
		return nil, imageErrorf(formatErr.Offset, "%s", formatErr.Msg)
	}
	if err == nil && len(f.Sections) == 0 {
		err = imageErrorf(40, "the ELF file has no sections")
	}
	return f, err
}

// sectionKernels returns the kernels in an ELF file for Intel or NVIDIA GPUs, whose compilers put
// the code of each kernel into a section .text.NAME.
func sectionKernels(f *binfile.ELF) ([]string, error) {
	var kernels []string
	total := 0 // names may share their bytes
	for i, s := range f.Sections {
		if !s.HasPrefix(textSection) {
			continue
		}
		name := s.Name()[len(textSection):]
		if total += len(name); total > maxKernelNames {
			return nil, imageErrorf(s.Header, "the names of the kernels are too long (limit %d bytes)", maxKernelNames)
		}
		if name == "" || name == notKernel {
			continue
		}
		if strings.ContainsAny(name, "\n\r") {
			return nil, imageErrorf(s.Header, "the name %.64q of section %d contains a line break", name, i)
		}
		kernels = append(kernels, strings.Clone(name)) // so that the other names are not retained
	}
	return kernels, nil
}

const (
	textSection = ".text."
	notKernel   = "Intel_Symbol_Table_Void_Program" // functions that other modules call
)

// imageErrorf returns an error in a device image.
func imageErrorf(offset int64, format string, args ...any) error {
	return &FormatError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// ListsKernels reports whether [Kernels] finds the kernels in images of a format.
func ListsKernels(f Format) bool {
	switch f {
	case SPIRV, Zebin, Cubin, HSACO, PTX:
		return true
	}
	return false
}

// HasNoKernels reports whether an image certainly has no kernels: SPIR-V without entry points, or
// ELF for Intel, NVIDIA and AMD GPUs without code of kernels. It reads no more than the
// instructions before the first function, or the names of sections and symbols.
func HasNoKernels(r io.ReaderAt, size int64) bool {
	switch Detect(r, size) {
	case SPIRV, Zebin, Cubin, HSACO:
		names, err := Kernels(r, size)
		return err == nil && len(names) == 0
	}
	return false
}

// Parts of SPIR-V modules that entryPoints reads.
const (
	spirvHeaderSize = 20
	opEntryPoint    = 15 // execution model, function, name, interface
	opFunction      = 54
	modelKernel     = 6
)

// entryPoints returns the sorted names of the kernels in a SPIR-V module. Entry points are
// listed before the first function, so the rest is not read.
func entryPoints(r *bufio.Reader) ([]string, error) {
	var header [spirvHeaderSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, unexpectedEnd(0, err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if header[0] == 0x07 {
		order = binary.BigEndian
	}
	var names []string
	total := 0
	var word [4]byte
	for at := int64(spirvHeaderSize); ; {
		switch _, err := io.ReadFull(r, word[:]); {
		case err == io.EOF: // a module without functions
			slices.Sort(names)
			return slices.Compact(names), nil
		case err != nil:
			return nil, unexpectedEnd(at, err)
		}
		first := order.Uint32(word[:])
		size := 4 * int64(first>>16)
		switch op := first & 0xffff; {
		case size == 0:
			return nil, imageErrorf(at, "the length of an instruction is 0 words")
		case op == opFunction:
			slices.Sort(names)
			return slices.Compact(names), nil
		case op == opEntryPoint:
			operands := make([]byte, size-4) // at most 256 KiB
			if _, err := io.ReadFull(r, operands); err != nil {
				return nil, unexpectedEnd(at, err)
			}
			name, isKernel, err := entryPoint(order, operands, at)
			if err != nil {
				return nil, err
			}
			if total += len(name); total > maxKernelNames {
				return nil, imageErrorf(at, "the names of the kernels are too long (limit %d bytes)", maxKernelNames)
			}
			if isKernel {
				names = append(names, name)
			}
		default:
			if _, err := r.Discard(int(size) - 4); err != nil {
				return nil, unexpectedEnd(at, err)
			}
		}
		at += size
	}
}

// entryPoint returns the name in the operands of an entry point, and whether it is a kernel's.
func entryPoint(order binary.ByteOrder, operands []byte, at int64) (name string, isKernel bool, err error) {
	if len(operands) < 12 {
		return "", false, imageErrorf(at, "an entry point has no name")
	}
	isKernel = order.Uint32(operands) == modelKernel
	var b []byte
	for ; len(operands) >= 12; operands = operands[4:] {
		b = binary.LittleEndian.AppendUint32(b, order.Uint32(operands[8:]))
	}
	text, _, ends := strings.Cut(string(b), "\x00")
	switch {
	case !ends:
		return "", false, imageErrorf(at, "unterminated name of an entry point")
	case strings.ContainsAny(text, "\n\r"):
		return "", false, imageErrorf(at, "the name %.64q of an entry point contains a line break", text)
	}
	return text, isKernel, nil
}

// unexpectedEnd returns the error for a SPIR-V module that ends inside an instruction.
func unexpectedEnd(at int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return imageErrorf(at, "unexpected end of the SPIR-V module")
	}
	return err
}
