package syclbin

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A Builder collects images into abstract modules in the form that the runtime expects. The runtime
// uses the first native image of an abstract module, regardless of the architecture, unless the
// property compile_target of the module's requirements names a target. With that property, it never
// uses IR. Therefore the Builder puts each native image into a separate abstract module that names
// the architecture, and IR into an abstract module without compile_target. The IR of a split module
// for several triples forms one abstract module.
//
// The zero value is ready to use.
type Builder struct {
	modules []*Module
	groups  map[identity][]*Module
	placed  map[form]int // number of modules in a group that have an image of the form
	once    map[repeatable][]*Image
}

// An identity identifies a split module: it is a digest of its metadata and key.
type identity [sha256.Size]byte

// A form identifies an image in a group of modules: a module has at most one image per form.
type form struct {
	identity     identity // of the module
	kind         Kind
	triple, arch string
}

// A repeatable holds everything except the bytes that must be equal for an image to be a repeat of
// another.
type repeatable struct {
	form
	metadata [sha256.Size]byte // of the image, sorted
	size     int64
}

// Add adds an image. The key and the metadata, regardless of its order, identify the split module
// that the image is a form of. If several split modules for one triple have the same identity, the
// first of them is paired with the first for another triple, and so on.
//
// The metadata becomes the metadata of the abstract module and must not be changed afterwards.
func (b *Builder) Add(key string, metadata *propset.Registry, img *Image) error {
	metadata, f, err := moduleForm(key, metadata, img)
	if err != nil {
		return err
	}
	b.add(f, metadata, img)
	return nil
}

// AddOnce is like Add, but keeps only the first of the images added by AddOnce that have the same
// bytes, target, key and metadata. It reports whether it kept the image. It reads the bytes only if
// everything else is equal.
func (b *Builder) AddOnce(key string, metadata *propset.Registry, img *Image) (bool, error) {
	metadata, f, err := moduleForm(key, metadata, img)
	if err != nil {
		return false, err
	}
	own, err := img.Metadata.SortedText()
	if err != nil {
		return false, err
	}
	like := repeatable{f, sha256.Sum256(own), img.Size()}
	for _, other := range b.once[like] {
		if same, err := sameBytes(img, other); same || err != nil {
			return false, err
		}
	}
	if b.once == nil {
		b.once = make(map[repeatable][]*Image)
	}
	b.once[like] = append(b.once[like], img)
	b.add(f, metadata, img)
	return true, nil
}

func sameBytes(a, b *Image) (bool, error) {
	digest, err := a.Digest()
	if err != nil {
		return false, err
	}
	other, err := b.Digest()
	return digest == other, err
}

// moduleForm returns the metadata of the abstract module of an image, and its form.
func moduleForm(key string, metadata *propset.Registry, img *Image) (*propset.Registry, form, error) {
	metadata = requirement.WithCompileTarget(metadata, img.CompileTarget())
	text, err := metadata.SortedText()
	if err != nil {
		return nil, form{}, err
	}
	text = append(append(text, 0), key...) // property set text has no NUL
	return metadata, form{sha256.Sum256(text), img.Kind, img.Triple(), img.Arch()}, nil
}

func (b *Builder) add(f form, metadata *propset.Registry, img *Image) {
	if b.groups == nil {
		b.groups = make(map[identity][]*Module)
		b.placed = make(map[form]int)
	}
	place := b.placed[f] // the earlier modules have an image of that form
	b.placed[f]++
	if place == len(b.groups[f.identity]) {
		module := &Module{Metadata: metadata}
		b.modules = append(b.modules, module)
		b.groups[f.identity] = append(b.groups[f.identity], module)
	}
	module := b.groups[f.identity][place]
	if img.Kind == IRModule {
		module.IR = append(module.IR, img)
	} else {
		module.Native = append(module.Native, img)
	}
}

// File returns a file in the given state with all added images: first the modules with native
// images, then the modules with IR, both in the order in which they were added.
func (b *Builder) File(state State) *File {
	return &File{Version: 1, State: state, Release: release.Newest(), Global: new(propset.Registry), Modules: nativeFirst(b.modules)}
}

func nativeFirst(modules []*Module) []*Module {
	list := slices.Clone(modules)
	slices.SortStableFunc(list, func(a, b *Module) int { return min(len(b.Native), 1) - min(len(a.Native), 1) })
	return list
}

// Separate moves each native image that the runtime would confuse with another into a separate
// abstract module, as [Builder] does, and removes compile_target from modules with only IR. It
// returns the number of images and modules that it changed. If that is 0, it does not change the
// order of the file.
func (f *File) Separate() (changed int) {
	var list []*Module
	for _, m := range f.Modules {
		if m.isSeparate() {
			list = append(list, m)
			continue
		}
		for _, img := range m.Native {
			changed++
			list = append(list, &Module{Metadata: requirement.WithCompileTarget(m.Metadata, img.CompileTarget()), Native: []*Image{img}})
		}
		if len(m.IR) > 0 {
			list = append(list, &Module{Metadata: requirement.WithCompileTarget(m.Metadata, ""), IR: m.IR})
			if len(m.Native) == 0 {
				changed++
			}
		}
	}
	if changed > 0 {
		f.Modules = nativeFirst(list)
	}
	return changed
}

// isSeparate reports whether the runtime cannot confuse the module's images.
func (m *Module) isSeparate() bool {
	if len(m.Native) == 0 {
		return requirement.CompileTarget(m.Metadata) == ""
	}
	return len(m.Native) == 1 && len(m.IR) == 0 && requirement.CompileTarget(m.Metadata) == m.Native[0].CompileTarget()
}

// CompileTarget returns the value of the property compile_target with which the runtime uses the
// image only for its device, which is the architecture. It returns "" for images for CPUs, because
// the runtime writes none for them.
func (i *Image) CompileTarget() string {
	arch := i.Arch()
	if system, _, _ := strings.Cut(i.Triple(), "-"); system == "spir64_x86_64" || arch == "x86_64" || strings.HasPrefix(arch, "intel_cpu_") {
		return ""
	}
	return arch
}
