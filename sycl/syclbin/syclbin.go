// Package syclbin reads, checks and writes SYCLBIN files, DPC++'s format for SYCL device code that
// is loaded at run time.
//
// A file has a bundle state and contains abstract modules. An abstract module is one set of kernels
// in several images: IR modules, such as SPIR-V, and native device code images, each compiled for
// one architecture. The file, each abstract module and each image have metadata in the form of
// property sets.
//
// Version 1 is a header, three lists of headers and two byte tables, little endian, the headers
// and tables aligned to 8 bytes:
//
//	 0  u32 magic 0x53594249, so the file starts with "IBYS"
//	 4  u32 version
//	 8  u32 number of abstract modules
//	12  u32 number of IR modules
//	16  u32 number of native device code images
//	20  4 bytes of anything
//	24  u64 size of the metadata table
//	32  u64 size of the binary table
//	40  u64 offset of the global metadata in the metadata table
//	48  u64 size of the global metadata
//	56  abstract module headers: u64 offset and u64 size of the metadata,
//	    u32 number of IR modules, u32 index of the first, u32 number of native
//	    images, u32 index of the first
//	    IR module headers and native image headers: u64 offset and u64 size of
//	    the metadata, u64 offset and u64 size of the bytes in the binary table
//	    the metadata table, zeros up to a multiple of 8, the binary table
//
// Compilers put such a file into an OffloadBinary container, as the image of an entry.
//
// Version 2 is an OffloadBinary container of version 2 with an entry for each part, identified by
// the strings of the entry: role is global_metadata, am_metadata, ir or native, am_index is the
// abstract module. The image of an ir or native entry is a u64 size of the metadata, the metadata,
// and the bytes.
//
// The layout follows the SYCLBIN design document of the DPC++ project and, for details that it does
// not specify (the padding, version 2), DPC++'s LLVM. [NewFile] also rejects errors that DPC++
// accepts: overflows, overlaps and parts without an owner.
package syclbin

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
)

// magic starts a version 1 file outside a container.
const magic = "IBYS"

// A File is a SYCLBIN file.
type File struct {
	Version int   // of the format: 1 or 2
	State   State // from the global metadata; see NoState

	// Container is the version of the OffloadBinary container, or 0 for a bare version 1 file.
	// ImageKind is the image kind that the container states.
	Container uint32
	ImageKind offload.ImageKind

	// Release is the runtime release that the file is for. Recorded is true if the file's global
	// metadata states it. Global omits that property.
	Release  *release.Release
	Recorded bool

	Global  *propset.Registry // global metadata, including State
	Modules []*Module         // with the aspects of package aspect

	// GlobalRange and the ranges of modules and images are byte ranges in the file, or in the inflated
	// container if the file is compressed.
	GlobalRange Range

	// Size is the size of the input in bytes.
	Size int64

	// Findings lists the errors in the file that did not prevent reading. Verify includes them.
	Findings []Finding

	closer io.Closer
}

// A Module is an abstract module: the same kernels in several images.
type Module struct {
	Metadata      *propset.Registry
	MetadataRange Range
	IR            []*Image
	Native        []*Image
}

// Kernels returns the names of the module's kernels from its metadata. If DPC++'s runtime listed a
// kernel under two names, Kernels returns only one.
func (m *Module) Kernels() []string {
	return kernelname.WithoutAliases(m.Metadata.Set(propset.KernelNames).Keys())
}

// Images returns the IR modules followed by the native images.
func (m *Module) Images() []*Image {
	return append(append(make([]*Image, 0, len(m.IR)+len(m.Native)), m.IR...), m.Native...)
}

// An Image is one form of an abstract module: an IR module or a native device code image. Its
// bytes are read on demand, through the embedded Source.
type Image struct {
	Kind          Kind
	Metadata      *propset.Registry
	MetadataRange Range
	offload.Source
	Range Range // of the bytes

	format *offload.Format    // nil if it was not detected
	digest *[sha256.Size]byte // of the bytes, nil until requested
}

// NewImage returns a native image for arch or, if arch is empty, an IR module whose type the bytes
// determine.
func NewImage(triple, arch string, content offload.Source) *Image {
	format := offload.Detect(content, content.Size())
	var i *Image
	if arch == "" {
		typ, _ := IRTypeOf(format, triple)
		i = NewIR(typ, triple, content)
	} else {
		i = NewNative(arch, triple, content)
	}
	i.format = &format
	return i
}

