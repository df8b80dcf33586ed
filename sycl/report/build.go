package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/jitoptions"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Module is an input of a report: kernels that share device images and needs. It is
// an abstract module of a SYCLBIN, a SPIR-V module or a row of a file table.
type Module struct {
	// File names the file that the module is from. When a program loads a file that has
	// both native code and IR for a device, the runtime may take either.
	File string

	// Files are names of files that hold the images, as the user named them. The report
	// lists them with the images. Reports that do not depend on the names of files have
	// none.
	Files []string

	// Embedded says that the images are part of the program itself. The runtime then
	// prefers native code.
	Embedded bool

	Needs   *requirement.Requirements
	Kernels []ModuleKernel
	Images  []ModuleImage
}

// A ModuleKernel is one kernel of a module.
type ModuleKernel struct {
	Name   string                    // mangled
	symbol string                    // in the module's images
	Needs  *requirement.Requirements // its own; nil: those of the module
	Source srcloc.Kernel
}

// A ModuleImage is one device image of a module.
type ModuleImage struct {
	Format string // spirv, ptx, amdgcn, llvm-ir or native
	Native bool
	Triple string
	Arch   string // of native code
	Digest string
	Size   int64

	Options jitoptions.Options
}

// Build makes the report on modules and devices. If no devices are given, the report is
// about [Targets]. For very many modules, a [Builder] needs less memory.
func Build(modules []Module, devices []*deviceconfig.Device, config *deviceconfig.Config, generator Generator, label string) (*Report, error) {
	if len(devices) == 0 {
		devices = Targets(modules, config)
	}
	b := NewBuilder(config)
	for i := range modules {
		b.Add(&modules[i])
	}
	return b.Report(devices, generator, label)
}

// mergeOrigins adds the origins in more of aspects that are not in the list. The list
// stays in the order of aspects.
func mergeOrigins(list, more []srcloc.Origin) []srcloc.Origin {
	for _, o := range more {
		i, found := slices.BinarySearchFunc(list, o, func(a, b srcloc.Origin) int { return cmp.Compare(a.Aspect.Value, b.Aspect.Value) })
		if !found {
			list = slices.Insert(slices.Clip(list), i, o)
		}
	}
	return list
}

// An outcome is the verdict on needs and a device.
type outcome struct {
	verdict compat.Verdict
	reasons []Reason
}

func (o *outcome) add(r compat.Reason) {
	o.reasons = append(o.reasons, Reason{Rule: string(r.Rule), Required: r.Required, Available: r.Available,
		Property: r.Property, Text: r.Text, Verdict: r.Verdict})
	o.verdict = max(o.verdict, r.Verdict)
}

// outcome returns the outcome of needs on a device, both given by index. Many kernels
// need the same, so each outcome is computed once.
func (b *Builder) outcome(needs, device int) *outcome {
	if b.outcomes[needs] == nil {
		b.outcomes[needs] = make([]*outcome, len(b.devices))
	}
	o := b.outcomes[needs][device]
	if o == nil {
		o = &outcome{verdict: compat.Compatible}
		for _, r := range b.checker.Check(b.needs[needs], b.devices[device]).Reasons {
			o.add(r)
		}
		o.reasons = slices.Clip(o.reasons)
		b.outcomes[needs][device] = o
	}
	return o
}

// bestCell returns the best of the cells that the modules with a kernel give.
func (b *Builder) bestCell(k *kernel, holders []holder, device int) Cell {
	best := b.moduleCell(k, holders[0], device)
	if len(holders) == 1 {
		return best
	}
	native, ir := map[uint32]bool{}, map[uint32]bool{} // by file
	for i, h := range holders {
		c := best
		if i > 0 {
			c = b.moduleCell(k, h, device)
		}
		if cellRank(c) < cellRank(best) {
			best = c
		}
		if m := b.modules.at(h.module); c.Verdict == compat.Compatible && !m.embedded {
			native[m.file] = native[m.file] || c.Code == Native
			ir[m.file] = ir[m.file] || c.Code == IR
		}
	}
	for file := range native {
		if native[file] && ir[file] {
			best.Code = NativeOrIR
		}
	}
	return best
}

// cellRank orders cells: the best has the lowest rank.
func cellRank(c Cell) int {
	n := 4 * int(c.Verdict)
	switch c.Code {
	case IR:
		n++
	case NoCode:
		n += 2
	}
	return n
}

// moduleCell decides by one of the modules with a kernel.
func (b *Builder) moduleCell(k *kernel, h holder, device int) Cell {
	m, d := b.modules.at(h.module), b.devices[device]
	c := Cell{Kernel: k.name, Device: d.Name, Code: NoCode, Scope: h.scope}
	for i := m.images; i < m.images+m.imageCount && c.Code != Native; i++ {
		image := b.images.at(int(i))
		switch code := b.serves[int(image.kind)*len(b.devices)+device]; {
		case code == Native, code == IR && c.Code == NoCode:
			c.Code, c.Image = code, b.texts.at(image.id)
		}
	}
	o := *b.outcome(int(h.needs), device)
	if c.Code == NoCode {
		o.add(compat.NoImageReason(k.name))
	}
	c.Verdict, c.Reasons = o.verdict, o.reasons
	return c
}

