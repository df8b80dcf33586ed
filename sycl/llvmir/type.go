package llvmir

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A Kind is a kind of type.
type Kind uint8

// The kinds of types. A Named is a reference such as %struct.X, whose
// [Type.Body] is the struct it stands for.
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
	Other // a word that this package does not know, such as x86_amx
)

// A Type is a type. Types of one module are interned: equal types are equal
// pointers. A nil *Type stands for an unknown one.
type Type struct {
	kind             Kind
	packed, scalable bool
	varArg           bool
	bits             int
	space            int
	length           uint64
	elem             *Type // of arrays, vectors, typed pointers; result of functions
	fields           []*Type
	ints             []uint64
	name             string
	text             string
	module           *Module
}

// Kind returns what kind of type it is.
func (t *Type) Kind() Kind { return t.kind }

// Bits returns the width of an integer or floating-point type.
func (t *Type) Bits() int { return t.bits }

// Len returns the number of elements of an array or a vector; of a scalable
// vector the least number.
func (t *Type) Len() uint64 { return t.length }

// Elem returns the element type of an array or a vector and what a typed pointer
// points to, nil for other types.
func (t *Type) Elem() *Type {
	if t.kind == Func {
		return nil
	}
	return t.elem
}

// Fields returns the field types of a struct that is written out.
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

// VarArg tells whether a function type ends in "...".
func (t *Type) VarArg() bool { return t.varArg }

// Packed tells whether a struct has no padding.
func (t *Type) Packed() bool { return t.packed }

// Scalable tells whether a vector is a <vscale x ...>.
func (t *Type) Scalable() bool { return t.scalable }

// AddrSpace returns the address space of a pointer.
func (t *Type) AddrSpace() int { return t.space }

// Name returns the name of a named or a target type and the word of an unknown one.
func (t *Type) Name() string { return t.name }

// TargetTypes returns the type parameters of a target type.
func (t *Type) TargetTypes() []*Type {
	if t.kind != Target {
		return nil
	}
	return t.fields
}

// TargetInts returns the integer parameters of a target type.
func (t *Type) TargetInts() []uint64 { return t.ints }

// String returns the type as LLVM prints it.
func (t *Type) String() string {
	if t == nil {
		return "?"
	}
	return t.text
}

// Body returns the struct that a named type stands for, nil when it is opaque or
// not defined; for other types the type itself.
func (t *Type) Body() *Type {
	if t.kind != Named {
		return t
	}
	m := t.module
	at, ok := m.typeItems[t.name]
	if !ok {
		return nil
	}
	body, err := m.Type(m.typeDefinition(at))
	if err != nil || body.kind == Opaque {
		return nil
	}
	return body
}

// Walk yields the type and all that a value of it contains, each once: fields,
// elements, and what named types stand for. Pointers and function types are not
// followed.
func (t *Type) Walk() iter.Seq[*Type] { return t.walk(false) }

// Mentions yields the type and all types that it mentions, also through pointers
// and function types, each once.
func (t *Type) Mentions() iter.Seq[*Type] { return t.walk(true) }

func (t *Type) walk(through bool) iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		if t == nil {
			return
		}
		if t.elem == nil && len(t.fields) == 0 && t.kind != Named {
			yield(t)
			return
		}
		seen := map[*Type]bool{t: true}
		list := []*Type{t}
		push := func(t *Type) {
			if t != nil && !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
		for len(list) > 0 {
			t := list[len(list)-1]
			list = list[:len(list)-1]
			if !yield(t) {
				return
			}
			switch {
			case t.kind == Named:
				push(t.Body())
			case !through && (t.kind == Pointer || t.kind == Func):
			default:
				push(t.elem)
				for _, f := range t.fields {
					push(f)
				}
			}
		}
	}
}

// Type returns the type that a text stands for.
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
	if !ok || c.peek(0).kind != TokenEnd {
		return nil, fmt.Errorf("'%s' is not a type", text)
	}
	m.typesLock.Lock()
	if m.interned[text] == nil {
		m.interned[text] = t
	}
	m.typesLock.Unlock()
	return t, nil
}

// typeAt is Type for text that has been skipped as a type before; nil when unknown.
func (m *Module) typeAt(text string) *Type {
	t, err := m.Type(text)
	if err != nil {
		return nil
	}
	return t
}

