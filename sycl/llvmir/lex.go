package llvmir

import (
	"fmt"
	"strconv"
	"strings"
)

// A TokenKind says what a [Token] is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenEnd     TokenKind = iota
	TokenWord              // keyword, number, or a label's name
	TokenLocal             // %x: a local value, a label or a named type
	TokenGlobal            // @x
	TokenMeta              // !12, !dbg, !DILocation; a lone ! is punctuation
	TokenGroup             // #5
	TokenRecord            // #dbg_value
	TokenComdat            // $x
	TokenSummary           // ^5
	TokenString            // "x", quotes included
	TokenPunct             // one byte
	tokenBad               // a string that does not end
)

// A Token is a piece of IR text.
type Token struct {
	Kind TokenKind
	Text string
}

// Tokens splits IR text. Comments are left out; a string that does not end is
// the last token, as punctuation.
func Tokens(text string) func(yield func(Token) bool) {
	return func(yield func(Token) bool) {
		lx := lexer{text: text, limit: len(text)}
		for {
			t := lx.next()
			if t.kind == TokenEnd {
				return
			}
			if t.kind == tokenBad {
				yield(Token{TokenPunct, text[t.start:]})
				return
			}
			if !yield(Token{t.kind, text[t.start:t.end]}) {
				return
			}
		}
	}
}

// token is a token by its place, which is what everything inside works on.
type token struct {
	start, end uint32
	kind       TokenKind
	newline    bool // the first one on its line
}

type lexer struct {
	text       string
	pos, limit int
}

const (
	classWord  = 1 << iota // part of a word or name
	classSpace             // white space but line feed
	classGroup             // what matters while a group in brackets is skipped
	classAngle             // the same, for groups in angle brackets
	classRef               // what matters while references are looked for
)

var classes = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			t[c] |= classWord
		}
	}
	set := func(s string, class uint8) {
		for _, c := range []byte(s) {
			t[c] |= class
		}
	}
	set("$._-+", classWord)
	set(" \t\r\v\f", classSpace)
	set(`()[]{}";`, classGroup|classAngle)
	set("<>", classAngle)
	set(`";@%!#$`, classRef)
	return t
}()

// next returns the next token. Unknown bytes are punctuation.
func (l *lexer) next() token {
	text, pos := l.text[:l.limit], l.pos
	newline := false
	for pos < len(text) {
		c := text[pos]
		switch {
		case classes[c]&classSpace != 0:
			pos++
			continue
		case c == '\n':
			newline = true
			pos++
			continue
		case c == ';':
			pos = lineEnd(text, pos)
			continue
		}
		start := pos
		kind := TokenPunct
		pos++
		switch c {
		case '"':
			if pos = stringEnd(text, start); pos < 0 {
				l.pos = len(text)
				return token{uint32(start), uint32(len(text)), tokenBad, newline}
			}
			kind = TokenString
		case '%', '@', '$':
			if end := nameEnd(text, pos); end > pos {
				pos = end
				kind = sigils[c]
			} else if end < 0 {
				l.pos = len(text)
				return token{uint32(start), uint32(len(text)), tokenBad, newline}
			}
		case '!':
			end := pos
			for end < len(text) && (classes[text[end]]&classWord != 0 || text[end] == '\\') {
				end++
			}
			if end > pos {
				pos, kind = end, TokenMeta
			}
		case '#', '^':
			end := wordEnd(text, pos)
			if end > pos {
				switch {
				case c == '^':
					kind = TokenSummary
				case isDigit(text[pos]):
					kind = TokenGroup
				default:
					kind = TokenRecord
				}
				pos = end
			}
		default:
			if classes[c]&classWord != 0 {
				pos = wordEnd(text, pos)
				kind = TokenWord
			}
		}
		l.pos = pos
		return token{uint32(start), uint32(pos), kind, newline}
	}
	l.pos = pos
	return token{uint32(len(text)), uint32(len(text)), TokenEnd, true}
}

var sigils = [256]TokenKind{'%': TokenLocal, '@': TokenGlobal, '$': TokenComdat}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func lineEnd(text string, pos int) int {
	if n := strings.IndexByte(text[pos:], '\n'); n >= 0 {
		return pos + n
	}
	return len(text)
}

// stringEnd returns the place behind the string that starts at pos, -1 when it
// does not end. A quote in a string is written \22.
func stringEnd(text string, pos int) int {
	n := strings.IndexByte(text[pos+1:], '"')
	if n < 0 {
		return -1
	}
	return pos + n + 2
}

