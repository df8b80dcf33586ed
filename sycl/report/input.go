package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// maxSPIRV is the size up to which SPIR-V is looked into.
const maxSPIRV = 256 << 20

// FromSYCLBIN returns the abstract modules of a SYCLBIN. Requirements and kernel
// names are those of the metadata; what SPIR-V among the images says is added,
// and used where the metadata says nothing.
func FromSYCLBIN(f *syclbin.File) ([]Module, error) {
	var list []Module
	for i, m := range f.Modules {
		module, err := fromImages(m.Metadata, m.Images())
		if err != nil {
			return nil, fmt.Errorf("abstract module %d: %w", i, err)
		}
		list = append(list, module)
	}
	return list, nil
}

// FromRow returns the module of a row of a file table: an image with the sets of
// its property file, which may be nil, and the names in its symbol file. A triple
// is implied by what the bytes are.
func FromRow(code offload.Source, properties *propset.Registry, symbols []string) (Module, error) {
	if properties == nil {
		properties = new(propset.Registry)
	}
	image := &syclbin.Image{Kind: syclbin.NativeImage, Metadata: new(propset.Registry), Source: code}
	switch imageformat.Detect(code, code.Size()) {
	case imageformat.SPIRV, imageformat.Bitcode:
		image = syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", code)
	case imageformat.PTX:
		image = syclbin.NewIR(syclbin.PTX, "nvptx64-nvidia-cuda", code)
	}
	m, err := fromImages(properties, []*syclbin.Image{image})
	if err == nil && len(m.Kernels) == 0 {
		exported := properties.Set(propset.ExportedSymbols)
		for _, name := range symbols {
			if _, ok := exported.Get(name); !ok {
				m.Kernels = append(m.Kernels, newKernelInfo(name))
			}
		}
	}
	return m, err
}

// FromSPIRV returns the module of a bare SPIR-V module, in which each kernel has
// needs of its own.
func FromSPIRV(code offload.Source) (Module, error) {
	m, err := FromRow(code, nil, nil)
	if err != nil {
		return Module{}, err
	}
	parsed, err := parseSPIRV(code)
	if err != nil {
		return Module{}, err
	}
	for i := range m.Kernels {
		if k := parsed.Kernel(m.Kernels[i].symbol); k != nil {
			m.Kernels[i].Needs = parsed.KernelRequirements(k)
		}
	}
	return m, nil
}

func fromImages(metadata *propset.Registry, images []*syclbin.Image) (Module, error) {
	var m Module
	var code *spirv.Module
	var broken error // of SPIR-V that is needed only if the metadata is silent
	var kernels []string
	for _, image := range images {
		form, err := newForm(image)
		if err != nil {
			return m, err
		}
		m.Forms = append(m.Forms, form)
		switch format := image.Format(); {
		case format == imageformat.SPIRV && code == nil:
			if code, err = parseSPIRV(image); err != nil {
				broken = cmp.Or(broken, err)
			}
		case format == imageformat.Zebin && kernels == nil:
			kernels, _ = imageformat.ELFKernels(image, image.Size()) // absent names are no fault
		}
	}
	for _, name := range (&syclbin.Module{Metadata: metadata}).Kernels() {
		m.Kernels = append(m.Kernels, newKernelInfo(name))
	}
	hasNeeds := metadata.Set(propset.DeviceRequirements) != nil
	if (len(m.Kernels) == 0 || !hasNeeds) && code == nil && broken != nil {
		return m, broken
	}
	var err error
	if hasNeeds || code == nil {
		m.Needs, err = requirement.FromProperties(metadata)
	} else {
		m.Needs = code.Requirements()
	}
	if err != nil {
		return m, err
	}
	if len(m.Kernels) == 0 && code != nil {
		for _, k := range code.Kernels {
			m.Kernels = append(m.Kernels, newKernelInfo(k.Name))
		}
	}
	if len(m.Kernels) == 0 {
		for _, name := range kernels {
			m.Kernels = append(m.Kernels, newKernelInfo(name))
		}
	}
	for i := range m.Kernels {
		m.Kernels[i].explain(metadata, code)
	}
	return m, nil
}

// newKernelInfo returns a kernel by its symbol. The prefix by which the runtime finds
// it in a SYCLBIN is no part of the name that reports, policies and baselines have.
func newKernelInfo(symbol string) KernelInfo {
	return KernelInfo{Name: kernelname.Base(symbol), symbol: symbol}
}

// explain adds the places of a kernel: those that the build wrote down or, when
// it did not, those that the code, which may be nil, tells.
func (info *KernelInfo) explain(metadata *propset.Registry, code *spirv.Module) {
	places, ok := srcloc.Of(metadata, info.symbol)
	if !ok && code != nil {
		if k := code.Kernel(info.symbol); k != nil {
			places = code.Places(k)
		}
	}
	info.Source = places
	for i := range places.Origins {
		o := &places.Origins[i]
		o.Function = kernelname.Display(o.Function)
	}
}

func parseSPIRV(code offload.Source) (*spirv.Module, error) {
	if code.Size() > maxSPIRV {
		return nil, &spirv.FormatError{Offset: maxSPIRV, Msg: fmt.Sprintf("the module is larger than %d MiB", maxSPIRV>>20)}
	}
	data := make([]byte, code.Size())
	if _, err := code.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return spirv.Parse(data)
}

func newForm(image *syclbin.Image) (Form, error) {
	h := sha256.New()
	if _, err := io.Copy(h, image.Open()); err != nil {
		return Form{}, err
	}
	f := Form{Native: image.Kind == syclbin.NativeImage, Format: "native", Triple: image.Triple(), Arch: image.Arch(),
		Digest: hex.EncodeToString(h.Sum(nil)), Size: image.Size()}
	if f.Native {
		return f, nil
	}
	// The type in the metadata is not to be trusted: DPC++ writes 0 for all.
	switch image.Format() {
	case imageformat.SPIRV:
		f.Format = "spirv"
	case imageformat.PTX:
		f.Format = "ptx"
	case imageformat.Bitcode:
		f.Format = "llvm-ir"
	default:
		typ, _ := image.Type()
		f.Format = []string{"spirv", "ptx", "amdgcn"}[min(int(typ), 2)]
	}
	return f, nil
}
