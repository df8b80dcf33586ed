package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/jitoptions"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
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

	form *joinedForm // nil: it was made of no other, see JoinForms
}

// kernel returns the name of the kernel that a kernel is or is a form of.
func (k *ModuleKernel) kernel() string {
	if k.form != nil {
		return k.form.of
	}
	return k.Name
}

// inHeaders reports whether the place of a kernel is in the headers of DPC++.
func (k *ModuleKernel) inHeaders() bool {
	return k.form != nil && (k.form.Kind == RoundedRange || strings.HasSuffix(k.Source.Location.Path, "sycl/reduction.hpp"))
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
// about [Targets].
func Build(modules []Module, devices []*deviceconfig.Device, config *deviceconfig.Config, generator Generator, label string) (*Report, error) {
	if len(devices) == 0 {
		devices = Targets(modules, config)
	}
	b := builder{modules: modules, checker: compat.New(config), config: config, kernels: map[string]*kernel{}, needsIDs: map[string]int{}}
	r := &Report{Schema: Schema, Generator: generator, Target: Target{Label: label},
		Devices: []Device{}}
	r.shareTexts()
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
	for _, k := range r.Kernels.All() {
		for d := range devices {
			c := b.cell(b.kernels[k.ID], d)
			r.Cells.Append(&c)
		}
	}
	r.SchemaVersion = r.leastVersion()
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
	imageIDs map[*ModuleImage]string

	devices  []*deviceconfig.Device
	needs    []*requirement.Requirements // each once
	needsIDs map[string]int              // their indices
	outcomes [][]*outcome                // by needs and device
}

// kernel is a kernel with the modules that have it.
type kernel struct {
	name    string
	holders []holder
	forms   map[string]*formOf // by name, see JoinForms
}

// images lists the images by digest. Images with equal bytes and equal needs are listed
// once. If only the bytes are equal, a number at the end makes the ids differ.
func (b *builder) images(r *Report) {
	b.imageIDs = make(map[*ModuleImage]string)
	describe := describer{kinds: map[imageKind]int{}, texts: map[string]int{}}
	var list []foundImage
	place := map[imageKey]int{}
	for m := range b.modules {
		module := &b.modules[m]
		for n := range module.Images {
			image := &module.Images[n]
			key := imageKey{image.Digest, image.Size, describe.kind(module.Needs, image)}
			i, ok := place[key]
			if !ok {
				i = len(list)
				place[key] = i
				list = append(list, foundImage{imageKey: key})
			}
			list[i].of = append(list[i].of, image)
			list[i].files = append(list[i].files, module.Files...)
		}
	}
	slices.SortFunc(list, func(a, b foundImage) int {
		if n := cmp.Or(strings.Compare(a.digest, b.digest), cmp.Compare(a.size, b.size)); n != 0 {
			return n
		}
		return strings.Compare(describe.textOf[a.kind], describe.textOf[b.kind])
	})
	const digits = 16
	last, times := "", 0
	for _, f := range list {
		id := f.digest[:min(digits, len(f.digest))]
		if times++; id != last {
			last, times = id, 1
		}
		if times > 1 {
			id += fmt.Sprintf("-%d", times)
		}
		image := describe.images[f.kind]
		image.ID, image.Digest, image.Size = id, f.digest, f.size
		for _, of := range f.of {
			b.imageIDs[of] = id
		}
		slices.Sort(f.files)
		image.Files = slices.Compact(f.files)
		r.Images.Append(&image)
	}
}

// An imageKey has what tells images apart: the bytes, and what else is known of them.
type imageKey struct {
	digest string
	size   int64
	kind   int
}

type foundImage struct {
	imageKey
	files []string
	of    []*ModuleImage
}

// A describer describes each kind of images once. Images of one kind differ in nothing but
// their bytes.
type describer struct {
	kinds  map[imageKind]int
	texts  map[string]int // kinds by their text
	textOf []string
	images []Image
}

// An imageKind is what the kind of an image follows from: needs and an image without what
// its bytes are.
type imageKind struct {
	needs string
	image ModuleImage
}

func (d *describer) kind(needs *requirement.Requirements, image *ModuleImage) int {
	key := imageKind{needs.Key(), *image}
	key.image.Digest, key.image.Size = "", 0
	i, ok := d.kinds[key]
	if !ok {
		described := describeImage(needs, image)
		described.Digest, described.Size = "", 0
		text := fmt.Sprintf("%#v", described)
		if i, ok = d.texts[text]; !ok {
			i = len(d.images)
			d.texts[text] = i
			d.textOf, d.images = append(d.textOf, text), append(d.images, described)
		}
		d.kinds[key] = i
	}
	return i
}

// collect lists the kernels.
func (b *builder) collect(r *Report) {
	described := map[string]*Kernel{}
	for m := range b.modules {
		module := &b.modules[m]
		for _, info := range module.Kernels {
			name := info.kernel()
			k := b.kernels[name]
			if k == nil {
				k = &kernel{name: name}
				b.kernels[name] = k
				described[name] = &Kernel{ID: name, Name: name, Images: []string{}}
			}
			d := described[name]
			if h := b.holder(module, &info); info.form != nil {
				k.addForm(info.Name, info.form.Form, h)
				d.DisplayName = info.form.Kernel
			} else {
				k.holders = append(k.holders, h)
				d.DisplayName = cmp.Or(d.DisplayName, kernelname.Display(name))
			}
			for i := range module.Images {
				d.Images = append(d.Images, b.imageIDs[&module.Images[i]])
			}
			if d.Location.IsZero() && !info.inHeaders() {
				d.Location = info.Source.Location
			}
			d.Origins = mergeOrigins(d.Origins, info.Source.Origins)
		}
	}
	kernels := make([]*Kernel, 0, len(described))
	for _, d := range described {
		d.Forms = b.kernels[d.ID].formList()
		slices.Sort(d.Images)
		d.Images = slices.Compact(d.Images)
		kernels = append(kernels, d)
	}
	slices.SortFunc(kernels, func(a, b *Kernel) int {
		return cmp.Or(strings.Compare(a.DisplayName, b.DisplayName), strings.Compare(a.Name, b.Name))
	})
	for _, k := range kernels {
		r.Kernels.Append(k)
	}
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

// A holder is a module that has a kernel.
type holder struct {
	module *Module
	needs  int // of the kernel in it, an index of builder.needs
	scope  Scope
}

func (b *builder) holder(m *Module, info *ModuleKernel) holder {
	h := holder{module: m, scope: ScopeImage}
	needs := m.Needs
	if !slices.ContainsFunc(m.Kernels, func(k ModuleKernel) bool { return k.kernel() != info.kernel() }) {
		h.scope = ScopeKernel
	}
	if info.Needs != nil {
		needs, h.scope = info.Needs, ScopeKernel
	}
	// The target of an image matters only to the choice among images, see moduleCell.
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

// bestCell returns the best of the cells that the modules with a kernel give.
func (b *builder) bestCell(k *kernel, holders []holder, device int) Cell {
	var best Cell
	native, ir := map[string]bool{}, map[string]bool{} // by file
	for i, h := range holders {
		c := b.moduleCell(k, h, device)
		if i == 0 || cellRank(c) < cellRank(best) {
			best = c
		}
		if c.Verdict == compat.Compatible && !h.module.Embedded {
			native[h.module.File] = native[h.module.File] || c.Code == Native
			ir[h.module.File] = ir[h.module.File] || c.Code == IR
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
func (b *builder) moduleCell(k *kernel, h holder, device int) Cell {
	m, d := h.module, b.devices[device]
	c := Cell{Kernel: k.name, Device: d.Name, Code: NoCode, Scope: h.scope}
	for i := range m.Images {
		image := &m.Images[i]
		switch {
		case image.Native && runsNative(image, m.Needs.CompileTarget, d):
			c.Code, c.Image = Native, b.imageIDs[image]
		case !image.Native && c.Code == NoCode && runsIR(image, d):
			c.Code, c.Image = IR, b.imageIDs[image]
		}
		if c.Code == Native {
			break
		}
	}
	o := *b.outcome(h.needs, device)
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
