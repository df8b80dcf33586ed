package llvmir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// A FormatError is returned for text that this package cannot parse as IR. It has the position of
// the error.
type FormatError struct {
	File         string
	Line, Column int // from 1; the column counts bytes
	Msg          string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// BadInput marks the error as caused by an input file.
func (e *FormatError) BadInput() {}

// A BitcodeError is returned for a file that is LLVM bitcode, not text.
type BitcodeError struct{ File string }

func (e *BitcodeError) Error() string {
	return e.File + ": this is LLVM bitcode, not textual IR; disassemble it with llvm-dis"
}

// BadInput marks the error as caused by an input file.
func (e *BitcodeError) BadInput() {}

// Parse parses a module. Errors contain name.
func Parse(name, text string) (*Module, error) {
	if offload.FormatOf([]byte(text[:min(4, len(text))])) == offload.Bitcode {
		return nil, &BitcodeError{name}
	}
	m := &Module{
		file:      name,
		symbols:   map[string]Symbol{},
		namedIDs:  map[string]*NamedMetadata{},
		pruned:    true,
		typeItems: map[string]uint32{},
		groups:    map[uint32]uint32{},
		comdats:   map[string]uint32{},
		interned:  map[string]*Type{},
	}
	tail, err := m.read(text)
	if err != nil {
		return nil, err
	}
	m.tail = tail
	return m, nil
}

// read adds the entities of a text and returns the position after the last entity.
func (m *Module) read(text string) (uint32, error) {
	r := reader{m: m, text: text, src: uint32(len(m.sources))}
	if len(text) > math.MaxUint32-1 {
		return 0, r.fail(0, "input of 4 GiB or more")
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return 0, r.fail(at, "a NUL byte in textual IR")
	}
	m.sources = append(m.sources, text)
	for {
		start := skipSpace(text, r.pos)
		if start == len(text) {
			return uint32(r.pos), nil
		}
		if err := r.entity(start); err != nil {
			return 0, err
		}
	}
}

// A reader splits a text into entities.
type reader struct {
	m    *Module
	text string
	src  uint32
	pos  int // after the last entity
	c    cursor
	h    header
}

func (r *reader) fail(at int, format string, args ...any) error {
	before := r.text[:at]
	return &FormatError{
		File:   r.m.file,
		Line:   1 + strings.Count(before, "\n"),
		Column: at - strings.LastIndexByte(before, '\n'),
		Msg:    fmt.Sprintf(format, args...),
	}
}

// entity reads the top-level entity at a position.
func (r *reader) entity(start int) error {
	if strings.IndexByte("@%$!^", r.text[start]) >= 0 {
		return r.assignment(start)
	}
	word := r.text[start:wordEnd(r.text, start)]
	switch {
	case word == "define":
		return r.define(start)
	case word == "":
		return r.fail(start, "'%c' does not start a top-level entity", r.text[start])
	case !isKeyword(word):
		return r.fail(start, "'%s' does not start a top-level entity", word)
	}
	limit, err := r.limit(start)
	if err != nil {
		return err
	}
	rest := start + len(word)
	switch word {
	case "declare":
		return r.declare(start, limit)
	case "attributes":
		return r.attributes(start, rest, limit)
	case "target":
		if err := r.checkTokens(rest, limit, "a target", tokenWord, tokenPunct, tokenString); err != nil {
			return err
		}
		r.add(itemTarget, 0, start, limit)
	case "source_filename":
		if err := r.checkTokens(rest, limit, "the source's name", tokenPunct, tokenString); err != nil {
			return err
		}
		r.add(itemTarget, 0, start, limit)
	case "module":
		if err := r.checkTokens(rest, limit, "module-level assembly", tokenWord, tokenString); err != nil {
			return err
		}
		r.add(itemAsm, 0, start, limit)
	default: // uselistorder
		if err := r.checkClosed(start, limit); err != nil {
			return err
		}
		r.add(itemOrder, 0, start, limit)
	}
	return nil
}

// isKeyword reports whether a word may start a top-level entity.
func isKeyword(word string) bool {
	switch word {
	case "define", "declare", "attributes", "target", "source_filename", "module", "uselistorder", "uselistorder_bb":
		return true
	}
	return false
}

// assignment reads an entity that starts with its name and "=".
func (r *reader) assignment(start int) error {
	end, ok := assigned(r.text, start)
	if !ok {
		return r.fail(start, "expected a name and =")
	}
	limit, err := r.limit(end - 1)
	if err != nil {
		return err
	}
	switch r.text[start] {
	case '@':
		return r.variable(start, end, limit)
	case '%':
		return r.typeDefinition(start, end, limit)
	case '$':
		return r.comdat(start, end, limit)
	case '^':
		r.add(itemSummary, 0, start, limit)
		return nil
	}
	if err := r.checkClosed(end, limit); err != nil {
		return err
	}
	if isDigit(r.text[start+1]) {
		return r.node(start, end, limit)
	}
	return r.namedMetadata(start, end, limit)
}

// add adds an item with a start and an end.
func (r *reader) add(kind itemKind, index, start, end int) {
	r.m.items = append(r.m.items, item{
		src: r.src, lead: uint32(r.pos), start: uint32(start), end: uint32(end), index: uint32(index), kind: kind,
	})
	r.pos = end
}

// next returns the number of the next item.
func (r *reader) next() uint32 { return uint32(len(r.m.items)) }

// addSymbol adds a symbol and its item.
func (r *reader) addSymbol(kind itemKind, s Symbol, start, end int) {
	r.m.all = append(r.m.all, s)
	r.m.symbols[s.Name()] = s
	r.add(kind, len(r.m.all)-1, start, end)
}

// checkName checks that a symbol has a name and that no other symbol has the same name.
func (r *reader) checkName(start int, name string) error {
	if name == "" {
		return r.fail(start, "a symbol without a name")
	}
	if old := r.m.symbols[name]; old != nil {
		return r.fail(start, "duplicate symbol @%s, also in line %d", name, r.m.line(old))
	}
	return nil
}

// line returns the line at which a symbol of the module's text starts.
func (m *Module) line(s Symbol) int {
	return 1 + strings.Count(m.sources[0][:m.items[s.entity()].start], "\n")
}

// variable reads a variable, an alias or an ifunc.
func (r *reader) variable(start, end, limit int) error {
	r.h.clear(r.text)
	r.c.reset(r.text, start, limit)
	if err := r.h.variable(&r.c); err != nil {
		return r.fail(int(err.at), "%s", err.msg)
	}
	name := plainName(r.text[start+1 : end])
	if err := r.checkName(start, name); err != nil {
		return err
	}
	switch r.h.word(fieldKeyword) {
	case "alias", "ifunc":
		a := &Alias{symbol{m: r.m, name: name, item: r.next()}}
		r.m.aliases = append(r.m.aliases, a)
		r.addSymbol(itemAlias, a, start, limit)
	default:
		g := &Global{symbol{m: r.m, name: name, item: r.next()}}
		r.m.globals = append(r.m.globals, g)
		r.addSymbol(itemGlobal, g, start, limit)
	}
	return nil
}

func (r *reader) typeDefinition(start, end, limit int) error {
	body := skipSpace(r.text[:limit], skipSpace(r.text, end)+1)
	if body > limit || !strings.HasPrefix(r.text[body:limit], "type") {
		return r.fail(body, "expected type")
	}
	r.c.reset(r.text, body+len("type"), limit)
	if _, ok := r.c.skipType(); ok && r.c.peek(0).kind != tokenEnd {
		return r.fail(int(r.c.peek(0).start), "unexpected text in a type")
	}
	name := plainName(r.text[start+1 : end])
	if _, double := r.m.typeItems[name]; double {
		return r.fail(start, "duplicate type %%%s", name)
	}
	r.m.typeItems[name] = r.next()
	r.add(itemType, 0, start, limit)
	return nil
}

func (r *reader) comdat(start, end, limit int) error {
	if err := r.checkTokens(end, limit, "a comdat", tokenPunct, tokenWord, tokenWord); err != nil {
		return err
	}
	r.m.comdats[plainName(r.text[start+1:end])] = r.next()
	r.add(itemComdat, 0, start, limit)
	return nil
}

func (r *reader) node(start, end, limit int) error {
	id, err := strconv.ParseUint(r.text[start+1:end], 10, 31)
	if err != nil {
		return r.fail(start, "the number of a metadata node is out of range")
	}
	if _, double := r.m.nodes.find(uint32(id)); double {
		return r.fail(start, "duplicate metadata node !%d", id)
	}
	r.m.nodes.add(uint32(id), r.next())
	r.add(itemNode, int(id), start, limit)
	return nil
}

func (r *reader) namedMetadata(start, end, limit int) error {
	name := unescapeName(r.text[start+1 : end])
	if r.m.NamedMetadata(name) != nil {
		return r.fail(start, "duplicate named metadata !%s", name)
	}
	n := &NamedMetadata{m: r.m, name: name, item: r.next()}
	r.m.named = append(r.m.named, n)
	r.m.namedIDs[name] = n
	r.add(itemNamed, len(r.m.named)-1, start, limit)
	return nil
}

// attributes reads an attribute group, whose number starts at a position.
func (r *reader) attributes(start, pos, limit int) error {
	lx := lexer{r.text, pos, limit}
	t := lx.next()
	id, err := strconv.ParseUint(strings.TrimPrefix(t.span().in(r.text), "#"), 10, 31)
	if t.kind != tokenGroup || err != nil {
		return r.fail(int(t.start), "expected the number of an attribute group")
	}
	eq, open := lx.next(), lx.next()
	if eq.span().in(r.text) != "=" || open.span().in(r.text) != "{" {
		return r.fail(int(eq.start), "an attribute group without a body")
	}
	if err := r.checkClosed(int(open.start), limit); err != nil {
		return err
	}
	r.m.groups[uint32(id)] = r.next()
	r.m.attrs.Clear()
	r.m.maxGroup = max(r.m.maxGroup, uint32(id)+1)
	r.add(itemGroup, int(id), start, limit)
	return nil
}

func (r *reader) declare(start, limit int) error {
	if err := r.functionHeader(start, limit, false); err != nil {
		return err
	}
	_, err := r.function(start, limit)
	return err
}

func (r *reader) define(start int) error {
	if err := r.functionHeader(start, len(r.text), true); err != nil {
		return err
	}
	body := int(r.h.body)
	end, ok := skipGroup(r.text, body)
	if !ok || r.text[end-1] != '}' {
		return r.fail(start, "unterminated body of function %s", r.h.name.in(r.text))
	}
	f, err := r.function(start, body)
	if err != nil {
		return err
	}
	f.defined = true
	f.bodySrc, f.body = r.src, span{uint32(body), uint32(end)}
	r.pos = end
	return nil
}

func (r *reader) functionHeader(start, limit int, defined bool) error {
	r.h.clear(r.text)
	r.c.reset(r.text, start, limit)
	if err := r.h.function(&r.c, defined); err != nil {
		return r.fail(int(err.at), "%s", err.msg)
	}
	return nil
}

// function adds the function whose header was read.
func (r *reader) function(start, end int) (*Function, error) {
	name := plainName(r.h.name.in(r.text)[1:])
	if err := r.checkName(int(r.h.name.start), name); err != nil {
		return nil, err
	}
	f := &Function{symbol: symbol{m: r.m, name: name, item: r.next()}, kernel: isKernel(r.h.convention.in(r.text))}
	r.m.functions = append(r.m.functions, f)
	r.addSymbol(itemFunction, f, start, end)
	return f, nil
}

// checkTokens checks that an entity consists only of tokens of the given kinds, starting at pos.
func (r *reader) checkTokens(pos, limit int, what string, kinds ...tokenKind) error {
	lx := lexer{r.text, pos, limit}
	for _, kind := range append(kinds, tokenEnd) {
		if t := lx.next(); t.kind != kind {
			return r.fail(min(int(t.start), limit), "unexpected text in %s", what)
		}
	}
	return nil
}

// checkClosed checks that an entity ends with its first outermost group of brackets.
func (r *reader) checkClosed(pos, limit int) error {
	if c := r.text[limit-1]; c == '}' || c == ')' {
		return nil
	}
	for pos < limit && r.text[pos] != '{' && r.text[pos] != '(' {
		pos++
	}
	if pos < limit {
		pos, _ = skipGroup(r.text, pos)
		pos = skipSpace(r.text, pos)
	}
	return r.fail(min(pos, limit), "unexpected text after the previous entity")
}

// limit returns the end of the entity at a position, which is the start of the next one: outside of
// brackets, at a name followed by "=", or at a line that starts with a keyword.
func (r *reader) limit(pos int) (int, error) {
	text := r.text
	start := pos
	last := pos // after the last byte that belongs to the entity
	for pos++; pos < len(text); pos++ {
		c := text[pos]
		if classes[c]&classWord != 0 && c != '$' {
			last = pos + 1
			continue
		}
		switch c {
		case ' ', '\t', '\r', '\v', '\f':
			continue
		case '\n':
			next := skipSpace(text, pos) // after text that does not belong to an entity
			if startsKeyword(text[next:]) {
				return last, nil
			}
			pos = next - 1
			continue
		case ';':
			pos = lineEnd(text, pos) - 1
			continue
		case '"':
			end := stringEnd(text, pos)
			if end < 0 {
				return 0, r.fail(pos, "unterminated string")
			}
			pos = end - 1
		case '(', '[', '{':
			end, ok := skipGroup(text, pos)
			if !ok {
				return 0, r.fail(pos, "unterminated bracket")
			}
			pos = end - 1
		case ')', ']', '}':
			return 0, r.fail(pos, "unmatched '%c'", c)
		case '@', '%', '$', '!', '^':
			if _, ok := assigned(text, pos); ok && pos > start+1 {
				return last, nil
			}
			// A quoted name is skipped like a string.
		}
		last = pos + 1
	}
	return last, nil
}

// assigned reports whether a name followed by "=" is at a position, and returns the end of the
// name.
func assigned(text string, pos int) (end int, ok bool) {
	if text[pos] == '!' {
		end = metadataNameEnd(text, pos+1)
	} else {
		end = nameEnd(text, pos+1)
	}
	if end <= pos+1 {
		return 0, false
	}
	at := end
	for at < len(text) && (classes[text[at]]&classSpace != 0 || text[at] == '\n') {
		at++
	}
	return end, at < len(text) && text[at] == '='
}

// startsKeyword reports whether a text starts with the keyword of an entity.
func startsKeyword(text string) bool {
	word := text[:wordEnd(text, 0)]
	if word == "target" { // which may also be a type
		rest := text[skipSpace(text, len(word)):]
		return strings.HasPrefix(rest, "triple") || strings.HasPrefix(rest, "datalayout")
	}
	return isKeyword(word)
}
