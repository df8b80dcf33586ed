package llvmir

import (
	"fmt"
	"strconv"
	"strings"
)

// A Value is a value with its type: an operand, a constant or metadata.
type Value struct {
	Type *Type // nil when the text does not say
	Text string

	module *Module
}

// Value reads a typed value such as "i32 5" or "ptr @x".
func (m *Module) Value(text string) (Value, error) {
	var c cursor
	c.reset(text, 0, len(text))
	v, ok := m.typedValue(&c)
	if !ok || c.peek(0).kind != TokenEnd {
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

// Local returns the name of a local value.
func (v Value) Local() (string, bool) {
	if strings.HasPrefix(v.Text, "%") && nameEnd(v.Text, 1) == len(v.Text) {
		return plainName(v.Text[1:]), true
	}
	return "", false
}

// Global returns the name when the value is a symbol as such.
func (v Value) Global() (string, bool) {
	if strings.HasPrefix(v.Text, "@") && nameEnd(v.Text, 1) == len(v.Text) {
		return plainName(v.Text[1:]), true
	}
	return "", false
}

// BaseGlobal returns the symbol that a constant expression of casts and
// getelementptr starts from.
func (v Value) BaseGlobal() (string, bool) {
	if name, ok := v.Global(); ok {
		return name, true
	}
	switch word, _, _ := strings.Cut(v.Text, " "); word {
	case "getelementptr", "bitcast", "addrspacecast", "inttoptr", "ptrtoint", "ptrtoaddr", "dso_local_equivalent", "no_cfi":
	default:
		return "", false
	}
	for t := range Tokens(v.Text) {
		if t.Kind == TokenGlobal {
			return plainName(t.Text[1:]), true
		}
	}
	return "", false
}

// Int returns the value of an integer constant, true and false included.
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

// IsUndef tells whether the value is undef or poison.
func (v Value) IsUndef() bool { return v.Text == "undef" || v.Text == "poison" }

// IsNull tells whether the value is a null pointer.
func (v Value) IsNull() bool { return v.Text == "null" }

// IsZero tells whether the value is written as zero.
func (v Value) IsZero() bool {
	switch v.Text {
	case "zeroinitializer", "null", "0", "false", "0.000000e+00":
		return true
	}
	return false
}

// Bytes returns the content of a c"..." constant, or of a zeroinitializer of
// bytes when it is not larger than 1 MiB.
func (v Value) Bytes() ([]byte, bool) {
	if strings.HasPrefix(v.Text, `c"`) && len(v.Text) >= 3 {
		return []byte(stringValue(v.Text[1:])), true
	}
	if v.Text == "zeroinitializer" && v.Type != nil && v.Type.kind == Array && v.Type.elem.bits == 8 && v.Type.length <= 1<<20 {
		return make([]byte, v.Type.length), true
	}
	return nil, false
}

// Elements returns the elements of an aggregate or vector constant that is
// written out, and of zeroinitializer, undef and poison of at most 65536
// elements. A c"..." has none: see [Value.Bytes].
func (v Value) Elements() []Value {
	m := v.module
	if m == nil {
		return nil
	}
	var c cursor
	c.reset(v.Text, 0, len(v.Text))
	if c.at('<') && c.atK(1, '{') {
		c.i++
	}
	if c.at('[') || c.at('{') || c.at('<') {
		c.i++
		var list []Value
		for {
			e, ok := m.typedValue(&c)
			if !ok {
				return list
			}
			list = append(list, e)
			if !c.accept(',') {
				return list
			}
		}
	}
	if v.Text != "zeroinitializer" && !v.IsUndef() || v.Type == nil {
		return nil
	}
	body := v.Type.Body()
	if body == nil {
		return nil
	}
	element := func(t *Type) Value {
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
		return Value{t, text, m}
	}
	var list []Value
	switch {
	case body.kind == Struct:
		for _, f := range body.fields {
			list = append(list, element(f))
		}
	case (body.kind == Array || body.kind == Vector) && body.length <= 65536:
		for range body.length {
			list = append(list, element(body.elem))
		}
	}
	return list
}

// isLiteral tells whether a word is a whole constant.
func isLiteral(w string) bool {
	switch w {
	case "null", "none", "undef", "poison", "true", "false", "zeroinitializer":
		return true
	}
	return isDigit(w[0]) || w[0] == '-' || w[0] == '+' || len(w) > 2 && w[1] == '0' && w[2] == 'x'
}

// isConstantWord tells whether a word starts a constant, as opposed to an
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

// skipValue skips a value without its type.
func (c *cursor) skipValue() (span, bool) {
	tok := c.peek(0)
	done := func() (span, bool) { return span{tok.start, c.end()}, true }
	switch tok.kind {
	case TokenLocal, TokenGlobal, TokenString, TokenGroup, TokenComdat:
		c.i++
		return done()
	case TokenMeta:
		c.i++
		if c.at('(') && !c.group() {
			return span{}, false
		}
		return done()
	case TokenPunct:
		switch c.text[tok.start] {
		case '[', '{', '<':
			if !c.group() {
				return span{}, false
			}
			return done()
		case '!': // !"x" or !{...}
			c.i++
			if c.peek(0).kind == TokenString {
				c.i++
				return done()
			}
			if !c.at('{') || !c.group() {
				return span{}, false
			}
			return done()
		}
		return span{}, false
	case TokenWord:
	default:
		return span{}, false
	}
	w := c.word(tok)
	c.i++
	switch {
	case w == "c" && c.peek(0).kind == TokenString:
		c.i++
		return done()
	case w == "dso_local_equivalent" || w == "no_cfi":
		if c.peek(0).kind != TokenGlobal {
			return span{}, false
		}
		c.i++
		return done()
	case w == "asm":
		for c.peek(0).kind == TokenWord {
			c.i++
		}
		for c.peek(0).kind == TokenString {
			c.i++
			if c.atK(0, ',') && c.peek(1).kind == TokenString {
				c.i++
			}
		}
		return done()
	case isLiteral(w):
		return done()
	}
	// A constant expression: words, then its operands in parentheses.
	for isConstantWord(w) && c.peek(0).kind == TokenWord {
		range_ := c.word(c.peek(0)) == "inrange" && c.atK(1, '(')
		c.i++
		if range_ && !c.group() {
			return span{}, false
		}
	}
	if c.at('(') && !c.group() {
		return span{}, false
	}
	return done()
}

// An Attribute is an attribute of a function, a parameter, a call or a global.
// "k"="v" has Key k and Value v, align 8 has Key align and Value 8, and
// byval(%struct.X) has Key byval and Value %struct.X.
type Attribute struct {
	Key, Value string
	Quoted     bool // a string attribute
	Text       string
}

// skipAttribute skips an attribute; a group reference counts as one.
func (c *cursor) skipAttribute() (span, bool) {
	tok := c.peek(0)
	switch tok.kind {
	case TokenString:
		c.i++
		if c.at('=') && c.peek(1).kind == TokenString {
			c.i += 2
		}
	case TokenGroup:
		c.i++
	case TokenWord:
		c.i++
		switch {
		case c.at('('):
			if !c.group() {
				return span{}, false
			}
		case c.at('=') && c.peek(1).kind == TokenWord:
			c.i += 2
		default:
			if w := c.word(tok); w == "align" || w == "alignstack" || w == "cc" {
				if n := c.peek(0); n.kind == TokenWord && isDigit(c.text[n.start]) {
					c.i++
				}
			}
		}
	default:
		return span{}, false
	}
	return span{tok.start, c.end()}, true
}

func attributeOf(text string) Attribute {
	if text[0] == '"' {
		end := stringEnd(text, 0)
		a := Attribute{Key: stringValue(text[:end]), Quoted: true, Text: text}
		if at := strings.IndexByte(text[end:], '"'); at >= 0 {
			a.Value = stringValue(text[end+at:])
		}
		return a
	}
	a := Attribute{Key: text, Text: text}
	end := wordEnd(text, 0)
	a.Key = text[:end]
	rest := strings.TrimSpace(text[end:])
	switch {
	case strings.HasPrefix(rest, "("):
		a.Value = strings.TrimSpace(rest[1 : len(rest)-1])
	case strings.HasPrefix(rest, "="):
		a.Value = strings.TrimSpace(rest[1:])
	default:
		a.Value = rest
	}
	return a
}
