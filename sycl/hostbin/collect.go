package hostbin

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// A Collected describes the result of collecting the images of a host file.
type Collected struct {
	Taken int // number of images that are in abstract modules

	// Repeated is the number of images that have the same bytes, target and property sets as an
	// earlier image of this file or another. Abstract modules contain each such image once. Programs
	// contain repeated images if several of their objects have the same kernel.
	Repeated int

	Omitted []Omitted
}

// An Omitted is an image that a SYCLBIN cannot contain.
type Omitted struct {
	Image  *Image
	Reason string // a sentence about the image, without its location
}

// An ImageError is an error in an image, and identifies the image.
type ImageError struct {
	Origin Origin
	Err    error
}

func (e *ImageError) Error() string {
	s := fmt.Sprintf("%s: %v", safetext.Printable(e.Origin.String()), e.Err)
	if bad := (interface{ BadInput() })(nil); errors.As(e.Err, &bad) {
		s += "; the image is damaged or from an unsupported compiler; rebuild or download the file again"
	}
	return s
}

func (e *ImageError) Unwrap() error { return e.Err }

// Collect adds abstract modules to b for the device images in host, the host file with the given
// name.
//
// Images of different targets with the same property sets and kernels are forms of one abstract
// module. So are images without metadata in one file or archive member. If the host file has no
// metadata for an image, its requirements and kernel names come from its own bytes. Its options for
// the runtime's compiler are stored in a property set, see [propset.PutJITOptions].
//
// Errors in an image are of type [*ImageError]; the result then covers the images before it. The
// images are read from the host file, which must stay open.
func Collect(b *syclbin.Builder, host *File, name string) (Collected, error) {
	var r Collected
	for _, img := range host.Images {
		if why := omissionReason(img); why != "" {
			r.Omitted = append(r.Omitted, Omitted{img, why})
			continue
		}
		if err := r.add(b, img, name); err != nil {
			return r, &ImageError{img.Origin, err}
		}
	}
	return r, nil
}

// omissionReason returns why a SYCLBIN cannot contain an image, or "" if it can.
func omissionReason(img *Image) string {
	switch {
	case !img.IsSYCL():
		place := "an image"
		if img.Triple != "" {
			place = "the image for " + img.Triple
		}
		return fmt.Sprintf("%s is %s code and is omitted: only SYCL code is supported", place, modelNames[img.Model])
	case img.Stated == offload.Text && offload.Detect(img, img.Size()) != offload.PTX:
		return fmt.Sprintf("the image for %s is text and is omitted: only compiled code is supported", img.Triple)
	case img.Size() == 0:
		return fmt.Sprintf("the image for %s is empty and is omitted", img.Triple)
	}
	return ""
}

// modelNames maps programming models other than SYCL to their names in messages. Bundles of clang
// have hipv4, and containers of LLVM 19 and older have kind 3 for HIP.
var modelNames = map[string]string{"openmp": "OpenMP", "cuda": "CUDA", "hip": "HIP", "hipv4": "HIP", "offload kind 3": "HIP"}

// IsSYCL reports whether an image is for SYCL. In containers, LLVM 19's number for SYCL now means
// HIP, so the target decides. HIP can also be compiled to SPIR-V, for AMD GPUs.
func (img *Image) IsSYCL() bool {
	if img.Model == "hip" {
		return strings.HasPrefix(img.Triple, "spir") && !strings.Contains(img.Triple, "-amd-")
	}
	return modelNames[img.Model] == ""
}

// add adds an image to the abstract module of its kernels.
func (r *Collected) add(b *syclbin.Builder, img *Image, host string) error {
	format := offload.Detect(img, img.Size())
	if format == offload.SYCLBIN || format == offload.Container {
		return r.addSYCLBIN(b, img)
	}
	metadata, err := metadataOf(img)
	if err != nil {
		return err
	}
	if img.CompileTarget != "" {
		metadata = requirement.WithCompileTarget(metadata, img.CompileTarget)
	}
	triple := wholeTriple(img.Triple)
	var form *syclbin.Image
	if isIR(format, img) {
		typ, _ := syclbin.IRTypeOf(format, triple)
		form = syclbin.NewIR(typ, triple, img)
	} else {
		form = syclbin.NewNative(img.Arch, triple, img)
	}
	key := strings.Join(img.Entries, "\n")
	if len(metadata.Sets()) == 0 {
		key = "\x00" + host + "\x00" + unit(img)
	}
	if options := (propset.JITOptions{Compile: img.CompileOptions, Link: img.LinkOptions}); options != (propset.JITOptions{}) {
		propset.PutJITOptions(metadata, options)
	}
	return r.addOnce(b, key, metadata, form)
}

