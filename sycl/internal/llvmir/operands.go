package llvmir

import "strings"

// parse parses the tokens after the operation.
func (in *Instr) parse() {
	if in.parsed {
		return
	}
	in.parsed = true
	in.operands, in.types, in.attached, in.attributes = in.operands[:0], in.types[:0], in.attached[:0], in.attributes[:0]
	in.callee, in.calleeType = span{}, span{}
	if in.label {
		return
	}
	c := &in.scratch
	*c = cursor{text: in.text, toks: in.toks, i: in.opAt + 1}
	switch {
	case in.isCall():
		in.parseCall(c)
	case in.op == "phi":
		in.parsePhi(c)
	case in.op[0] == '#':
		c.accept('(')
	}
	comma := false // before the current token
	for t := c.peek(0); t.kind != tokenEnd; t = c.peek(0) {
		before := c.i
		in.parsePart(c, t, comma)
		comma = t.kind == tokenPunct && in.text[t.start] == ','
		if c.i == before {
			c.i++
		}
	}
}

// parseCall parses a call up to its arguments' closing parenthesis, and its attributes.
func (in *Instr) parseCall(c *cursor) {
	for c.atAttribute() {
		if _, ok := c.skipAttribute(); !ok {
			return
		}
	}
	typ, ok := c.skipType()
	if !ok {
		return
	}
	in.calleeType = typ
	in.types = append(in.types, typ)
	if in.callee, ok = c.skipValue(); !ok || !c.accept('(') {
		return
	}
	for !c.accept(')') {
		if c.peek(0).kind == tokenEnd {
			return
		}
		in.parseArgument(c)
	}
	for t := c.peek(0); t.kind == tokenString || t.kind == tokenGroup || t.kind == tokenWord && c.word(t) != "to"; t = c.peek(0) {
		a, ok := c.skipAttribute()
		if !ok {
			return
		}
		in.attributes = append(in.attributes, a)
	}
}

func (in *Instr) parseArgument(c *cursor) {
	start := c.i
	typ, ok := c.skipType()
	if !ok {
		c.i = start + 1
		return
	}
	o := operand{typ: typ}
	if n := len(in.operands); n < cap(in.operands) {
		o.attributes = in.operands[:n+1][n].attributes[:0]
	}
	in.types = append(in.types, typ)
	metadata := typ.in(in.text) == "metadata"
	for in.startsArgumentAttribute(c.peek(0), metadata) {
		a, ok := c.skipAttribute()
		if !ok {
			break
		}
		o.attributes = append(o.attributes, a)
	}
	if metadata && c.peek(0).kind != tokenMeta && !c.at('!') {
		// metadata ptr %x
		if inner, ok := c.skipType(); ok {
			in.types = append(in.types, inner)
		}
	}
	if o.val, ok = c.skipValue(); ok {
		in.operands = append(in.operands, o)
	}
	c.accept(',')
}

// startsArgumentAttribute reports whether a token after the type of an argument starts an
// attribute. Metadata does not have attributes, so a word is the type of a value.
func (in *Instr) startsArgumentAttribute(t token, metadata bool) bool {
	switch t.kind {
	case tokenString, tokenGroup:
		return true
	case tokenWord:
		return !metadata && !isConstantWord(t.span().in(in.text))
	}
	return false
}

// parsePhi parses a phi up to its last pair of a value and a label.
func (in *Instr) parsePhi(c *cursor) {
	for t := c.peek(0); t.kind == tokenWord && !isTypeWord(c.word(t)); t = c.peek(0) {
		c.i++
		if c.at('(') && !c.group() {
			break
		}
	}
	typ, ok := c.skipType()
	if !ok {
		return
	}
	in.types = append(in.types, typ)
	for c.accept('[') {
		if val, ok := c.skipValue(); ok {
			in.operands = append(in.operands, operand{typ: typ, val: val})
		}
		for c.peek(0).kind != tokenEnd && !c.accept(']') {
			c.i++
		}
		if !c.at(',') || !c.atK(1, '[') {
			return
		}
		c.i++
	}
}

