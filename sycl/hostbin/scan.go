package hostbin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/binfile"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Limits on the memory that one call of NewFile uses, regardless of the file's content. Real
// programs stay far below them.
const (
	maxImages      = 1 << 16
	maxMembers     = 1 << 20
	maxDepth       = 4 // of archives in archives
	maxSections    = 1 << 20
	maxSectionName = 256       // longer names are ignored
	maxNames       = 256 << 20 // bytes of the names of archive members
	maxSymbols     = 256 << 20 // bytes of one table
	maxRelocations = 1 << 24
	maxProperties  = 1 << 20 // properties and entries together
	maxSets        = 1 << 10 // property sets of an image
	maxText        = 64 << 20
)

// headSize is the number of bytes at the start that identify the type of a file.
const headSize = 48

var le = binary.LittleEndian

// A scanner collects the images of a file.
type scanner struct {
	file *File

	members, relocations, properties int
	text                             int64 // bytes of names and values
	inflated                         int64 // bytes of compressed containers and bundles
	images                           inflatedImages

	other otherCode

	inImage bool // the file is a device image

	// described maps offsets to the images of OpenMP descriptors. The containers around the images
	// supply the missing metadata.
	described map[int64]*Image
}

// An input is a file, or a member of an archive.
type input struct {
	r      io.ReaderAt
	base   int64 // in the file
	size   int64
	member string
	depth  int

	inflated bool // offsets are relative to an inflated bundle
}

// errorf returns an error for a damaged file.
func (in *input) errorf(offset int64, format string, args ...any) error {
	return in.errorWithFix(offset, binfile.Damaged, format, args...)
}

// truncatedf returns an error for a truncated file.
func (in *input) truncatedf(offset int64, format string, args ...any) error {
	return in.errorWithFix(offset, binfile.Cut, format, args...)
}

// unsupportedf returns an error for an unsupported file.
func (in *input) unsupportedf(offset int64, format string, args ...any) error {
	return in.errorWithFix(offset, binfile.Unsupported, format, args...)
}

func (in *input) errorWithFix(offset int64, fix, format string, args ...any) error {
	if in.inflated {
		format = "in the inflated bundle: " + format
		if fix == binfile.Cut {
			fix = binfile.Damaged // a truncated bundle is not inflated
		}
	}
	return &FormatError{Member: in.member, Offset: in.base + offset, Msg: fmt.Sprintf(format, args...), Fix: fix}
}

// has reports whether the range is inside the input.
func (in *input) has(offset, size uint64) bool {
	return offset <= uint64(in.size) && size <= uint64(in.size)-offset
}

// read reads bytes that may be missing if the input is truncated.
func (in *input) read(b []byte, offset int64, what string) error {
	if !in.has(uint64(offset), uint64(len(b))) {
		return in.truncatedf(offset, "%s of %d bytes reaches past the end at %#x", what, len(b), in.base+in.size)
	}
	n, err := in.r.ReadAt(b, in.base+offset)
	switch {
	case n == len(b):
		return nil
	case errors.Is(err, io.EOF) || err == nil:
		return in.truncatedf(offset+int64(n), "%s ends early", what)
	}
	return err
}

// section returns a part of the input. The range must be inside the input.
func (in *input) section(offset, size int64) *io.SectionReader {
	return io.NewSectionReader(in.r, in.base+offset, size)
}

// scan looks for images according to the type of the input. It returns false if the input is of a
// type that cannot have images.
func (s *scanner) scan(in input) (known bool, err error) {
	var head [headSize]byte
	n := min(in.size, int64(len(head)))
	if err := in.read(head[:n], 0, "the start of the file"); err != nil {
		return false, err
	}
	switch format := offload.FormatOf(head[:n]); {
	case format == offload.Zebin:
		return true, s.addGPUCode(in, gpuTriple, "")
	case format.IsELF():
		return true, s.elf(in)
	case format == offload.COFF:
		return true, s.coff(in)
	case format == offload.Archive:
		return true, s.archive(in)
	case format == offload.ThinArchive:
		return true, in.errorWithFix(0, "pass these files instead", "this is a thin archive, whose members are other files")
	case format == offload.Bundle:
		return true, s.bundle(in, head[:n])
	case format == offload.CompressedBundle:
		return true, s.compressedBundle(in)
	case format == offload.Container:
		return true, s.containers(in, 0, in.size, "")
	}
	if offload.IsPointer(head[:n]) {
		return true, in.errorWithFix(0, offload.PointerFix, offload.PointerFault)
	}
	return false, nil
}

// add adds an image.
func (s *scanner) add(in *input, img *Image) error {
	if len(s.file.Images) == maxImages {
		return in.errorf(0, "too many device images (limit %d)", maxImages)
	}
	if img.Properties == nil {
		img.Properties = new(propset.Registry)
	}
	img.Origin.Member = in.member
	s.file.Images = append(s.file.Images, img)
	return nil
}

// relocate counts relocations against the limit.
func (s *scanner) relocate(in *input, offset, count int64) error {
	if s.relocations += int(min(count, maxRelocations+1)); s.relocations > maxRelocations {
		return in.errorf(offset, "too many relocations (limit %d)", maxRelocations)
	}
	return nil
}

// addBytes counts bytes of text against the limit.
func (s *scanner) addBytes(in *input, offset, size int64) error {
	if s.text += size; s.text > maxText {
		return in.errorf(offset, "the names and values are too long (limit %d bytes)", maxText)
	}
	return nil
}

