// Package offload reads and writes OffloadBinary containers, the format in which LLVM-based
// compilers store device images. It also detects the formats of device images, and of the files
// that contain them, from their first bytes, and finds the kernels in native code.
//
// A container is a header, a table of entries, and the parts that the entries point to: strings
// (pairs of key and value) and one image each. All numbers are little endian, all offsets are
// relative to the start of the container, and the container is aligned to 8 bytes.
//
//	header    magic 10 ff 10 ad, u32 version, u64 size, u64 offset of the
//	          entries, and by version
//	          1: u64 size of an entry, which is 40; there is one entry
//	          2: u64 number of entries
//	          3: u64 number of entries, u64 inflated size
//	entry     u16 image kind, u16 offload kind, u32 flags, u64 offset and u64
//	          number of strings, u64 offset and u64 size of the image
//	string    u64 offset of the key, u64 offset of the value, and from version 2
//	          u64 size of the value
//
// In version 3, if the inflated size is not 0, everything after the header is one zstd or zlib
// stream. The inflated size and all offsets then apply to the uncompressed container. Several
// containers may follow one another, each starting at a multiple of 8. In version 1, this is how
// several images are stored.
//
// The layouts and the order of the parts in written containers match LLVM's OffloadBinary class.
// Unlike LLVM, [ReadAll] also rejects images that reach past the end of the container, strings
// outside of it, parts that overlap, and a version 1 header with a wrong entry size.
package offload

import (
	"fmt"
	"io"
	"math"
)

// Magic starts every container.
const Magic = "\x10\xff\x10\xad"

// A File is one container.
type File struct {
	Version     uint32
	Offset      int64 // of the container in its file
	Size        int64 // as stored, without the padding before the next container
	Compression Compression
	Inflated    int64 // inflated size, 0 if not compressed
	Entries     []*Entry
}

// An Entry is one image with its metadata in the container. The image is read on demand, through
// the embedded io.ReaderAt.
type Entry struct {
	ImageKind   ImageKind
	OffloadKind OffloadKind
	Flags       uint32
	Strings     []String // in the order of the file

	// Offset is the start of the image in the container, or in the inflated container if it is
	// compressed.
	Offset int64

	io.ReaderAt // the image
	size        int64
}

// Size returns the size of the image in bytes.
func (e *Entry) Size() int64 { return e.size }

// String returns the value of the first string with the given key, and whether there is one.
func (e *Entry) String(key string) (string, bool) {
	for _, s := range e.Strings {
		if s.Key == key {
			return s.Value, true
		}
	}
	return "", false
}

// A String is one pair of key and value of an entry, such as triple and
// spir64-unknown-unknown.
type String struct {
	Key, Value string
}

// An ImageKind is the stated kind of an image. Tools use it only as a hint: it is often 0, and 6
// has had two meanings.
type ImageKind uint16

const (
	KindNone      ImageKind = 0
	KindObject    ImageKind = 1
	KindBitcode   ImageKind = 2
	KindCubin     ImageKind = 3
	KindFatBinary ImageKind = 4
	KindPTX       ImageKind = 5
	KindSPIRV     ImageKind = 6 // SYCLBIN in DPC++, later SPIR-V in LLVM
	KindSYCLBIN   ImageKind = 7 // in DPC++ only
)

var imageKinds = []string{"none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv", "syclbin"}

func (k ImageKind) String() string {
	if int(k) < len(imageKinds) {
		return imageKinds[k]
	}
	return fmt.Sprintf("image kind %d", uint16(k))
}

// An OffloadKind is the programming model of an image.
type OffloadKind uint16

// The kinds are bits of a mask in LLVM 20 and newer. In older versions they are consecutive
// numbers: 3 is HIP and 4 is SYCL. DPC++'s runtime writes 5, which is neither.
const (
	NoOffload OffloadKind = 0
	OpenMP    OffloadKind = 1
	CUDA      OffloadKind = 2
	HIP       OffloadKind = 4
	SYCL      OffloadKind = 8
)

func (k OffloadKind) String() string {
	switch k {
	case NoOffload:
		return "none"
	case OpenMP:
		return "openmp"
	case CUDA:
		return "cuda"
	case HIP:
		return "hip"
	case SYCL:
		return "sycl"
	}
	return fmt.Sprintf("offload kind %d", uint16(k))
}

// A FormatError is an error in a container or a device image, with its location.
type FormatError struct {
	Offset int64 // of the invalid field or part, in the image, or in the container or its inflated form
	Msg    string
	Fix    string // how to fix the file, "" for an image
}

func (e *FormatError) Error() string {
	if e.Fix == "" {
		return fmt.Sprintf("device image: offset %#x: %s", e.Offset, e.Msg)
	}
	return fmt.Sprintf("offload binary: offset %#x: %s; %s", e.Offset, e.Msg, e.Fix)
}

// BadInput marks errors caused by an input file.
func (*FormatError) BadInput() {}

// Sizes of the parts.
const (
	alignment   = 8
	entrySize   = 40
	stringSize1 = 16 // version 1
	stringSize  = 24 // version 2 and later
)

func headerSize(version uint32) int64 {
	if version >= 3 {
		return 40
	}
	return 32
}

func stringEntrySize(version uint32) int64 {
	if version == 1 {
		return stringSize1
	}
	return stringSize
}

// align rounds n up to the alignment. It returns 0 if the result does not fit.
func align(n int64) int64 {
	if n > math.MaxInt64-(alignment-1) {
		return 0
	}
	return (n + alignment - 1) &^ (alignment - 1)
}
