package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Module is kernels that share device images and needs: an abstract module of
// a SYCLBIN, a SPIR-V module, a row of a file table.
type Module struct {
	File string // that it is in; of two images of a file that is loaded the runtime takes either

	// Embedded tells that the program itself has the images: the runtime takes native
	// ones where there are some.
	Embedded bool

	Needs   *requirement.Requirements
	Kernels []KernelInfo
	Forms   []Form
}

// KernelInfo is what is known of one kernel of a module.
type KernelInfo struct {
	Name   string                    // mangled
	symbol string                    // in the module's images
	Needs  *requirement.Requirements // its own, when they are to count instead of the module's
	Source srcloc.Kernel

	rounded bool // made of the kernel of that name, see JoinRounded
}

// A Form is one device image of a module.
type Form struct {
	Format string // spirv, ptx, amdgcn, llvm-ir or native
	Native bool
	Triple string
	Arch   string // of native code
	Digest string
	Size   int64
}

// Build makes the report on modules and devices. Without devices, it is about
// those that the modules have native code for and about the targets of their
// IR.
func Build(modules []Module, devices []*deviceconfig.Device, config *deviceconfig.Config, generator Generator, label string) (*Report, error) {
	if len(devices) == 0 {
		devices = targets(modules, config)
	}
	b := builder{modules: modules, checker: compat.New(config), config: config, kernels: map[string]*kernel{}, imageIDs: map[*Form]string{}, needsIDs: map[string]int{}}
	r := &Report{Schema: Schema, SchemaVersion: SchemaVersion, Generator: generator, Target: Target{Label: label},
		Cells: []Cell{}, Devices: []Device{}, Images: []Image{}, Kernels: []Kernel{}}
	b.images(r)
	b.collect(r)
	devices = slices.Clone(devices)
	slices.SortFunc(devices, func(a, b *deviceconfig.Device) int { return strings.Compare(a.Name, b.Name) })
	devices = slices.CompactFunc(devices, func(a, b *deviceconfig.Device) bool { return a.Name == b.Name })
	for _, d := range devices {
		r.Devices = append(r.Devices, describeDevice(d))
	}
	b.devices = devices
	b.outcomes = make([][]*outcome, len(b.needs))
	r.Cells = make([]Cell, 0, len(r.Kernels)*len(devices))
	for _, k := range r.Kernels {
		for d := range devices {
			r.Cells = append(r.Cells, b.cell(b.kernels[k.ID], d))
		}
	}
	r.Statistics = r.statistics()
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("the report contradicts itself: %w", err)
	}
	return r, nil
}

type builder struct {
	modules  []Module
	checker  *compat.Checker
	config   *deviceconfig.Config
	kernels  map[string]*kernel
	imageIDs map[*Form]string

	devices  []*deviceconfig.Device
	needs    []*requirement.Requirements // different ones
	needsIDs map[string]int              // their indices
	outcomes [][]*outcome                // by needs and device
}

// kernel is a kernel with the modules that hold it.
type kernel struct {
	name    string
	holders []holder
	rounded []holder // that hold what was made of it, see JoinRounded
}

// images lists the images by digest. Those of equal bytes and equal needs are
// one; of equal bytes and other needs, they get ids with a number.
func (b *builder) images(r *Report) {
	type found struct {
		image Image
		forms []*Form
	}
	var list []found
	place := map[string]int{}
	for m := range b.modules {
		module := &b.modules[m]
		for f := range module.Forms {
			form := &module.Forms[f]
			image := describeImage(module.Needs, form)
			key := fmt.Sprintf("%#v", image)
			i, ok := place[key]
			if !ok {
				i = len(list)
				place[key] = i
				list = append(list, found{image: image})
			}
			list[i].forms = append(list[i].forms, form)
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(strings.Compare(a.image.Digest, b.image.Digest), strings.Compare(fmt.Sprintf("%#v", a.image), fmt.Sprintf("%#v", b.image)))
	})
	taken := map[string]int{}
	for _, f := range list {
		const digits = 16
		f.image.ID = f.image.Digest[:min(digits, len(f.image.Digest))]
		taken[f.image.ID]++
		if n := taken[f.image.ID]; n > 1 {
			f.image.ID += fmt.Sprintf("-%d", n)
		}
		for _, form := range f.forms {
			b.imageIDs[form] = f.image.ID
		}
		r.Images = append(r.Images, f.image)
	}
}

