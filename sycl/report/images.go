package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Images is a list of device images. Most images of a large report differ in nothing but
// their bytes, so it takes 48 bytes for each beside its id, and keeps the rest once.
type Images struct {
	texts *texts
	list  chunks[storedImage]
	kinds []storedKind

	index map[string]uint32 // of kinds, made when it is missing
	key   []byte
}

type storedImage struct {
	digest   [sha256.Size]byte
	size     int64
	id, kind uint32 // number of the text, index of Images.kinds
}

// A storedKind is an image without its id, its size and a digest that is a SHA-256.
type storedKind struct {
	Image
	hasDigest bool
}

// MakeImages returns a list of these images.
func MakeImages(list ...Image) Images {
	var l Images
	for i := range list {
		l.Append(&list[i])
	}
	return l
}

// Len returns the number of images.
func (l *Images) Len() int { return l.list.n }

// At returns an image. Its lists must not be changed.
func (l *Images) At(i int) Image {
	s := l.list.at(i)
	kind := &l.kinds[s.kind]
	image := kind.Image
	image.ID, image.Size = l.texts.at(s.id), s.size
	if !kind.hasDigest {
		image.Digest = hex.EncodeToString(s.digest[:])
	}
	return image
}

// ID returns the id of an image.
func (l *Images) ID(i int) string { return l.texts.at(l.list.at(i).id) }

// Files returns the files that hold an image. The list must not be changed.
func (l *Images) Files(i int) []string { return l.kinds[l.list.at(i).kind].Files }

// compareDigests compares the digests of an image and one of another list.
func (l *Images) compareDigests(i int, other *Images, j int) int {
	a, b := l.list.at(i), other.list.at(j)
	if l.kinds[a.kind].hasDigest || other.kinds[b.kind].hasDigest {
		return strings.Compare(l.At(i).Digest, other.At(j).Digest)
	}
	return bytes.Compare(a.digest[:], b.digest[:])
}

// All returns the images and their indexes. An image is valid until the next one is taken.
func (l *Images) All() iter.Seq2[int, *Image] {
	return func(yield func(int, *Image) bool) {
		var image Image
		for i := range l.Len() {
			image = l.At(i)
			if !yield(i, &image) {
				return
			}
		}
	}
}

// Append adds an image at the end.
func (l *Images) Append(i *Image) { l.list.append(l.store(i)) }

// Set replaces an image.
func (l *Images) Set(i int, image *Image) { *l.list.at(i) = l.store(image) }

func (l *Images) store(i *Image) storedImage {
	if l.texts == nil {
		l.texts = new(texts)
	}
	s := storedImage{id: l.texts.number(i.ID), size: i.Size}
	kind := storedKind{*i, true}
	kind.ID, kind.Size = "", 0
	if isDigest(i.Digest) {
		hex.Decode(s.digest[:], []byte(i.Digest))
		kind.Digest, kind.hasDigest = "", false
	}
	s.kind = l.kind(&kind)
	return s
}

// isDigest reports whether a text is a SHA-256 in hexadecimal.
func isDigest(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == hex.EncodedLen(sha256.Size)
}

// kind returns the index of a kind of images.
func (l *Images) kind(kind *storedKind) uint32 {
	if l.index == nil {
		l.index = map[string]uint32{}
		for i := range l.kinds {
			l.index[string(l.kindKey(&l.kinds[i]))] = uint32(i)
		}
	}
	key := l.kindKey(kind)
	n, ok := l.index[string(key)]
	if !ok {
		n = uint32(len(l.kinds))
		l.index[string(key)] = n
		l.kinds = append(l.kinds, *kind)
	}
	return n
}

// kindKey returns what tells kinds apart. It is valid until the next call.
func (l *Images) kindKey(i *storedKind) []byte {
	key := append(l.key[:0], btoi(i.hasDigest)<<1|btoi(i.ESIMD))
	add := func(n uint64) { key = binary.AppendUvarint(key, n) }
	texts := func(list ...string) {
		add(uint64(len(list)))
		for _, s := range list {
			add(uint64(len(s)))
			key = append(key, s...)
		}
	}
	r := &i.Requirements
	texts(i.Architecture, i.CompileOptions, i.CompileTarget, i.Digest, i.Format, i.LinkOptions, i.Triple)
	for _, list := range [...][]string{i.Files, i.FixedTargets, i.Unknown, r.JointMatrix, r.JointMad} {
		texts(list...)
	}
	add(uint64(len(r.Aspects)))
	for _, a := range r.Aspects {
		texts(a.Name)
		add(uint64(a.Value))
	}
	add(uint64(len(r.SubGroupSizes)))
	for _, n := range r.SubGroupSizes {
		add(uint64(n))
	}
	add(uint64(len(r.WorkGroupSize)))
	for _, n := range r.WorkGroupSize {
		add(n)
	}
	add(uint64(r.WorkGroupDims))
	l.key = key
	return key
}

func btoi(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// chosen returns a list of some of the images, given by index.
func (l *Images) chosen(indexes []uint32) Images {
	out := Images{texts: l.texts, kinds: slices.Clip(l.kinds)}
	for _, i := range indexes {
		out.list.append(*l.list.at(int(i)))
	}
	return out
}

// MarshalJSON and UnmarshalJSON are for encoding/json, see [Cells.MarshalJSON].
func (l Images) MarshalJSON() ([]byte, error) {
	list := make([]Image, l.Len())
	for i := range list {
		list[i] = l.At(i)
	}
	return json.Marshal(list)
}

func (l *Images) UnmarshalJSON(data []byte) error {
	var list []Image
	err := json.Unmarshal(data, &list)
	*l = MakeImages(list...)
	return err
}