// containers adds the images of consecutive OffloadBinary containers.
func (s *scanner) containers(in input, offset, size int64, section string) error {
	if size == 0 {
		return nil
	}
	files, err := offload.ReadAll(in.section(offset, size), size)
	if formatErr := (*offload.FormatError)(nil); errors.As(err, &formatErr) {
		what, fix := "OffloadBinary container", formatErr.Fix
		if section != "" {
			what += " in section " + safetext.Quote(section)
			if fix == binfile.Cut {
				fix = binfile.Damaged // the section is entirely in the file
			}
		}
		return &FormatError{in.member, in.base + offset + formatErr.Offset, what + ": " + formatErr.Msg, fix, formatErr}
	}
	if err != nil {
		return fmt.Errorf("host binary: %v: %w", Origin{Member: in.member, Section: section, Offset: in.base + offset}, err)
	}
	for _, f := range files {
		if s.inflated += f.Inflated; s.inflated > maxInflated {
			return in.errorf(offset, "compressed containers are too large (limit %d bytes)", maxInflated)
		}
		for _, e := range f.Entries {
			img := contained(e)
			img.Origin = Origin{Section: section, Offset: in.base + offset + f.Offset}
			if err := s.addBytes(&in, offset, int64(len(img.Triple)+len(img.Arch)+len(img.CompileOptions)+len(img.LinkOptions))); err != nil {
				return err
			}
			if f.Inflated == 0 {
				img.Origin.Offset += e.Offset
				if s.addMetadata(img) {
					continue
				}
			}
			if err := s.add(&in, img); err != nil {
				return err
			}
		}
	}
	return nil
}

// contained returns the image of a container entry. It does not retain the entry, whose other
// strings are not needed.
func contained(e *offload.Entry) *Image {
	img := &Image{Model: e.OffloadKind.String(), Stated: stated(e.ImageKind), Source: io.NewSectionReader(e.ReaderAt, 0, e.Size())}
	img.Triple, _ = e.String("triple")
	img.Arch, _ = e.String("arch")
	// Clang uses "generic" for code without an architecture.
	if img.Arch == "generic" {
		img.Arch = ""
	}
	img.CompileOptions, _ = e.String("compile-opts")
	img.LinkOptions, _ = e.String("link-opts")
	return img
}

// addMetadata adds a container's metadata to the image that a descriptor points to at the same
// location, and reports whether there is such an image.
func (s *scanner) addMetadata(img *Image) bool {
	d := s.described[img.Origin.Offset]
	if d == nil {
		return false
	}
	delete(s.described, img.Origin.Offset)
	img.Origin.Member, img.Origin.Address = d.Origin.Member, d.Origin.Address
	img.Entries, img.Properties = d.Entries, d.Properties
	*d = *img
	return true
}

// stated returns the format that a container states for an image.
func stated(k offload.ImageKind) offload.Format {
	switch k {
	case offload.KindObject, offload.KindCubin, offload.KindFatBinary:
		return offload.Native
	case offload.KindBitcode:
		return offload.Bitcode
	case offload.KindPTX:
		return offload.PTX
	case offload.KindSYCLBIN:
		return offload.SYCLBIN
	}
	return offload.UnknownFormat // SPIR-V has the number that SYCLBIN had before
}

// offloadSection is the section that holds containers.
const offloadSection = ".llvm.offloading"

// sections adds the images of sections with known names. In a linked file, bundle sections hold the
// joined images that descriptors point to. Without the descriptors, the images cannot be separated.
func (s *scanner) sections(in input, list []section, linked bool) error {
	total := int64(0)
	for _, sec := range list {
		if total += sec.size; total > in.size {
			return in.errorf(sec.offset, "sections with device images overlap")
		}
	}
	described := s.describedIn(&in)
	for _, sec := range list {
		switch id, ok := strings.CutPrefix(sec.name, offload.BundleMagic); {
		case isOffloadSection(sec.name):
			if err := s.containers(in, sec.offset, sec.size, sec.name); err != nil {
				return err
			}
		case !ok || sec.size == 0 || in.describes(described, sec):
		case linked:
			if strings.HasPrefix(id, "host-") {
				continue
			}
			return in.errorf(sec.offset, "section %s of a linked file contains device images, but no descriptor table points to them", safetext.Quote(sec.name))
		default:
			if err := s.bundled(&in, id, sec, offload.UnknownFormat); err != nil {
				return err
			}
		}
	}
	return nil
}

// describedIn returns the offsets of the images of an input that descriptors point to, in
// ascending order. While an input is read, its images are the last ones.
func (s *scanner) describedIn(in *input) []int64 {
	var places []int64
	for _, img := range slices.Backward(s.file.Images) {
		if img.Origin.Member != in.member {
			break
		}
		if img.Origin.Address != 0 {
			places = append(places, img.Origin.Offset)
		}
	}
	slices.Sort(places)
	return places
}

// describes reports whether any of these images is in a section.
func (in *input) describes(places []int64, sec section) bool {
	start := in.base + sec.offset
	i, _ := slices.BinarySearch(places, start)
	return i < len(places) && places[i] < start+sec.size
}

// A section is a named range of an input. Readers check that it is inside the input.
type section struct {
	name         string
	offset, size int64
}

func isOffloadSection(name string) bool {
	// COFF linkers sort sections by the text after a dollar sign, and truncate names in executables to
	// eight characters. If the images of a device were already linked, in an object that will be
	// linked again, their section has a different name.
	return name == offloadSection || strings.HasPrefix(name, offloadSection+"$") || name == offloadSection[:8] ||
		name == offloadSection+".relocatable"
}
