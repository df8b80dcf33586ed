package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/specialize"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// maxSPIRV is the maximum size of SPIR-V to parse.
const maxSPIRV = 256 << 20

// FromSYCLBIN returns the abstract modules of a SYCLBIN. Requirements and kernel names come from
// the metadata or, if it has none, from the images. Source locations that only SPIR-V has are
// added.
//
// Compilers that are called with absolute paths record absolute paths. workspaces are absolute
// paths of directories; paths of sources below them become relative.
func FromSYCLBIN(f *syclbin.File, workspaces ...string) ([]Module, error) {
	list := make([]Module, 0, len(f.Modules))
	images := make([]specialize.Image, 0, len(f.Modules))
	for i, m := range f.Modules {
		module, err := fromImages(m.Metadata, m.Images(), workspaces)
		if err != nil {
			return nil, fmt.Errorf("abstract module %d: %w", i, err)
		}
		for n, w := range module.Warnings {
			module.Warnings[n] = fmt.Sprintf("abstract module %d: %s", i, w)
		}
		list = append(list, module)
		images = append(images, specialize.Image{Place: fmt.Sprintf("abstract module %d", i), Metadata: m.Metadata, Code: codeOf(m.IR)})
	}
	return list, addConstants(list, images)
}

// codeOf returns the images that are SPIR-V.
func codeOf(images []*syclbin.Image) (code []offload.Source) {
	for _, i := range images {
		if i.Format() == offload.SPIRV {
			code = append(code, i)
		}
	}
	return code
}

// addConstants adds the specialization constants of modules, with the types from their SPIR-V.
func addConstants(list []Module, images []specialize.Image) error {
	described, err := specialize.Describe(images...)
	if err != nil { // even for invalid SPIR-V, which must not exclude a module from a report
		for i := range images {
			images[i].Code = nil
		}
		if described, err = specialize.Describe(images...); err != nil {
			return err
		}
	}
	for i, constants := range described {
		if len(constants) == 0 {
			continue
		}
		slices.SortFunc(constants, func(a, b Constant) int { return strings.Compare(a.Name, b.Name) })
		for n := range list[i].Images {
			list[i].Images[n].Constants = &constants
		}
	}
	return nil
}

// FromRow returns the module for a row of a file table: an image with the sets of its property
// file, which may be nil, and the names in its symbol file. The triple is derived from the format
// of the image.
func FromRow(code offload.Source, properties *propset.Registry, symbols []string, workspaces ...string) (Module, error) {
	if properties == nil {
		properties = new(propset.Registry)
	}
	image := &syclbin.Image{Kind: syclbin.NativeImage, Metadata: new(propset.Registry), Source: code}
	switch offload.Detect(code, code.Size()) {
	case offload.SPIRV, offload.Bitcode:
		image = syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", code)
	case offload.PTX:
		image = syclbin.NewIR(syclbin.PTX, "nvptx64-nvidia-cuda", code)
	}
	m, err := fromImages(properties, []*syclbin.Image{image}, workspaces)
	if err == nil && len(m.Kernels) == 0 && !offload.HasNoKernels(code, code.Size()) {
		exported := properties.Set(propset.ExportedSymbols)
		for _, name := range symbols {
			if _, ok := exported.Get(name); !ok {
				m.Kernels = append(m.Kernels, newModuleKernel(name))
			}
		}
	}
	if err != nil {
		return m, err
	}
	return m, addConstants([]Module{m}, []specialize.Image{{Place: "the image", Metadata: properties, Code: codeOf([]*syclbin.Image{image})}})
}

// FromIR returns the module for IR of a triple, with requirements and kernel names from property
// sets. arch is empty if the IR is compiled at run time.
func FromIR(triple, arch string, code offload.Source, properties *propset.Registry, workspaces ...string) (Module, error) {
	image := syclbin.NewIR(syclbin.SPIRV, triple, code)
	if arch != "" {
		image = syclbin.NewNative(arch, triple, code)
	}
	return fromImages(properties, []*syclbin.Image{image}, workspaces)
}

