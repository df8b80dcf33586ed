package syclbin

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A Builder collects images into abstract modules in the form that the runtime expects. Of an
// abstract module's native images, the runtime uses the first, whatever they are compiled for,
// unless the property compile_target of the module's requirements names a target, and with that
// property it never uses IR. Therefore each native image has its own abstract module, which names
// its architecture, and IR is in one that names none. The IR of one split module for several
// triples is one abstract module.
//
// The zero value is ready to use.
type Builder struct {
	modules []*Module
	groups  map[identity][]*Module
	placed  map[form]int // number of modules in a group that have an image of the form
	once    map[repeatable][]*Image
}

// identity is a digest of what identifies split modules: their metadata and key.
type identity [sha256.Size]byte

// A form identifies an image in a group of modules: a module has at most one image per form.
type form struct {
	identity     identity // of the module
	kind         Kind
	triple, arch string
}

// repeatable holds the properties that images with the same bytes must share to be repeats.
type repeatable struct {
	form
	metadata [sha256.Size]byte // of the image, sorted
	size     int64
}

// Add adds an image. The key and the metadata identify the split module that the image is a form
// of. The order of the metadata does not matter. If several split modules of one triple have the
// same identity, the first of them is paired with the first of another triple, and so on.
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

// AddOnce is Add for images that can occur several times: among images added by AddOnce with the
// same bytes, target, key and metadata, it keeps only the first. It reports whether the image is
// kept. Bytes are read only if everything else is equal.
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
	place := b.placed[f] // the modules before it have an image of that form
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
// images, then the ones with IR, each in the order of addition.
func (b *Builder) File(state State) *File {
	return &File{Version: 1, State: state, Release: release.Newest(), Global: new(propset.Registry), Modules: nativeFirst(b.modules)}
}

func nativeFirst(modules []*Module) []*Module {
	list := slices.Clone(modules)
	slices.SortStableFunc(list, func(a, b *Module) int { return min(len(b.Native), 1) - min(len(a.Native), 1) })
	return list
}

// Separate moves each native image that the runtime would confuse with another into its own
// abstract module, as [Builder] does, and removes compile_target from modules with only IR. It
// returns how many of both it changed. If the result is 0, the order of the file does not change.
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

// CompileTarget returns the value of the property compile_target that makes the runtime use the
// image for its device only: the architecture. Images for CPUs have none, matching what the
// runtime writes.
func (i *Image) CompileTarget() string {
	arch := i.Arch()
	if system, _, _ := strings.Cut(i.Triple(), "-"); system == "spir64_x86_64" || arch == "x86_64" || strings.HasPrefix(arch, "intel_cpu_") {
		return ""
	}
	return arch
}