// intern returns the one type with t's text.
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

// deepestType bounds recursion: nobody nests types like this by hand.
const deepestType = 1000

var floats = map[string]struct {
	kind Kind
	bits int
}{
	"half": {Half, 16}, "bfloat": {BFloat, 16}, "float": {Float, 32}, "double": {Double, 64},
	"x86_fp80": {X86FP80, 80}, "fp128": {FP128, 128}, "ppc_fp128": {PPCFP128, 128},
}

func (m *Module) parseType(c *cursor, depth int) (*Type, bool) {
	if depth > deepestType {
		return nil, false
	}
	var t *Type
	tok := c.peek(0)
	word := c.word(tok)
	c.i++
	switch {
	case tok.kind == TokenLocal:
		t = m.intern(Type{kind: Named, name: plainName(word[1:])})
	case tok.kind == TokenWord && word == "target" && c.at('('):
		c.i++
		ext := Type{kind: Target}
		name := c.peek(0)
		if name.kind != TokenString {
			return nil, false
		}
		ext.name = stringValue(c.word(name))
		c.i++
		for c.accept(',') {
			if p := c.peek(0); p.kind == TokenWord && isDigit(c.text[p.start]) {
				n, err := strconv.ParseUint(c.word(p), 10, 64)
				if err != nil {
					return nil, false
				}
				ext.ints = append(ext.ints, n)
				c.i++
				continue
			}
			p, ok := m.parseType(c, depth+1)
			if !ok {
				return nil, false
			}
			ext.fields = append(ext.fields, p)
		}
		if !c.accept(')') {
			return nil, false
		}
		t = m.intern(ext)
	case tok.kind == TokenWord:
		t = m.intern(wordType(word))
	case tok.kind == TokenPunct && word == "[", tok.kind == TokenPunct && word == "<" && !c.at('{'):
		seq := Type{kind: Array}
		if word == "<" {
			seq.kind = Vector
			if c.word(c.peek(0)) == "vscale" {
				seq.scalable = true
				c.i += 2
			}
		}
		n, err := strconv.ParseUint(c.word(c.peek(0)), 10, 64)
		if err != nil || c.word(c.peek(1)) != "x" {
			return nil, false
		}
		seq.length = n
		c.i += 2
		var ok bool
		if seq.elem, ok = m.parseType(c, depth+1); !ok {
			return nil, false
		}
		if closing := byte(']'); !c.accept(closing) && !c.accept('>') {
			return nil, false
		}
		t = m.intern(seq)
	case tok.kind == TokenPunct && (word == "{" || word == "<"):
		s := Type{kind: Struct, packed: word == "<"}
		if s.packed {
			c.i++
		}
		for !c.accept('}') {
			if len(s.fields) > 0 && !c.accept(',') {
				return nil, false
			}
			f, ok := m.parseType(c, depth+1)
			if !ok {
				return nil, false
			}
			s.fields = append(s.fields, f)
		}
		if s.packed && !c.accept('>') {
			return nil, false
		}
		t = m.intern(s)
	default:
		return nil, false
	}
	for ; depth <= deepestType; depth++ {
		switch {
		case c.at('*'):
			c.i++
			t = m.intern(Type{kind: Pointer, elem: t})
		case c.word(c.peek(0)) == "addrspace" && c.atK(1, '('):
			n, err := strconv.ParseUint(c.word(c.peek(2)), 10, 24)
			if err != nil || !c.atK(3, ')') {
				return nil, false
			}
			c.i += 4
			if c.accept('*') {
				t = m.intern(Type{kind: Pointer, elem: t, space: int(n)})
			} else if t.kind == Pointer && t.elem == nil {
				t = m.intern(Type{kind: Pointer, space: int(n)})
			} else {
				return nil, false
			}
		case c.at('('):
			c.i++
			f := Type{kind: Func, elem: t}
			for !c.accept(')') {
				if len(f.fields) > 0 && !c.accept(',') {
					return nil, false
				}
				if c.word(c.peek(0)) == "..." {
					c.i++
					f.varArg = true
					if !c.accept(')') {
						return nil, false
					}
					break
				}
				p, ok := m.parseType(c, depth+1)
				if !ok {
					return nil, false
				}
				f.fields = append(f.fields, p)
			}
			t = m.intern(f)
		default:
			return t, true
		}
	}
	return nil, false
}

