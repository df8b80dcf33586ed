// Package propset reads, edits and writes property sets, the text that describes a device image to
// the runtime.
//
// A registry is a list of named sets; a set is a list of keys with values:
//
//	[SYCL/device requirements]
//	aspects=2|gAAAAAAAAAgBAAAA
//	reqd_sub_group_size=1|16
//	[SYCL/kernel names]
//	_ZTS6kernel=1|1
//
// A title extends from "[" to the last "]" of its line, a key to the first "=", and the type of the
// value to the first "|". There are no comments and no escapes, and white space is significant.
// Type 1 is an unsigned 32-bit number in decimal. Type 2 is a byte array: a 64-bit little-endian
// count of payload bits followed by the payload, both encoded together in the base64 alphabet but
// with the least significant bits first and without padding. This is not RFC 4648: encoding/base64
// silently decodes it incorrectly.
//
// [Describe] interprets the sets that DPC++ defines; unknown sets and keys are preserved. The
// format is defined by the property set document of the DPC++ project. If the document does not say
// or differs (the encoding, the types of several values), DPC++'s LLVM defines the format.
package propset

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Type is the number before the "|" of a value.
type Type uint8

const (
	Uint32    Type = 1 // an unsigned 32-bit number
	ByteArray Type = 2 // a sequence of bits, usually whole bytes
)

func (t Type) String() string {
	switch t {
	case Uint32:
		return "32-bit number"
	case ByteArray:
		return "byte array"
	}
	return "type " + strconv.Itoa(int(t))
}

// A Value is one immutable property value. The zero Value has no type and
// cannot be written.
type Value struct {
	typ     Type
	num     uint32
	payload string // a string, so that copies of a Value cannot change one another
	bits    uint64 // ceil(bits/8) == len(payload)
}

// Uint returns a number.
func Uint(v uint32) Value { return Value{typ: Uint32, num: v} }

// Bytes returns a byte array of whole bytes.
func Bytes(b []byte) Value {
	return Value{typ: ByteArray, payload: string(b), bits: 8 * uint64(len(b))}
}

// Bits returns a byte array of the first bits bits of b, starting with the least significant bit of
// b[0]. It clears the unused bits of the last byte. It panics unless b has exactly the number of
// bytes needed.
func Bits(b []byte, bits uint64) Value {
	if bytesFor(bits) != uint64(len(b)) {
		panic(fmt.Sprintf("propset: %d bits do not fill %d bytes", bits, len(b)))
	}
	if unusedBits(b, bits) != 0 {
		b = slices.Clone(b)
		b[len(b)-1] &^= unusedBits(b, bits)
	}
	return Value{typ: ByteArray, payload: string(b), bits: bits}
}

// String returns a byte array with the bytes of s, without a terminating NUL.
func String(s string) Value {
	return Value{typ: ByteArray, payload: s, bits: 8 * uint64(len(s))}
}

