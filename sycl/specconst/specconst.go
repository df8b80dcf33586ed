// Package specconst reads and writes what property sets say about the specialization
// constants of a device image: which there are, how the runtime sets them, and
// their default values.
//
// The set [propset.SpecializationConstants] has a key for each constant: its symbolic
// id. The value has a record for each scalar of the constant: the number that the scalar
// has in the SPIR-V module (the operand of SpecId), its offset in the constant, and its size.
// A record with the number [Padding] is no scalar: it takes up room.
//
// The set [propset.SpecializationConstantDefaults] has one key, "all": the default
// values of all constants one after another, in the order of the keys of the first set.
// Each is as long as the records of its constant reach. This is how DPC++'s
// runtime reads them. The design document of DPC++ has a key for each constant instead, which
// is read as well.
package specconst

import (
	"fmt"
	"math"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// Padding is the number of a record that is no scalar.
const Padding = math.MaxUint32

// all is the key of the default values of all constants.
const all = "all"

// A Constant is a specialization constant of a device image.
type Constant struct {
	Name string // symbolic id

	// Records place its scalars, and padding between or after them. Their offsets
	// ascend, and they do not overlap.
	Records []propset.SpecConstant

	// Default is the default value, as long as Size says. It is nil when the image
	// has no default values; the runtime then takes zeros.
	Default []byte
}

// Size returns the size of the constant in bytes, with its padding.
func (c *Constant) Size() uint64 {
	if len(c.Records) == 0 {
		return 0
	}
	return end(c.Records[len(c.Records)-1])
}

// end returns the offset of what follows a record.
func end(r propset.SpecConstant) uint64 { return uint64(r.Offset) + uint64(r.Size) }

// Scalars returns the records without those that are padding.
func (c *Constant) Scalars() []propset.SpecConstant {
	return slices.DeleteFunc(slices.Clone(c.Records), func(r propset.SpecConstant) bool { return r.ID == Padding })
}

// Read returns the specialization constants of an image, in their order. An error is a
// [propset.SyntaxError] with the set and the key.
func Read(r *propset.Registry) ([]Constant, error) {
	set, defaults := r.Set(propset.SpecializationConstants), r.Set(propset.SpecializationConstantDefaults)
	var constants []Constant
	for _, p := range set.Properties() {
		c, err := readConstant(set.Name, p)
		if err != nil {
			return nil, err
		}
		constants = append(constants, c)
	}
	for _, p := range defaults.Properties() {
		if _, err := propset.Describe(defaults.Name, p.Key, p.Value); err != nil {
			return nil, err
		}
	}
	if v, ok := defaults.Get(all); ok {
		return constants, readAll(constants, v.Bytes())
	}
	return constants, readEach(constants, defaults)
}

// readConstant reads the records of a constant.
func readConstant(set string, p propset.Property) (Constant, error) {
	t, err := propset.Describe(set, p.Key, p.Value)
	if err != nil {
		return Constant{}, err
	}
	c := Constant{Name: p.Key}
	c.Records, _ = t.Data.([]propset.SpecConstant)
	at := uint64(0)
	for i, r := range c.Records {
		fault := ""
		switch {
		case r.Size == 0:
			fault = "has no size"
		case uint64(r.Offset) < at:
			fault = fmt.Sprintf("begins at offset %d, before the end of the one before it, which is %d", r.Offset, at)
		case end(r) > math.MaxUint32:
			fault = fmt.Sprintf("ends at offset %d, which does not fit 32 bits", end(r))
		}
		if fault != "" {
			return c, &propset.SyntaxError{Line: p.Line, Set: set, Key: p.Key, Msg: fmt.Sprintf("record %d %s", i+1, fault)}
		}
		at = end(r)
	}
	return c, nil
}

// readAll divides the default values among the constants. What follows the last one
// belongs to none, and the runtime does not read it.
func readAll(constants []Constant, values []byte) error {
	whole := len(values)
	for i := range constants {
		c := &constants[i]
		if c.Size() > uint64(len(values)) {
			return &propset.SyntaxError{Set: propset.SpecializationConstantDefaults, Key: all,
				Msg: fmt.Sprintf("the %d bytes end within the constant %q, which needs %d bytes from offset %d on", whole, c.Name, c.Size(), whole-len(values))}
		}
		c.Default, values = slices.Clip(values[:c.Size()]), values[c.Size():]
	}
	return nil
}

// readEach takes the default value of each constant from the key of its name.
func readEach(constants []Constant, defaults *propset.Set) error {
	for i := range constants {
		c := &constants[i]
		v, ok := defaults.Get(c.Name)
		if !ok {
			continue
		}
		c.Default = v.Bytes()
		if uint64(len(c.Default)) != c.Size() {
			return &propset.SyntaxError{Set: defaults.Name, Key: c.Name,
				Msg: fmt.Sprintf("the default value has %d bytes, and the constant has %d", len(c.Default), c.Size())}
		}
	}
	return nil
}

// Put writes the constants of an image in place of those that its property sets have. It
// writes default values when a constant has one; those of the others are zeros. The names must
// be distinct, and a default value must have the size of its constant. Without constants, the
// first set is empty and there are no default values.
func Put(r *propset.Registry, constants []Constant) {
	set := r.Add(propset.SpecializationConstants)
	set.Clear()
	var values []byte
	hasDefaults := false
	for i := range constants {
		c := &constants[i]
		var words []uint32
		for _, rec := range c.Records {
			words = append(words, rec.ID, rec.Offset, rec.Size)
		}
		set.Put(c.Name, propset.Uint32s(words...))
		hasDefaults = hasDefaults || c.Default != nil
	}
	if !hasDefaults {
		r.Delete(propset.SpecializationConstantDefaults)
		return
	}
	for i := range constants {
		c := &constants[i]
		value := c.Default
		if value == nil {
			value = make([]byte, c.Size())
		}
		if uint64(len(value)) != c.Size() {
			panic(fmt.Sprintf("specconst: a default value of %d bytes for the constant %q of %d bytes", len(value), c.Name, c.Size()))
		}
		values = append(values, value...)
	}
	defaults := r.Add(propset.SpecializationConstantDefaults)
	defaults.Clear()
	defaults.Put(all, propset.Bytes(values))
}
