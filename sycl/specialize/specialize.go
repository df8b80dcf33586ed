// Package specialize describes the specialization constants of device images, and sets them ahead
// of time.
//
// Setting a constant changes its default value in the SPIR-V module, which device compilers use,
// and in the property sets, where DPC++'s runtime looks it up for get_specialization_constant. The
// rest of the image is unchanged, so a program can still set the constant at run time.
package specialize

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// A Setting is a constant and its new value.
type Setting struct {
	Name  string // symbolic id, or the demangled name if it is unique
	Value string // a number, true or false, a list or an object of these, or "bytes:" and hexadecimal digits
}

// An Image is a device image whose constants are set.
type Image struct {
	Place    string            // for messages
	Metadata *propset.Registry // replaced by one with the new default values
	Code     []offload.Source  // its SPIR-V modules, replaced by modules with the new values

	// Fixed describes copies of the image's kernels that were compiled with the default values and
	// cannot be changed, such as "native image for intel_gpu_pvc".
	Fixed []string
}

// Options configure Set.
type Options struct {
	// DropFixed allows changes to images with Fixed set. Set then removes the fixed copies: Fixed
	// becomes nil.
	DropFixed bool
}

// A Change describes how a constant changed.
type Change struct {
	Name        string
	DisplayName string
	Parts       []ChangedPart
	Images      []int // that have the constant, by index in the list
}

// A ChangedPart is a scalar of a constant. Types are empty if no SPIR-V module has the scalar.
type ChangedPart struct {
	Type     string
	Old, New string
}

// A RequestError is returned for a setting with an invalid name or value.
type RequestError struct {
	Setting Setting
	Msg     string
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("%s=%s: %s", safetext.Shorten(e.Setting.Name), safetext.Shorten(e.Setting.Value), e.Msg)
}

// ErrFixed is wrapped by the error that Set returns for images with Fixed set.
var ErrFixed = errors.New("it has the old value compiled in")

// An ImageError is an error in an image.
type ImageError struct {
	Place string
	Err   error
}

func (e *ImageError) Error() string { return e.Place + ": " + e.Err.Error() }

func (e *ImageError) Unwrap() error { return e.Err }

// BadInput marks the error as caused by an input file.
func (*ImageError) BadInput() {}

