package syclbin

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
)

// A Format is what the bytes of a device image are.
type Format uint8

const (
	FormatUnknown     Format = iota
	FormatSPIRV              // SPIR-V, in either byte order
	FormatBitcode            // LLVM bitcode, with or without its wrapper
	FormatPTX                // PTX assembly text
	FormatZebin              // ELF for Intel GPUs
	FormatCubin              // ELF for NVIDIA GPUs
	FormatHSACO              // ELF for AMD GPUs
	FormatFatBinary          // NVIDIA fat binary
	FormatArchive            // ar archive, such as the fat binaries of ocloc
	FormatPatchTokens        // older binaries for Intel GPUs
	FormatELF                // ELF for another machine, such as a host CPU
	FormatCOFF               // COFF for a host CPU
	FormatOffload            // OffloadBinary container
	FormatSYCLBIN            // SYCLBIN file
)

var formatNames = [...]string{"unknown", "SPIR-V", "LLVM bitcode", "PTX", "zebin", "cubin", "HSACO", "NVIDIA fat binary", "archive", "Intel patch token binary", "ELF", "COFF", "OffloadBinary container", "SYCLBIN file"}

func (f Format) String() string { return formatNames[f] }

// article returns the name with an article where it takes one.
func (f Format) article() string {
	switch f {
	case FormatUnknown:
		return "of an unknown format"
	case FormatSPIRV, FormatBitcode, FormatPTX:
		return f.String()
	case FormatArchive, FormatHSACO, FormatOffload, FormatELF:
		return "an " + f.String()
	}
	return "a " + f.String()
}

// Extension returns the usual end of the names of such files, with its dot.
func (f Format) Extension() string {
	switch f {
	case FormatSPIRV:
		return ".spv"
	case FormatBitcode:
		return ".bc"
	case FormatPTX:
		return ".ptx"
	case FormatCubin:
		return ".cubin"
	case FormatHSACO:
		return ".hsaco"
	case FormatFatBinary:
		return ".fatbin"
	case FormatArchive:
		return ".ar"
	case FormatELF, FormatZebin:
		return ".elf"
	case FormatSYCLBIN:
		return ".syclbin"
	}
	return ".bin"
}

// ELF machines of devices.
const (
	machineNVIDIA = 190
	machineIntel  = 205
	machineAMD    = 224
)

// formatStarts are bytes at the start that tell a format.
var formatStarts = []struct {
	bytes  string
	format Format
}{
	{"\x03\x02\x23\x07", FormatSPIRV},
	{"\x07\x23\x02\x03", FormatSPIRV},
	{"BC\xc0\xde", FormatBitcode},
	{"\xde\xc0\x17\x0b", FormatBitcode},
	{"\x50\xed\x55\xba", FormatFatBinary},
	{"!<arch>\n", FormatArchive},
	{"CTNI", FormatPatchTokens},
	{"\x10\xff\x10\xad", FormatOffload},
	{Magic, FormatSYCLBIN},
	{"\x64\x86", FormatCOFF},
	{"MZ", FormatCOFF},
}

// Detect returns what the first bytes of a device image say that it is. It reads
// no more than those, and what it cannot read is FormatUnknown.
func Detect(r io.ReaderAt, size int64) Format {
	head := make([]byte, max(0, min(size, 1024)))
	n, _ := r.ReadAt(head, 0)
	head = head[:n]
	for _, start := range formatStarts {
		if bytes.HasPrefix(head, []byte(start.bytes)) {
			return start.format
		}
	}
	if bytes.HasPrefix(head, []byte("\x7fELF")) {
		return elfFormat(head)
	}
	if ptx(string(head)) {
		return FormatPTX
	}
	return FormatUnknown
}

func elfFormat(head []byte) Format {
	if len(head) < 20 {
		return FormatELF
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[5] == 2 {
		order = binary.BigEndian
	}
	switch order.Uint16(head[18:]) {
	case machineNVIDIA:
		return FormatCubin
	case machineIntel:
		return FormatZebin
	case machineAMD:
		return FormatHSACO
	}
	return FormatELF
}

// ptx reports whether text starts as PTX has to: with a .version directive after
// comments, or with the comment that compilers write.
func ptx(text string) bool {
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

// Format returns what the bytes of the image are.
func (i *Image) Format() Format {
	if i.format != nil {
		return *i.format
	}
	return Detect(i, i.Size())
}

// IRTypeOf returns the type of an IR module with bytes of that format for that
// triple, and whether it has one: types know SPIR-V, PTX and code for AMD GPUs,
// for which bitcode is the only IR.
func IRTypeOf(f Format, triple string) (IRType, bool) {
	switch {
	case f == FormatSPIRV:
		return SPIRV, true
	case f == FormatPTX:
		return PTX, true
	case f == FormatBitcode && strings.HasPrefix(triple, "amdgcn"):
		return AMDGCN, true
	}
	return 0, false
}