// FromSPIRV returns the module for SPIR-V without metadata. Each kernel has separate requirements.
func FromSPIRV(code offload.Source, workspaces ...string) (Module, error) {
	m, err := FromRow(code, nil, nil, workspaces...)
	if err != nil {
		return Module{}, err
	}
	parsed, err := parseSPIRV(code, workspaces)
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

// fromImages returns the module of images. Kernel names come from the metadata, or from the images if
// the metadata lacks them. Requirements come from the metadata, and also from the images if the
// metadata does not list aspects.
func fromImages(metadata *propset.Registry, images []*syclbin.Image, workspaces []string) (Module, error) {
	c := contents{workspaces: workspaces, target: requirement.CompileTarget(metadata)}
	for _, image := range images {
		if err := c.add(image); err != nil {
			return Module{}, err
		}
	}
	names := (&syclbin.Module{Metadata: metadata}).Kernels()
	hasNeeds := requirement.ListsAspects(metadata)
	if (len(names) == 0 || !hasNeeds) && c.code == nil && c.broken != nil {
		return Module{}, c.broken
	}
	if len(names) == 0 {
		names = c.kernels()
	} else {
		names = c.onlyKernels(names)
	}
	m := Module{Images: c.images, Warnings: c.warnings}
	for i := range m.Images {
		m.Images[i].Options = propset.JITOptionsOf(metadata)
	}
	m.Needs = requirement.Readable(metadata)
	if c.code != nil {
		inCode := c.code.Requirements()
		m.Needs.Need(inCode) // DPC++ has no property for these
		if !hasNeeds {
			if len(m.Needs.WorkGroupSize) > 0 {
				inCode.WorkGroupSize, inCode.WorkGroupSizesDiffer = nil, false
			}
			if err := m.Needs.Merge(inCode); err != nil {
				return Module{}, err
			}
		}
	}
	// DPC++ before 2025 does not list the aspect ext_intel_esimd. Without the aspect, a sub-group size
	// of 1 would be a requirement.
	if v, _ := metadata.Set(propset.MiscProperties).Get("isEsimdImage"); v.Equal(propset.Uint(1)) {
		m.Needs.Merge(&requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}})
	}
	for _, name := range names {
		k := newModuleKernel(name)
		k.locate(metadata, c.code)
		m.Kernels = append(m.Kernels, k)
	}
	if c.code != nil && !slices.ContainsFunc(m.Kernels, func(k ModuleKernel) bool { return !k.Source.Location.IsZero() }) {
		m.OutsidePath = c.code.OutsidePath
	}
	return m, nil
}

// contents holds the information in the images of a module.
type contents struct {
	images []ModuleImage
	code   *spirv.Module // the first valid SPIR-V, or nil
	broken error         // of the first invalid SPIR-V
	native []string      // kernels in native code

	warnings   []string // about native code
	workspaces []string
	target     string // of native code in the metadata, or ""
}

func (c *contents) add(image *syclbin.Image) error {
	described, err := newModuleImage(image)
	if err != nil {
		return err
	}
	if described.Native && described.Arch == "" && c.target == "" {
		return c.addGPUCode(image, described)
	}
	if described.Native {
		if why := hostbin.Mislabeled(cmp.Or(described.Arch, c.target), described.Triple, image); why != "" {
			c.warnings = append(c.warnings, why)
		}
	}
	c.images = append(c.images, described)
	return c.addCode(image)
}

// addGPUCode adds the images in native code without an architecture.
func (c *contents) addGPUCode(image *syclbin.Image, described ModuleImage) error {
	list, warnings, err := hostbin.GPUCode(image, image.Triple())
	if err != nil {
		return err
	}
	c.warnings = append(c.warnings, warnings...)
	for _, img := range list {
		part := described
		code := syclbin.NewNative(img.Arch, img.Triple, img)
		if offload.Detect(img, img.Size()) == offload.SPIRV {
			code = syclbin.NewIR(syclbin.SPIRV, img.Triple, img)
		}
		if len(list) > 1 {
			if part, err = newModuleImage(code); err != nil {
				return err
			}
		}
		part.Arch, part.CompileTarget = img.Arch, img.CompileTarget
		c.images = append(c.images, part)
		if err := c.addCode(code); err != nil {
			return err
		}
	}
	return nil
}