// collect lists the kernels.
func (b *builder) collect(r *Report) {
	described := map[string]*Kernel{}
	for m := range b.modules {
		module := &b.modules[m]
		for _, info := range module.Kernels {
			k := b.kernels[info.Name]
			if k == nil {
				k = &kernel{name: info.Name}
				b.kernels[info.Name] = k
				described[info.Name] = &Kernel{ID: info.Name, Name: info.Name, DisplayName: kernelname.Display(info.Name), Images: []string{}}
			}
			if h := b.holder(module, &info); info.rounded {
				k.rounded = append(k.rounded, h)
			} else {
				k.holders = append(k.holders, h)
			}
			d := described[info.Name]
			for f := range module.Forms {
				d.Images = append(d.Images, b.imageIDs[&module.Forms[f]])
			}
			if d.Location.IsZero() && !info.rounded { // its place is in DPC++'s headers
				d.Location = info.Source.Location
			}
			d.Origins = mergeOrigins(d.Origins, info.Source.Origins)
		}
	}
	for _, d := range described {
		slices.Sort(d.Images)
		d.Images = slices.Compact(d.Images)
		r.Kernels = append(r.Kernels, *d)
	}
	slices.SortFunc(r.Kernels, func(a, b Kernel) int {
		return cmp.Or(strings.Compare(a.DisplayName, b.DisplayName), strings.Compare(a.Name, b.Name))
	})
}

// mergeOrigins adds the origins of aspects that have none, in the order of aspects.
func mergeOrigins(list, more []srcloc.Origin) []srcloc.Origin {
	for _, o := range more {
		i, found := slices.BinarySearchFunc(list, o, func(a, b srcloc.Origin) int { return cmp.Compare(a.Aspect.Value, b.Aspect.Value) })
		if !found {
			list = slices.Insert(slices.Clip(list), i, o)
		}
	}
	return list
}

// A holder is a module that has a kernel.
type holder struct {
	module *Module
	needs  int // of the kernel there, an index of builder.needs
	scope  Scope
}

func (b *builder) holder(m *Module, info *KernelInfo) holder {
	h := holder{module: m, scope: ScopeImage}
	needs := m.Needs
	if !slices.ContainsFunc(m.Kernels, func(k KernelInfo) bool { return k.Name != info.Name }) {
		h.scope = ScopeKernel
	}
	if info.Needs != nil {
		needs, h.scope = info.Needs, ScopeKernel
	}
	// Which image the device gets is decided image by image.
	chosen := *needs
	chosen.CompileTarget = ""
	key := chosen.Key()
	id, ok := b.needsIDs[key]
	if !ok {
		id = len(b.needs)
		b.needsIDs[key] = id
		b.needs = append(b.needs, &chosen)
	}
	h.needs = id
	return h
}

// An outcome is what needs amount to on a device.
type outcome struct {
	verdict compat.Verdict
	reasons []Reason
}

func (o *outcome) add(r compat.Reason) {
	o.reasons = append(o.reasons, Reason{Rule: string(r.Rule), Required: r.Required, Available: r.Available,
		Property: r.Property, Text: r.Text, Verdict: r.Verdict})
	o.verdict = max(o.verdict, r.Verdict)
}

