package llvmir

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A Token is a piece of IR text: a word, a name with its sigil, a string with its
// quotes, or one byte of punctuation.
type Token struct {
	Text string
	kind tokenKind
}

// Tokens yields the tokens of IR text, without comments. If a string is unterminated, the rest of
// the text is the last token, as punctuation.
func Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		lx := lexer{text: text, limit: len(text)}
		for t := lx.next(); t.kind != tokenEnd; t = lx.next() {
			kind := t.kind
			if kind == tokenBad {
				kind = tokenPunct
			}
			if !yield(Token{text[t.start:t.end], kind}) {
				return
			}
		}
	}
}

type tokenKind uint8

const (
	tokenEnd     tokenKind = iota
	tokenWord              // keyword, number, or a label's name
	tokenLocal             // %x: a local value, a label or a named type
	tokenGlobal            // @x
	tokenMeta              // !12, !dbg, !DILocation; a lone ! is punctuation
	tokenGroup             // #5
	tokenRecord            // #dbg_value
	tokenComdat            // $x
	tokenSummary           // ^5
	tokenString            // "x", quotes included
	tokenPunct             // one byte
	tokenBad               // an unterminated string: the last token
)

// A token is the position and the kind of a token. The package uses it internally, instead of a
// Token.
type token struct {
	start, end uint32
	kind       tokenKind
	newline    bool // the first one on its line
}

func (t token) span() span { return span{t.start, t.end} }

// A span is a range of a source text. It is zero if it is absent.
type span struct{ start, end uint32 }

func (s span) in(text string) string { return text[s.start:s.end] }
func (s span) ok() bool              { return s.end > s.start }

// A lexer splits text[pos:limit] into tokens.
type lexer struct {
	text       string
	pos, limit int
}

// Classes of bytes.
const (
	classWord  = 1 << iota // part of a word or name
	classSpace             // white space except line feed
	classGroup             // significant while skipping a group in brackets
	classAngle             // significant while skipping a group in angle brackets
	classRef               // significant while searching for references
)

var classes = func() (t [256]uint8) {
	for c := range 256 {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
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
	text := l.text[:l.limit]
	newline := false
	for pos := l.pos; pos < len(text); pos++ {
		switch c := text[pos]; {
		case classes[c]&classSpace != 0:
		case c == '\n':
			newline = true
		case c == ';':
			pos = lineEnd(text, pos) - 1
		case classes[c]&classWord != 0 && c != '$':
			l.pos = wordEnd(text, pos+1)
			return token{uint32(pos), uint32(l.pos), tokenWord, newline}
		default:
			end, kind := tokenAt(text, pos)
			l.pos = end
			return token{uint32(pos), uint32(end), kind, newline}
		}
	}
	l.pos = len(text)
	return token{uint32(len(text)), uint32(len(text)), tokenEnd, true}
}

var sigils = [256]tokenKind{'%': tokenLocal, '@': tokenGlobal, '$': tokenComdat}

// tokenAt returns the end and the kind of the token at a position, which is not a word.
func tokenAt(text string, start int) (end int, kind tokenKind) {
	switch c := text[start]; c {
	case '"':
		if end := stringEnd(text, start); end >= 0 {
			return end, tokenString
		}
		return len(text), tokenBad
	case '%', '@', '$':
		end := nameEnd(text, start+1)
		if end < 0 {
			return len(text), tokenBad
		}
		if end > start+1 {
			return end, sigils[c]
		}
	case '!':
		if end := metadataNameEnd(text, start+1); end > start+1 {
			return end, tokenMeta
		}
	case '#', '^':
		if end := wordEnd(text, start+1); end > start+1 {
			switch {
			case c == '^':
				return end, tokenSummary
			case isDigit(text[start+1]):
				return end, tokenGroup
			}
			return end, tokenRecord
		}
	}
	return start + 1, tokenPunct
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func lineEnd(text string, pos int) int {
	if n := strings.IndexByte(text[pos:], '\n'); n >= 0 {
		return pos + n
	}
	return len(text)
}

// stringEnd returns the position after the string that starts at pos, or -1 if it is unterminated.
// A quote in a string is written \22.
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

// nameEnd returns the end of the name after a sigil, or -1 for an unterminated quoted name.
func nameEnd(text string, pos int) int {
	if pos < len(text) && text[pos] == '"' {
		return stringEnd(text, pos)
	}
	return wordEnd(text, pos)
}

// metadataNameEnd returns the end of the name or number after "!".
func metadataNameEnd(text string, pos int) int {
	for pos < len(text) && (classes[text[pos]]&classWord != 0 || text[pos] == '\\') {
		pos++
	}
	return pos
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

// skipGroup returns the position after the group whose opening bracket is at pos; ok is false if it
// is unterminated or closed by a different bracket.
func skipGroup(text string, pos int) (end int, ok bool) {
	class := uint8(classGroup)
	if text[pos] == '<' {
		class = classAngle
	}
	var few [64]byte
	open := few[:0] // closing brackets of the open groups
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

// plainName returns the name after a sigil without quotes.
func plainName(text string) string {
	if len(text) >= 2 && text[0] == '"' {
		return unquote(text[1 : len(text)-1])
	}
	return text
}

// symbolText formats a name with its sigil, quoted if necessary.
func symbolText(sigil byte, name string) string {
	plain := name != "" && wordEnd(name, 0) == len(name) && strings.IndexByte(name, '+') < 0
	if plain && isDigit(name[0]) {
		// A name that consists of digits is a number. Digits before other characters require quotes.
		plain = strings.Trim(name, "0123456789") == ""
	}
	if plain {
		return string(sigil) + name
	}
	return string(sigil) + quote(name)
}

// quote formats an LLVM string, escaping special bytes as a backslash and two hexadecimal digits.
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
