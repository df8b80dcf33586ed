package report

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Whether an object has to have a member.
const (
	needed   = true
	optional = false
)

// The members of each type of a report, in the order in which Encode writes them.

var reportMembers = []member[Report]{
	{"cells", func(p *reader, r *Report) bool { return p.cells(&r.Cells) }, needed},
	{"devices", func(p *reader, r *Report) bool { return list(p, &r.Devices, (*reader).device) }, needed},
	{"extensions", func(p *reader, r *Report) bool { return p.extensions(&r.Extensions) }, optional},
	{"generator", func(p *reader, r *Report) bool { return object(p, &r.Generator, generatorMembers) }, needed},
	{"images", func(p *reader, r *Report) bool { return p.images(&r.Images) }, needed},
	{"kernels", func(p *reader, r *Report) bool { return p.kernels(&r.Kernels) }, needed},
	{"schema", func(p *reader, r *Report) bool { return p.rareText(&r.Schema) }, needed},
	{"schema-version", func(p *reader, r *Report) bool { return p.rareText(&r.SchemaVersion) }, needed},
	{"statistics", func(p *reader, r *Report) bool { return object(p, &r.Statistics, statisticsMembers) }, needed},
	{"target", func(p *reader, r *Report) bool { return object(p, &r.Target, targetMembers) }, needed},
}

var generatorMembers = []member[Generator]{
	{"name", func(p *reader, g *Generator) bool { return p.someText(&g.Name) }, needed},
	{"version", func(p *reader, g *Generator) bool { return p.someText(&g.Version) }, needed},
}

var targetMembers = []member[Target]{
	{"label", func(p *reader, t *Target) bool { return p.rareText(&t.Label) }, needed},
}

var statisticsMembers = []member[Statistics]{
	{"cells", func(p *reader, s *Statistics) bool { return toInt(p, &s.Cells) }, needed},
	{"compatible", func(p *reader, s *Statistics) bool { return toInt(p, &s.Compatible) }, needed},
	{"devices", func(p *reader, s *Statistics) bool { return toInt(p, &s.Devices) }, needed},
	{"incompatible", func(p *reader, s *Statistics) bool { return toInt(p, &s.Incompatible) }, needed},
	{"kernels", func(p *reader, s *Statistics) bool { return toInt(p, &s.Kernels) }, needed},
	{"not-applicable", func(p *reader, s *Statistics) bool { return toInt(p, &s.NotApplicable) }, needed},
	{"undetermined", func(p *reader, s *Statistics) bool { return toInt(p, &s.Undetermined) }, needed},
}

var deviceMembers = []member[Device]{
	{"architecture", func(p *reader, d *Device) bool { return p.rareText(&d.Architecture) }, optional},
	{"aspects", func(p *reader, d *Device) bool { return list(p, &d.Aspects, (*reader).aspect) }, needed},
	{"backend", func(p *reader, d *Device) bool { return oneOf(p, &d.Backend, "spirv", "ptx", "amdgcn") }, needed},
	{"id", func(p *reader, d *Device) bool { return p.someText(&d.ID) }, needed},
	{"local-memory-size", func(p *reader, d *Device) bool { return positive(p, &d.LocalMemorySize, toUint64) }, optional},
	{"matrix-combinations", func(p *reader, d *Device) bool { return list(p, &d.Matrices, (*reader).anyText) }, optional},
	{"max-work-group-size", func(p *reader, d *Device) bool { return positive(p, &d.MaxWorkGroupSize, toUint64) }, optional},
	{"max-work-item-sizes", func(p *reader, d *Device) bool { return p.workItemSizes(&d.MaxWorkItemSizes) }, optional},
	{"name", func(p *reader, d *Device) bool { return p.someText(&d.Name) }, needed},
	{"open-world", func(p *reader, d *Device) bool { return p.boolean(&d.OpenWorld) }, needed},
	{"sub-group-sizes", func(p *reader, d *Device) bool { return list(p, &d.SubGroupSizes, toUint32) }, needed},
}

