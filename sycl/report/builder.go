package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Builder builds a report from modules that are added one after the other. It retains only the
// data for the report. Use [NewBuilder] to create a Builder.
type Builder struct {
	// Chosen, if not nil, is called with the image that each device would use for each kernel, or -1.
	// The arguments are indexes in the report.
	Chosen func(kernel, device, image int)

	config  *deviceconfig.Config
	checker *compat.Checker
	modules []builtModule
	kernels []builtKernel
	images  []builtImage
	files   []moduleFiles
	origins map[int32][]srcloc.Origin  // of kernels with origins, by index
	forms   map[string]kernelname.Form // by name, see JoinForms

	kinds    []builtKind
	kindsIDs map[imageKey]int32
	needs    []*requirement.Requirements // distinct requirements
	needsIDs map[string]int32            // their indexes

	devices []*deviceconfig.Device
	serves  []Code      // code that images provide for devices, by kind and device
	answers [][]*answer // by requirements and device
}

// A builtModule is the stored part of a module.
type builtModule struct {
	files               int32 // index of Builder.files
	images, imageCount  int32 // the first image, and the number of images
	kernel, kernelCount int32
	embedded, single    bool // single: all kernels form one kernel of the report
}

// moduleFiles holds Module.File and Module.Files. Modules of a file are adjacent, so they share a
// moduleFiles.
type moduleFiles struct {
	program string
	list    []File
}

// A builtKernel is the stored part of a kernel of a module.
type builtKernel struct {
	name             string
	display          string // in the source, "" if JoinForms did not compute it
	location         srcloc.Location
	owner            int32 // index of the kernel that has the name of this kernel, or that this kernel is a form of
	module, needs    int32 // indexes
	ownNeeds, isForm bool
}

// A builtImage is the stored part of an image of a module.
type builtImage struct {
	digest Digest
	number int32 // in the report
	kind   int32 // index of Builder.kinds
	module int32 // index
}

// An imageKey determines the kind of an image: its requirements and its fields without the content.
type imageKey struct {
	needs string
	image ModuleImage
}

// A builtKind is a kind of images without its files.
type builtKind struct {
	described     ImageKind
	text          string // identifies the description
	image         ModuleImage
	compileTarget string
}

// NewBuilder returns a builder for reports on devices of a configuration.
func NewBuilder(config *deviceconfig.Config) *Builder {
	return &Builder{config: config, checker: compat.New(config), kindsIDs: map[imageKey]int32{}, needsIDs: map[string]int32{}, origins: map[int32][]srcloc.Origin{}}
}

// Add adds a module. The builder does not retain the module, except for its lists and requirements.
func (b *Builder) Add(m *Module) {
	module := int32(len(b.modules))
	if n := len(b.files); n == 0 || b.files[n-1].program != m.File || !slices.Equal(b.files[n-1].list, m.Files) {
		b.files = append(b.files, moduleFiles{m.File, m.Files})
	}
	b.modules = append(b.modules, builtModule{files: int32(len(b.files) - 1), embedded: m.Embedded, images: int32(len(b.images)), imageCount: int32(len(m.Images)),
		kernel: int32(len(b.kernels)), kernelCount: int32(len(m.Kernels))})
	if len(m.Images) > 0 {
		key := m.Needs.Key()
		for i := range m.Images {
			image := &m.Images[i]
			b.images = append(b.images, builtImage{digest: image.Digest, kind: b.kind(key, m.Needs, image), module: module})
		}
	}
	if len(m.Kernels) > 0 {
		needs := b.needsOf(m.Needs)
		for i := range m.Kernels {
			k := &m.Kernels[i]
			index := int32(len(b.kernels))
			kept := builtKernel{name: strings.Clone(k.Name), location: k.Source.Location, owner: index, module: module, needs: needs}
			if k.Needs != nil {
				kept.needs, kept.ownNeeds = b.needsOf(k.Needs), true
			}
			if len(k.Source.Origins) > 0 {
				b.origins[index] = k.Source.Origins
			}
			b.kernels = append(b.kernels, kept)
		}
	}
}

// needsOf returns the index of requirements. It ignores the target of an image, which only affects
// the choice of an image, see moduleOutcome.
func (b *Builder) needsOf(needs *requirement.Requirements) int32 {
	chosen := *needs
	chosen.CompileTarget = ""
	key := chosen.Key()
	id, ok := b.needsIDs[key]
	if !ok {
		id = int32(len(b.needs))
		b.needsIDs[key] = id
		b.needs = append(b.needs, &chosen)
	}
	return id
}

