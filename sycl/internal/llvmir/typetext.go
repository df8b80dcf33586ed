package llvmir

import (
	"fmt"
	"strconv"
	"strings"
)

// deepestType limits the nesting of unnamed types. Each type keeps its whole text, so memory use is
// proportional to depth times length.
const deepestType = 100

// parseType reads a type.
func (m *Module) parseType(c *cursor, depth int) (*Type, bool) {
	if depth > deepestType {
		return nil, false
	}
	t, ok := m.parseFirst(c, depth)
	for ; ok && depth <= deepestType; depth++ {
		switch {
		case c.word(c.peek(0)) == "addrspace" && c.atK(1, '('):
			t, ok = m.parsePointerIn(c, t)
		case c.accept('('):
			t, ok = m.parseFunction(c, t, depth)
		default:
			return t, true
		}
	}
	return nil, false
}

// parseFirst reads a type without its pointer or function suffix.
func (m *Module) parseFirst(c *cursor, depth int) (*Type, bool) {
	tok := c.peek(0)
	word := c.word(tok)
	c.i++
	switch tok.kind {
	case tokenLocal:
		return m.intern(Type{kind: Named, name: plainName(word[1:])}), true
	case tokenWord:
		if word == "target" && c.accept('(') {
			return m.parseTarget(c, depth)
		}
		return m.intern(wordType(word)), true
	case tokenPunct:
		switch {
		case word == "[":
			return m.parseSequence(c, Array, depth)
		case word == "<" && !c.accept('{'):
			return m.parseSequence(c, Vector, depth)
		case word == "{", word == "<":
			return m.parseStruct(c, word == "<", depth)
		}
	}
	return nil, false
}

// parseTarget reads target("name", i32, 5) after its parenthesis.
func (m *Module) parseTarget(c *cursor, depth int) (*Type, bool) {
	name := c.peek(0)
	if name.kind != tokenString {
		return nil, false
	}
	c.i++
	t := Type{kind: Target, name: stringValue(c.word(name))}
	for c.accept(',') {
		if p := c.peek(0); p.kind == tokenWord && isDigit(c.text[p.start]) {
			n, err := strconv.ParseUint(c.word(p), 10, 64)
			if err != nil {
				return nil, false
			}
			t.ints = append(t.ints, n)
			c.i++
			continue
		}
		p, ok := m.parseType(c, depth+1)
		if !ok {
			return nil, false
		}
		t.fields = append(t.fields, p)
	}
	if !c.accept(')') {
		return nil, false
	}
	return m.intern(t), true
}

// parseSequence reads [4 x i8], <4 x i8> or <vscale x 4 x i8> after its bracket.
func (m *Module) parseSequence(c *cursor, kind Kind, depth int) (*Type, bool) {
	t := Type{kind: kind}
	if kind == Vector && c.word(c.peek(0)) == "vscale" {
		t.scalable = true
		c.i += 2
	}
	n, err := strconv.ParseUint(c.word(c.peek(0)), 10, 64)
	if err != nil || c.word(c.peek(1)) != "x" {
		return nil, false
	}
	t.length = n
	c.i += 2
	var ok bool
	if t.elem, ok = m.parseType(c, depth+1); !ok {
		return nil, false
	}
	if !c.accept(']') && !c.accept('>') {
		return nil, false
	}
	return m.intern(t), true
}

// parseStruct reads { i8, i32 } or <{ i8, i32 }> after its brackets.
func (m *Module) parseStruct(c *cursor, packed bool, depth int) (*Type, bool) {
	t := Type{kind: Struct, packed: packed}
	for !c.accept('}') {
		if len(t.fields) > 0 && !c.accept(',') {
			return nil, false
		}
		f, ok := m.parseType(c, depth+1)
		if !ok {
			return nil, false
		}
		t.fields = append(t.fields, f)
	}
	if packed && !c.accept('>') {
		return nil, false
	}
	return m.intern(t), true
}

// parsePointerIn reads the address space of a pointer.
func (m *Module) parsePointerIn(c *cursor, t *Type) (*Type, bool) {
	n, err := strconv.ParseUint(c.word(c.peek(2)), 10, 24)
	if err != nil || !c.atK(3, ')') || t.kind != Pointer {
		return nil, false
	}
	c.i += 4
	return m.intern(Type{kind: Pointer, space: int(n)}), true
}

// parseFunction reads the parameters of a function type after their parenthesis.
func (m *Module) parseFunction(c *cursor, result *Type, depth int) (*Type, bool) {
	t := Type{kind: Func, elem: result}
	for !c.accept(')') {
		if len(t.fields) > 0 && !c.accept(',') {
			return nil, false
		}
		if c.word(c.peek(0)) == "..." {
			c.i++
			t.varArg = true
			if !c.accept(')') {
				return nil, false
			}
			break
		}
		p, ok := m.parseType(c, depth+1)
		if !ok {
			return nil, false
		}
		t.fields = append(t.fields, p)
	}
	return m.intern(t), true
}

var floats = map[string]struct {
	kind Kind
	bits int
}{
	"half": {Half, 16}, "bfloat": {BFloat, 16}, "float": {Float, 32}, "double": {Double, 64},
	"x86_fp80": {X86FP80, 80}, "fp128": {FP128, 128}, "ppc_fp128": {PPCFP128, 128},
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

// spell formats a type like LLVM. The types that it contains must already be formatted.
func (t *Type) spell() string {
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
		if t.space == 0 {
			return "ptr"
		}
		return "ptr addrspace(" + strconv.Itoa(t.space) + ")"
	case Array:
		return fmt.Sprintf("[%d x %s]", t.length, t.elem.text)
	case Vector:
		if t.scalable {
			return fmt.Sprintf("<vscale x %d x %s>", t.length, t.elem.text)
		}
		return fmt.Sprintf("<%d x %s>", t.length, t.elem.text)
	case Struct:
		return t.spellStruct()
	case Func:
		params := texts(t.fields)
		if t.varArg {
			params = append(params, "...")
		}
		return t.elem.text + " (" + strings.Join(params, ", ") + ")"
	case Target:
		params := append([]string{quote(t.name)}, texts(t.fields)...)
		for _, n := range t.ints {
			params = append(params, strconv.FormatUint(n, 10))
		}
		return "target(" + strings.Join(params, ", ") + ")"
	}
	return t.name
}

func (t *Type) spellStruct() string {
	body := "{}"
	if len(t.fields) > 0 {
		body = "{ " + strings.Join(texts(t.fields), ", ") + " }"
	}
	if t.packed {
		return "<" + body + ">"
	}
	return body
}

func texts(types []*Type) []string {
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = t.text
	}
	return list
}

// isTypeWord reports whether a word starts a type.
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