// NewIR returns an IR module. The metadata has no triple if it is empty.
func NewIR(typ IRType, triple string, content offload.Source) *Image {
	i := &Image{Kind: IRModule, Metadata: new(propset.Registry), Source: content}
	set := i.Metadata.Add(propset.SYCLBINIR)
	set.Put(keyType, propset.Uint(uint32(typ)))
	if triple != "" {
		set.Put(keyTarget, propset.String(triple))
	}
	return i
}

// NewNative returns a native device code image. The metadata has no triple if it is empty.
func NewNative(arch, triple string, content offload.Source) *Image {
	i := &Image{Kind: NativeImage, Metadata: new(propset.Registry), Source: content}
	set := i.Metadata.Add(propset.SYCLBINNative)
	set.Put(keyArch, propset.String(arch))
	if triple != "" {
		set.Put(keyTarget, propset.String(triple))
	}
	return i
}

// Keys of the SYCLBIN sets.
const (
	keyState  = "state"
	keyType   = "type"
	keyTarget = "target"
	keyArch   = "arch"
)

// Data reads the whole image into memory and returns its bytes. Use Open for images that may be
// large.
func (i *Image) Data() ([]byte, error) {
	data := make([]byte, i.Size()) // already checked against the size of the file
	_, err := io.ReadFull(i.Open(), data)
	return data, err
}

// Open returns a reader of the bytes.
func (i *Image) Open() io.ReadSeeker { return io.NewSectionReader(i.Source, 0, i.Size()) }

// Slice returns a part of the bytes, see [offload.Slice].
func (i *Image) Slice(offset, size int64) []byte { return offload.Slice(i.Source, offset, size) }

// Format returns the format of the image's bytes.
func (i *Image) Format() offload.Format {
	if i.format != nil {
		return *i.format
	}
	return offload.Detect(i, i.Size())
}

// Digest returns the SHA-256 of the bytes, which are read on the first call. It is not safe for
// concurrent use.
func (i *Image) Digest() ([sha256.Size]byte, error) {
	if i.digest == nil {
		h := sha256.New()
		if data := i.Slice(0, i.Size()); data != nil {
			h.Write(data)
		} else if _, err := io.Copy(h, io.LimitReader(i.Open(), i.Size())); err != nil { // the limit makes io.Copy's buffer as small as the image
			return [sha256.Size]byte{}, err
		}
		i.digest = (*[sha256.Size]byte)(h.Sum(nil))
	}
	return *i.digest, nil
}

// Triple returns the target triple, such as spir64-unknown-unknown, or "".
func (i *Image) Triple() string { return i.text(keyTarget) }

// Arch returns the architecture of a native image, such as intel_gpu_pvc, or "".
func (i *Image) Arch() string {
	if i.Kind == IRModule {
		return ""
	}
	return i.text(keyArch)
}

// Type returns the type of an IR module, and whether its metadata has one.
func (i *Image) Type() (IRType, bool) {
	if i.Kind != IRModule {
		return 0, false
	}
	v, _ := i.Set().Get(keyType)
	n, ok := v.Uint()
	return IRType(n), ok
}

// Target returns the triple and the architecture in command line form: TRIPLE, or TRIPLE=ARCH for
// a native image.
func (i *Image) Target() string {
	if arch := i.Arch(); arch != "" {
		return i.Triple() + "=" + arch
	}
	return i.Triple()
}

// Set returns the metadata set for the image's kind, or nil if it is missing.
func (i *Image) Set() *propset.Set {
	if i.Kind == IRModule {
		return i.Metadata.Set(propset.SYCLBINIR)
	}
	if s := i.Metadata.Set(propset.SYCLBINNative); s != nil {
		return s
	}
	return i.Metadata.Set(propset.SYCLBINNativeAlias)
}

func (i *Image) text(key string) string {
	v, _ := i.Set().Get(key)
	return string(v.Bytes())
}

// A Kind is one of the two kinds of images.
type Kind uint8

const (
	IRModule Kind = iota
	NativeImage
)

func (k Kind) String() string {
	if k == IRModule {
		return "IR module"
	}
	return "native device code image"
}

// A State is a bundle state.
type State uint32

const (
	Input      State = 0 // may be compiled and linked
	Object     State = 1 // may be linked
	Executable State = 2

	// NoState is the state of a file whose global metadata does not have a numeric state. Writing such
	// a file leaves its global metadata unchanged.
	NoState State = math.MaxUint32
)