// runsNative reports whether native code is for a device. Its architecture says so or,
// if it has none, the target in its properties or else its triple.
func runsNative(image *ModuleImage, compileTarget string, d *deviceconfig.Device) bool {
	if image.Arch == "" && compileTarget != "" {
		return compat.Serves(compileTarget, d)
	}
	return slices.ContainsFunc(architectures(image), func(name string) bool { return compat.Serves(name, d) })
}

// architectures returns the targets that native code is for. Some compilers write names
// of targets, some write the names of their device compiler (sm_80, pvc), and some
// write none.
func architectures(image *ModuleImage) []string {
	system, _, _ := strings.Cut(image.Triple, "-")
	if image.Arch == "" {
		return []string{system}
	}
	var names []string
	for arch := range strings.SplitSeq(image.Arch, ",") {
		switch {
		case strings.HasPrefix(arch, "sm_"):
			arch = "nvidia_gpu_" + arch
		case strings.HasPrefix(arch, "gfx"):
			arch = "amd_gpu_" + arch
		case system == "spir64_gen" && !strings.Contains(arch, "gpu"):
			arch = "intel_gpu_" + strings.ReplaceAll(arch, "-", "_")
		case system == "spir64_x86_64" && !strings.Contains(arch, "_"):
			arch = system // the name of an instruction set
		}
		names = append(names, arch)
	}
	return names
}

// runsIR reports whether the runtime can compile IR for a device.
func runsIR(image *ModuleImage, d *deviceconfig.Device) bool {
	want := backend(d)
	switch system, _, _ := strings.Cut(image.Triple, "-"); system {
	case "spir64", "spirv64", "spir", "spirv", "spirv32":
		return want == "spirv"
	case "nvptx64":
		return want == "ptx"
	case "amdgcn":
		return want == "amdgcn"
	case "": // some files have no triple
		return want == image.Format
	}
	return false
}

// backend returns the kind of IR that is compiled for a device.
func backend(d *deviceconfig.Device) string {
	triple, _ := deviceconfig.Triple(d.Name)
	switch system, _, _ := strings.Cut(triple, "-"); system {
	case "nvptx64":
		return "ptx"
	case "amdgcn":
		return "amdgcn"
	}
	return "spirv"
}

// Targets returns the devices that modules have code for: one for each architecture of
// native code and one for each kind of IR. A device can be in the list several times.
func Targets(modules []Module, config *deviceconfig.Config) []*deviceconfig.Device {
	var list []*deviceconfig.Device
	add := func(name string) {
		if d, ok := config.Lookup(name); ok {
			list = append(list, d)
		} else if name != "" {
			list = append(list, &deviceconfig.Device{Name: name, MayHaveOtherAspects: true, Source: "the files of the report"})
		}
	}
	for _, m := range modules {
		for i := range m.Images {
			image := &m.Images[i]
			system, _, _ := strings.Cut(image.Triple, "-")
			switch {
			case image.Native && image.Arch == "" && m.Needs.CompileTarget != "":
				add(m.Needs.CompileTarget)
			case image.Native:
				for _, name := range architectures(image) {
					add(name)
				}
			case system == "nvptx64", system == "amdgcn":
				add(image.Triple)
			case image.Format == "spirv":
				add("spir64")
			}
		}
	}
	return list
}

func describeDevice(d *deviceconfig.Device) Device {
	out := Device{ID: d.Name, Name: d.Name, Architecture: d.OclocDevice, Backend: backend(d), Aspects: aspects(d.Aspects),
		SubGroupSizes: d.SubGroupSizes, MaxWorkGroupSize: d.MaxWorkGroupSize, LocalMemorySize: d.LocalMemorySize, OpenWorld: d.MayHaveOtherAspects}
	for _, n := range slices.Backward(d.MaxWorkItemSizes) {
		out.MaxWorkItemSizes = append(out.MaxWorkItemSizes, n)
	}
	if d.Matrices != nil {
		out.Matrices = []string{}
	}
	for _, m := range d.Matrices {
		out.Matrices = append(out.Matrices, m.String())
	}
	if out.SubGroupSizes == nil {
		out.SubGroupSizes = []uint32{}
	}
	return out
}

func describeImage(q *requirement.Requirements, m *ModuleImage) Image {
	i := Image{Architecture: m.Arch, Triple: m.Triple, Format: m.Format, Digest: m.Digest, Size: m.Size,
		CompileOptions: m.Options.Compile, LinkOptions: m.Options.Link, CompileTarget: q.CompileTarget, FixedTargets: slices.Clone(q.FixedTargets),
		ESIMD: slices.Contains(q.Aspects, aspect.ExtIntelESIMD),
		Requirements: Requirements{Aspects: aspects(q.Aspects), SubGroupSizes: q.SubGroupSizes,
			WorkGroupDims: q.WorkGroupDims, JointMatrix: records(q.JointMatrix), JointMad: records(q.JointMatrixMad)}}
	for _, a := range q.FixedTargetAspects {
		i.FixedTargets = append(i.FixedTargets, a.String())
	}
	for _, n := range slices.Backward(q.WorkGroupSize) {
		i.Requirements.WorkGroupSize = append(i.Requirements.WorkGroupSize, n)
	}
	for _, p := range q.Unknown {
		i.Unknown = append(i.Unknown, p.Key)
	}
	return i
}

func aspects(list []aspect.Aspect) []aspect.Named {
	out := []aspect.Named{}
	for _, a := range list {
		out = append(out, a.Named())
	}
	return out
}

func records(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ";")
}
