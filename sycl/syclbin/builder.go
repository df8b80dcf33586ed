package syclbin

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A Builder collects images into abstract modules, as the runtime wants them: of the
// native images of an abstract module it takes the first, whatever they are compiled
// for, unless the property compile_target of the module's requirements names a
// target, and with that it never takes IR. So a native image stands in an abstract
// module of its own, which names its architecture, and IR in one that names none.
// The IR of one split module for several triples is one abstract module.
//
// The zero value is ready to use.
type Builder struct {
	modules []*Module
	groups  map[identity][]*Module
	placed  map[form]int // how many modules of a group have an image of the form
	once    map[repeatable][]*Image
}

// identity is a digest of what split modules are known by: their metadata and key.
type identity [sha256.Size]byte

// form is what a module has one image for at most.
type form struct {
	identity     identity // of the module
	kind         Kind
	triple, arch string
}

// repeatable is what images have in common that can have the same bytes.
type repeatable struct {
	form
	metadata [sha256.Size]byte // of the image, sorted
	size     int64
}

// Add adds an image. The key and the metadata are the identity of the split
// module that the image is a form of; how the metadata is ordered does not
// matter. When several split modules of one triple have the same identity, the
// first of them is paired with the first of another triple, and so on.
//
// The metadata becomes that of the abstract module and must not be changed any
// more.
func (b *Builder) Add(key string, metadata *propset.Registry, img *Image) error {
	metadata, f, err := formOf(key, metadata, img)
	if err != nil {
		return err
	}
	b.add(f, metadata, img)
	return nil
}

// AddOnce is Add for images that can occur several times: of those that were added by
// AddOnce with the same bytes, target, key and metadata, only the first is kept. It
// reports whether the image is kept. Bytes are read only where all else is the same.
func (b *Builder) AddOnce(key string, metadata *propset.Registry, img *Image) (bool, error) {
	metadata, f, err := formOf(key, metadata, img)
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

// formOf returns the metadata of the abstract module of an image, and its form.
func formOf(key string, metadata *propset.Registry, img *Image) (*propset.Registry, form, error) {
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

// File returns a file in that state with what was added so far: first the modules
// with native images, then those with IR, each in the order in which they were added.
func (b *Builder) File(state State) *File {
	return &File{Version: 1, State: state, Release: release.Newest(), Global: new(propset.Registry), Modules: nativeFirst(b.modules)}
}

func nativeFirst(modules []*Module) []*Module {
	list := slices.Clone(modules)
	slices.SortStableFunc(list, func(a, b *Module) int { return min(len(b.Native), 1) - min(len(a.Native), 1) })
	return list
}

// Separate gives each native image that the runtime would confuse with another an
// abstract module of its own, as [Builder] does, and returns how many did not have
// one. A file that needs no change keeps its order.
func (f *File) Separate() (changed int) {
	var list []*Module
	for _, m := range f.Modules {
		if m.separate() {
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

// separate reports whether the runtime cannot confuse the module's images.
func (m *Module) separate() bool {
	if len(m.Native) == 0 {
		return requirement.CompileTarget(m.Metadata) == ""
	}
	return len(m.Native) == 1 && len(m.IR) == 0 && requirement.CompileTarget(m.Metadata) == m.Native[0].CompileTarget()
}

// CompileTarget returns what the property compile_target has to be for the runtime to
// give the image to its device only: the architecture. Images for CPUs have none, as the
// runtime itself writes them.
func (i *Image) CompileTarget() string {
	arch := i.Arch()
	if system, _, _ := strings.Cut(i.Triple(), "-"); system == "spir64_x86_64" || arch == "x86_64" || strings.HasPrefix(arch, "intel_cpu_") {
		return ""
	}
	return arch
}