// kind returns the index of the kind of an image.
func (b *Builder) kind(needsKey string, needs *requirement.Requirements, image *ModuleImage) int32 {
	key := imageKey{needsKey, *image}
	key.image.Digest = Digest{}
	i, ok := b.kindsIDs[key]
	if !ok {
		described := describeImage(needs, &key.image)
		i = int32(len(b.kinds))
		b.kindsIDs[key] = i
		b.kinds = append(b.kinds, builtKind{described, described.text(), key.image, needs.CompileTarget})
	}
	return i
}

// Report builds the report on the modules and the given devices. The builder must not be used
// afterwards.
func (b *Builder) Report(devices []*deviceconfig.Device, generator Generator, label string) (*Report, error) {
	r := &Report{Schema: Schema, Generator: generator, Targets: []string{label}, Devices: []Device{}, ImageKinds: []ImageKind{}, Images: []Image{}, Kernels: []Kernel{}}
	devices = slices.Clone(devices)
	slices.SortFunc(devices, func(a, b *deviceconfig.Device) int { return strings.Compare(a.Name, b.Name) })
	b.devices = slices.CompactFunc(devices, func(a, b *deviceconfig.Device) bool { return a.Name == b.Name })
	for _, d := range b.devices {
		r.Devices = append(r.Devices, DescribeDevice(d))
	}
	for i := range b.kinds {
		for _, d := range b.devices {
			b.serves = append(b.serves, b.kinds[i].serves(d))
		}
	}
	b.answers = make([][]*answer, len(b.needs))
	b.listImages(r)
	b.listKernels(r)
	*b = Builder{} // the report owns its data
	r.Statistics = r.statistics()
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("the report contradicts itself: %w", err)
	}
	return r, nil
}

// serves returns the code that images of a kind provide for a device.
func (k *builtKind) serves(d *deviceconfig.Device) Code {
	switch {
	case k.image.Native && runsNative(&k.image, k.compileTarget, d):
		return Native
	case !k.image.Native && runsIR(&k.image, d):
		return IR
	case k.image.Native && k.compileTarget == "" && mayBeFor(&k.image, d):
		return nativeUnknownArch
	}
	return NoCode
}

// listImages lists the images by digest. Images with the same bytes and requirements are listed
// once.
func (b *Builder) listImages(r *Report) {
	order := make([]*builtImage, len(b.images))
	for i := range b.images {
		order[i] = &b.images[i]
	}
	compare := func(x, y *builtImage) int {
		if n := bytes.Compare(x.digest[:], y.digest[:]); n != 0 || x.kind == y.kind {
			return n
		}
		return strings.Compare(b.kinds[x.kind].text, b.kinds[y.kind].text)
	}
	slices.SortStableFunc(order, compare)
	l := newImageLister(r)
	for _, f := range b.files {
		l.add(f.list...)
	}
	l.addFiles()
	for same := range runs(order, compare) {
		var files []File
		for _, i := range same {
			files = append(files, b.files[b.modules[i.module].files].list...)
		}
		kind := &b.kinds[same[0].kind]
		number := l.image(same[0].digest, kind.described, kind.text, files)
		for _, i := range same {
			i.number = number
		}
	}
}

// runs yields the runs of equal elements in a sorted list.
func runs[T any](list []T, compare func(a, b T) int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && compare(list[0], list[n]) == 0 {
				n++
			}
			if !yield(list[:n:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// text returns a text that identifies a kind of images without its files.
func (k ImageKind) text() string {
	k.Files = nil
	data, _ := json.Marshal(k) // encoding texts and numbers cannot fail
	return string(data)
}

// An imageLister adds images with their kinds and files to a report.
type imageLister struct {
	*Report
	files map[File]int32
	kinds map[string]int32
}

func newImageLister(r *Report) *imageLister {
	return &imageLister{r, map[File]int32{}, map[string]int32{}}
}

// add collects files, which addFiles numbers.
func (l *imageLister) add(files ...File) {
	for _, f := range files {
		if _, ok := l.files[f]; !ok {
			l.files[f] = 0
			l.Files = append(l.Files, f)
		}
	}
}

// addFiles adds the collected files to the report and numbers them.
func (l *imageLister) addFiles() {
	slices.SortFunc(l.Files, func(a, b File) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Digest, b.Digest))
	})
	for i, f := range l.Files {
		l.files[f] = int32(i)
	}
}

