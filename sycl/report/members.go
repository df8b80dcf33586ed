package report

import (
	"bytes"
	"math"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// The members of each type of a report, in the order in which Encode writes them.

var reportMembers = []member[Report]{
	{"cells", func(p *reader, r *Report) bool { return p.cells(&r.Cells) }},
	{"devices", func(p *reader, r *Report) bool { return list(p, &r.Devices, (*reader).device) }},
	{"extensions", func(p *reader, r *Report) bool { return p.extensions(&r.Extensions) }},
	{"generator", func(p *reader, r *Report) bool { return object(p, &r.Generator, generatorMembers) }},
	{"images", func(p *reader, r *Report) bool { return list(p, &r.Images, (*reader).image) }},
	{"kernels", func(p *reader, r *Report) bool { return list(p, &r.Kernels, (*reader).kernel) }},
	{"schema", func(p *reader, r *Report) bool { return p.rareText(&r.Schema) }},
	{"schema-version", func(p *reader, r *Report) bool { return p.rareText(&r.SchemaVersion) }},
	{"statistics", func(p *reader, r *Report) bool { return object(p, &r.Statistics, statisticsMembers) }},
	{"target", func(p *reader, r *Report) bool { return object(p, &r.Target, targetMembers) }},
}

var generatorMembers = []member[Generator]{
	{"name", func(p *reader, g *Generator) bool { return p.rareText(&g.Name) }},
	{"version", func(p *reader, g *Generator) bool { return p.rareText(&g.Version) }},
}

var targetMembers = []member[Target]{
	{"label", func(p *reader, t *Target) bool { return p.rareText(&t.Label) }},
}

var statisticsMembers = []member[Statistics]{
	{"cells", func(p *reader, s *Statistics) bool { return toInt(p, &s.Cells) }},
	{"compatible", func(p *reader, s *Statistics) bool { return toInt(p, &s.Compatible) }},
	{"devices", func(p *reader, s *Statistics) bool { return toInt(p, &s.Devices) }},
	{"incompatible", func(p *reader, s *Statistics) bool { return toInt(p, &s.Incompatible) }},
	{"kernels", func(p *reader, s *Statistics) bool { return toInt(p, &s.Kernels) }},
	{"not-applicable", func(p *reader, s *Statistics) bool { return toInt(p, &s.NotApplicable) }},
	{"undetermined", func(p *reader, s *Statistics) bool { return toInt(p, &s.Undetermined) }},
}

var deviceMembers = []member[Device]{
	{"architecture", func(p *reader, d *Device) bool { return p.rareText(&d.Architecture) }},
	{"aspects", func(p *reader, d *Device) bool { return list(p, &d.Aspects, (*reader).aspect) }},
	{"backend", func(p *reader, d *Device) bool { return p.anyText(&d.Backend) }},
	{"id", func(p *reader, d *Device) bool { return p.anyText(&d.ID) }},
	{"local-memory-size", func(p *reader, d *Device) bool { return toUint64(p, &d.LocalMemorySize) }},
	{"matrix-combinations", func(p *reader, d *Device) bool { return list(p, &d.Matrices, (*reader).anyText) }},
	{"max-work-group-size", func(p *reader, d *Device) bool { return toUint64(p, &d.MaxWorkGroupSize) }},
	{"max-work-item-sizes", func(p *reader, d *Device) bool { return list(p, &d.MaxWorkItemSizes, toUint64) }},
	{"name", func(p *reader, d *Device) bool { return p.anyText(&d.Name) }},
	{"open-world", func(p *reader, d *Device) bool { return p.boolean(&d.OpenWorld) }},
	{"sub-group-sizes", func(p *reader, d *Device) bool { return list(p, &d.SubGroupSizes, toUint32) }},
}

var imageMembers = []member[Image]{
	{"architecture", func(p *reader, i *Image) bool { return p.anyText(&i.Architecture) }},
	{"compile-options", func(p *reader, i *Image) bool { return p.anyText(&i.CompileOptions) }},
	{"compile-target", func(p *reader, i *Image) bool { return p.anyText(&i.CompileTarget) }},
	{"digest", func(p *reader, i *Image) bool { return p.rareText(&i.Digest) }},
	{"esimd", func(p *reader, i *Image) bool { return p.boolean(&i.ESIMD) }},
	{"files", func(p *reader, i *Image) bool { return list(p, &i.Files, (*reader).anyText) }},
	{"fixed-targets", func(p *reader, i *Image) bool { return list(p, &i.FixedTargets, (*reader).anyText) }},
	{"format", func(p *reader, i *Image) bool { return p.anyText(&i.Format) }},
	{"id", func(p *reader, i *Image) bool { return p.anyText(&i.ID) }},
	{"link-options", func(p *reader, i *Image) bool { return p.anyText(&i.LinkOptions) }},
	{"requirements", func(p *reader, i *Image) bool { return object(p, &i.Requirements, requirementsMembers) }},
	{"size", func(p *reader, i *Image) bool { return toInt64(p, &i.Size) }},
	{"triple", func(p *reader, i *Image) bool { return p.anyText(&i.Triple) }},
	{"unknown-properties", func(p *reader, i *Image) bool { return list(p, &i.Unknown, (*reader).anyText) }},
}

var requirementsMembers = []member[Requirements]{
	{"aspects", func(p *reader, r *Requirements) bool { return list(p, &r.Aspects, (*reader).aspect) }},
	{"joint-matrix", func(p *reader, r *Requirements) bool { return list(p, &r.JointMatrix, (*reader).anyText) }},
	{"joint-matrix-mad", func(p *reader, r *Requirements) bool { return list(p, &r.JointMad, (*reader).anyText) }},
	{"reqd-sub-group-sizes", func(p *reader, r *Requirements) bool { return list(p, &r.SubGroupSizes, toUint32) }},
	{"reqd-work-group-size", func(p *reader, r *Requirements) bool { return list(p, &r.WorkGroupSize, toUint64) }},
	{"work-group-num-dim", func(p *reader, r *Requirements) bool { return toUint32(p, &r.WorkGroupDims) }},
}

var kernelMembers = []member[Kernel]{
	{"display-name", func(p *reader, k *Kernel) bool { return p.rareText(&k.DisplayName) }},
	{"forms", func(p *reader, k *Kernel) bool { return list(p, &k.Forms, (*reader).form) }},
	{"id", func(p *reader, k *Kernel) bool { return p.anyText(&k.ID) }},
	{"images", func(p *reader, k *Kernel) bool { return list(p, &k.Images, (*reader).anyText) }},
	{"location", func(p *reader, k *Kernel) bool { return object(p, &k.Location, locationMembers) }},
	{"name", func(p *reader, k *Kernel) bool { return p.text(&k.Name, k.ID) }},
	{"requirement-origin", func(p *reader, k *Kernel) bool { return list(p, &k.Origins, (*reader).origin) }},
}

var formMembers = []member[KernelForm]{
	{"kind", func(p *reader, f *KernelForm) bool { return p.anyText((*string)(&f.Kind)) }},
	{"name", func(p *reader, f *KernelForm) bool { return p.rareText(&f.Name) }},
}

var originMembers = []member[srcloc.Origin]{
	{"aspect", func(p *reader, o *srcloc.Origin) bool { return p.aspect(&o.Aspect) }},
	{"function", func(p *reader, o *srcloc.Origin) bool { return p.anyText(&o.Function) }},
	{"location", func(p *reader, o *srcloc.Origin) bool { return object(p, &o.Location, locationMembers) }},
}

var locationMembers = []member[srcloc.Location]{
	{"column", func(p *reader, l *srcloc.Location) bool { return toUint32(p, &l.Column) }},
	{"line", func(p *reader, l *srcloc.Location) bool { return toUint32(p, &l.Line) }},
	{"path", func(p *reader, l *srcloc.Location) bool { return p.anyText(&l.Path) }},
}

var aspectMembers = []member[aspect.Named]{
	{"name", func(p *reader, a *aspect.Named) bool { return p.anyText(&a.Name) }},
	{"value", func(p *reader, a *aspect.Named) bool { return toUint32(p, &a.Value) }},
}

var cellMembers = []member[Cell]{
	{"device", (*reader).deviceOf},
	{"holds", func(p *reader, c *Cell) bool { return p.text((*string)(&c.Code), string(p.last.Code)) }},
	{"image", func(p *reader, c *Cell) bool { return p.text(&c.Image, p.last.Image) }},
	{"kernel", func(p *reader, c *Cell) bool { return p.text(&c.Kernel, p.last.Kernel) }},
	{"reasons", func(p *reader, c *Cell) bool { return p.reasonList(&c.Reasons) }},
	{"scope", func(p *reader, c *Cell) bool { return p.text((*string)(&c.Scope), string(p.last.Scope)) }},
	{"status", func(p *reader, c *Cell) bool { return p.verdict(&c.Verdict) }},
}

var reasonMembers = []member[Reason]{
	{"available", func(p *reader, r *Reason) bool { return p.anyText(&r.Available) }},
	{"property", func(p *reader, r *Reason) bool { return p.anyText(&r.Property) }},
	{"required", func(p *reader, r *Reason) bool { return p.anyText(&r.Required) }},
	{"rule", func(p *reader, r *Reason) bool { return p.anyText(&r.Rule) }},
	{"status", func(p *reader, r *Reason) bool { return p.verdict(&r.Verdict) }},
	{"text", func(p *reader, r *Reason) bool { return p.anyText(&r.Text) }},
}

var (
	toInt    = integer[int](math.MaxInt)
	toInt64  = integer[int64](math.MaxInt64)
	toUint32 = integer[uint32](math.MaxUint32)
	toUint64 = integer[uint64](math.MaxUint64)
)

// report reads a report. A list that is missing is empty.
func (p *reader) report(r *Report) bool {
	*r = Report{Devices: []Device{}, Images: []Image{}, Kernels: []Kernel{}}
	if !object(p, r, reportMembers) {
		return false
	}
	if p.space(); p.i < len(p.data) {
		return p.fail(p.i, "there is data after the end of the report")
	}
	return true
}

func (p *reader) device(d *Device) bool {
	*d = Device{Aspects: []aspect.Named{}, SubGroupSizes: []uint32{}}
	return object(p, d, deviceMembers)
}

func (p *reader) image(i *Image) bool {
	i.Requirements.Aspects = []aspect.Named{}
	return object(p, i, imageMembers)
}

func (p *reader) kernel(k *Kernel) bool {
	k.Images = []string{}
	return object(p, k, kernelMembers)
}

func (p *reader) form(f *KernelForm) bool { return object(p, f, formMembers) }

func (p *reader) origin(o *srcloc.Origin) bool { return object(p, o, originMembers) }

func (p *reader) aspect(a *aspect.Named) bool { return object(p, a, aspectMembers) }

func (p *reader) reason(r *Reason) bool {
	if !object(p, r, reasonMembers) {
		return false
	}
	if r.Verdict == compat.NoVerdict {
		return p.fail(p.i-1, "a reason has no status")
	}
	return true
}

// cells reads the cells, into the memory of earlier ones.
func (p *reader) cells(to *Cells) bool {
	if !p.open('[', "a list") {
		return false
	}
	const least = 256 // bytes of a cell that Encode writes
	*to = p.memory.emptied()
	to.grow(min(len(p.data)/least, maxCells))
	p.last = new(Cell)
	next := new(Cell)
	for more := !p.close(']'); more; more = p.more(']') {
		if to.Len() == maxCells {
			return p.fail(p.i, "more than %d cells", maxCells)
		}
		*next = Cell{}
		if stored, ok := p.knownCell(next); ok {
			to.locate(next)
			to.list = append(to.list, stored)
		} else if !p.newCell(next, to) {
			return false
		}
		p.learnDevice(next)
		p.last, next = next, p.last
	}
	p.memory = *to
	return p.fault == nil
}

// A knownCell is a cell that was read, and its bytes before and after its device.
type knownCell struct {
	cell          Cell
	stored        storedCell
	before, after []byte
	member        string // that was read last
}

// knownCell reads a cell that has the bytes of a known cell but for the device, so that
// nothing else differs between the two. Most cells of a kernel are such ones.
func (p *reader) knownCell(c *Cell) (stored storedCell, ok bool) {
	if p.escapes {
		return stored, false
	}
	start, device := p.i, p.likelyDevice()
	for i := range p.known {
		k := &p.known[i]
		if p.isNext(k.before) && p.isName(device) && p.isNext(k.after) {
			*c, p.member = k.cell, k.member
			c.Device = device
			return k.stored, true
		}
		p.i = start
	}
	return stored, false
}

// newCell reads any cell and adds it. It is a known one then.
func (p *reader) newCell(c *Cell, to *Cells) bool {
	start := p.i
	switch {
	case !object(p, c, cellMembers):
		return false
	case c.Kernel == "" || c.Device == "":
		return p.fail(p.i-1, "a cell has no kernel or no device")
	}
	to.Append(c)
	if p.escapes {
		return true
	}
	p.known[p.learned%len(p.known)] = knownCell{
		cell:   *c,
		stored: to.list[len(to.list)-1],
		before: p.data[start : p.afterDevice-len(c.Device)-1],
		after:  p.data[p.afterDevice:p.i],
		member: p.member,
	}
	p.learned++
	return true
}

// deviceOf reads the device of a cell.
func (p *reader) deviceOf(c *Cell) bool {
	ok := p.text(&c.Device, p.likelyDevice())
	p.afterDevice = p.i
	return ok
}

// likelyDevice returns the device that the next cell is about in a report whose
// cells are in order: that after the device of the last one, or the first.
func (p *reader) likelyDevice() string {
	if len(p.devices) == 0 {
		return ""
	}
	return p.devices[p.column%len(p.devices)]
}

func (p *reader) learnDevice(c *Cell) {
	if p.column == len(p.devices) && (p.last.Kernel == c.Kernel || p.column == 0) {
		p.devices = append(p.devices, c.Device)
	}
	p.column++
}

// reasonList reads a list of reasons. Cells with the same reasons share them.
func (p *reader) reasonList(to *[]Reason) bool {
	p.space()
	start := p.i
	if len(p.raw) > 0 && bytes.HasPrefix(p.data[start:], p.raw) {
		*to = p.reasons
		p.i += len(p.raw)
		return true
	}
	if !list(p, &p.reasons, (*reader).reason) {
		return false
	}
	p.raw = p.data[start:p.i]
	*to = p.reasons
	return true
}
