package llvmir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Value is a value with its type: an operand, a constant or metadata.
type Value struct {
	Type *Type // nil if the text does not specify it
	Text string

	module *Module
}

// Value parses a typed value such as "i32 5" or "ptr @x".
func (m *Module) Value(text string) (Value, error) {
	var c cursor
	c.reset(text, 0, len(text))
	v, ok := m.typedValue(&c)
	if !ok || c.peek(0).kind != tokenEnd {
		return Value{}, fmt.Errorf("'%s' is not a type and a value", text)
	}
	return v, nil
}

// typedValue reads a type and a value.
func (m *Module) typedValue(c *cursor) (Value, bool) {
	typ, ok := c.skipType()
	if !ok {
		return Value{}, false
	}
	val, ok := c.skipValue()
	if !ok {
		return Value{}, false
	}
	return Value{m.typeAt(typ.in(c.text)), val.in(c.text), m}, true
}

// Local returns the name of the value if it is a local value.
func (v Value) Local() (string, bool) {
	if strings.HasPrefix(v.Text, "%") && nameEnd(v.Text, 1) == len(v.Text) {
		return plainName(v.Text[1:]), true
	}
	return "", false
}

// Global returns the name of the symbol if the value is a plain symbol.
func (v Value) Global() (string, bool) {
	if strings.HasPrefix(v.Text, "@") && nameEnd(v.Text, 1) == len(v.Text) {
		return plainName(v.Text[1:]), true
	}
	return "", false
}

// BaseGlobal returns the name of the symbol on which a constant expression of casts and
// getelementptr is based.
func (v Value) BaseGlobal() (string, bool) {
	if name, ok := v.Global(); ok {
		return name, true
	}
	word := v.Text
	if i := strings.IndexAny(word, " (\t"); i >= 0 {
		word = word[:i]
	}
	switch word {
	case "getelementptr", "bitcast", "addrspacecast", "inttoptr", "ptrtoint", "ptrtoaddr", "dso_local_equivalent", "no_cfi":
	default:
		return "", false
	}
	for t := range Tokens(v.Text) {
		if t.kind == tokenGlobal {
			return plainName(t.Text[1:]), true
		}
	}
	return "", false
}

// Int returns the value of an integer constant, including true and false.
func (v Value) Int() (int64, bool) {
	switch v.Text {
	case "true":
		return 1, true
	case "false", "zeroinitializer":
		return 0, v.Type == nil || v.Type.kind == Int
	}
	if v.Type != nil && v.Type.kind != Int {
		return 0, false
	}
	if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseUint(v.Text, 10, 64)
	return int64(n), err == nil
}

// Bytes returns the content of a c"..." constant, or of a byte zeroinitializer of at most 1 MiB.
func (v Value) Bytes() ([]byte, bool) {
	if strings.HasPrefix(v.Text, `c"`) && len(v.Text) >= 3 {
		return []byte(stringValue(v.Text[1:])), true
	}
	if v.Text == "zeroinitializer" && v.Type != nil && v.Type.kind == Array && v.Type.elem.bits == 8 && v.Type.length <= 1<<20 {
		return make([]byte, v.Type.length), true
	}
	return nil, false
}

// mostElements limits the number of elements of a constant that does not list its elements.
const mostElements = 1 << 16

// Elements returns the elements of an explicit aggregate or vector constant, of a splat, or of a
// zeroinitializer, undef or poison with at most 65536 elements. It returns nil for other values,
// including c"...", see [Value.Bytes].
func (v Value) Elements() []Value {
	if v.module == nil {
		return nil
	}
	switch v.Text {
	case "zeroinitializer", "undef", "poison":
		return v.sameElements()
	}
	var c cursor
	c.reset(v.Text, 0, len(v.Text))
	if c.word(c.peek(0)) == "splat" && c.atK(1, '(') {
		c.i += 2
		return v.splat(&c)
	}
	if c.at('<') && c.atK(1, '{') {
		c.i++
	}
	if !c.accept('[') && !c.accept('{') && !c.accept('<') {
		return nil
	}
	var list []Value
	for {
		e, ok := v.module.typedValue(&c)
		if !ok {
			return list
		}
		list = append(list, e)
		if !c.accept(',') {
			return list
		}
	}
}

// splat returns the elements of splat (i32 5), given the text in its parentheses.
func (v Value) splat(c *cursor) []Value {
	e, ok := v.module.typedValue(c)
	if !ok || v.Type == nil || v.Type.kind != Vector || v.Type.length > mostElements {
		return nil
	}
	return slices.Repeat([]Value{e}, int(v.Type.length))
}

// sameElements returns the elements of a constant whose elements all have its form, such as undef.
func (v Value) sameElements() []Value {
	if v.Type == nil {
		return nil
	}
	body := v.Type.Body()
	if body == nil {
		return nil
	}
	var list []Value
	switch body.kind {
	case Struct:
		for _, f := range body.fields {
			list = append(list, v.sameElement(f))
		}
	case Array, Vector:
		if body.length <= mostElements {
			list = slices.Repeat([]Value{v.sameElement(body.elem)}, int(body.length))
		}
	}
	return list
}

func (v Value) sameElement(t *Type) Value {
	text := v.Text
	if text == "zeroinitializer" {
		switch t.kind {
		case Int:
			text = "0"
		case Pointer:
			text = "null"
		case Half, BFloat, Float, Double:
			text = "0.000000e+00"
		}
	}
	return Value{t, text, v.module}
}

// isLiteral reports whether a word is a whole constant.
func isLiteral(w string) bool {
	switch w {
	case "null", "none", "undef", "poison", "true", "false", "zeroinitializer":
		return true
	}
	return isDigit(w[0]) || w[0] == '-' || w[0] == '+' || len(w) > 2 && w[1] == '0' && w[2] == 'x'
}

// isConstantWord reports whether a word starts a constant, as opposed to an
// attribute that may stand between a type and its value.
func isConstantWord(w string) bool {
	if isLiteral(w) {
		return true
	}
	switch w {
	case "c", "asm", "splat", "blockaddress", "dso_local_equivalent", "no_cfi", "ptrauth", "getelementptr",
		"bitcast", "addrspacecast", "inttoptr", "ptrtoint", "ptrtoaddr", "trunc", "zext", "sext", "fptrunc", "fpext",
		"uitofp", "sitofp", "fptoui", "fptosi", "select", "icmp", "fcmp", "extractelement", "insertelement",
		"shufflevector", "extractvalue", "insertvalue", "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor",
		"udiv", "sdiv", "urem", "srem", "fadd", "fsub", "fmul", "fdiv", "frem", "fneg":
		return true
	}
	return false
}

// WithGlobals returns the text of the value with symbols replaced. names maps the old names to the
// new names.
func (v Value) WithGlobals(names map[string]string) string {
	if text, ok := renamed(v.Text, names); ok {
		return text
	}
	return v.Text
}
