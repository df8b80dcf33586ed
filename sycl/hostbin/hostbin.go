// Package hostbin finds the device images inside host files: ELF and COFF executables, shared
// libraries and objects, ar archives of them, and bundles of clang-offload-bundler.
//
// Compilers put device images into host files in the following ways, all of which are supported.
// All numbers are little endian.
//
//	section .llvm.offloading
//	          OffloadBinary containers, one after another, in objects of Clang
//	          and of DPC++'s new offloading model
//	sections __CLANG_OFFLOAD_BUNDLE__KIND-TRIPLE[-ARCH]
//	          one image each, in fat objects of DPC++'s older model; the kind
//	          host is not an image
//	files that start with __CLANG_OFFLOAD_BUNDLE__
//	          u64 number of entries, each u64 offset, u64 size, u64 size of the
//	          name and the name KIND-TRIPLE[-ARCH]
//	text in parts of KIND-TRIPLE[-ARCH]
//	          each after a line "; __CLANG_OFFLOAD_BUNDLE____START__ NAME" and
//	          before the same line with END instead of START; LLVM IR, or with //
//	          C++, or with # assembler. An empty line is before each of the two.
//	files that start with CCOB
//	          one of the last two forms, compressed: u16 version, u16 method (0
//	          zlib, 1 zstd), from version 2 the size of the file, the inflated
//	          size, the first 8 bytes of the MD5 of the inflated data, the stream.
//	          Sizes are u64 in version 3, else u32.
//	descriptor tables
//	          data that a linked program registers with the SYCL or OpenMP runtime
//	ocloc archives
//	          files, or images with the target spir64_gen: a member for each Intel
//	          GPU, named BITS.VERSION (64.12.60.7) or BITS.FAMILY (64.bmg), pad_N
//	          members for alignment, and generic_ir, which is SPIR-V inside ELF
//	ELF files for Intel GPUs
//	          as a file, or as an image with the target spir64_gen: notes name the GPU
//
// A descriptor table is program data that contains pointers. The table for SYCL:
//
//	descriptor   u16 1, u16 number of images, 4 bytes of padding, pointer to the
//	             images, two null pointers
//	image        u16 version, u8 kind of offloading (4 or 8 for SYCL), u8 format,
//	             4 bytes of padding; pointers to the triple, the compile options
//	             and the link options, which end in NUL; in version 2 only start
//	             and end of the manifest; start and end of the image, of the
//	             entries and of the property sets. Versions 2 and 3 exist.
//	entry        pointer to nothing, pointer to the name, u64, i32, i32; or, since
//	             LLVM 20, u64 0, u16 1, u16 kind, u32, pointer to nothing, pointer
//	             to the name, u64, u64, pointer
//	property set pointer to the name, start and end of the properties
//	property     pointer to the name, pointer to the value, u32 type, 4 bytes of
//	             padding, u64 size of the value; a number (type 1) replaces the
//	             size, a byte array (type 2) is a u64 number of bits and the
//	             bytes
//
// The table for OpenMP:
//
//	descriptor   u32 number of images, 4 bytes of padding, pointer to the images,
//	             start and end of the entries
//	image        start and end of the image, start and end of the same entries
//	entry        pointer to anything, pointer to the name, u64 size, i32, i32; or
//	             the newer layout above, with the size in the first u64 after the
//	             name. Kernels have size 0. The newer table has the entries of all
//	             programming models, with kind 1 for OpenMP.
//
// This table does not state a target. Newer compilers put the image into a container in section
// .llvm.offloading, which states one; such an image is found both ways and listed once.
//
// A stripped program has no symbol for a descriptor, so descriptors are recognized by their form in
// the data. The relocations give the locations of pointers: in position-independent ELF files the
// relocations of the dynamic segment, in objects the relocations of the sections. Other pointers
// are stored in the data: in ELF files with packed relative relocations or without any, and in PE
// files, whose addresses assume the image base that the file requests. Tables are found in ELF and
// COFF files for x86-64 and AArch64.
//
// Thin archives are not supported, and rejected with a specific message. 32-bit and big-endian ELF
// files, 32-bit PE files, and COFF objects for other architectures count as files without images.
// CUDA and HIP fat binaries (sections .nv_fatbin and .hip_fatbin) are ignored.
//
// The layouts follow DPC++'s compiler.hpp, LLVM's and DPC++'s offload wrappers and bundlers, and,
// for ocloc archives, Intel's compute runtime.
package hostbin

