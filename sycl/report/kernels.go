package report

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Kernels is a list of kernels. A report may have half a million, so it takes 36 bytes for
// each beside the texts, of which it keeps each once.
type Kernels struct {
	texts  *texts
	list   chunks[storedKernel]
	images chunks[uint32] // numbers of ids, in lists that neighbours share
	extras []kernelExtra
}

// A storedKernel has numbers of texts.
type storedKernel struct {
	display, id, name, path uint32
	line, column            uint32
	images, imageCount      uint32 // of Kernels.images
	extra                   uint32 // index of Kernels.extras plus 1, or 0 for none
}

// A kernelExtra has what few kernels have.
type kernelExtra struct {
	forms   []KernelForm
	origins []srcloc.Origin
}

// MakeKernels returns a list of these kernels.
func MakeKernels(list ...Kernel) Kernels {
	var l Kernels
	for i := range list {
		l.Append(&list[i])
	}
	return l
}

// Len returns the number of kernels.
func (l *Kernels) Len() int { return l.list.n }

// At returns a kernel. Its lists must not be changed.
func (l *Kernels) At(i int) Kernel {
	var k Kernel
	l.get(i, &k, nil)
	return k
}

// ID returns the id of a kernel.
func (l *Kernels) ID(i int) string { return l.texts.at(l.list.at(i).id) }

// DisplayName returns the display name of a kernel.
func (l *Kernels) DisplayName(i int) string { return l.texts.at(l.list.at(i).display) }

// Origins returns what a kernel needs by its own code. The list must not be changed.
func (l *Kernels) Origins(i int) []srcloc.Origin {
	if extra := l.list.at(i).extra; extra > 0 {
		return l.extras[extra-1].origins
	}
	return nil
}

// All returns the kernels and their indexes. A kernel is valid until the next one is taken.
func (l *Kernels) All() iter.Seq2[int, *Kernel] {
	return func(yield func(int, *Kernel) bool) {
		var k Kernel
		for i := range l.Len() {
			images := k.Images
			if i == 0 || !l.list.at(i).sameImages(l.list.at(i-1)) {
				images = nil
			}
			l.get(i, &k, images)
			if !yield(i, &k) {
				return
			}
		}
	}
}

// get reads a kernel. Its images are these, if they are known.
func (l *Kernels) get(i int, to *Kernel, images []string) {
	k := l.list.at(i)
	if images == nil {
		images = make([]string, k.imageCount)
		for n := range images {
			images[n] = l.image(k, n)
		}
	}
	*to = Kernel{DisplayName: l.texts.at(k.display), ID: l.texts.at(k.id), Name: l.texts.at(k.name), Images: images,
		Location: srcloc.Location{Path: l.texts.at(k.path), Line: k.line, Column: k.column}}
	if k.extra > 0 {
		extra := &l.extras[k.extra-1]
		to.Forms, to.Origins = extra.forms, extra.origins
	}
}

// image returns the id of an image of a kernel.
func (l *Kernels) image(k *storedKernel, n int) string {
	return l.texts.at(*l.images.at(int(k.images) + n))
}

func (k *storedKernel) sameImages(other *storedKernel) bool {
	return k.images == other.images && k.imageCount == other.imageCount
}

// Append adds a kernel at the end.
func (l *Kernels) Append(k *Kernel) { l.list.append(l.store(k)) }

// Set replaces a kernel.
func (l *Kernels) Set(i int, k *Kernel) { *l.list.at(i) = l.store(k) }

func (l *Kernels) store(k *Kernel) storedKernel {
	if l.texts == nil {
		l.texts = new(texts)
	}
	s := storedKernel{display: l.texts.number(k.DisplayName), id: l.texts.number(k.ID), name: l.texts.number(k.Name),
		path: l.texts.number(k.Location.Path), line: k.Location.Line, column: k.Location.Column, imageCount: uint32(len(k.Images))}
	if last := l.Len() - 1; last >= 0 && l.hasImages(l.list.at(last), k.Images) { // kernels of one module
		s.images = l.list.at(last).images
	} else {
		s.images = uint32(l.images.n)
		for _, id := range k.Images {
			l.images.append(l.texts.number(id))
		}
	}
	if len(k.Forms)+len(k.Origins) > 0 {
		l.extras = append(l.extras, kernelExtra{k.Forms, k.Origins})
		s.extra = uint32(len(l.extras))
	}
	return s
}

// hasImages reports whether a kernel has these images.
func (l *Kernels) hasImages(k *storedKernel, ids []string) bool {
	for n, id := range ids {
		if n >= int(k.imageCount) || l.image(k, n) != id {
			return false
		}
	}
	return len(ids) == int(k.imageCount)
}

// chosen returns a list of some of the kernels, given by index.
func (l *Kernels) chosen(indexes []uint32) Kernels {
	out := Kernels{texts: l.texts, images: l.images.shared(), extras: slices.Clip(l.extras)}
	for _, i := range indexes {
		out.list.append(*l.list.at(int(i)))
	}
	return out
}

// MarshalJSON and UnmarshalJSON are for encoding/json, see [Cells.MarshalJSON].
func (l Kernels) MarshalJSON() ([]byte, error) {
	list := make([]Kernel, l.Len())
	for i := range list {
		list[i] = l.At(i)
	}
	return json.Marshal(list)
}

func (l *Kernels) UnmarshalJSON(data []byte) error {
	var list []Kernel
	err := json.Unmarshal(data, &list)
	*l = MakeKernels(list...)
	return err
}
