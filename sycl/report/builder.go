package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Builder makes a report of modules that it is given one after the other. Of each it
// keeps only what the report says, in little memory: a program can have half a million
// kernels. Use [NewBuilder] to make one.
type Builder struct {
	config  *deviceconfig.Config
	checker *compat.Checker

	texts   *texts // names; the report keeps them as well
	digests *texts
	modules chunks[builtModule]
	kernels chunks[builtKernel]
	images  chunks[builtImage]
	files   [][]string        // names of files of modules
	origins [][]srcloc.Origin // of kernels that have some

	kinds    []builtKind
	kindsIDs map[imageKind]uint32
	needs    []*requirement.Requirements // each once
	needsIDs map[string]uint32           // their indices

	devices  []*deviceconfig.Device
	serves   []Code       // what images are for devices, by kind and device
	outcomes [][]*outcome // by needs and device
}

// A builtModule is what is kept of a module.
type builtModule struct {
	file, files         uint32 // number of the text, index of Builder.files
	images, imageCount  uint32 // the first one, and how many
	kernel, kernelCount uint32
	embedded, single    bool // single: all kernels are one of the report
}

// A builtKernel is what is kept of a kernel of a module. Its name and its path are numbers
// of texts.
type builtKernel struct {
	name, path, line, column uint32
	of                       uint32 // the name of the kernel that this is or is a form of
	module, needs            uint32 // indexes
	origins                  uint32 // index plus 1, 0 for none
	ownNeeds, isForm         bool
}

// A builtImage is what is kept of an image of a module.
type builtImage struct {
	size       int64
	digest, id uint32 // numbers of texts
	kind       uint32 // index of Builder.kinds
	module     uint32 // index
}

// An imageKind is what the kind of an image follows from: needs and an image without what
// its bytes are.
type imageKind struct {
	needs string
	image ModuleImage
}

// A builtKind is a kind of images. Images of one kind differ in nothing but their bytes.
type builtKind struct {
	described     Image
	text          string // tells what is described apart
	image         ModuleImage
	compileTarget string
}

// NewBuilder returns a builder for reports on devices of a configuration.
func NewBuilder(config *deviceconfig.Config) *Builder {
	return &Builder{config: config, checker: compat.New(config), texts: new(texts), digests: new(texts), kindsIDs: map[imageKind]uint32{}, needsIDs: map[string]uint32{}}
}

// Add adds a module. The builder keeps none of its memory but for lists and needs.
func (b *Builder) Add(m *Module) {
	index := uint32(b.modules.n)
	built := builtModule{file: b.texts.number(m.File), files: b.filesOf(m.Files), embedded: m.Embedded, images: uint32(b.images.n), imageCount: uint32(len(m.Images)),
		kernel: uint32(b.kernels.n), kernelCount: uint32(len(m.Kernels))}
	if len(m.Images) > 0 {
		key := m.Needs.Key()
		for i := range m.Images {
			image := &m.Images[i]
			b.images.append(builtImage{size: image.Size, digest: b.digests.number(image.Digest), kind: b.kind(key, m.Needs, image), module: index})
		}
	}
	if len(m.Kernels) > 0 {
		needs := b.needsOf(m.Needs)
		for i := range m.Kernels {
			b.addKernel(&m.Kernels[i], index, needs)
		}
	}
	b.modules.append(built)
}

func (b *Builder) addKernel(k *ModuleKernel, module, needs uint32) {
	name, at := b.texts.number(k.Name), k.Source.Location
	kept := builtKernel{name: name, of: name, module: module, needs: needs, path: b.texts.number(at.Path), line: at.Line, column: at.Column}
	if k.Needs != nil {
		kept.needs, kept.ownNeeds = b.needsOf(k.Needs), true
	}
	if len(k.Source.Origins) > 0 {
		b.origins = append(b.origins, k.Source.Origins)
		kept.origins = uint32(len(b.origins))
	}
	b.kernels.append(kept)
}

// filesOf returns the index of a list of files. Modules of a file come together.
func (b *Builder) filesOf(files []string) uint32 {
	if last := len(b.files) - 1; last < 0 || !slices.Equal(b.files[last], files) {
		b.files = append(b.files, slices.Clone(files))
	}
	return uint32(len(b.files) - 1)
}

