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

// maxKernelNames is how many bytes the names of the kernels of a file may have.
const maxKernelNames = 64 << 20

// Kernels returns the names of the kernels in native code for Intel, NVIDIA and AMD GPUs
// and in PTX, sorted. It returns none for other formats, also when these have kernels.
// Errors in the content are of type [*FormatError].
func Kernels(r io.ReaderAt, size int64) ([]string, error) {
	switch Detect(r, size) {
	case Zebin, Cubin:
		return elfKernels(r, size, sectionKernels)
	case HSACO:
		return elfKernels(r, size, func(f *binfile.ELF) ([]string, error) { return descriptorKernels(r, size, f) })
	case PTX:
		return ptxKernels(io.NewSectionReader(r, 0, size))
	}
	return nil, nil
}

// elfKernels reads the headers of an ELF file and finds kernels by them.
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
	if fault := (*binfile.ELFError)(nil); errors.As(err, &fault) {
		return nil, imageErrorf(fault.Offset, "%s", fault.Msg)
	}
	if err == nil && len(f.Sections) == 0 {
		err = imageErrorf(40, "the ELF file has no sections")
	}
	return f, err
}

// sectionKernels finds the kernels of Intel and NVIDIA GPUs: their compilers put the code
// of each kernel into a section .text.NAME.
func sectionKernels(f *binfile.ELF) ([]string, error) {
	var kernels []string
	total := 0 // names may share their bytes
	for i, s := range f.Sections {
		if !s.HasPrefix(textSection) {
			continue
		}
		name := s.Name()[len(textSection):]
		if total += len(name); total > maxKernelNames {
			return nil, imageErrorf(s.Header, "the names of the kernels have more than %d bytes", maxKernelNames)
		}
		if name == "" || name == notKernel {
			continue
		}
		if strings.ContainsAny(name, "\n\r") {
			return nil, imageErrorf(s.Header, "the name %.64q of section %d has a line break in it", name, i)
		}
		kernels = append(kernels, strings.Clone(name)) // all other names need not be kept
	}
	return kernels, nil
}

const (
	textSection = ".text."
	notKernel   = "Intel_Symbol_Table_Void_Program" // functions that are called from elsewhere
)

// imageErrorf returns a fault of a device image.
func imageErrorf(offset int64, format string, args ...any) error {
	return &FormatError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// HasNoKernels reports whether an image certainly has no kernels: SPIR-V without entry
// points, or ELF for Intel, NVIDIA and AMD GPUs without their code. It reads no more than the
// instructions before the first function, or the names of sections and symbols.
func HasNoKernels(r io.ReaderAt, size int64) bool {
	switch Detect(r, size) {
	case SPIRV:
		return hasNoEntryPoints(bufio.NewReader(io.NewSectionReader(r, 0, size)))
	case Zebin, Cubin, HSACO:
		names, err := Kernels(r, size)
		return err == nil && len(names) == 0
	}
	return false
}

// hasNoEntryPoints reads a SPIR-V module, whose entry points are before its functions.
// Of a module that cannot be read it knows nothing.
func hasNoEntryPoints(r *bufio.Reader) bool {
	const (
		headerSize   = 20
		opEntryPoint = 15
		opFunction   = 54
	)
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if header[0] == 0x07 {
		order = binary.BigEndian
	}
	for {
		var word [4]byte
		if _, err := io.ReadFull(r, word[:]); err != nil {
			return err == io.EOF // a module without functions
		}
		first := order.Uint32(word[:])
		words := int(first >> 16)
		switch op := first & 0xffff; {
		case words == 0 || op == opEntryPoint:
			return false
		case op == opFunction:
			return true
		}
		if _, err := r.Discard(4 * (words - 1)); err != nil {
			return false
		}
	}
}