// image adds an image of a kind, which text identifies, and returns its number.
func (l *imageLister) image(digest Digest, kind ImageKind, text string, files []File) int32 {
	kind.Files = nil
	for _, f := range files {
		kind.Files = append(kind.Files, l.files[f])
	}
	slices.Sort(kind.Files)
	kind.Files = slices.Compact(kind.Files)
	text = fmt.Sprint(kind.Files, text)
	n, ok := l.kinds[text]
	if !ok {
		n = int32(len(l.ImageKinds))
		l.kinds[text] = n
		l.ImageKinds = append(l.ImageKinds, kind)
	}
	l.Images = append(l.Images, Image{digest, n})
	return int32(len(l.Images) - 1)
}

// A kernel is a kernel together with the modules that contain it.
type kernel struct {
	name    string
	holders []holder
	forms   map[string]*kernelForm // by name, see JoinForms
}

// A holder is a module that contains a kernel.
type holder struct {
	module int // index
	needs  int // the kernel's requirements in the module, an index of Builder.needs
	scope  Scope
}

// listKernels lists the kernels and their rows.
func (b *Builder) listKernels(r *Report) {
	b.findSingle()
	order := make([]int32, len(b.kernels))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return strings.Compare(b.nameOf(i), b.nameOf(j)) })
	type group struct{ first, count int32 } // a range of order that forms one kernel
	groups := make([]group, 0, len(order))
	for i, k := range order {
		if i == 0 || b.nameOf(k) != b.nameOf(order[i-1]) {
			groups = append(groups, group{first: int32(i)})
		}
		groups[len(groups)-1].count++
	}
	r.Kernels = slices.Grow(r.Kernels, len(groups))
	for i, g := range groups { // Row holds the group number until the row is known
		r.Kernels = append(r.Kernels, Kernel{DisplayName: b.display(order[g.first:][:g.count]), Row: int32(i)})
	}
	slices.SortStableFunc(r.Kernels, func(a, b Kernel) int { return strings.Compare(a.DisplayName, b.DisplayName) })
	rows := newTable(r)
	row := make([]int32, len(b.devices))
	for i := range r.Kernels {
		described := &r.Kernels[i]
		g := groups[described.Row]
		k := b.collect(order[g.first:][:g.count], described)
		for d := range b.devices {
			c := b.outcome(k, d)
			row[d] = rows.outcome(&c.Outcome)
			if b.Chosen != nil {
				b.Chosen(i, d, c.image)
			}
		}
		described.Row = rows.row(row)
	}
}

// nameOf returns a module kernel's name in the report.
func (b *Builder) nameOf(kernel int32) string { return b.kernels[b.kernels[kernel].owner].name }

// display returns a kernel's name in the source.
func (b *Builder) display(list []int32) string {
	for _, i := range slices.Backward(list) {
		if k := &b.kernels[i]; k.isForm {
			return b.forms[k.name].Kernel
		}
	}
	if k := &b.kernels[b.kernels[list[0]].owner]; k.display != "" {
		return k.display
	}
	return kernelname.Display(b.nameOf(list[0]))
}

// collect describes a kernel of the report, which consists of the given module kernels.
func (b *Builder) collect(list []int32, d *Kernel) *kernel {
	k := &kernel{name: b.nameOf(list[0])}
	d.Name, d.Images = k.name, make([]int32, 0, 1)
	for _, i := range list {
		info := &b.kernels[i]
		m := &b.modules[info.module]
		h := holder{module: int(info.module), needs: int(info.needs), scope: b.scope(info)}
		inHeaders := false
		if info.isForm {
			form := b.forms[info.name]
			k.addForm(info.name, form, h)
			inHeaders = form.Kind == kernelname.RoundedRange || strings.HasSuffix(info.location.Path, "sycl/reduction.hpp") // of DPC++
		} else {
			k.holders = append(k.holders, h)
		}
		for i := m.images; i < m.images+m.imageCount; i++ {
			d.Images = append(d.Images, b.images[i].number)
		}
		if d.Location.IsZero() && !inHeaders {
			d.Location = info.location
		}
		d.Origins = mergeOrigins(d.Origins, b.origins[i])
	}
	d.Forms = k.formList()
	slices.Sort(d.Images)
	d.Images = slices.Clip(slices.Compact(d.Images))
	return k
}

// scope returns ScopeKernel if the requirements of a module kernel are separate from the module's,
// or if all kernels of its module form one kernel.
func (b *Builder) scope(k *builtKernel) Scope {
	if k.ownNeeds || b.modules[k.module].single {
		return ScopeKernel
	}
	return ScopeImage
}

// findSingle marks the modules whose kernels all form one kernel.
func (b *Builder) findSingle() {
	for i := range b.modules {
		m := &b.modules[i]
		m.single = true
		for k := m.kernel; k < m.kernel+m.kernelCount; k++ {
			m.single = m.single && b.nameOf(k) == b.nameOf(m.kernel)
		}
	}
}