// needsOf returns the index of needs. The target of an image matters only to the choice
// among images, see moduleCell.
func (b *Builder) needsOf(needs *requirement.Requirements) uint32 {
	chosen := *needs
	chosen.CompileTarget = ""
	key := chosen.Key()
	id, ok := b.needsIDs[key]
	if !ok {
		id = uint32(len(b.needs))
		b.needsIDs[key] = id
		b.needs = append(b.needs, &chosen)
	}
	return id
}

// kind returns the index of the kind of an image.
func (b *Builder) kind(needsKey string, needs *requirement.Requirements, image *ModuleImage) uint32 {
	key := imageKind{needsKey, *image}
	key.image.Digest, key.image.Size = "", 0
	i, ok := b.kindsIDs[key]
	if !ok {
		described := describeImage(needs, &key.image)
		i = uint32(len(b.kinds))
		b.kindsIDs[key] = i
		b.kinds = append(b.kinds, builtKind{described, fmt.Sprintf("%#v", described), key.image, needs.CompileTarget})
	}
	return i
}

// Report makes the report on the modules and these devices. The builder is of no use
// afterwards.
func (b *Builder) Report(devices []*deviceconfig.Device, generator Generator, label string) (*Report, error) {
	r := &Report{Schema: Schema, Generator: generator, Target: Target{Label: label}, Devices: []Device{}}
	r.Cells.texts, r.Images.texts, r.Kernels.texts = b.texts, b.texts, b.texts
	devices = slices.Clone(devices)
	slices.SortFunc(devices, func(a, b *deviceconfig.Device) int { return strings.Compare(a.Name, b.Name) })
	b.devices = slices.CompactFunc(devices, func(a, b *deviceconfig.Device) bool { return a.Name == b.Name })
	for _, d := range b.devices {
		r.Devices = append(r.Devices, describeDevice(d))
	}
	b.serves = b.serves[:0]
	for i := range b.kinds {
		for _, d := range b.devices {
			b.serves = append(b.serves, b.kinds[i].serves(d))
		}
	}
	b.outcomes = make([][]*outcome, len(b.needs))
	b.listImages(r)
	b.listKernels(r)
	b.texts.forget()
	*b = Builder{} // what it kept is in the report
	r.SchemaVersion = r.leastVersion()
	r.Statistics = r.statistics()
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("the report contradicts itself: %w", err)
	}
	return r, nil
}

// serves returns what the images of a kind are for a device.
func (k *builtKind) serves(d *deviceconfig.Device) Code {
	switch {
	case k.image.Native && runsNative(&k.image, k.compileTarget, d):
		return Native
	case !k.image.Native && runsIR(&k.image, d):
		return IR
	}
	return NoCode
}

// listImages lists the images by digest. Images with equal bytes and equal needs are
// listed once. If only the bytes are equal, a number at the end makes the ids differ.
func (b *Builder) listImages(r *Report) {
	order := indexes(b.images.n)
	compare := func(i, j uint32) int {
		one, other := b.images.at(int(i)), b.images.at(int(j))
		if one.digest != other.digest {
			return strings.Compare(b.digests.at(one.digest), b.digests.at(other.digest))
		}
		return cmp.Or(cmp.Compare(one.size, other.size), strings.Compare(b.kinds[one.kind].text, b.kinds[other.kind].text))
	}
	slices.SortFunc(order, compare)
	const digits = 16
	last, times := "", 0
	for len(order) > 0 {
		n := 1
		for n < len(order) && compare(order[0], order[n]) == 0 {
			n++
		}
		same := order[:n]
		order = order[n:]
		first := b.images.at(int(same[0]))
		image := b.kinds[first.kind].described
		image.Digest, image.Size, image.Files = b.digests.at(first.digest), first.size, b.filesWith(same)
		image.ID = image.Digest[:min(digits, len(image.Digest))]
		if times++; image.ID != last {
			last, times = image.ID, 1
		}
		if times > 1 {
			image.ID += fmt.Sprintf("-%d", times)
		}
		r.Images.Append(&image)
		id := b.texts.number(image.ID)
		for _, i := range same {
			b.images.at(int(i)).id = id
		}
	}
	b.digests = nil
}

