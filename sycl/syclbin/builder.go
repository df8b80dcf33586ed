package syclbin

import "github.com/rules-sycl/rules_sycl/sycl/propset"

// A Builder collects images into abstract modules. Images of the same split
// module whose metadata agrees become forms of one abstract module. The zero
// value is ready to use.
type Builder struct {
	modules []*Module
	groups  map[string][]*Module
	placed  map[form]int // how many modules of a group have an image of the form
}

// form is what a module has one image for at most.
type form struct {
	identity     string // of the module
	kind         Kind
	triple, arch string
}

// Add adds an image. The key and the metadata are the identity of the split
// module that the image is a form of; how the metadata is ordered does not
// matter. When several split modules of one target have the same identity, the
// first of them is paired with the first of another target, and so on. Abstract
// modules are in the order in which their first image was added.
//
// The metadata becomes that of the abstract module and must not be changed any
// more.
func (b *Builder) Add(key string, metadata *propset.Registry, img *Image) error {
	text, err := metadata.SortedText()
	if err != nil {
		return err
	}
	identity := string(text) + "\x00" + key // property set text has no NUL
	if b.groups == nil {
		b.groups = make(map[string][]*Module)
		b.placed = make(map[form]int)
	}
	f := form{identity, img.Kind, img.Triple(), img.Arch()}
	place := b.placed[f] // the modules before it have an image of that form
	b.placed[f]++
	if place == len(b.groups[identity]) {
		module := &Module{Metadata: metadata}
		b.modules = append(b.modules, module)
		b.groups[identity] = append(b.groups[identity], module)
	}
	module := b.groups[identity][place]
	if img.Kind == IRModule {
		module.IR = append(module.IR, img)
	} else {
		module.Native = append(module.Native, img)
	}
	return nil
}

// File returns a file in that state with what was added so far.
func (b *Builder) File(state State) *File {
	return &File{Version: 1, State: state, Global: new(propset.Registry), Modules: b.modules}
}