func wordEnd(text string, pos int) int {
	for pos < len(text) && classes[text[pos]]&classWord != 0 {
		pos++
	}
	return pos
}

// nameEnd returns where the name behind a sigil ends, -1 for a quoted one that
// does not end.
func nameEnd(text string, pos int) int {
	if pos < len(text) && text[pos] == '"' {
		return stringEnd(text, pos)
	}
	return wordEnd(text, pos)
}

// skipSpace skips white space and comments.
func skipSpace(text string, pos int) int {
	for pos < len(text) {
		switch c := text[pos]; {
		case classes[c]&classSpace != 0 || c == '\n':
			pos++
		case c == ';':
			pos = lineEnd(text, pos)
		default:
			return pos
		}
	}
	return pos
}

// skipGroup returns the place behind the group whose opening bracket is at pos;
// ok is false when it
// does not end or another bracket closes it.
func skipGroup(text string, pos int) (end int, ok bool) {
	class := uint8(classGroup)
	if text[pos] == '<' {
		class = classAngle
	}
	var few [64]byte
	open := few[:0] // what closes the groups that are open
	for pos < len(text) {
		c := text[pos]
		if classes[c]&class == 0 {
			pos++
			continue
		}
		switch c {
		case '"':
			if pos = stringEnd(text, pos); pos < 0 {
				return len(text), false
			}
			continue
		case ';':
			pos = lineEnd(text, pos)
			continue
		case '(':
			open = append(open, ')')
		case '[', '{', '<':
			open = append(open, c+2) // as ASCII has it
		default:
			if len(open) == 0 || open[len(open)-1] != c {
				return pos, false
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return pos + 1, true
			}
		}
		pos++
	}
	return pos, false
}

// plainName returns the name behind a sigil without quotes.
func plainName(text string) string {
	if len(text) >= 2 && text[0] == '"' {
		return unquote(text[1 : len(text)-1])
	}
	return text
}

// symbolText writes a name with its sigil, quoted when it has to be.
func symbolText(sigil byte, name string) string {
	plain := name != "" && wordEnd(name, 0) == len(name) && strings.IndexByte(name, '+') < 0
	if plain && isDigit(name[0]) {
		// All digits is a number; digits before other characters want quotes.
		plain = strings.Trim(name, "0123456789") == ""
	}
	if plain {
		return string(sigil) + name
	}
	return string(sigil) + quote(name)
}

// quote writes an LLVM string: a backslash and two hexadecimal digits stand for
// what is not plain.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func unquote(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// stringValue returns the content of a string token.
func stringValue(text string) string { return unquote(text[1 : len(text)-1]) }

// A cursor walks over tokens, which it takes from a lexer as they are needed.
type cursor struct {
	text string
	toks []token
	i    int
	lx   lexer // unused when all tokens are there
	live bool
}

func (c *cursor) reset(text string, pos, limit int) {
	c.text, c.toks, c.i = text, c.toks[:0], 0
	c.lx = lexer{text, pos, limit}
	c.live = true
}

func (c *cursor) peek(k int) token {
	for c.i+k >= len(c.toks) {
		if !c.live {
			return token{uint32(len(c.text)), uint32(len(c.text)), TokenEnd, true}
		}
		t := c.lx.next()
		if t.kind == TokenEnd {
			return t
		}
		c.toks = append(c.toks, t)
	}
	return c.toks[c.i+k]
}

func (c *cursor) word(t token) string { return c.text[t.start:t.end] }

// at tells whether the current token is punctuation b.
func (c *cursor) at(b byte) bool { return c.atK(0, b) }

func (c *cursor) atK(k int, b byte) bool {
	t := c.peek(k)
	return t.kind == TokenPunct && c.text[t.start] == b
}

func (c *cursor) accept(b byte) bool {
	if c.at(b) {
		c.i++
		return true
	}
	return false
}

// end returns where the token before the current one ended.
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
		// The closing bracket stands for all of it.
		c.toks[c.i] = token{uint32(end - 1), uint32(end), TokenPunct, false}
		c.lx.pos = end
		c.i++
		return true
	}
	angle := c.text[t.start] == '<'
	depth := 0
	for {
		t := c.peek(0)
		if t.kind == TokenEnd {
			return false
		}
		c.i++
		if t.kind != TokenPunct {
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

// span is a piece of a source text; zero when absent.
type span struct{ start, end uint32 }

func (s span) in(text string) string { return text[s.start:s.end] }
func (s span) ok() bool              { return s.end > s.start }