import (
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A File is a host file and its device images, if any.
type File struct {
	Images []*Image

	// Warnings name images that no GPU would use as the file states, and count kernels outside of
	// device images.
	Warnings []string

	// Foreign is the kind of the file if no SYCL compiler writes such files, as in "32-bit ELF
	// file", else "".
	Foreign string

	closer io.Closer
}

// An Image is one device image. Its bytes are read on demand.
type Image struct {
	Origin Origin

	// Model is the programming model, such as sycl, openmp or cuda.
	Model string

	Triple string
	Arch   string // "" if the image is not compiled for one architecture

	// CompileTarget is the target that the driver compares with a GPU to choose among the members
	// of an ocloc archive, or "" for all other images.
	CompileTarget string

	// Stated is the image's format according to the host file: a format, offload.Native or
	// offload.Text, or offload.UnknownFormat if it is not stated. It is only a hint; the bytes are
	// more precise.
	Stated offload.Format

	// Properties is the host file's metadata for the image, with the aspects of package aspect: the
	// version of a descriptor determines the meaning of its aspect numbers. If there is no metadata,
	// it is empty, not nil.
	Properties *propset.Registry

	// Entries are the names of the kernels as the host file lists them.
	Entries []string

	CompileOptions, LinkOptions string // for compilation at run time

	offload.Source
}

// Data reads the whole image into memory and returns its bytes. Use Open for images that may be
// large.
func (i *Image) Data() ([]byte, error) {
	data := make([]byte, i.Size()) // already checked against the size of the file
	_, err := io.ReadFull(i.Open(), data)
	return data, err
}

// Slice returns a part of the bytes, see [offload.Slice].
func (i *Image) Slice(offset, size int64) []byte { return offload.Slice(i.Source, offset, size) }

// Open returns a reader of the image.
func (i *Image) Open() io.ReadSeeker { return io.NewSectionReader(i, 0, i.Size()) }

// An Origin is the location of an image.
type Origin struct {
	Member  string // of an archive, "" if there is none; a/b is b in a
	Section string // "" if there is none
	Address uint64 // of its entry in a descriptor table, else 0
	Offset  int64  // of the image in the file, or of its container
}

func (o Origin) String() string {
	var parts []string
	if o.Member != "" {
		parts = append(parts, "member "+safetext.Quote(o.Member))
	}
	if o.Section != "" {
		parts = append(parts, "section "+safetext.Quote(o.Section))
	}
	if o.Address != 0 {
		parts = append(parts, fmt.Sprintf("descriptor at address %#x", o.Address))
	}
	return strings.Join(append(parts, fmt.Sprintf("offset %#x", o.Offset)), ", ")
}

// LookedFor lists what the package searches for, for messages about files without images.
const LookedFor = "sections .llvm.offloading and __CLANG_OFFLOAD_BUNDLE__*, and descriptor tables of the SYCL and OpenMP runtimes"

// Open reads the file with that name. Its images can be read until Close. The least recently read
// files are closed and reopened on demand, so a process can use more files than it can have open.
func Open(name string) (*File, error) {
	f, err := binfile.Open(name)
	if err != nil {
		return nil, err
	}
	file, err := NewFile(f, f.Info().Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file.closer = f
	return file, nil
}

// Close closes a file opened by Open.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// NewFile finds the images in r, which has size bytes. Errors in the content are of type
// [*FormatError].
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	s := &scanner{file: new(File)}
	known, err := s.scan(input{r: r, size: size})
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, &FormatError{Msg: "unknown file format; expected ELF, COFF, an archive, an offload bundle or an OffloadBinary container",
			Fix: "pass a program, a library, an object or an archive"}
	}
	if err := s.resolveGPUCode(); err != nil {
		return nil, err
	}
	s.file.Warnings = append(s.file.Warnings, s.other.warnings()...)
	return s.file, nil
}

// A FormatError is an error in a host file, with its location.
type FormatError struct {
	Member string // of an archive, "" if there is none
	Offset int64  // in the file; in a compressed container, in the uncompressed content
	Msg    string
	Fix    string // how to fix the file
	Err    error  // the error of package offload if it is about a container, else nil; Msg includes its text
}

func (e *FormatError) Error() string {
	if e.Member != "" {
		return fmt.Sprintf("host binary: member %s: offset %#x: %s; %s", safetext.Quote(e.Member), e.Offset, e.Msg, e.Fix)
	}
	return fmt.Sprintf("host binary: offset %#x: %s; %s", e.Offset, e.Msg, e.Fix)
}

func (e *FormatError) Unwrap() error { return e.Err }

// BadInput marks errors caused by an input file.
func (*FormatError) BadInput() {}