var imageMembers = []member[Image]{
	{"architecture", func(p *reader, i *Image) bool { return p.anyText(&i.Architecture) }, optional},
	{"compile-options", func(p *reader, i *Image) bool { return p.someText(&i.CompileOptions) }, optional},
	{"compile-target", func(p *reader, i *Image) bool { return p.anyText(&i.CompileTarget) }, optional},
	{"digest", func(p *reader, i *Image) bool { return p.digest(&i.Digest) }, needed},
	{"esimd", func(p *reader, i *Image) bool { return p.boolean(&i.ESIMD) }, needed},
	{"files", func(p *reader, i *Image) bool { return list(p, &i.Files, (*reader).anyText) }, optional},
	{"fixed-targets", func(p *reader, i *Image) bool { return list(p, &i.FixedTargets, (*reader).anyText) }, optional},
	{"format", func(p *reader, i *Image) bool {
		return oneOf(p, &i.Format, "spirv", "ptx", "amdgcn", "llvm-ir", "native")
	}, needed},
	{"id", func(p *reader, i *Image) bool { return p.someText(&i.ID) }, needed},
	{"link-options", func(p *reader, i *Image) bool { return p.someText(&i.LinkOptions) }, optional},
	{"requirements", func(p *reader, i *Image) bool { return object(p, &i.Requirements, requirementsMembers) }, needed},
	{"size", func(p *reader, i *Image) bool { return toInt64(p, &i.Size) }, needed},
	{"triple", func(p *reader, i *Image) bool { return p.anyText(&i.Triple) }, optional},
	{"unknown-properties", func(p *reader, i *Image) bool { return list(p, &i.Unknown, (*reader).anyText) }, optional},
}

var requirementsMembers = []member[Requirements]{
	{"aspects", func(p *reader, r *Requirements) bool { return list(p, &r.Aspects, (*reader).aspect) }, needed},
	{"joint-matrix", func(p *reader, r *Requirements) bool { return list(p, &r.JointMatrix, (*reader).anyText) }, optional},
	{"joint-matrix-mad", func(p *reader, r *Requirements) bool { return list(p, &r.JointMad, (*reader).anyText) }, optional},
	{"reqd-sub-group-sizes", func(p *reader, r *Requirements) bool { return list(p, &r.SubGroupSizes, toUint32) }, optional},
	{"reqd-work-group-size", func(p *reader, r *Requirements) bool { return list(p, &r.WorkGroupSize, toUint64) }, optional},
	{"work-group-num-dim", func(p *reader, r *Requirements) bool { return toUint32(p, &r.WorkGroupDims) }, optional},
}

var kernelMembers = []member[Kernel]{
	{"display-name", func(p *reader, k *Kernel) bool { return p.rareText(&k.DisplayName) }, needed},
	{"forms", func(p *reader, k *Kernel) bool { return list(p, &k.Forms, (*reader).form) }, optional},
	{"id", func(p *reader, k *Kernel) bool { return p.someText(&k.ID) }, needed},
	{"images", func(p *reader, k *Kernel) bool { return list(p, &k.Images, (*reader).someText) }, needed},
	{"location", func(p *reader, k *Kernel) bool { return object(p, &k.Location, locationMembers) }, optional},
	{"name", func(p *reader, k *Kernel) bool { return p.notEmpty(p.text(&k.Name, k.ID), k.Name) }, needed},
	{"requirement-origin", func(p *reader, k *Kernel) bool { return list(p, &k.Origins, (*reader).origin) }, optional},
}

var formMembers = []member[KernelForm]{
	{"kind", func(p *reader, f *KernelForm) bool { return p.anyText((*string)(&f.Kind)) }, needed},
	{"name", func(p *reader, f *KernelForm) bool { return p.someText(&f.Name) }, needed},
}

var originMembers = []member[srcloc.Origin]{
	{"aspect", func(p *reader, o *srcloc.Origin) bool { return p.aspect(&o.Aspect) }, needed},
	{"function", func(p *reader, o *srcloc.Origin) bool { return p.anyText(&o.Function) }, optional},
	{"location", func(p *reader, o *srcloc.Origin) bool { return object(p, &o.Location, locationMembers) }, optional},
}

var locationMembers = []member[srcloc.Location]{
	{"column", func(p *reader, l *srcloc.Location) bool { return toUint32(p, &l.Column) }, optional},
	{"line", func(p *reader, l *srcloc.Location) bool { return positive(p, &l.Line, toUint32) }, needed},
	{"path", func(p *reader, l *srcloc.Location) bool { return p.someText(&l.Path) }, needed},
}

var aspectMembers = []member[aspect.Named]{
	{"name", func(p *reader, a *aspect.Named) bool { return p.anyText(&a.Name) }, needed},
	{"value", func(p *reader, a *aspect.Named) bool { return toUint32(p, &a.Value) }, needed},
}