// outcome returns what needs amount to on a device, by their indices: many kernels
// need the same.
func (b *builder) outcome(needs, device int) *outcome {
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

// cell decides on a kernel and a device.
func (b *builder) cell(k *kernel, device int) Cell {
	c := b.bestCell(k, k.holders, device)
	if len(k.rounded) > 0 {
		c = joined(c, b.bestCell(k, k.rounded, device))
	}
	return c
}

// bestCell decides by the one of several modules with the kernel that serves the device
// best.
func (b *builder) bestCell(k *kernel, holders []holder, device int) Cell {
	var best Cell
	native, ir := map[string]bool{}, map[string]bool{} // by file
	for i, h := range holders {
		c := b.moduleCell(k, h, device)
		if i == 0 || cellRank(c) < cellRank(best) {
			best = c
		}
		if c.Verdict == compat.Compatible && !h.module.Embedded {
			native[h.module.File] = native[h.module.File] || c.Holds == Native
			ir[h.module.File] = ir[h.module.File] || c.Holds == IR
		}
	}
	for file := range native {
		if native[file] && ir[file] {
			best.Holds = NativeOrIR
		}
	}
	return best
}

func cellRank(c Cell) int {
	n := 4 * int(c.Verdict)
	switch c.Holds {
	case IR:
		n++
	case Nothing:
		n += 2
	}
	return n
}

func (b *builder) moduleCell(k *kernel, h holder, device int) Cell {
	m, d := h.module, b.devices[device]
	c := Cell{Kernel: k.name, Device: d.Name, Holds: Nothing, Scope: h.scope}
	for f := range m.Forms {
		form := &m.Forms[f]
		switch {
		case form.Native && b.runsNative(form, m.Needs.CompileTarget, d):
			c.Holds, c.Image = Native, b.imageIDs[form]
		case !form.Native && c.Holds == Nothing && runsIR(form, d):
			c.Holds, c.Image = IR, b.imageIDs[form]
		}
		if c.Holds == Native {
			break
		}
	}
	o := *b.outcome(h.needs, device)
	if c.Holds == Nothing {
		o.add(compat.NoImageReason(k.name))
	}
	c.Verdict, c.Reasons = o.verdict, o.reasons
	return c
}

// runsNative reports whether native code is for a device, by its architecture
// or else by the target that its properties name or its triple implies.
func (b *builder) runsNative(form *Form, compileTarget string, d *deviceconfig.Device) bool {
	if form.Arch == "" && compileTarget != "" {
		return compat.Serves(compileTarget, d)
	}
	return slices.ContainsFunc(architectures(form), func(name string) bool { return compat.Serves(name, d) })
}

// architectures returns the targets that native code is for. Compilers name them
// as targets, as their device compiler does (sm_80, pvc), or not at all.
func architectures(form *Form) []string {
	system, _, _ := strings.Cut(form.Triple, "-")
	if form.Arch == "" {
		return []string{system}
	}
	var names []string
	for arch := range strings.SplitSeq(form.Arch, ",") {
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
func runsIR(form *Form, d *deviceconfig.Device) bool {
	want := backend(d)
	switch system, _, _ := strings.Cut(form.Triple, "-"); system {
	case "spir64", "spirv64", "spir", "spirv", "spirv32":
		return want == "spirv"
	case "nvptx64":
		return want == "ptx"
	case "amdgcn":
		return want == "amdgcn"
	case "": // files of the first writers have no triple
		return want == form.Format
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

// targets returns the devices that modules have something for: one for each
// architecture of native code, one for each kind of IR.
func targets(modules []Module, config *deviceconfig.Config) []*deviceconfig.Device {
	var list []*deviceconfig.Device
	add := func(name string) {
		if d, ok := config.Lookup(name); ok {
			list = append(list, d)
		} else if name != "" {
			list = append(list, &deviceconfig.Device{Name: name, MayHaveOtherAspects: true, Source: "the files of the report"})
		}
	}
	for _, m := range modules {
		for f := range m.Forms {
			form := &m.Forms[f]
			system, _, _ := strings.Cut(form.Triple, "-")
			switch {
			case form.Native && form.Arch == "" && m.Needs.CompileTarget != "":
				add(m.Needs.CompileTarget)
			case form.Native:
				for _, name := range architectures(form) {
					add(name)
				}
			case system == "nvptx64", system == "amdgcn":
				add(form.Triple)
			case form.Format == "spirv":
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

func describeImage(q *requirement.Requirements, f *Form) Image {
	i := Image{Architecture: f.Arch, Triple: f.Triple, Format: f.Format, Digest: f.Digest, Size: f.Size,
		CompileTarget: q.CompileTarget, FixedTargets: slices.Clone(q.FixedTargets),
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