// parsePart parses the type, operand, attachment or other word that starts with the current token.
// comma is true if a comma precedes it.
func (in *Instr) parsePart(c *cursor, t token, comma bool) {
	switch t.kind {
	case tokenMeta:
		in.parseAttachment(c, t)
	case tokenLocal:
		if in.namesType(c, t, comma) {
			in.typed(c)
		} else {
			in.untyped(c)
		}
	case tokenGlobal:
		in.untyped(c)
	case tokenWord:
		in.parseWord(c, c.word(t), comma)
	case tokenPunct:
		in.parsePunct(c, in.text[t.start], comma)
	default:
		c.i++
	}
}

// parseAttachment parses an attachment, or a metadata operand of a debug record.
func (in *Instr) parseAttachment(c *cursor, t token) {
	c.i++
	if in.op[0] == '#' {
		if c.at('(') {
			c.group()
		}
		return
	}
	before := c.i
	if ref, ok := c.skipValue(); ok && in.text[ref.start] == '!' {
		in.attached = append(in.attached, attachment{span{t.start, ref.end}, t.span(), ref})
	} else {
		c.i = before
	}
}

// namesType reports whether the current token, a local name, names a type.
func (in *Instr) namesType(c *cursor, t token, comma bool) bool {
	if _, ok := in.f.m.typeItems[plainName(in.text[t.start+1:t.end])]; !ok {
		return false
	}
	if in.startsValue(c.peek(1)) || c.i > 0 && c.word(c.toks[c.i-1]) == "to" {
		return true
	}
	// A type without a value.
	switch in.op {
	case "getelementptr", "alloca", "load":
		return len(in.types) == 0
	case "va_arg":
		return comma
	}
	return false
}

func (in *Instr) parseWord(c *cursor, w string, comma bool) {
	switch {
	case isTypeWord(w):
		in.typed(c)
	case comma && (isConstantWord(w) || len(w) > 2 && w[1:3] == "0x"):
		in.untyped(c)
	default:
		c.i++
		if c.at('(') {
			c.group()
		} else if w == "align" {
			c.i++
		}
	}
}

func (in *Instr) parsePunct(c *cursor, first byte, comma bool) {
	switch first {
	case '{', '<':
		in.typedOrValue(c, comma)
	case '[':
		switch in.op {
		case "switch", "indirectbr", "catchpad", "cleanuppad", "catchswitch", "call", "invoke", "callbr":
			c.i++ // a list of typed values
		default:
			in.typedOrValue(c, comma)
		}
	default:
		c.i++
	}
}

// startsValue reports whether a token can be a value after its type.
func (in *Instr) startsValue(t token) bool {
	switch t.kind {
	case tokenLocal, tokenGlobal:
		return true
	case tokenWord:
		return isConstantWord(in.text[t.start:t.end])
	case tokenPunct:
		return strings.IndexByte("[{<*", in.text[t.start]) >= 0
	}
	return false
}

// typed parses a type and the value after it, if there is one.
func (in *Instr) typed(c *cursor) {
	typ, ok := c.skipType()
	if !ok {
		return
	}
	in.types = append(in.types, typ)
	// metadata !5, metadata i32 %x: the value follows
	if typ.in(in.text) == "metadata" || in.startsValue(c.peek(0)) {
		if val, ok := c.skipValue(); ok {
			in.operands = append(in.operands, operand{typ: typ, val: val})
		}
	}
}

// typedOrValue parses a type that starts with a bracket or, after a comma, a constant with the type
// of the previous operand.
func (in *Instr) typedOrValue(c *cursor, comma bool) {
	i := c.i
	if comma && len(in.operands) > 0 {
		// A vector constant starts with a type, and a vector type with a number.
		if w := c.word(c.peek(1)); w == "" || !isDigit(w[0]) && w != "vscale" && in.text[c.peek(0).start] == '<' && w != "{" {
			in.untyped(c)
			if c.i > i {
				return
			}
		}
	}
	in.typed(c)
}

// untyped parses a value with the type of the previous operand, such as the second operand of an
// addition or a comparison.
func (in *Instr) untyped(c *cursor) {
	val, ok := c.skipValue()
	if !ok {
		return
	}
	o := operand{val: val}
	if n := len(in.operands); n > 0 {
		switch in.op {
		case "extractvalue", "insertvalue", "cleanupret", "catchret":
		default:
			o.typ = in.operands[n-1].typ
		}
	}
	in.operands = append(in.operands, o)
}
