package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Module is an input of a report: kernels that share device images and requirements. It is an
// abstract module of a SYCLBIN, a SPIR-V module or a row of a file table.
type Module struct {
	// File is the file that contains the module. If a program loads a file that has both native
	// code and IR for a device, the runtime may use either.
	File string

	// Files are the files that hold the images, as named by the user. The report lists them. They
	// are empty for reports that must not depend on file names.
	Files []File

	// Embedded is true if the images are embedded in a program or library. The runtime then prefers
	// native code.
	Embedded bool

	// OutsidePath is the absolute path of a source file that debug information names and that is
	// outside of all workspaces. It is set only if no kernel has a location.
	OutsidePath string

	// Warnings are warnings about native code. They do not include the name of the file.
	Warnings []string

	Needs   *requirement.Requirements
	Kernels []ModuleKernel
	Images  []ModuleImage
}

// A ModuleKernel is one kernel of a module.
type ModuleKernel struct {
	Name   string                    // mangled
	symbol string                    // in the module's images
	Needs  *requirement.Requirements // the kernel's requirements; nil for the module's
	Source srcloc.Kernel
}

// A ModuleImage is one device image of a module.
type ModuleImage struct {
	Format string // spirv, ptx, amdgcn, llvm-ir or native
	Native bool
	Triple string
	Arch   string // for native code

	// CompileTarget is the only target for which the driver accepts native code. It is "" if the
	// properties or the architecture determine the target.
	CompileTarget string

	// Built is the target in the notes of native code for Intel GPUs, or "". The driver rejects the
	// code on other GPUs.
	Built string

	Digest Digest

	Options   propset.JITOptions
	Constants *[]Constant // nil without specialization constants; the same for all images of a module
}

// Build builds the report on modules and devices. If devices is empty, the report is about
// [Targets].
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

// mergeOrigins adds to list the origins in more whose aspects are not in list, which stays sorted by
// aspect.
func mergeOrigins(list, more []srcloc.Origin) []srcloc.Origin {
	for _, o := range more {
		i, found := slices.BinarySearchFunc(list, o, func(a, b srcloc.Origin) int { return cmp.Compare(a.Aspect.Value, b.Aspect.Value) })
		if !found {
			list = slices.Insert(slices.Clip(list), i, o)
		}
	}
	return list
}

// A builtOutcome is the outcome of a kernel on a device, as determined from its modules.
type builtOutcome struct {
	Outcome
	image int // number of the image for the device, or -1
}

// An answer is the result of requirements on a device, without and with native code for the device,
// and without an image for it.
type answer struct{ ir, native, noImage compat.Result }

// answer returns the answer for requirements and a device, both given by index. It computes each
// answer once, because many kernels have the same requirements.
func (b *Builder) answer(needs, device int) *answer {
	if b.answers[needs] == nil {
		b.answers[needs] = make([]*answer, len(b.devices))
	}
	a := b.answers[needs][device]
	if a == nil {
		all := b.checker.Check(b.needs[needs], b.devices[device])
		a = &answer{ir: all, native: compat.Result{Status: compat.Compatible}, noImage: compat.Result{Status: all.Status, Reasons: slices.Clip(all.Reasons)}}
		for _, r := range all.Reasons {
			if !r.IsCompilerLimit() {
				a.native.Add(r)
			}
		}
		a.noImage.Add(compat.NoImageReason)
		b.answers[needs][device] = a
	}
	return a
}

// bestOutcome returns the best outcome among the modules that contain a kernel.
func (b *Builder) bestOutcome(holders []holder, device int) builtOutcome {
	best := b.moduleOutcome(holders[0], device)
	if len(holders) == 1 {
		return best
	}
	native, ir := map[string]bool{}, map[string]bool{} // by file
	for i, h := range holders {
		c := best
		if i > 0 {
			c = b.moduleOutcome(h, device)
		}
		if outcomeRank(c) < outcomeRank(best) {
			best = c
		}
		if m := &b.modules[h.module]; c.Status == compat.Compatible && !m.embedded {
			file := b.files[m.files].program
			native[file] = native[file] || c.Code == Native
			ir[file] = ir[file] || c.Code == IR
		}
	}
	for file := range native {
		if native[file] && ir[file] {
			best.Code = NativeOrIR
		}
	}
	return best
}

// outcomeRank returns the rank of an outcome; lower is better.
func outcomeRank(c builtOutcome) int {
	n := 4 * int(c.Status)
	switch c.Code {
	case IR:
		n++
	case NoCode:
		n += 2
	}
	return n
}

// moduleOutcome returns the outcome of a kernel in one of the modules that contain it.
func (b *Builder) moduleOutcome(h holder, device int) builtOutcome {
	m := &b.modules[h.module]
	c := builtOutcome{Outcome{Code: NoCode, Scope: h.scope}, -1}
	var system string // of native code for unknown GPUs
	for i := m.images; i < m.images+m.imageCount && c.Code != Native; i++ {
		image := &b.images[i]
		switch code := b.serves[int(image.kind)*len(b.devices)+device]; {
		case code == Native, code == IR && c.Code == NoCode:
			c.Code, c.image = code, int(image.number)
		case code == nativeUnknownArch:
			system, _, _ = strings.Cut(b.kinds[image.kind].image.Triple, "-")
			if c.Code == NoCode {
				c.Code, c.image = code, int(image.number)
			}
		}
	}
	a := b.answer(h.needs, device)
	result := a.ir
	switch c.Code {
	case Native:
		result = a.native
	case nativeUnknownArch:
		c.Code = Native
		result = compat.Result{Status: a.native.Status, Reasons: slices.Clip(a.native.Reasons)}
		result.Add(compat.Reason{Rule: compat.CompileTargetMismatch, Status: compat.Undetermined, Required: system,
			Text: fmt.Sprintf("The native code is for %s, and the file does not record for which GPUs", system)})
	case NoCode:
		result = a.noImage
	}
	c.Status, c.Reasons = result.Status, result.Reasons
	return c
}

