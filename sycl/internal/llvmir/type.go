package llvmir

import (
	"fmt"
	"strings"
)

// A Kind is a kind of type.
type Kind uint8

// The kinds of types. A Named is a reference such as %struct.X, whose [Type.Body] is the struct
// with that name.
const (
	Void Kind = iota + 1
	Int
	Half
	BFloat
	Float
	Double
	X86FP80
	FP128
	PPCFP128
	Pointer
	Vector
	Array
	Struct
	Named
	Func
	Target
	Label
	Metadata
	TokenType
	Opaque
	Other // an unknown word, such as x86_amx
)

// A Type is an LLVM IR type. Types of a module are interned: equal types are equal pointers. A nil
// *Type is an unknown type.
type Type struct {
	kind             Kind
	packed, scalable bool
	varArg           bool
	bits             int
	space            int
	length           uint64
	elem             *Type // of arrays and vectors; result of functions
	fields           []*Type
	ints             []uint64
	name             string
	text             string
	module           *Module
}

// Kind returns the kind of the type.
func (t *Type) Kind() Kind { return t.kind }

// Bits returns the width of an integer or floating-point type.
func (t *Type) Bits() int { return t.bits }

// Elem returns the element type of an array or a vector, or nil.
func (t *Type) Elem() *Type {
	if t.kind == Func {
		return nil
	}
	return t.elem
}

// Len returns the number of elements of an array or a vector.
func (t *Type) Len() uint64 { return t.length }

// Packed reports whether a struct has no padding between its fields.
func (t *Type) Packed() bool { return t.packed }

// AddrSpace returns the address space of a pointer.
func (t *Type) AddrSpace() int { return t.space }

// Fields returns the field types of a literal struct.
func (t *Type) Fields() []*Type {
	if t.kind != Struct {
		return nil
	}
	return t.fields
}

// Params returns the parameter types of a function type.
func (t *Type) Params() []*Type {
	if t.kind != Func {
		return nil
	}
	return t.fields
}

// Result returns the result type of a function type.
func (t *Type) Result() *Type {
	if t.kind != Func {
		return nil
	}
	return t.elem
}

// Name returns the name of a Named or Target type, or the word of an Other type.
func (t *Type) Name() string { return t.name }

// TargetTypes returns the type parameters of a target type.
func (t *Type) TargetTypes() []*Type {
	if t.kind != Target {
		return nil
	}
	return t.fields
}

// String returns the type as LLVM prints it.
func (t *Type) String() string {
	if t == nil {
		return "?"
	}
	return t.text
}

// Body returns the struct with the name of a Named type, or nil if it is opaque or undefined. For
// other types, it returns the type itself.
func (t *Type) Body() *Type {
	if t.kind != Named {
		return t
	}
	m := t.module
	at, ok := m.typeItems[t.name]
	if !ok {
		return nil
	}
	text := m.text(at)
	end, _ := assigned(text, 0) // the name may be in quotes
	_, definition, _ := strings.Cut(text[end:], "type")
	body, err := m.Type(strings.TrimSpace(definition))
	if err != nil || body.kind == Opaque {
		return nil
	}
	return body
}

// Type parses a type.
func (m *Module) Type(text string) (*Type, error) {
	m.typesLock.RLock()
	t := m.interned[text]
	m.typesLock.RUnlock()
	if t != nil {
		return t, nil
	}
	c := cursor{}
	c.reset(text, 0, len(text))
	t, ok := m.parseType(&c, 0)
	if !ok || c.peek(0).kind != tokenEnd {
		return nil, fmt.Errorf("'%s' is not a type", text)
	}
	m.typesLock.Lock()
	if m.interned[text] == nil {
		m.interned[text] = t
	}
	m.typesLock.Unlock()
	return t, nil
}

// typeAt is like [Module.Type], for text that was already skipped as a type. It returns nil if the
// type is unknown.
func (m *Module) typeAt(text string) *Type {
	t, err := m.Type(text)
	if err != nil {
		return nil
	}
	return t
}

// intern returns the unique type with t's text.
func (m *Module) intern(t Type) *Type {
	t.text = t.spell()
	m.typesLock.Lock()
	defer m.typesLock.Unlock()
	if old := m.interned[t.text]; old != nil {
		return old
	}
	t.module = m
	m.interned[t.text] = &t
	return &t
}