var stateNames = []string{"input", "object", "executable"}

// ParseState returns the state with a name.
func ParseState(name string) (State, error) {
	for i, s := range stateNames {
		if s == name {
			return State(i), nil
		}
	}
	return NoState, fmt.Errorf("unknown state %q; expected input, object or executable", name)
}

func (s State) String() string {
	switch {
	case s == NoState:
		return "none"
	case int64(s) < int64(len(stateNames)):
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint32(s))
}

// An IRType is the type of an IR module's bytes. DPC++ always writes 0 and ignores the value.
type IRType uint32

const (
	SPIRV  IRType = 0
	PTX    IRType = 1
	AMDGCN IRType = 2
)

func (t IRType) String() string {
	switch t {
	case SPIRV:
		return "SPIR-V"
	case PTX:
		return "PTX"
	case AMDGCN:
		return "AMDGCN"
	}
	return fmt.Sprintf("IR type %d", uint32(t))
}

// IRTypeOf returns the type of an IR module with bytes of a format for a triple, and whether there
// is one. There are types for SPIR-V, for PTX and for AMD GPUs, whose only IR is bitcode.
func IRTypeOf(f offload.Format, triple string) (IRType, bool) {
	switch {
	case f == offload.SPIRV:
		return SPIRV, true
	case f == offload.PTX:
		return PTX, true
	case f == offload.Bitcode && strings.HasPrefix(triple, "amdgcn"):
		return AMDGCN, true
	}
	return 0, false
}

// A Range is a range of bytes.
type Range struct {
	Offset, Size int64
}

// A FormatError is an error that makes a file unreadable, with its location. All such errors that
// this package returns have this type.
type FormatError struct {
	Offset int64 // in the file, or in the inflated container of a compressed one
	Msg    string
	Err    error // the error in a part, may be nil; Msg is empty for an error of package offload
}

func (e *FormatError) Error() string {
	switch {
	case e.Msg == "":
		return e.Err.Error()
	case e.Err != nil:
		return fmt.Sprintf("syclbin: offset %#x: %s: %v", e.Offset, e.Msg, e.Err)
	}
	return fmt.Sprintf("syclbin: offset %#x: %s", e.Offset, e.Msg)
}

func (e *FormatError) Unwrap() error { return e.Err }

// BadInput marks errors caused by an input file.
func (*FormatError) BadInput() {}

// StatesRelease reports whether the file states its release: through a recorded release, or
// through the kind of image in its container, which only releases before 2026 read.
func (f *File) StatesRelease() bool {
	return f.Recorded || f.Version == 1 && f.Container == 1 && f.ImageKind == offload.KindSPIRV
}

// AssumeRelease sets the release of a file that does not state one, and interprets the aspect
// numbers in the file for that release.
func (f *File) AssumeRelease(r *release.Release) {
	if f.StatesRelease() || r == f.Release {
		return
	}
	for _, m := range f.Modules {
		// Metadata read for a release can be written for the same release.
		if raw, err := f.Release.Write(m.Metadata); err == nil {
			m.Metadata = r.Read(raw)
		}
	}
	f.Release = r
}

// AmbiguousAspect returns the first aspect in the file whose number has a different meaning in
// other releases, if the file does not state its release.
func (f *File) AmbiguousAspect() (a aspect.Aspect, ok bool) {
	if f.StatesRelease() {
		return 0, false
	}
	for _, m := range f.Modules {
		v, _ := m.Metadata.Set(propset.DeviceRequirements).Get("aspects")
		list, _ := v.Uint32s()
		for _, n := range list {
			if a := aspect.Aspect(n); release.Ambiguous(a) {
				return a, true
			}
		}
	}
	return 0, false
}

// Open opens the named file. Its images can be read until it is closed. The least recently read
// files are closed and reopened on demand, so a process can use more files than it can have open.
func Open(name string) (*File, error) { return open(name, NewFile) }

// OpenLenient is like Open, but uses [NewLenientFile].
func OpenLenient(name string) (*File, error) { return open(name, NewLenientFile) }

func open(name string, read func(io.ReaderAt, int64) (*File, error)) (*File, error) {
	in, err := binfile.Open(name)
	if err != nil {
		return nil, err
	}
	f, err := read(in, in.Info().Size())
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.closer = in
	return f, nil
}

// Close closes a file opened by Open.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
