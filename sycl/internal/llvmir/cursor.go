package llvmir

import "strings"

// A cursor walks over tokens, which it reads from a lexer on demand, and skips types, values and
// attributes. The current token is toks[i].
type cursor struct {
	text string
	toks []token
	i    int
	lx   lexer
	live bool // more tokens come from lx
}

// reset restarts the cursor at a position of a text.
func (c *cursor) reset(text string, pos, limit int) {
	c.text, c.toks, c.i = text, c.toks[:0], 0
	c.lx = lexer{text, pos, limit}
	c.live = true
}

// peek returns the token that is k after the current one.
func (c *cursor) peek(k int) token {
	if i := c.i + k; i < len(c.toks) {
		return c.toks[i]
	}
	return c.read(k)
}

// read is like peek, for a token that has not been read yet.
func (c *cursor) read(k int) token {
	for c.i+k >= len(c.toks) {
		if !c.live {
			return token{uint32(len(c.text)), uint32(len(c.text)), tokenEnd, true}
		}
		t := c.lx.next()
		if t.kind == tokenEnd {
			return t
		}
		c.toks = append(c.toks, t)
	}
	return c.toks[c.i+k]
}

func (c *cursor) word(t token) string { return c.text[t.start:t.end] }

// at reports whether the current token is punctuation b.
func (c *cursor) at(b byte) bool { return c.atK(0, b) }

// atK is like at, for the token that is k after the current one.
func (c *cursor) atK(k int, b byte) bool {
	t := c.peek(k)
	return t.kind == tokenPunct && c.text[t.start] == b
}

// accept skips the current token if it is punctuation b, and reports whether it was.
func (c *cursor) accept(b byte) bool {
	if c.at(b) {
		c.i++
		return true
	}
	return false
}

// end returns the end of the token before the current one.
func (c *cursor) end() uint32 {
	if c.i == 0 {
		return uint32(c.lx.pos)
	}
	if c.i > len(c.toks) {
		c.peek(0)
	}
	return c.toks[min(c.i, len(c.toks))-1].end
}

// group skips the group that the current token opens.
func (c *cursor) group() bool {
	t := c.peek(0)
	if c.live && c.i == len(c.toks)-1 {
		end, ok := skipGroup(c.text[:c.lx.limit], int(t.start))
		if !ok {
			return false
		}
		// The closing bracket represents the whole group.
		c.toks[c.i] = token{uint32(end - 1), uint32(end), tokenPunct, false}
		c.lx.pos = end
		c.i++
		return true
	}
	angle := c.text[t.start] == '<'
	depth := 0
	for {
		t := c.peek(0)
		if t.kind == tokenEnd {
			return false
		}
		c.i++
		if t.kind != tokenPunct {
			continue
		}
		switch c.text[t.start] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '<':
			if angle {
				depth++
			}
		case '>':
			if angle {
				depth--
			}
		}
		if depth <= 0 {
			return true
		}
	}
}

// atAttribute reports whether the current token starts an attribute rather than a type.
func (c *cursor) atAttribute() bool {
	t := c.peek(0)
	return t.kind == tokenString || t.kind == tokenGroup || t.kind == tokenWord && !isTypeWord(c.word(t))
}

// skipType skips a type.
func (c *cursor) skipType() (span, bool) {
	tok := c.peek(0)
	switch {
	case tok.kind == tokenLocal:
		c.i++
	case tok.kind == tokenWord:
		c.i++
		if c.word(tok) == "target" && c.at('(') && !c.group() {
			return span{}, false
		}
	case tok.kind == tokenPunct && strings.IndexByte("[{<", c.text[tok.start]) >= 0:
		if !c.group() {
			return span{}, false
		}
	default:
		return span{}, false
	}
	return c.skipTypeEnd(tok.start)
}

// skipTypeEnd skips the suffix that makes a type a pointer or function type.
func (c *cursor) skipTypeEnd(start uint32) (span, bool) {
	for {
		switch next := c.peek(0); {
		case next.kind == tokenPunct && c.text[next.start] == '(':
			if !c.group() {
				return span{}, false
			}
		case next.kind == tokenWord && c.word(next) == "addrspace" && c.atK(1, '('):
			c.i++
			if !c.group() {
				return span{}, false
			}
		default:
			return span{start, c.end()}, true
		}
	}
}

// skipValue skips a value without its type.
func (c *cursor) skipValue() (span, bool) {
	tok := c.peek(0)
	ok := true
	switch tok.kind {
	case tokenLocal, tokenGlobal, tokenString, tokenGroup, tokenComdat:
		c.i++
	case tokenMeta:
		c.i++
		ok = !c.at('(') || c.group()
	case tokenPunct:
		ok = c.skipBracketValue(c.text[tok.start])
	case tokenWord:
		c.i++
		ok = c.skipWordValue(c.word(tok))
	default:
		ok = false
	}
	if !ok {
		return span{}, false
	}
	return span{tok.start, c.end()}, true
}

// skipBracketValue skips an aggregate, !"x" or !{...}.
func (c *cursor) skipBracketValue(first byte) bool {
	switch first {
	case '[', '{', '<':
		return c.group()
	case '!':
		c.i++
		if c.peek(0).kind == tokenString {
			c.i++
			return true
		}
		return c.at('{') && c.group()
	}
	return false
}

// skipWordValue skips the rest of a constant after its first word.
func (c *cursor) skipWordValue(word string) bool {
	switch {
	case word == "c":
		if c.peek(0).kind != tokenString {
			return false
		}
		c.i++
	case word == "dso_local_equivalent" || word == "no_cfi":
		if c.peek(0).kind != tokenGlobal {
			return false
		}
		c.i++
	case word == "asm":
		c.skipAsm()
	case isLiteral(word):
		if strings.HasSuffix(word, "nan") && c.at('(') { // +nan(0x1)
			return c.group()
		}
	default:
		return c.skipExpression(word)
	}
	return true
}

// skipAsm skips the flags, the text and the constraints of inline assembly.
func (c *cursor) skipAsm() {
	for c.peek(0).kind == tokenWord {
		c.i++
	}
	for c.peek(0).kind == tokenString {
		c.i++
		if c.at(',') && c.peek(1).kind == tokenString {
			c.i++
		}
	}
}

// skipExpression skips the flags of a constant expression and its operands in
// parentheses.
func (c *cursor) skipExpression(word string) bool {
	for isConstantWord(word) && c.peek(0).kind == tokenWord {
		inrange := c.word(c.peek(0)) == "inrange" && c.atK(1, '(')
		c.i++
		if inrange && !c.group() {
			return false
		}
	}
	return !c.at('(') || c.group()
}

// skipAttribute skips an attribute; a group reference counts as one.
func (c *cursor) skipAttribute() (span, bool) {
	tok := c.peek(0)
	switch tok.kind {
	case tokenString:
		c.i++
		if c.at('=') && c.peek(1).kind == tokenString {
			c.i += 2
		}
	case tokenGroup:
		c.i++
	case tokenWord:
		c.i++
		if !c.skipAttributeValue(c.word(tok)) {
			return span{}, false
		}
	default:
		return span{}, false
	}
	return span{tok.start, c.end()}, true
}

// skipAttributeValue skips the rest of an attribute after its word.
func (c *cursor) skipAttributeValue(word string) bool {
	switch {
	case c.at('('):
		return c.group()
	case c.at('=') && c.peek(1).kind == tokenWord:
		c.i += 2
	case word == "align" || word == "alignstack" || word == "cc":
		if n := c.peek(0); n.kind == tokenWord && isDigit(c.text[n.start]) {
			c.i++
		}
	}
	return true
}