var cellMembers = []member[Cell]{
	{"device", (*reader).deviceOf, needed},
	{"holds", func(p *reader, c *Cell) bool { return p.text((*string)(&c.Code), string(p.last.Code)) }, needed},
	{"image", func(p *reader, c *Cell) bool { return p.notEmpty(p.text(&c.Image, p.last.Image), c.Image) }, optional},
	{"kernel", func(p *reader, c *Cell) bool { return p.notEmpty(p.text(&c.Kernel, p.last.Kernel), c.Kernel) }, needed},
	{"reasons", func(p *reader, c *Cell) bool { return p.reasonList(&c.Reasons) }, optional},
	{"scope", func(p *reader, c *Cell) bool { return p.text((*string)(&c.Scope), string(p.last.Scope)) }, needed},
	{"status", func(p *reader, c *Cell) bool { return p.verdict(&c.Verdict) }, needed},
}

var reasonMembers = []member[Reason]{
	{"available", func(p *reader, r *Reason) bool { return p.anyText(&r.Available) }, optional},
	{"property", func(p *reader, r *Reason) bool { return p.anyText(&r.Property) }, optional},
	{"required", func(p *reader, r *Reason) bool { return p.anyText(&r.Required) }, needed},
	{"rule", func(p *reader, r *Reason) bool { return p.someText(&r.Rule) }, needed},
	{"status", func(p *reader, r *Reason) bool { return p.verdict(&r.Verdict) }, needed},
	{"text", func(p *reader, r *Reason) bool { return p.anyText(&r.Text) }, needed},
}

var (
	toInt    = integer[int](math.MaxInt)
	toInt64  = integer[int64](math.MaxInt64)
	toUint32 = integer[uint32](math.MaxUint32)
	toUint64 = integer[uint64](math.MaxUint64)
)

// someText reads a text that is not empty.
func (p *reader) someText(to *string) bool { return p.notEmpty(p.anyText(to), *to) }

// notEmpty reports whether a text was read that is not empty.
func (p *reader) notEmpty(ok bool, text string) bool {
	return ok && (text != "" || p.fail(p.i-1, "%q must not be empty", p.member))
}

// oneOf reads a text that is one of a few.
func oneOf(p *reader, to *string, texts ...string) bool {
	start := p.i
	return p.anyText(to) && (slices.Contains(texts, *to) || p.fail(start, "%q must be one of %s", p.member, strings.Join(texts, ", ")))
}

// digest reads a SHA-256 in hexadecimal.
func (p *reader) digest(to *string) bool {
	start := p.i
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'f' }
	return p.rareText(to) && (len(*to) == 64 && !strings.ContainsFunc(*to, func(r rune) bool { return !isDigit(r) }) ||
		p.fail(start, "%q must be 64 hexadecimal digits", p.member))
}

// positive reads a number that is not 0.
func positive[T uint32 | uint64](p *reader, to *T, read func(*reader, *T) bool) bool {
	return read(p, to) && (*to > 0 || p.fail(p.i-1, "%q must not be 0", p.member))
}

// workItemSizes reads the largest sizes of a work-group in each dimension.
func (p *reader) workItemSizes(to *[]uint64) bool {
	start := p.i
	return list(p, to, func(p *reader, to *uint64) bool { return positive(p, to, toUint64) }) &&
		(len(*to) == 3 || p.fail(start, "%q must have 3 sizes", p.member))
}

// report reads a report.
func (p *reader) report(r *Report) bool {
	*r = Report{Devices: []Device{}, Images: Images{texts: p.texts}, Kernels: Kernels{texts: p.texts}}
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

func (p *reader) images(to *Images) bool {
	return p.longList(to.Len, func() bool {
		var i Image
		ok := p.image(&i)
		to.Append(&i)
		return ok
	})
}

func (p *reader) kernels(to *Kernels) bool {
	return p.longList(to.Len, func() bool {
		var k Kernel
		ok := p.kernel(&k)
		to.Append(&k)
		return ok
	})
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
	*to = p.memory.emptied()
	to.texts = p.texts
	p.last = new(Cell)
	next := new(Cell)
	for more := !p.close(']'); more; more = p.more(']') {
		if to.Len() == maxCells {
			return p.fail(p.i, "more than %d cells", maxCells)
		}
		p.refill()
		*next = Cell{}
		if stored, ok := p.knownCell(next); ok {
			to.locate(next)
			to.put(stored)
		} else if !p.newCell(next, to) {
			return false
		}
		p.learnDevice(next)
		p.last, next = next, p.last
	}
	to.index = nil // it is made again if cells are added
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
		stored: to.stored(to.Len() - 1),
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