// filesWith returns the files that hold these images.
func (b *Builder) filesWith(images []uint32) []string {
	var files []string
	last := ^uint32(0)
	for _, i := range images {
		if of := b.modules.at(int(b.images.at(int(i)).module)).files; of != last {
			files = append(files, b.files[of]...)
			last = of
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func indexes(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

// A kernel is a kernel with the modules that have it.
type kernel struct {
	name    string
	holders []holder
	forms   map[string]*formOf // by name, see JoinForms
}

// A holder is a module that has a kernel.
type holder struct {
	module int    // index
	needs  uint32 // of the kernel in it, an index of Builder.needs
	scope  Scope
}

// A row is the kernels of modules that are one kernel of the report.
type row struct{ first, count, display uint32 } // index of an order, how many, number of a text

// listKernels lists the kernels and their cells.
func (b *Builder) listKernels(r *Report) {
	b.findSingle()
	order := indexes(b.kernels.n)
	slices.SortFunc(order, func(i, j uint32) int {
		one, other := b.kernels.at(int(i)), b.kernels.at(int(j))
		return cmp.Or(cmp.Compare(one.of, other.of), cmp.Compare(i, j))
	})
	var rows []row
	for i, k := range order {
		if n := len(rows); n > 0 && b.kernels.at(int(k)).of == b.kernels.at(int(order[rows[n-1].first])).of {
			rows[n-1].count++
			continue
		}
		rows = append(rows, row{first: uint32(i), count: 1})
	}
	for i := range rows {
		rows[i].display = b.texts.number(b.display(order[rows[i].first:][:rows[i].count]))
	}
	slices.SortFunc(rows, func(x, y row) int {
		return cmp.Or(strings.Compare(b.texts.at(x.display), b.texts.at(y.display)),
			strings.Compare(b.texts.at(b.kernels.at(int(order[x.first])).of), b.texts.at(b.kernels.at(int(order[y.first])).of)))
	})
	for _, row := range rows {
		k, described := b.collect(order[row.first:][:row.count])
		described.DisplayName = b.texts.at(row.display)
		r.Kernels.Append(described)
		for d := range b.devices {
			c := b.cell(k, d)
			r.Cells.Append(&c)
		}
	}
}

// display returns the name of a kernel in the source.
func (b *Builder) display(list []uint32) string {
	for _, i := range slices.Backward(list) {
		if k := b.kernels.at(int(i)); k.isForm {
			form, _ := kernelname.FormOf(b.texts.at(k.name))
			return form.Kernel
		}
	}
	return kernelname.Display(b.texts.at(b.kernels.at(int(list[0])).of))
}

// collect returns a kernel of the report from the kernels of modules that it is.
func (b *Builder) collect(list []uint32) (*kernel, *Kernel) {
	name := b.texts.at(b.kernels.at(int(list[0])).of)
	k := &kernel{name: name}
	d := &Kernel{ID: name, Name: name}
	for _, i := range list {
		info := b.kernels.at(int(i))
		m := b.modules.at(int(info.module))
		h := holder{module: int(info.module), needs: info.needs, scope: b.scope(info)}
		location := srcloc.Location{Path: b.texts.at(info.path), Line: info.line, Column: info.column}
		inHeaders := false
		if info.isForm {
			form, _ := kernelname.FormOf(b.texts.at(info.name))
			k.addForm(b.texts.at(info.name), form, h)
			inHeaders = form.Kind == RoundedRange || strings.HasSuffix(location.Path, "sycl/reduction.hpp") // of DPC++
		} else {
			k.holders = append(k.holders, h)
		}
		for i := m.images; i < m.images+m.imageCount; i++ {
			d.Images = append(d.Images, b.texts.at(b.images.at(int(i)).id))
		}
		if d.Location.IsZero() && !inHeaders {
			d.Location = location
		}
		if info.origins > 0 {
			d.Origins = mergeOrigins(d.Origins, b.origins[info.origins-1])
		}
	}
	d.Forms = k.formList()
	slices.Sort(d.Images)
	d.Images = slices.Compact(d.Images)
	return k, d
}

// scope returns whose needs the ones of a kernel are: its own, also when all kernels of
// its module are the same one.
func (b *Builder) scope(k *builtKernel) Scope {
	if k.ownNeeds || b.modules.at(int(k.module)).single {
		return ScopeKernel
	}
	return ScopeImage
}

// findSingle finds the modules all of whose kernels are one.
func (b *Builder) findSingle() {
	for _, m := range b.modules.all() {
		m.single = true
		for i := m.kernel; i < m.kernel+m.kernelCount && m.single; i++ {
			m.single = b.kernels.at(int(i)).of == b.kernels.at(int(m.kernel)).of
		}
	}
}
