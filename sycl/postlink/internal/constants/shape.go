package constants

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// A shape is the value of a constant, split into scalars.
type shape struct {
	leaves []leaf // each has a number
	parts  []part // settable parts, and padding at the end of classes
	bytes  []byte // the default value
	size   llvmir.Size
}

// A leaf is a scalar, or a part that is missing in the default value.
type leaf struct {
	typ       *llvmir.Type
	undefined bool
	value     llvmir.Value // the scalar
}

// A part of a constant is a leaf or padding.
type part struct {
	leaf         int // -1 for padding
	offset, size uint64
}

// Limits of a constant. SPIR-V instructions have 16-bit sizes.
const (
	mostLeaves = 1 << 16
	mostBytes  = 1 << 20
	mostTotal  = 64 << 20 // of the default values of all constants
)

// shapeOf returns the shape of the constant of a read.
func (l *lowering) shapeOf(r *read) (*shape, error) {
	size, err := l.layout.Size(r.typ)
	if err != nil {
		return nil, err
	}
	memory, err := newMemory(l.layout, r.value)
	if err != nil {
		return nil, fmt.Errorf("the specialization constant '%s': %w", printable(r.name), err)
	}
	if size.Store > mostBytes {
		return nil, fmt.Errorf("the specialization constant '%s' is too large (limit %d bytes)", printable(r.name), mostBytes)
	}
	if r.allocates != nil && r.typ.Kind() != llvmir.Int {
		return nil, fmt.Errorf("the specialization constant '%s' is used as a memory size, but is not an integer", printable(r.name))
	}
	s := &shape{size: size, bytes: make([]byte, size.Store)}
	copy(s.bytes, memory.bytes)
	f := &flattening{layout: l.layout, memory: memory, shape: s}
	if isScalar(r.typ) {
		err = f.scalar(r.typ, 0)
	} else {
		_, err = f.walk(r.typ, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("the specialization constant '%s': %w", printable(r.name), err)
	}
	end := uint64(0)
	if n := len(s.parts); n > 0 {
		end = s.parts[n-1].offset + s.parts[n-1].size
	}
	if end < size.Store { // the last elements of an array are undefined
		s.parts = append(s.parts, part{-1, end, size.Store - end})
	}
	return s, nil
}

// difference returns a description of the difference between two reads of a name, or "" if they are
// equal.
func (s *shape) difference(o *shape) string {
	if len(s.leaves) != len(o.leaves) || len(s.parts) != len(o.parts) || s.size != o.size {
		return "type"
	}
	for i := range s.leaves {
		if s.leaves[i].typ != o.leaves[i].typ || s.leaves[i].undefined != o.leaves[i].undefined {
			return "type"
		}
	}
	for i := range s.parts {
		if s.parts[i] != o.parts[i] {
			return "type"
		}
	}
	if !bytes.Equal(s.bytes, o.bytes) {
		return "default value"
	}
	return ""
}

// A flattening builds a shape.
type flattening struct {
	layout  *llvmir.Layout
	memory  *memory
	shape   *shape
	visited int
}

func isScalar(t *llvmir.Type) bool {
	switch t.Kind() {
	case llvmir.Array, llvmir.Struct, llvmir.Named, llvmir.Vector:
		return false
	}
	return true
}

var errTooMany = fmt.Errorf("it has too many scalars (limit %d)", mostLeaves)

// walk splits a type at an offset, and returns the end of its last part. A part that is missing in
// the default value ends where it starts, as in DPC++.
func (f *flattening) walk(t *llvmir.Type, offset uint64) (end uint64, err error) {
	if f.visited++; f.visited > 4*mostLeaves {
		return 0, errTooMany
	}
	size, err := f.layout.Size(t)
	if err != nil {
		return 0, err
	}
	if !f.memory.anyDefined(offset, size.Store) {
		return offset, f.add(leaf{typ: t, undefined: true})
	}
	switch t.Kind() {
	case llvmir.Array, llvmir.Vector:
		return f.sequence(t, offset)
	case llvmir.Struct, llvmir.Named:
		return f.structure(t, offset, size)
	}
	return offset + size.Store, f.scalar(t, offset)
}

func (f *flattening) sequence(t *llvmir.Type, offset uint64) (end uint64, err error) {
	e, err := f.layout.Size(t.Elem())
	if err != nil {
		return 0, err
	}
	step := e.Alloc
	if t.Kind() == llvmir.Vector {
		if !isScalar(t.Elem()) || t.Elem().Kind() == llvmir.Int && t.Elem().Bits()%8 != 0 {
			return 0, fmt.Errorf("its part of type %s cannot be a SPIR-V constant", t)
		}
		step = e.Store
	}
	end = offset
	for i := range t.Len() {
		if end, err = f.walk(t.Elem(), offset+i*step); err != nil {
			return 0, err
		}
	}
	return end, nil
}

func (f *flattening) structure(t *llvmir.Type, offset uint64, size llvmir.Size) (end uint64, err error) {
	offsets, err := f.layout.Offsets(t)
	if err != nil {
		return 0, err
	}
	end = offset
	for i, field := range t.Body().Fields() {
		if end, err = f.walk(field, offset+offsets[i]); err != nil {
			return 0, err
		}
	}
	if room := offset + size.Store - end; room > 0 {
		f.shape.parts = append(f.shape.parts, part{-1, end, room})
	}
	return offset + size.Store, nil
}

func (f *flattening) scalar(t *llvmir.Type, offset uint64) error {
	if letters(t) == "" {
		return fmt.Errorf("its part of type %s cannot be a SPIR-V constant. Use integers of 8 to 64 bits, bool, half, float or double", t)
	}
	size, err := f.layout.Size(t)
	if err != nil {
		return err
	}
	value, err := f.memory.at(t, offset, size.Store)
	if err != nil {
		return err
	}
	f.shape.parts = append(f.shape.parts, part{len(f.shape.leaves), offset, size.Store})
	return f.add(leaf{typ: t, value: value})
}

func (f *flattening) add(l leaf) error {
	if len(f.shape.leaves) >= mostLeaves {
		return errTooMany
	}
	f.shape.leaves = append(f.shape.leaves, l)
	return nil
}

// A memory holds a constant as bytes, with the original scalars.
type memory struct {
	layout  *llvmir.Layout
	bytes   []byte
	filled  []uint32 // number of defined bytes before each one
	set     []bool   // defined bytes
	scalars map[uint64]llvmir.Value
	visited int
}

var errNoConstant = errors.New("it is not a constant known at compile time")

func newMemory(layout *llvmir.Layout, v llvmir.Value) (*memory, error) {
	size, err := layout.Size(v.Type)
	if err != nil {
		return nil, err
	}
	if size.Store > mostBytes {
		return nil, fmt.Errorf("its default value is too large (limit %d bytes)", mostBytes)
	}
	m := &memory{layout: layout, bytes: make([]byte, size.Store), set: make([]bool, size.Store), scalars: map[uint64]llvmir.Value{}}
	if err := m.write(v, 0); err != nil {
		return nil, fmt.Errorf("its default value: %w", err)
	}
	m.filled = make([]uint32, len(m.set)+1)
	for i, set := range m.set {
		m.filled[i+1] = m.filled[i]
		if set {
			m.filled[i+1]++
		}
	}
	return m, nil
}

// write writes a constant at an offset.
func (m *memory) write(v llvmir.Value, offset uint64) error {
	if m.visited++; m.visited > 4*mostLeaves {
		return errTooMany
	}
	if v.Type == nil {
		return errNoConstant
	}
	if v.Text == "undef" || v.Text == "poison" {
		return nil
	}
	switch v.Type.Kind() {
	case llvmir.Array:
		if text, ok := v.Bytes(); ok && v.Type.Elem().Bits() == 8 {
			return m.text(v, text, offset)
		}
		return m.elements(v, offset)
	case llvmir.Vector, llvmir.Struct, llvmir.Named:
		return m.elements(v, offset)
	}
	data, err := scalarBytes(v)
	if err != nil {
		return err
	}
	if offset+uint64(len(data)) > uint64(len(m.bytes)) {
		return errNoConstant
	}
	copy(m.bytes[offset:], data)
	for i := range data {
		m.set[offset+uint64(i)] = true
	}
	m.scalars[offset] = v
	return nil
}

// text writes the bytes of a c"..." at an offset.
func (m *memory) text(v llvmir.Value, text []byte, offset uint64) error {
	switch {
	case len(text) > mostLeaves:
		return errTooMany
	case uint64(len(text)) != v.Type.Len():
		return errNoConstant
	}
	for i, c := range text {
		element := v
		element.Type, element.Text = v.Type.Elem(), fmt.Sprint(int8(c))
		if err := m.write(element, offset+uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

// elements writes the elements of an aggregate or a vector at an offset.
func (m *memory) elements(v llvmir.Value, offset uint64) error {
	body := v.Type.Body()
	if body == nil {
		return errNoConstant
	}
	list := v.Elements()
	want := uint64(len(body.Fields()))
	var offsets []uint64
	step := uint64(0)
	if body.Kind() == llvmir.Struct {
		var err error
		if offsets, err = m.layout.Offsets(body); err != nil {
			return err
		}
	} else {
		e, err := m.layout.Size(body.Elem())
		if err != nil {
			return err
		}
		want, step = body.Len(), e.Alloc
		if body.Kind() == llvmir.Vector {
			step = e.Store
		}
	}
	switch {
	case want > mostLeaves:
		return errTooMany
	case uint64(len(list)) != want:
		return errNoConstant
	}
	for i, e := range list {
		at := offset + uint64(i)*step
		if offsets != nil {
			at = offset + offsets[i]
		}
		if err := m.write(e, at); err != nil {
			return err
		}
	}
	return nil
}

// anyDefined reports whether any byte of a range is defined.
func (m *memory) anyDefined(offset, size uint64) bool {
	end := min(offset+size, uint64(len(m.bytes)))
	return offset < end && m.filled[end] > m.filled[offset]
}

// at returns the scalar at an offset: the original scalar or, if there is none, a scalar with the
// same bytes.
func (m *memory) at(t *llvmir.Type, offset, size uint64) (llvmir.Value, error) {
	v, ok := m.scalars[offset]
	if ok && (v.Type == t || t.Kind() == llvmir.Int && t.Bits() == 1 && v.Type.Kind() == llvmir.Int && v.Type.Bits() == 8) {
		return v, nil
	}
	data := make([]byte, size)
	if offset < uint64(len(m.bytes)) {
		copy(data, m.bytes[offset:])
	}
	text, err := scalarText(t, data)
	if err != nil {
		return llvmir.Value{}, err
	}
	v.Type, v.Text = t, text
	return v, nil
}