// Uint32s returns a byte array of little-endian 32-bit numbers.
func Uint32s(v ...uint32) Value {
	b := make([]byte, 0, 4*len(v))
	for _, n := range v {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return Bytes(b)
}

// Uint64s returns a byte array of little-endian 64-bit numbers.
func Uint64s(v ...uint64) Value {
	b := make([]byte, 0, 8*len(v))
	for _, n := range v {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return Bytes(b)
}

// Type returns the type, or 0 for the zero Value.
func (v Value) Type() Type { return v.typ }

// Uint returns the number, and reports whether v is a number.
func (v Value) Uint() (uint32, bool) { return v.num, v.typ == Uint32 }

// Bytes returns a copy of the payload of a byte array, or nil for a number.
func (v Value) Bytes() []byte {
	if v.typ != ByteArray {
		return nil
	}
	return []byte(v.payload)
}

// BitLen returns the number of bits of a byte array, or 0 for a number.
func (v Value) BitLen() uint64 { return v.bits }

// Equal reports whether v and o have the same type, length and content.
func (v Value) Equal(o Value) bool { return v == o }

// Uint32s returns a byte array as little-endian 32-bit numbers, and reports whether v is a byte
// array of suitable length.
func (v Value) Uint32s() ([]uint32, bool) {
	if v.typ != ByteArray || v.bits%32 != 0 {
		return nil, false
	}
	b := []byte(v.payload)
	n := make([]uint32, len(b)/4)
	for i := range n {
		n[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return n, true
}

// Uint64s returns a byte array as little-endian 64-bit numbers, and reports whether v is a byte
// array of suitable length.
func (v Value) Uint64s() ([]uint64, bool) {
	if v.typ != ByteArray || v.bits%64 != 0 {
		return nil, false
	}
	b := []byte(v.payload)
	n := make([]uint64, len(b)/8)
	for i := range n {
		n[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return n, true
}

// Text returns a byte array as a string, and reports whether v is a byte array of whole bytes that
// are valid UTF-8.
func (v Value) Text() (string, bool) {
	if v.typ != ByteArray || v.bits%8 != 0 || !utf8.ValidString(v.payload) {
		return "", false
	}
	return v.payload, true
}

// String returns the value in property set syntax, such as "1|16".
func (v Value) String() string { return string(v.append(nil)) }

func (v Value) append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(v.typ), 10)
	dst = append(dst, '|')
	if v.typ == ByteArray {
		return encode(dst, append(binary.LittleEndian.AppendUint64(nil, v.bits), v.payload...))
	}
	return strconv.AppendUint(dst, uint64(v.num), 10)
}

// A Property is one key of a set with its value.
type Property struct {
	Key   string
	Value Value
	Line  int // line where it was read, or 0
}

// A Set is a named list of properties with distinct keys.
type Set struct {
	Name string
	Line int // line where its title was first read, or 0

	props []Property
	index map[string]int // from key to index in props; nil in small sets
}

// small is the maximum number of properties or sets that are searched linearly. Most sets and
// registries are small, and a linear search then takes less time and memory than a map.
const small = 8

// find returns the index of key in props, or -1 if it is not present.
func (s *Set) find(key string) int {
	if s.index == nil {
		return slices.IndexFunc(s.props, func(p Property) bool { return p.Key == key })
	}
	if i, ok := s.index[key]; ok {
		return i
	}
	return -1
}

// reindex updates the index of the properties from first on.
func (s *Set) reindex(first int) {
	if len(s.props) <= small {
		s.index = nil
		return
	}
	if s.index == nil {
		s.index, first = make(map[string]int), 0
	}
	for i := first; i < len(s.props); i++ {
		s.index[s.props[i].Key] = i
	}
}

// Len returns the number of properties.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.props)
}

// Properties returns the properties in order. The slice belongs to the set: change it only with Put
// and Delete. A nil Set has none.
func (s *Set) Properties() []Property {
	if s == nil {
		return nil
	}
	return s.props
}

// Keys returns the keys in the order of the properties. A nil Set has none.
func (s *Set) Keys() []string {
	keys := make([]string, 0, s.Len())
	for _, p := range s.Properties() {
		keys = append(keys, p.Key)
	}
	return keys
}

// Get returns the value of key, and reports whether there is one. A nil Set has none.
func (s *Set) Get(key string) (Value, bool) {
	if s == nil {
		return Value{}, false
	}
	i := s.find(key)
	if i < 0 {
		return Value{}, false
	}
	return s.props[i].Value, true
}

// Put sets the value of key, replacing its old value or appending it.
func (s *Set) Put(key string, v Value) { s.put(Property{Key: key, Value: v}) }

// put stores p and reports the property it replaced, if any.
func (s *Set) put(p Property) (old Property, replaced bool) {
	if i := s.find(p.Key); i >= 0 {
		old, s.props[i] = s.props[i], p
		return old, true
	}
	s.props = append(s.props, p)
	s.reindex(len(s.props) - 1)
	return Property{}, false
}

// Insert appends key with its value unless the set has the key, and reports whether it did.
func (s *Set) Insert(key string, v Value) bool {
	if s.find(key) >= 0 {
		return false
	}
	s.Put(key, v)
	return true
}

// Delete removes key, if the set has it.
func (s *Set) Delete(key string) {
	if i := s.find(key); i >= 0 {
		s.props = slices.Delete(s.props, i, i+1)
		delete(s.index, key)
		s.reindex(i)
	}
}

// Clear removes all properties.
func (s *Set) Clear() { s.props, s.index = nil, nil }

// Sort orders the properties by key.
//
// It does not change the set [SpecializationConstants], because the default values of all constants
// are a single value, in the order of the constants.
func (s *Set) Sort() {
	if s.isSorted() {
		return
	}
	slices.SortFunc(s.props, byKey)
	s.reindex(0)
}

// orderMatters reports whether the order of the properties is significant.
func (s *Set) orderMatters() bool { return s.Name == SpecializationConstants }

func byKey(a, b Property) int { return strings.Compare(a.Key, b.Key) }

func (s *Set) isSorted() bool { return s.orderMatters() || slices.IsSortedFunc(s.props, byKey) }

// Clone returns an independent copy.
func (s *Set) Clone() *Set {
	return &Set{Name: s.Name, Line: s.Line, props: slices.Clone(s.props), index: maps.Clone(s.index)}
}

// Equal reports whether s and o hold the same values under the same keys. It ignores the order
// unless it is significant, and does not compare the names.
func (s *Set) Equal(o *Set) bool {
	if s.Len() != o.Len() {
		return false
	}
	if s.orderMatters() && !slices.EqualFunc(s.props, o.props, func(a, b Property) bool { return a.Key == b.Key }) {
		return false
	}
	for _, p := range s.Properties() {
		if v, ok := o.Get(p.Key); !ok || v != p.Value {
			return false
		}
	}
	return true
}

// A Registry is an ordered list of sets with distinct names. The zero value is
// empty and ready to use.
type Registry struct {
	sets []*Set
}

// Sets returns the sets in order.
func (r *Registry) Sets() []*Set { return slices.Clone(r.sets) }

// Set returns the set with that name, or nil if there is none. A nil Set can be read like an empty
// one.
func (r *Registry) Set(name string) *Set {
	if r == nil {
		return nil
	}
	if i := slices.IndexFunc(r.sets, func(s *Set) bool { return s.Name == name }); i >= 0 {
		return r.sets[i]
	}
	return nil
}

// Add returns the set with that name, appending an empty one if there is none.
func (r *Registry) Add(name string) *Set {
	if s := r.Set(name); s != nil {
		return s
	}
	s := &Set{Name: name}
	r.sets = append(r.sets, s)
	return s
}

// Delete removes the set with that name, if there is one.
func (r *Registry) Delete(name string) {
	r.sets = slices.DeleteFunc(r.sets, func(s *Set) bool { return s.Name == name })
}

// Clone returns an independent copy.
func (r *Registry) Clone() *Registry {
	c := &Registry{sets: make([]*Set, len(r.sets))}
	for i, s := range r.sets {
		c.sets[i] = s.Clone()
	}
	return c
}

// Sort orders the sets by name and the properties of each by key.
func (r *Registry) Sort() {
	slices.SortStableFunc(r.sets, byName)
	for _, s := range r.sets {
		s.Sort()
	}
}

func byName(a, b *Set) int { return strings.Compare(a.Name, b.Name) }

// IsSorted reports whether the registry is in the order of Sort.
func (r *Registry) IsSorted() bool {
	return slices.IsSortedFunc(r.sets, byName) && !slices.ContainsFunc(r.sets, func(s *Set) bool { return !s.isSorted() })
}

// Equal reports whether r and o have the same sets with the same content, in any order.
func (r *Registry) Equal(o *Registry) bool {
	if len(r.sets) != len(o.sets) {
		return false
	}
	other := make(map[string]*Set, len(o.sets))
	for _, s := range o.sets {
		other[s.Name] = s
	}
	for _, s := range r.sets {
		if t, ok := other[s.Name]; !ok || !s.Equal(t) {
			return false
		}
	}
	return true
}

// Validate returns an error for the first name or value that the text form cannot represent: a set
// name or key that is empty or contains a line break or NUL, a key that contains "=" or begins with
// "[", or a value without a type. Results of Parse are valid; names from other sources, such as
// symbols, may not be.
func (r *Registry) Validate() error {
	var seen map[string]bool // nil if sets with the same name would be adjacent, as in most registries
	if !slices.IsSortedFunc(r.sets, byName) {
		seen = make(map[string]bool, len(r.sets))
	}
	for i, s := range r.sets {
		if seen[s.Name] || i > 0 && s.Name == r.sets[i-1].Name {
			return &SyntaxError{File: "propset", Set: s.Name, Msg: "two sets have this name"}
		}
		if seen != nil {
			seen[s.Name] = true
		}
		if msg := nameProblem(s.Name); msg != "" {
			return &SyntaxError{File: "propset", Set: s.Name, Msg: "the name of the set " + msg}
		}
		for _, p := range s.props {
			if msg := keyProblem(p.Key); msg != "" {
				return &SyntaxError{File: "propset", Set: s.Name, Key: p.Key, Msg: "the key " + msg}
			}
			if p.Value.typ != Uint32 && p.Value.typ != ByteArray {
				return &SyntaxError{File: "propset", Set: s.Name, Key: p.Key, Msg: "the key has no value"}
			}
		}
	}
	return nil
}

// nameProblem describes the error in a set name, or returns "".
func nameProblem(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.IndexByte(name, '\n') >= 0, strings.IndexByte(name, '\r') >= 0: // ContainsAny is slower
		return "contains a line break"
	case strings.IndexByte(name, 0) >= 0:
		return "contains a NUL byte"
	}
	return ""
}

// keyProblem describes the error in a key, or returns "".
func keyProblem(key string) string {
	switch {
	case strings.HasPrefix(key, "["):
		return `begins with "[", as titles do`
	case strings.IndexByte(key, '=') >= 0:
		return `contains "=", which ends a key`
	}
	return nameProblem(key)
}

// String returns the text of the registry, or the error of Validate. To write a file, use
// MarshalText.
func (r *Registry) String() string {
	text, err := r.MarshalText()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// AppendText validates the registry and appends its text to dst. Sets and keys keep their order,
// each line ends in one newline, and an empty registry has no bytes.
func (r *Registry) AppendText(dst []byte) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return dst, err
	}
	for _, s := range r.sets {
		dst = append(dst, '[')
		dst = append(dst, s.Name...)
		dst = append(dst, "]\n"...)
		for _, p := range s.props {
			dst = append(dst, p.Key...)
			dst = append(dst, '=')
			dst = p.Value.append(dst)
			dst = append(dst, '\n')
		}
	}
	return dst, nil
}

// MarshalText implements [encoding.TextMarshaler]; see [Registry.AppendText].
func (r *Registry) MarshalText() ([]byte, error) { return r.AppendText(nil) }

// SortedText returns the text that the registry would have after Sort.
func (r *Registry) SortedText() ([]byte, error) {
	if !r.IsSorted() {
		r = r.Clone()
		r.Sort()
	}
	return r.MarshalText()
}