func wordType(word string) Type {
	switch word {
	case "void":
		return Type{kind: Void}
	case "ptr":
		return Type{kind: Pointer}
	case "label":
		return Type{kind: Label}
	case "metadata":
		return Type{kind: Metadata}
	case "token":
		return Type{kind: TokenType}
	case "opaque":
		return Type{kind: Opaque}
	}
	if f, ok := floats[word]; ok {
		return Type{kind: f.kind, bits: f.bits, name: word}
	}
	if word[0] == 'i' {
		if n, err := strconv.ParseUint(word[1:], 10, 24); err == nil {
			return Type{kind: Int, bits: int(n)}
		}
	}
	return Type{kind: Other, name: word}
}

func (t *Type) spell() string {
	var b strings.Builder
	list := func(open string, types []*Type, close string) {
		b.WriteString(open)
		for i, f := range types {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(f.text)
		}
		b.WriteString(close)
	}
	switch t.kind {
	case Void:
		return "void"
	case Int:
		return "i" + strconv.Itoa(t.bits)
	case Label:
		return "label"
	case Metadata:
		return "metadata"
	case TokenType:
		return "token"
	case Opaque:
		return "opaque"
	case Named:
		return symbolText('%', t.name)
	case Pointer:
		if t.elem == nil {
			b.WriteString("ptr")
		} else {
			b.WriteString(t.elem.text)
		}
		if t.space != 0 {
			fmt.Fprintf(&b, " addrspace(%d)", t.space)
		}
		if t.elem != nil {
			b.WriteByte('*')
		}
	case Array:
		fmt.Fprintf(&b, "[%d x %s]", t.length, t.elem.text)
	case Vector:
		b.WriteByte('<')
		if t.scalable {
			b.WriteString("vscale x ")
		}
		fmt.Fprintf(&b, "%d x %s>", t.length, t.elem.text)
	case Struct:
		switch {
		case len(t.fields) == 0 && t.packed:
			return "<{}>"
		case len(t.fields) == 0:
			return "{}"
		case t.packed:
			list("<{ ", t.fields, " }>")
		default:
			list("{ ", t.fields, " }")
		}
	case Func:
		list(t.elem.text+" (", t.fields, "")
		if t.varArg {
			if len(t.fields) > 0 {
				b.WriteString(", ")
			}
			b.WriteString("...")
		}
		b.WriteByte(')')
	case Target:
		b.WriteString("target(" + quote(t.name))
		for _, f := range t.fields {
			b.WriteString(", " + f.text)
		}
		for _, n := range t.ints {
			b.WriteString(", " + strconv.FormatUint(n, 10))
		}
		b.WriteByte(')')
	default:
		return t.name
	}
	return b.String()
}

// isTypeWord tells whether a word starts a type.
func isTypeWord(w string) bool {
	switch w {
	case "void", "ptr", "label", "metadata", "token", "target", "opaque", "x86_mmx", "x86_amx",
		"half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128":
		return true
	}
	if len(w) < 2 || w[0] != 'i' {
		return false
	}
	for i := 1; i < len(w); i++ {
		if !isDigit(w[i]) {
			return false
		}
	}
	return true
}

// skipType skips a type.
func (c *cursor) skipType() (span, bool) {
	tok := c.peek(0)
	start := tok.start
	switch {
	case tok.kind == TokenLocal:
		c.i++
	case tok.kind == TokenWord:
		c.i++
		if c.word(tok) == "target" && c.at('(') && !c.group() {
			return span{}, false
		}
	case tok.kind == TokenPunct && strings.IndexByte("[{<", c.text[tok.start]) >= 0:
		if !c.group() {
			return span{}, false
		}
	default:
		return span{}, false
	}
	for {
		switch next := c.peek(0); {
		case next.kind == TokenPunct && c.text[next.start] == '*':
			c.i++
		case next.kind == TokenPunct && c.text[next.start] == '(':
			if !c.group() {
				return span{}, false
			}
		case next.kind == TokenWord && c.word(next) == "addrspace" && c.atK(1, '('):
			c.i++
			if !c.group() {
				return span{}, false
			}
		default:
			return span{start, c.end()}, true
		}
	}
}
