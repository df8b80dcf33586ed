package offload

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/strict"
)

// A Format is the format of a file or device image, according to its bytes.
type Format uint8

const (
	UnknownFormat    Format = iota
	SPIRV                   // SPIR-V, in either byte order
	Bitcode                 // LLVM bitcode, with or without its wrapper
	PTX                     // PTX assembly text
	Zebin                   // ELF for Intel GPUs
	Cubin                   // ELF for NVIDIA GPUs
	HSACO                   // ELF for AMD GPUs
	FatBinary               // NVIDIA fat binary
	PatchTokens             // older binaries for Intel GPUs
	ELF                     // ELF for any other architecture, such as a host CPU
	COFF                    // COFF object or PE file for a host CPU
	Archive                 // ar archive, such as the fat binaries of ocloc
	ThinArchive             // ar archive that references files instead of containing them
	Bundle                  // binary or text bundle of clang-offload-bundler
	CompressedBundle        // such a bundle, compressed
	Container               // OffloadBinary container
	SYCLBIN                 // SYCLBIN file

	// Native and Text are formats that a file can state for an image in it: compiled code, and
	// text such as LLVM IR or assembly. Detect returns neither.
	Native
	Text
)

var formats = [...]struct{ name, article, extension string }{
	UnknownFormat:    {"unknown", "", ".bin"},
	SPIRV:            {"SPIR-V", "", ".spv"},
	Bitcode:          {"LLVM bitcode", "", ".bc"},
	PTX:              {"PTX", "", ".ptx"},
	Zebin:            {"zebin", "a", ".elf"},
	Cubin:            {"cubin", "a", ".cubin"},
	HSACO:            {"HSACO", "an", ".hsaco"},
	FatBinary:        {"NVIDIA fat binary", "a", ".fatbin"},
	PatchTokens:      {"Intel patch token binary", "a", ".bin"},
	ELF:              {"ELF", "an", ".elf"},
	COFF:             {"COFF", "a", ".bin"},
	Archive:          {"archive", "an", ".ar"},
	ThinArchive:      {"thin archive", "a", ".ar"},
	Bundle:           {"offload bundle", "an", ".bin"},
	CompressedBundle: {"compressed offload bundle", "a", ".bin"},
	Container:        {"OffloadBinary container", "an", ".bin"},
	SYCLBIN:          {"SYCLBIN file", "a", ".syclbin"},
	Native:           {"native", "", ".bin"},
	Text:             {"text", "", ".txt"},
}

func (f Format) String() string { return formats[f].name }

// Extension returns the usual file name extension of the format, with its dot.
func (f Format) Extension() string { return formats[f].extension }

// Predicate returns the words that describe a file of the format after "it is", such as "an ELF"
// or "SPIR-V".
func (f Format) Predicate() string {
	switch article := formats[f].article; {
	case f == UnknownFormat:
		return "of an unknown format"
	case article != "":
		return article + " " + f.String()
	}
	return f.String()
}

// IsELF reports whether such a file is an ELF file, for any architecture.
func (f Format) IsELF() bool { return f == ELF || f == Zebin || f == Cubin || f == HSACO }

// headSize is the number of bytes that are inspected: PTX may start with comments.
const headSize = 1024

// Detect returns the format of r, which has size bytes, according to its first bytes. It reads no
// more than those. The format of unreadable bytes is UnknownFormat.
func Detect(r io.ReaderAt, size int64) Format {
	size = max(0, min(size, headSize))
	if head := Slice(r, 0, size); head != nil {
		return FormatOf(head)
	}
	head := make([]byte, size)
	n, _ := r.ReadAt(head, 0)
	return FormatOf(head[:n])
}

// PointerFault and PointerFix are the error for a Git LFS pointer file.
const (
	PointerFault = strict.PointerFault
	PointerFix   = strict.PointerFix
)

// IsPointer reports whether a file begins like a Git LFS pointer file.
func IsPointer(head []byte) bool { return bytes.HasPrefix(head, []byte(strict.PointerStart)) }

// FormatOf is [Detect] for the first bytes of a file.
func FormatOf(head []byte) Format {
	head = head[:min(len(head), headSize)]
	for _, start := range starts {
		if bytes.HasPrefix(head, []byte(start.bytes)) {
			return start.format
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return elfFormat(head)
	case isCOFF(head):
		return COFF
	case BundleComment(head) != "":
		return Bundle
	case isPTX(string(head)):
		return PTX
	}
	return UnknownFormat
}

// starts lists initial bytes that only files of one format have.
var starts = []struct {
	bytes  string
	format Format
}{
	{"\x03\x02\x23\x07", SPIRV},
	{"\x07\x23\x02\x03", SPIRV},
	{"BC\xc0\xde", Bitcode},
	{"\xde\xc0\x17\x0b", Bitcode},
	{"\x50\xed\x55\xba", FatBinary},
	{"CTNI", PatchTokens},
	{"MZ", COFF},
	{"!<arch>\n", Archive},
	{"!<thin>\n", ThinArchive},
	{BundleMagic, Bundle},
	{"CCOB", CompressedBundle},
	{Magic, Container},
	{"IBYS", SYCLBIN},
}

// ELF machines of devices.
const (
	machineNVIDIA = 190
	machineIntel  = 205
	machineAMD    = 224
)

func elfFormat(head []byte) Format {
	if len(head) < 20 {
		return ELF
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[5] == 2 {
		order = binary.BigEndian
	}
	switch order.Uint16(head[18:]) {
	case machineNVIDIA:
		return Cubin
	case machineIntel:
		return Zebin
	case machineAMD:
		return HSACO
	}
	return ELF
}

// isCOFF reports whether head starts with the header of a COFF object for x86-64 or AArch64, of a
// large COFF object, or of an import of a library.
func isCOFF(head []byte) bool {
	const headerSize, amd64, arm64 = 20, 0x8664, 0xaa64
	if len(head) < headerSize {
		return false
	}
	machine := binary.LittleEndian.Uint16(head)
	return machine == amd64 || machine == arm64 || machine == 0 && binary.LittleEndian.Uint16(head[2:]) == 0xffff
}

// BundleMagic starts the bundles of clang-offload-bundler, and is part of the lines that separate
// text bundles.
const BundleMagic = "__CLANG_OFFLOAD_BUNDLE__"

// BundleComment returns the comment prefix of a text bundle, or "" if the text is not a bundle.
func BundleComment(head []byte) string {
	for _, comment := range []string{";", "//", "#"} { // LLVM IR, C++, assembler
		if bytes.HasPrefix(head, []byte("\n"+comment+" "+BundleMagic+"__START__ ")) {
			return comment
		}
	}
	return ""
}

// isPTX reports whether text starts like PTX: with a .version directive after comments, or with
// the comment that compilers write.
func isPTX(text string) bool {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case strings.HasPrefix(text, ".version"):
			return true
		case strings.HasPrefix(text, "//"):
			line, rest, _ := strings.Cut(text, "\n")
			if strings.Contains(line, "NVVM") || strings.Contains(line, "NVPTX") {
				return true
			}
			text = rest
		case strings.HasPrefix(text, "/*"):
			_, rest, ok := strings.Cut(text, "*/")
			if !ok {
				return false
			}
			text = rest
		default:
			return false
		}
	}
}