// Set sets constants in images. If it returns an error, no image is changed.
func Set(images []Image, settings []Setting, o Options) ([]Change, error) {
	s := setter{images: images, names: map[string][]string{}, users: map[string][]user{}}
	for i := range images {
		if err := s.read(i); err != nil {
			return nil, err
		}
	}
	var changes []Change
	set := map[string]bool{}
	for _, setting := range settings {
		name, err := s.resolve(setting)
		if err != nil {
			return nil, err
		}
		if set[name] {
			return nil, &RequestError{setting, "duplicate setting"}
		}
		set[name] = true
		change, err := s.set(name, setting, o)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	s.apply(o)
	return changes, nil
}

// A setter holds the state of one call of Set.
type setter struct {
	images    []Image
	constants []*imageConstants

	all   []string            // symbolic ids, in order of appearance
	names map[string][]string // symbolic ids by demangled name
	users map[string][]user   // images by symbolic id
}

// A user is a constant of an image.
type user struct {
	image    int
	constant int
}

// imageConstants holds the constants of an image.
type imageConstants struct {
	list    []propset.SpecConstant
	code    [][]spirv.SpecConstant // of each SPIR-V module
	types   map[uint32]spirv.Scalar
	patches [][]spirv.Patch // of each SPIR-V module
	changed bool
}

// read reads the constants of an image.
func (s *setter) read(image int) error {
	img := &s.images[image]
	c, err := readImage(img)
	if err != nil {
		return &ImageError{img.Place, err}
	}
	for n := range c.list {
		name := c.list[n].Name
		if s.users[name] == nil {
			s.all = append(s.all, name)
			display := kernelname.Constant(name)
			s.names[display] = append(s.names[display], name)
		}
		s.users[name] = append(s.users[name], user{image, n})
	}
	s.constants = append(s.constants, c)
	return nil
}

func readImage(img *Image) (*imageConstants, error) {
	list, err := propset.ReadSpecConstants(img.Metadata)
	if err != nil {
		return nil, err
	}
	c := &imageConstants{list: list, types: map[uint32]spirv.Scalar{}, patches: make([][]spirv.Patch, len(img.Code))}
	if len(list) == 0 {
		c.code = make([][]spirv.SpecConstant, len(img.Code))
		return c, nil
	}
	values := map[uint32][]byte{}
	for _, src := range img.Code {
		found, err := spirv.ReadSpecConstants(io.NewSectionReader(src, 0, src.Size()))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if t, ok := c.types[f.ID]; ok && t != f.Type {
				return nil, fmt.Errorf("the constants with the number %d have the types %v and %v", f.ID, t, f.Type)
			}
			c.types[f.ID], values[f.ID] = f.Type, f.Default
		}
		c.code = append(c.code, found)
	}
	for i := range c.list {
		if err := c.check(&c.list[i], values); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// maxDefault is the maximum size in bytes of a default value that the property sets lack.
const maxDefault = 1 << 20

// check compares the records of a constant with the types in the SPIR-V, and sets its default value
// to the SPIR-V's if the property sets have none.
func (c *imageConstants) check(constant *propset.SpecConstant, values map[uint32][]byte) error {
	var value []byte
	if constant.Default == nil {
		if constant.Size() > maxDefault {
			return fmt.Errorf("the constant '%s' has %d bytes and no default value", safetext.Shorten(constant.Name), constant.Size())
		}
		value = make([]byte, constant.Size())
		constant.Default = value
	}
	for _, r := range constant.Scalars() {
		t, ok := c.types[r.ID]
		if ok && uint64(t.Size()) != uint64(r.Size) {
			return fmt.Errorf("constant '%s': the scalar at offset %d has %d bytes in the properties, but the type %v in the SPIR-V", safetext.Shorten(constant.Name), r.Offset, r.Size, t)
		}
		if ok && value != nil {
			copy(value[r.Offset:], values[r.ID])
		}
	}
	return nil
}

// resolve returns the symbolic id of a constant.
func (s *setter) resolve(setting Setting) (string, error) {
	if s.users[setting.Name] != nil {
		return setting.Name, nil
	}
	switch list := s.names[setting.Name]; {
	case len(list) == 1:
		return list[0], nil
	case len(list) > 1:
		return "", &RequestError{setting, "ambiguous name; use one of " + joined(list)}
	case len(s.all) == 0:
		return "", &RequestError{setting, "no specialization constants found"}
	}
	var known []string
	for _, name := range s.all {
		display := kernelname.Constant(name)
		if len(s.names[display]) > 1 {
			display = name
		}
		known = append(known, display)
	}
	msg := "unknown constant"
	if near := safetext.Nearest(setting.Name, slices.Values(slices.Concat(known, s.all)), 2); len(near) > 0 {
		return "", &RequestError{setting, fmt.Sprintf("%s; did you mean %s?", msg, safetext.Printable(strings.Join(near, " or ")))}
	}
	return "", &RequestError{setting, fmt.Sprintf("%s; there are %s", msg, joined(known))}
}

// joined lists the first few names.
func joined(names []string) string {
	const most = 5
	var shown []string
	for _, name := range names[:min(most, len(names))] {
		shown = append(shown, safetext.Shorten(name))
	}
	if n := len(names) - most; n > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(shown, ", ")
}

// constant returns the constant of a user.
func (s *setter) constant(u user) *propset.SpecConstant {
	return &s.constants[u.image].list[u.constant]
}

// set sets a constant in all images that contain it.
func (s *setter) set(name string, setting Setting, o Options) (Change, error) {
	users := s.users[name]
	first := s.constant(users[0])
	change := Change{Name: name, DisplayName: kernelname.Constant(name)}
	for _, u := range users {
		img := &s.images[u.image]
		if len(img.Fixed) > 0 && !o.DropFixed {
			return change, &ImageError{img.Place, fmt.Errorf("specialization constant '%s': %s: %w", safetext.Shorten(change.DisplayName), joined(img.Fixed), ErrFixed)}
		}
		if err := s.clash(u); err != nil {
			return change, &ImageError{img.Place, err}
		}
		if err := differ(first, s.constant(u)); err != nil {
			return change, &ImageError{img.Place, fmt.Errorf("the specialization constant '%s' %w in %s; build both from the same definition, or set it only for the kernels of one of them", safetext.Shorten(change.DisplayName), err, s.images[users[0].image].Place)}
		}
		change.Images = append(change.Images, u.image)
	}
	records := first.Scalars()
	types, err := s.types(users)
	if err != nil {
		return change, err
	}
	value, err := valueOf(first, records, types, setting.Value)
	if err != nil {
		return change, &RequestError{setting, err.Error()}
	}
	for i, r := range records {
		old, now := first.Default[r.Offset:][:r.Size], value[r.Offset:][:r.Size]
		part := ChangedPart{Old: rawBytes + hex.EncodeToString(old), New: rawBytes + hex.EncodeToString(now)}
		if t := types[i]; t != nil {
			part = ChangedPart{t.String(), formatted(*t, old), formatted(*t, now)}
		}
		change.Parts = append(change.Parts, part)
	}
	for _, u := range users {
		if err := s.change(u, value); err != nil {
			return change, &ImageError{s.images[u.image].Place, err}
		}
	}
	return change, nil
}

// clash returns an error if two parts of the image's constants have the same number, because device
// compilers identify constants only by number.
func (s *setter) clash(u user) error {
	constant := s.constant(u)
	own := map[uint32]uint32{} // offset by number
	for _, r := range constant.Scalars() {
		if at, ok := own[r.ID]; ok {
			return fmt.Errorf("the parts of the specialization constant '%s' at offsets %d and %d have the same number, %d", safetext.Shorten(constant.Name), at, r.Offset, r.ID)
		}
		own[r.ID] = r.Offset
	}
	for n := range s.constants[u.image].list {
		other := &s.constants[u.image].list[n]
		if n == u.constant {
			continue
		}
		for _, r := range other.Scalars() {
			if _, ok := own[r.ID]; ok {
				return fmt.Errorf("the specialization constants '%s' and '%s' have the same number, %d: setting one would also set the other", safetext.Shorten(constant.Name), safetext.Shorten(other.Name), r.ID)
			}
		}
	}
	return nil
}

// differ returns an error that describes the difference between two constants of the same name.
func differ(a, b *propset.SpecConstant) error {
	left, right := a.Scalars(), b.Scalars()
	if !slices.EqualFunc(left, right, func(l, r propset.SpecRecord) bool { return l.Offset == r.Offset && l.Size == r.Size }) {
		return fmt.Errorf("has different scalars than")
	}
	for _, r := range left {
		if !bytes.Equal(a.Default[r.Offset:][:r.Size], b.Default[r.Offset:][:r.Size]) {
			return fmt.Errorf("has a different default value than")
		}
	}
	return nil
}

// types returns the types of the scalars of a constant. A type is nil if no SPIR-V module has the
// scalar.
func (s *setter) types(users []user) ([]*spirv.Scalar, error) {
	types := make([]*spirv.Scalar, len(s.constant(users[0]).Scalars()))
	from := make([]int, len(types))
	for _, u := range users {
		constant := s.constant(u)
		for i, r := range constant.Scalars() {
			t, ok := s.constants[u.image].types[r.ID]
			switch {
			case !ok:
			case types[i] == nil:
				types[i], from[i] = &t, u.image
			case *types[i] != t:
				return nil, &ImageError{s.images[u.image].Place, fmt.Errorf("the part of the specialization constant '%s' at offset %d has the type %v, but in %s it has the type %v",
					safetext.Shorten(constant.Name), r.Offset, t, s.images[from[i]].Place, *types[i])}
			}
		}
	}
	return types, nil
}

// valueOf returns the bytes of a constant for a value.
func valueOf(c *propset.SpecConstant, records []propset.SpecRecord, types []*spirv.Scalar, text string) ([]byte, error) {
	value := slices.Clone(c.Default) // keeps the padding
	if digits, ok := strings.CutPrefix(text, rawBytes); ok {
		raw, err := hex.DecodeString(digits)
		if err != nil {
			return nil, fmt.Errorf("expected pairs of hexadecimal digits after %s", rawBytes)
		}
		scalarsEnd := 0
		if n := len(records); n > 0 {
			scalarsEnd = int(records[n-1].Offset + records[n-1].Size)
		}
		if len(raw) != len(value) && len(raw) != scalarsEnd {
			return nil, fmt.Errorf("got %d bytes, want %d", len(raw), len(value))
		}
		copy(value, raw)
		return value, checkBools(records, types, value)
	}
	found, err := scalars(text)
	if err != nil {
		return nil, err
	}
	if len(found) != len(records) {
		return nil, fmt.Errorf("got %d values, want %d: %s", len(found), len(records), typeList(types))
	}
	for i, r := range records {
		where := ""
		if len(records) > 1 {
			where = fmt.Sprintf("value %d: ", i+1)
		}
		if types[i] == nil {
			return nil, fmt.Errorf("%sits type is unknown, because no SPIR-V module contains it; specify all %d bytes of the constant, as %s00", where, len(value), rawBytes)
		}
		b, err := encode(*types[i], found[i])
		if err != nil {
			return nil, fmt.Errorf("%s%w", where, err)
		}
		copy(value[r.Offset:], b)
	}
	return value, nil
}

// checkBools returns an error for a byte that is not a valid bool.
func checkBools(records []propset.SpecRecord, types []*spirv.Scalar, value []byte) error {
	for i, r := range records {
		if t := types[i]; t != nil && t.Kind == spirv.Bool && value[r.Offset] > 1 {
			return fmt.Errorf("the byte at offset %d is a bool; expected 0 or 1, got %d", r.Offset, value[r.Offset])
		}
	}
	return nil
}

// typeList lists the types of the scalars of a constant.
func typeList(types []*spirv.Scalar) string {
	const most = 12
	var names []string
	for _, t := range types[:min(most, len(types))] {
		if t == nil {
			names = append(names, "?")
		} else {
			names = append(names, t.String())
		}
	}
	if len(types) > most {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

// change records the value of a constant for its image.
func (s *setter) change(u user, value []byte) error {
	image, constant := s.constants[u.image], s.constant(u)
	bytesOf := map[uint32][]byte{}
	for _, r := range constant.Scalars() {
		bytesOf[r.ID] = value[r.Offset:][:r.Size]
	}
	for i, list := range image.code {
		for _, c := range list {
			b, ok := bytesOf[c.ID]
			if !ok {
				continue
			}
			patch, err := c.Patch(b)
			if err != nil {
				return err
			}
			image.patches[i] = append(image.patches[i], patch)
		}
	}
	// The padding at the end can differ between images.
	n := min(len(value), len(constant.Default))
	constant.Default = slices.Concat(value[:n], constant.Default[n:])
	image.changed = true
	return nil
}

// apply changes the images.
func (s *setter) apply(o Options) {
	for i, c := range s.constants {
		img := &s.images[i]
		if !c.changed {
			continue
		}
		img.Metadata = img.Metadata.Clone()
		propset.PutSpecConstants(img.Metadata, c.list)
		code := slices.Clone(img.Code)
		for n, patches := range c.patches {
			if len(patches) > 0 {
				slices.SortFunc(patches, func(a, b spirv.Patch) int { return cmp.Compare(a.Offset, b.Offset) })
				code[n] = &patched{code[n], patches}
			}
		}
		img.Code = code
		if o.DropFixed {
			img.Fixed = nil
		}
	}
}