// addCode adds the information in the bytes of an image.
func (c *contents) addCode(image *syclbin.Image) (err error) {
	switch format := image.Format(); {
	case format == offload.SPIRV && c.code == nil:
		if c.code, err = parseSPIRV(image, c.workspaces); err != nil {
			c.broken = cmp.Or(c.broken, err)
		}
	case format != offload.SPIRV && c.native == nil:
		c.native, _ = offload.Kernels(image, image.Size()) // missing names are not an error
	}
	return nil
}

// kernels returns the symbols of the kernels in SPIR-V or, if it has none, in native code.
func (c *contents) kernels() []string {
	if c.code == nil || len(c.code.Kernels) == 0 {
		return c.native
	}
	var names []string
	for _, k := range c.code.Kernels {
		names = append(names, k.Name)
	}
	return names
}

// onlyKernels returns the names that are not functions that the SPIR-V exports. Metadata may list
// such functions as kernels, because other modules may call them.
func (c *contents) onlyKernels(names []string) []string {
	if c.code == nil || len(c.code.Exports) == 0 {
		return names
	}
	exports := make(map[string]bool, len(c.code.Exports))
	for _, f := range c.code.Exports {
		exports[f.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return exports[name] })
}

// newModuleKernel returns the kernel for a symbol. The runtime finds kernels of a SYCLBIN by a
// prefix of the symbol, which names in reports, policies and baselines omit.
func newModuleKernel(symbol string) ModuleKernel {
	return ModuleKernel{Name: kernelname.Base(symbol), symbol: symbol}
}

// locate adds the source locations of a kernel from the metadata or, if it has none, from the code,
// which may be nil.
func (k *ModuleKernel) locate(metadata *propset.Registry, code *spirv.Module) {
	places, ok := srcloc.ReadKernel(metadata, k.symbol)
	if places.Location.IsZero() && code != nil { // the code's paths are relative to the workspaces
		if inCode := code.Kernel(k.symbol); inCode != nil && (!ok || !inCode.Location.IsZero()) {
			places = code.Places(inCode)
		}
	}
	k.Source = places
	for i := range places.Origins {
		o := &places.Origins[i]
		o.Function = kernelname.Display(o.Function)
	}
}

func parseSPIRV(code offload.Source, workspaces []string) (*spirv.Module, error) {
	if code.Size() > maxSPIRV {
		return nil, &spirv.FormatError{Offset: maxSPIRV, Msg: fmt.Sprintf("the module is larger than %d MiB", maxSPIRV>>20)}
	}
	data := offload.Slice(code, 0, code.Size())
	if data == nil {
		data = make([]byte, code.Size())
		if _, err := code.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	return spirv.Parse(data, workspaces...)
}

func newModuleImage(image *syclbin.Image) (ModuleImage, error) {
	digest, err := image.Digest()
	if err != nil {
		return ModuleImage{}, err
	}
	f := ModuleImage{Native: image.Kind == syclbin.NativeImage, Format: "native", Triple: image.Triple(), Arch: image.Arch()}
	copy(f.Digest[:], digest[:])
	if f.Native {
		f.Built = hostbin.BuiltTarget(image)
		return f, nil
	}
	// The type in the metadata does not determine the format: DPC++ always writes 0.
	switch image.Format() {
	case offload.SPIRV:
		f.Format = "spirv"
	case offload.PTX:
		f.Format = "ptx"
	case offload.Bitcode:
		f.Format = "llvm-ir"
	default:
		typ, _ := image.Type()
		f.Format = []string{"spirv", "ptx", "amdgcn"}[min(int(typ), 2)]
	}
	return f, nil
}