// runsNative reports whether native code runs on a device. This depends on the target in the code's
// notes, and on its architecture. If there is no architecture, it depends on the target in the
// properties or else on the triple.
func runsNative(image *ModuleImage, compileTarget string, d *deviceconfig.Device) bool {
	if image.Built != "" && !runsBuilt(image.Built, d) {
		return false
	}
	if image.CompileTarget != "" {
		return compat.TargetMatches(image.CompileTarget, d)
	}
	if image.Arch == "" && compileTarget != "" {
		return compat.TargetMatches(compileTarget, d)
	}
	return slices.ContainsFunc(architectures(image), func(name string) bool {
		// Without a target in the properties, the driver decides: it runs code for a family's first
		// member on all members.
		return compat.TargetMatches(name, d) || compileTarget == "" && compat.TargetMatches(deviceconfig.FamilyOfCode(deviceconfig.Canonical(name)), d)
	})
}

// nativeUnknownArch is the code of native images that may be for a device: the file does not record it.
const nativeUnknownArch Code = "unknown"

// mayBeFor reports whether native code is for NVIDIA or AMD GPUs and may be for d, because it has no
// architecture. DPC++ writes such images for -fsycl-targets=nvptx64-nvidia-cuda, and the runtime
// chooses them for every NVIDIA GPU.
func mayBeFor(image *ModuleImage, d *deviceconfig.Device) bool {
	system, _, _ := strings.Cut(image.Triple, "-")
	switch want := backend(d); {
	case image.Arch != "" || image.CompileTarget != "":
		return false
	case want == "ptx":
		return system == "nvptx64"
	case want == "amdgcn":
		return system == "amdgcn"
	}
	return false
}

// runsBuilt reports whether a device accepts native code whose notes name a target. A device that
// the user defines can be any GPU.
func runsBuilt(built string, d *deviceconfig.Device) bool {
	if compat.TargetMatches(built, d) || compat.TargetMatches(deviceconfig.FamilyOfCode(built), d) {
		return true
	}
	_, kind := deviceconfig.TargetsNamed(d.Name)
	return kind == deviceconfig.UnknownName && d.OclocDevice != ""
}

// architectures returns the targets of native code. Some compilers record target names, some the
// names that their device compiler uses (sm_80, pvc), and some nothing.
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
			arch, _ = deviceconfig.CodeTarget(arch)
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
	case "spir64_gen": // in an ocloc archive, which is for Intel GPUs
		return image.Format == "spirv" && strings.HasPrefix(d.Name, "intel_gpu_")
	case "nvptx64":
		return want == "ptx"
	case "amdgcn":
		return want == "amdgcn"
	case "": // some files have no triple
		return want == image.Format
	}
	return false
}

// backend returns the kind of IR that the runtime compiles for a device.
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

// Targets returns the devices that modules have code for: one per architecture of native code and
// one per kind of IR. The list may contain duplicates.
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
			case image.Format == "spirv" && system != "spir64_gen":
				add("spir64")
			}
		}
	}
	return list
}

// DescribeDevice returns the description of a device for reports.
func DescribeDevice(d *deviceconfig.Device) Device {
	out := Device{Name: d.Name, Architecture: d.OclocDevice, Backend: backend(d), Aspects: aspects(d.Aspects),
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

// describeImage returns the kind of an image without its files.
func describeImage(q *requirement.Requirements, m *ModuleImage) ImageKind {
	k := ImageKind{Architecture: m.Arch, Triple: m.Triple, Format: m.Format,
		CompileOptions: m.Options.Compile, LinkOptions: m.Options.Link, CompileTarget: q.CompileTarget, FixedTargets: slices.Clone(q.FixedTargets),
		ESIMD: slices.Contains(q.Aspects, aspect.ExtIntelESIMD),
		Requirements: Requirements{SubGroupSizes: q.SubGroupSizes,
			WorkGroupDims: q.WorkGroupDims, JointMatrix: records(q.JointMatrix), JointMad: records(q.JointMatrixMad)}}
	if len(q.Aspects) > 0 {
		k.Requirements.Aspects = aspects(q.Aspects)
	}
	if m.Constants != nil {
		k.Constants = *m.Constants
	}
	for _, a := range q.FixedTargetAspects {
		k.FixedTargets = append(k.FixedTargets, a.String())
	}
	for _, n := range slices.Backward(q.WorkGroupSize) {
		k.Requirements.WorkGroupSize = append(k.Requirements.WorkGroupSize, n)
	}
	for _, p := range q.Unknown {
		k.Unknown = append(k.Unknown, p.Key)
	}
	return k
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
