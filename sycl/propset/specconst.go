package propset

import (
	"fmt"
	"math"
	"slices"
)

// SpecPadding is the number of a padding record.
const SpecPadding = math.MaxUint32

// specDefaults is the key of the default values of all constants.
const specDefaults = "all"

// A SpecConstant is a specialization constant of a device image, described by two property sets.
//
// The set [SpecializationConstants] has a key for each constant: its symbolic id. The value has a
// record for each scalar of the constant: the number that the scalar has in the SPIR-V module (the
// operand of SpecId), its offset in the constant, and its size. A record with the number
// [SpecPadding] is padding.
//
// The set [SpecializationConstantDefaults] has one key, "all": the concatenated default values of
// all constants, in the order of the keys of the first set. Each is as long as the extent of its
// constant's records. This is how DPC++'s runtime reads them. DPC++'s design document has a key for
// each constant instead, which this package also reads.
type SpecConstant struct {
	Name string // symbolic id

	// Records locates its scalars, and the padding between or after them. They are in ascending order
	// of their offsets and do not overlap.
	Records []SpecRecord

	// Default is the default value, of length Size. It is nil if the image has no default values;
	// the runtime then uses zeros.
	Default []byte
}

// Size returns the size of the constant in bytes, including padding.
func (c *SpecConstant) Size() uint64 {
	if len(c.Records) == 0 {
		return 0
	}
	return specEnd(c.Records[len(c.Records)-1])
}

// specEnd returns the end offset of a record.
func specEnd(r SpecRecord) uint64 { return uint64(r.Offset) + uint64(r.Size) }

// Scalars returns the records without padding.
func (c *SpecConstant) Scalars() []SpecRecord {
	return slices.DeleteFunc(slices.Clone(c.Records), func(r SpecRecord) bool { return r.ID == SpecPadding })
}

// ReadSpecConstants returns the specialization constants of an image, in order. Errors are of type
// [SyntaxError], with the set and the key.
func ReadSpecConstants(r *Registry) ([]SpecConstant, error) {
	set, defaults := r.Set(SpecializationConstants), r.Set(SpecializationConstantDefaults)
	var constants []SpecConstant
	for _, p := range set.Properties() {
		c, err := readSpecConstant(set.Name, p)
		if err != nil {
			return nil, err
		}
		constants = append(constants, c)
	}
	for _, p := range defaults.Properties() {
		if _, err := Describe(defaults.Name, p.Key, p.Value); err != nil {
			return nil, err
		}
	}
	if v, ok := defaults.Get(specDefaults); ok {
		return constants, readSpecDefaults(constants, v.Bytes())
	}
	return constants, readSpecDefault(constants, defaults)
}

// readSpecConstant reads the records of a constant.
func readSpecConstant(set string, p Property) (SpecConstant, error) {
	t, err := Describe(set, p.Key, p.Value)
	if err != nil {
		return SpecConstant{}, err
	}
	c := SpecConstant{Name: p.Key}
	c.Records, _ = t.Data.([]SpecRecord)
	at := uint64(0)
	for i, r := range c.Records {
		problem := ""
		switch {
		case r.Size == 0:
			problem = "has no size"
		case uint64(r.Offset) < at:
			problem = fmt.Sprintf("begins at offset %d, before the end of the one before it, which is %d", r.Offset, at)
		case specEnd(r) > math.MaxUint32:
			problem = fmt.Sprintf("ends at offset %d, which does not fit in 32 bits", specEnd(r))
		}
		if problem != "" {
			return c, &SyntaxError{Line: p.Line, Set: set, Key: p.Key, Msg: fmt.Sprintf("record %d %s", i+1, problem)}
		}
		at = specEnd(r)
	}
	return c, nil
}

// readSpecDefaults splits the default values among the constants. It ignores bytes after the last
// default value, as the runtime does.
func readSpecDefaults(constants []SpecConstant, values []byte) error {
	whole := len(values)
	for i := range constants {
		c := &constants[i]
		if c.Size() > uint64(len(values)) {
			return &SyntaxError{Set: SpecializationConstantDefaults, Key: specDefaults,
				Msg: fmt.Sprintf("the %d bytes end within the constant %q, which needs %d bytes from offset %d on", whole, c.Name, c.Size(), whole-len(values))}
		}
		c.Default, values = slices.Clip(values[:c.Size()]), values[c.Size():]
	}
	return nil
}

// readSpecDefault reads the default value of each constant from the key with its name.
func readSpecDefault(constants []SpecConstant, defaults *Set) error {
	for i := range constants {
		c := &constants[i]
		v, ok := defaults.Get(c.Name)
		if !ok {
			continue
		}
		c.Default = v.Bytes()
		if uint64(len(c.Default)) != c.Size() {
			return &SyntaxError{Set: defaults.Name, Key: c.Name,
				Msg: fmt.Sprintf("the default value has %d bytes, and the constant has %d", len(c.Default), c.Size())}
		}
	}
	return nil
}

// PutSpecConstants replaces the constants in the property sets of an image. If any constant has a
// default value, it writes default values for all, which are zeros for the others. The names must
// be distinct, and a default value must have the size of its constant. If there are no constants,
// the first set is empty and there are no default values.
func PutSpecConstants(r *Registry, constants []SpecConstant) {
	set := r.Add(SpecializationConstants)
	set.Clear()
	var values []byte
	hasDefaults := false
	for i := range constants {
		c := &constants[i]
		var words []uint32
		for _, rec := range c.Records {
			words = append(words, rec.ID, rec.Offset, rec.Size)
		}
		set.Put(c.Name, Uint32s(words...))
		hasDefaults = hasDefaults || c.Default != nil
	}
	if !hasDefaults {
		r.Delete(SpecializationConstantDefaults)
		return
	}
	for i := range constants {
		c := &constants[i]
		value := c.Default
		if value == nil {
			value = make([]byte, c.Size())
		}
		if uint64(len(value)) != c.Size() {
			panic(fmt.Sprintf("propset: a default value of %d bytes for the constant %q of %d bytes", len(value), c.Name, c.Size()))
		}
		values = append(values, value...)
	}
	defaults := r.Add(SpecializationConstantDefaults)
	defaults.Clear()
	defaults.Put(specDefaults, Bytes(values))
}