func (r *Collected) addOnce(b *syclbin.Builder, key string, metadata *propset.Registry, img *syclbin.Image) error {
	kept, err := b.AddOnce(key, metadata, img)
	if err != nil {
		return err
	}
	r.Taken++
	if !kept {
		r.Repeated++
	}
	return nil
}

// addSYCLBIN adds all images of a SYCLBIN that is an image.
func (r *Collected) addSYCLBIN(b *syclbin.Builder, img *Image) error {
	f, err := syclbin.NewFile(img, img.Size())
	if err != nil {
		return err
	}
	for _, m := range f.Modules {
		for _, i := range m.Images() {
			if err := r.addOnce(b, strings.Join(m.Kernels(), "\n"), m.Metadata, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// metadataOf returns the host file's metadata for an image, or else the metadata in its own bytes.
func metadataOf(img *Image) (*propset.Registry, error) {
	metadata := img.Properties
	if len(metadata.Sets()) == 0 && len(img.Entries) == 0 {
		var err error
		if metadata, err = Properties(img); err != nil {
			return nil, err
		}
	}
	if kernels := kernelEntries(img); len(kernels) > 0 && metadata.Set(propset.KernelNames) == nil {
		set := metadata.Add(propset.KernelNames)
		for _, name := range kernels {
			set.Put(name, propset.Uint(1))
		}
	}
	return metadata, metadata.Validate()
}

// kernelEntries returns the entries of an image that are kernels. DPC++ up to 2024 also lists
// exported functions. The bytes of the image distinguish them or, if these cannot be read, the
// names of exported functions in its property sets.
func kernelEntries(img *Image) []string {
	if len(img.Entries) == 0 {
		return nil
	}
	if offload.ListsKernels(offload.Detect(img, img.Size())) {
		if kernels, err := offload.Kernels(img, img.Size()); err == nil {
			return slices.DeleteFunc(slices.Clone(img.Entries), func(name string) bool {
				_, isKernel := slices.BinarySearch(kernels, name)
				return !isKernel
			})
		}
	}
	exported := img.Properties.Set(propset.ExportedSymbols)
	return slices.DeleteFunc(slices.Clone(img.Entries), func(name string) bool {
		_, isExported := exported.Get(name)
		return isExported
	})
}

// Properties returns the metadata in the bytes of an image: the requirements and kernels of
// SPIR-V, and the kernels of PTX and of ELF for Intel, NVIDIA and AMD GPUs. It is empty for other
// formats.
func Properties(image offload.Source) (*propset.Registry, error) {
	switch offload.Detect(image, image.Size()) {
	case offload.SPIRV:
		data, err := io.ReadAll(io.NewSectionReader(image, 0, image.Size()))
		if err != nil {
			return nil, err
		}
		m, err := spirv.Parse(data)
		if err != nil {
			return nil, err
		}
		return spirv.Properties(m)
	case offload.Zebin, offload.Cubin, offload.HSACO, offload.PTX:
		names, err := offload.Kernels(image, image.Size())
		if err != nil {
			return nil, err
		}
		r := new(propset.Registry)
		set := r.Add(propset.KernelNames)
		for _, name := range names {
			set.Put(name, propset.Uint(1))
		}
		return r, nil
	}
	return new(propset.Registry), nil
}

// unit returns the name of the unit that images without metadata must share to be forms of the same
// module: an ocloc archive, or otherwise a file or member.
func unit(img *Image) string {
	dir, base := path.Split(img.Origin.Member)
	if base == "generic_ir" || strings.HasPrefix(base, "64.") || strings.HasPrefix(base, "32.") {
		return dir
	}
	return img.Origin.Member
}

// isIR reports whether the runtime still has to compile an image. If the bytes do not determine
// this, the target does: code for Intel GPUs is not IR.
func isIR(format offload.Format, img *Image) bool {
	switch format {
	case offload.SPIRV:
		return true
	case offload.PTX, offload.Bitcode:
		return img.Arch == "" && img.Stated != offload.Native
	case offload.UnknownFormat:
		return img.Arch == "" && img.Stated != offload.Native && !isGPUCode(img)
	}
	return false
}

// wholeTriple completes the triples of descriptor tables, which are truncated to the first part.
func wholeTriple(triple string) string {
	if strings.Contains(triple, "-") {
		return triple
	}
	switch {
	case strings.HasPrefix(triple, "spir"):
		return triple + "-unknown-unknown"
	case strings.HasPrefix(triple, "nvptx"):
		return triple + "-nvidia-cuda"
	case strings.HasPrefix(triple, "amdgcn"):
		return triple + "-amd-amdhsa"
	}
	return triple
}
