package llvmir

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
)

// A FormatError is a place in the text that is not IR as this package knows it.
type FormatError struct {
	File         string
	Line, Column int // from 1; the column counts bytes
	Msg          string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// BadInput tells tools that an input file caused the error.
func (e *FormatError) BadInput() {}

// A BitcodeError says that a file is LLVM bitcode, not text.
type BitcodeError struct{ File string }

func (e *BitcodeError) Error() string {
	return e.File + ": this is LLVM bitcode, not textual IR; disassemble it with llvm-dis"
}

// BadInput tells tools that an input file caused the error.
func (e *BitcodeError) BadInput() {}

// A Module is one IR file.
type Module struct {
	file    string
	sources []string // the text, then what was added or rewritten
	items   []item   // top-level entities in file order, then added ones
	tail    uint32   // where the text behind the last entity starts
	edited  bool

	functions []*Function
	globals   []*Global
	aliases   []*Alias
	named     []*NamedMetadata
	all       []Symbol // by item.index
	symbols   map[string]Symbol
	namedIDs  map[string]*NamedMetadata
	typeItems map[string]uint32
	typeNames []string
	groups    map[uint32]uint32 // item of each attribute group
	maxGroup  uint32            // one more than the greatest
	lowGroup  uint32            // all smaller ones are taken; moved when maxGroup is too great
	clones    map[string]string // groups made by edits, by content
	comdats   map[string]uint32
	comdatIDs []string
	nodes     nodeTable

	typesLock sync.RWMutex
	interned  map[string]*Type

	pruned    bool       // functions, globals and aliases hold no deleted ones
	lazy      sync.Mutex // guards what follows and pending edits of bodies
	lines     []uint32
	index     *index
	fresh     map[uint32][]uint32 // references of items that the index does not have as they are
	users     map[uint32][]uint32
	lists     *subsetLists
	scratches []*scratch
}

type itemKind uint8

const (
	itemOther itemKind = iota
	itemTarget
	itemAsm
	itemType
	itemGlobal
	itemAlias
	itemFunction
	itemGroup
	itemNamed
	itemNode
	itemComdat
	itemOrder   // uselistorder
	itemSummary // ^0 = ...
)

// An item is a top-level entity: source[start:end], and before it, from lead on,
// white space and comments. Of a function it is the header.
type item struct {
	src, lead, start, end uint32
	index                 uint32 // in the slice of its kind; of a node its number
	kind                  itemKind
	gone                  bool
}

func (m *Module) text(i uint32) string {
	it := &m.items[i]
	return m.sources[it.src][it.start:it.end]
}

// rewrite gives an item a new text.
func (m *Module) rewrite(i uint32, text string) {
	it := &m.items[i]
	lead := m.sources[it.src][it.lead:it.start]
	m.sources = append(m.sources, lead+text)
	it.src = uint32(len(m.sources) - 1)
	it.lead, it.start, it.end = 0, uint32(len(lead)), uint32(len(lead)+len(text))
	m.touch(i)
}

// touch notes that an item is no longer what it was.
func (m *Module) touch(i uint32) {
	m.edited = true
	m.lazy.Lock()
	if m.index != nil {
		if m.fresh == nil {
			m.fresh = map[uint32][]uint32{}
		}
		m.fresh[i] = nil
	}
	m.users, m.lists = nil, nil
	m.lazy.Unlock()
}

// Parse reads a module. The name is used in errors.
func Parse(name string, text []byte) (*Module, error) {
	if imageformat.Of(text) == imageformat.Bitcode {
		return nil, &BitcodeError{name}
	}
	return ParseString(name, string(text))
}

// ParseString is [Parse] for text that is a string already, which it does not copy.
func ParseString(name, text string) (*Module, error) {
	if imageformat.Of([]byte(text[:min(4, len(text))])) == imageformat.Bitcode {
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

// read adds the entities of a text and returns where its tail starts.
func (m *Module) read(text string) (uint32, error) {
	r := reader{m: m, text: text, src: uint32(len(m.sources))}
	if len(text) > math.MaxUint32-1 {
		return 0, r.fail(0, "a text of 4 GiB or more")
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

// A reader takes a text apart.
type reader struct {
	m    *Module
	text string
	src  uint32
	pos  int // behind the last entity
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

// entity reads the top-level entity at a place.
func (r *reader) entity(start int) error {
	m, text := r.m, r.text
	it := item{src: r.src, lead: uint32(r.pos), start: uint32(start)}
	at := uint32(len(m.items))
	add := func(kind itemKind, index, end int) error {
		it.kind, it.index, it.end = kind, uint32(index), uint32(end)
		m.items = append(m.items, it)
		r.pos = end
		return nil
	}
	c := text[start]
	if strings.IndexByte("@%$!^", c) >= 0 {
		end, ok := assigned(text, start)
		if !ok {
			return r.fail(start, "a name and = are expected here")
		}
		name := plainName(text[start+1 : end])
		limit, err := r.limit(end - 1)
		if err != nil {
			return err
		}
		switch c {
		case '@':
			r.h.clear(text)
			r.c.reset(text, start, limit)
			if err := r.h.variable(&r.c); err != nil {
				return r.fail(int(err.at), "%s", err.msg)
			}
			if err := r.unique(start, name); err != nil {
				return err
			}
			if k := r.h.keyword.in(text); k == "alias" || k == "ifunc" {
				a := &Alias{symbol{m: m, name: name, item: at}}
				m.aliases = append(m.aliases, a)
				return add(itemAlias, m.enter(a), limit)
			}
			g := &Global{symbol{m: m, name: name, item: at}}
			m.globals = append(m.globals, g)
			return add(itemGlobal, m.enter(g), limit)
		case '%':
			body := skipSpace(text[:limit], skipSpace(text, end)+1)
			if body > limit || !strings.HasPrefix(text[body:limit], "type") {
				return r.fail(body, "type is expected here")
			}
			r.c.reset(text, body+len("type"), limit)
			if _, ok := r.c.skipType(); ok && r.c.peek(0).kind != TokenEnd {
				return r.fail(int(r.c.peek(0).start), "this does not belong to a type")
			}
			if _, double := m.typeItems[name]; double {
				return r.fail(start, "type %%%s is defined twice", name)
			}
			m.typeItems[name] = at
			m.typeNames = append(m.typeNames, name)
			return add(itemType, len(m.typeNames)-1, limit)
		case '$':
			if err := r.only(end, limit, "a comdat", TokenPunct, TokenWord, TokenWord); err != nil {
				return err
			}
			m.comdats[name] = at
			m.comdatIDs = append(m.comdatIDs, name)
			return add(itemComdat, len(m.comdatIDs)-1, limit)
		case '^':
			return add(itemSummary, 0, limit)
		}
		if err := r.closed(end, limit); err != nil {
			return err
		}
		if isDigit(text[start+1]) {
			id, err := strconv.ParseUint(text[start+1:end], 10, 31)
			if err != nil {
				return r.fail(start, "the number of a metadata node is out of range")
			}
			if _, double := m.nodes.find(uint32(id)); double {
				return r.fail(start, "metadata node !%d is defined twice", id)
			}
			m.nodes.add(uint32(id), at)
			return add(itemNode, int(id), limit)
		}
		if name = unescapeName(text[start+1 : end]); m.Named(name) != nil {
			return r.fail(start, "named metadata !%s is defined twice", name)
		}
		n := &NamedMetadata{m: m, name: name, item: at}
		m.named = append(m.named, n)
		m.namedIDs[name] = n
		return add(itemNamed, len(m.named)-1, limit)
	}

	word := text[start:wordEnd(text, start)]
	switch word {
	case "define":
		return r.define(it, at)
	case "declare", "attributes", "target", "source_filename", "module", "uselistorder", "uselistorder_bb":
	case "":
		return r.fail(start, "'%c' does not start a top-level entity", c)
	default:
		return r.fail(start, "'%s' does not start a top-level entity", word)
	}
	limit, err := r.limit(start)
	if err != nil {
		return err
	}
	switch word {
	case "declare":
		r.h.clear(text)
		r.c.reset(text, start, limit)
		if err := r.h.function(&r.c, false); err != nil {
			return r.fail(int(err.at), "%s", err.msg)
		}
		f, err := r.function(at)
		if err != nil {
			return err
		}
		f.kernel = isKernel(r.h.convention.in(text))
		return add(itemFunction, len(m.all)-1, limit)
	case "attributes":
		lx := lexer{text, start + len(word), limit}
		t := lx.next()
		id, err := strconv.ParseUint(strings.TrimPrefix(text[t.start:t.end], "#"), 10, 31)
		if t.kind != TokenGroup || err != nil {
			return r.fail(int(t.start), "the number of an attribute group is expected here")
		}
		eq, open := lx.next(), lx.next()
		if text[eq.start:eq.end] != "=" || text[open.start:open.end] != "{" {
			return r.fail(int(eq.start), "an attribute group without a body")
		}
		if err := r.closed(int(open.start), limit); err != nil {
			return err
		}
		m.groups[uint32(id)] = at
		m.maxGroup = max(m.maxGroup, uint32(id)+1)
		return add(itemGroup, int(id), limit)
	case "target":
		if err := r.only(start+len(word), limit, "a target", TokenWord, TokenPunct, TokenString); err != nil {
			return err
		}
		return add(itemTarget, 0, limit)
	case "source_filename":
		if err := r.only(start+len(word), limit, "the source's name", TokenPunct, TokenString); err != nil {
			return err
		}
		return add(itemTarget, 0, limit)
	case "module":
		if err := r.only(start+len(word), limit, "module-level assembly", TokenWord, TokenString); err != nil {
			return err
		}
		return add(itemAsm, 0, limit)
	}
	if err := r.closed(start, limit); err != nil {
		return err
	}
	return add(itemOrder, 0, limit)
}

// only checks that an entity consists of tokens of some kinds from a place on.
func (r *reader) only(pos, limit int, what string, kinds ...TokenKind) error {
	lx := lexer{r.text, pos, limit}
	for _, kind := range append(kinds, TokenEnd) {
		if t := lx.next(); t.kind != kind {
			return r.fail(min(int(t.start), limit), "this does not belong to %s", what)
		}
	}
	return nil
}

// closed checks that an entity ends with a group of brackets: with its first one
// that is outside of others.
func (r *reader) closed(pos, limit int) error {
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
	return r.fail(min(pos, limit), "this does not belong to the entity before it")
}

// enter adds a symbol and returns its index.
func (m *Module) enter(s Symbol) int {
	m.all = append(m.all, s)
	m.symbols[s.Name()] = s
	return len(m.all) - 1
}

func (r *reader) unique(start int, name string) error {
	if old := r.m.symbols[name]; old != nil {
		return r.fail(start, "symbol @%s stands here and in line %d", name, old.Line())
	}
	return nil
}

func (r *reader) function(at uint32) (*Function, error) {
	name := plainName(r.h.name.in(r.text)[1:])
	if err := r.unique(int(r.h.name.start), name); err != nil {
		return nil, err
	}
	f := &Function{symbol: symbol{m: r.m, name: name, item: at}}
	r.m.functions = append(r.m.functions, f)
	r.m.enter(f)
	return f, nil
}

func (r *reader) define(it item, at uint32) error {
	r.h.clear(r.text)
	r.c.reset(r.text, int(it.start), len(r.text))
	if err := r.h.function(&r.c, true); err != nil {
		return r.fail(int(err.at), "%s", err.msg)
	}
	end, ok := skipGroup(r.text, int(r.h.body))
	if !ok || r.text[end-1] != '}' {
		return r.fail(int(it.start), "the body of function %s does not end", r.h.name.in(r.text))
	}
	f, err := r.function(at)
	if err != nil {
		return err
	}
	f.kernel = isKernel(r.h.convention.in(r.text))
	f.defined = true
	f.bodySrc, f.body = r.src, span{r.h.body, uint32(end)}
	it.kind, it.index, it.end = itemFunction, uint32(len(r.m.all)-1), r.h.body
	r.m.items = append(r.m.items, it)
	r.pos = end
	return nil
}

func isKernel(convention string) bool {
	return convention == "spir_kernel" || convention == "ptx_kernel" || convention == "amdgpu_kernel"
}

// limit returns where the entity that has begun at a place ends, which is where the
// next one starts: outside of brackets, at a name followed by "=", or at a line that
// starts with one of the words.
func (r *reader) limit(pos int) (int, error) {
	text := r.text
	start := pos
	last := pos // behind the last byte that belongs to the entity
	depth := 0
	for pos++; pos < len(text); pos++ {
		c := text[pos]
		class := classes[c]
		if class&classWord != 0 && c != '$' {
			last = pos + 1
			continue
		}
		switch c {
		case ' ', '\t', '\r', '\v', '\f':
			continue
		case '\n':
			if depth == 0 && startsWord(text[skipSpace(text, pos):]) {
				return last, nil
			}
			continue
		case ';':
			pos = lineEnd(text, pos) - 1
			continue
		case '"':
			end := stringEnd(text, pos)
			if end < 0 {
				return 0, r.fail(pos, "a string that does not end")
			}
			pos = end - 1
		case '(', '[', '{':
			end, ok := skipGroup(text, pos)
			if !ok {
				return 0, r.fail(pos, "a group of brackets that does not end")
			}
			pos = end - 1
		case ')', ']', '}':
			return 0, r.fail(pos, "'%c' closes nothing", c)
		case '@', '%', '$', '!', '^':
			if _, ok := assigned(text, pos); ok && pos > start+1 {
				return last, nil
			}
			// A quoted name is skipped as the string that follows.
		}
		last = pos + 1
	}
	return last, nil
}

// assigned tells whether a name that is followed by "=" stands at a place, and
// where it ends.
func assigned(text string, pos int) (end int, ok bool) {
	switch {
	case text[pos] == '!':
		end = pos + 1
		for end < len(text) && (classes[text[end]]&classWord != 0 || text[end] == '\\') {
			end++
		}
	default:
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

func startsWord(text string) bool {
	word := text[:wordEnd(text, 0)]
	switch word {
	case "define", "declare", "attributes", "source_filename", "module", "uselistorder", "uselistorder_bb":
		return true
	case "target":
		rest := text[skipSpace(text, len(word)):]
		return strings.HasPrefix(rest, "triple") || strings.HasPrefix(rest, "datalayout")
	}
	return false
}

// Functions returns all functions in file order. The list must not be changed.
func (m *Module) Functions() []*Function { m.prune(); return m.functions }

// Globals returns all variables in file order. The list must not be changed.
func (m *Module) Globals() []*Global { m.prune(); return m.globals }

// Aliases returns all aliases and ifuncs in file order. The list must not be changed.
func (m *Module) Aliases() []*Alias { m.prune(); return m.aliases }

// prune drops deleted symbols from the lists.
func (m *Module) prune() {
	m.lazy.Lock()
	defer m.lazy.Unlock()
	if m.pruned {
		return
	}
	// Lists that callers hold stay as they are.
	gone := func(s Symbol) bool { return m.items[s.entity()].gone }
	m.functions = slices.DeleteFunc(slices.Clone(m.functions), func(f *Function) bool { return gone(f) })
	m.globals = slices.DeleteFunc(slices.Clone(m.globals), func(g *Global) bool { return gone(g) })
	m.aliases = slices.DeleteFunc(slices.Clone(m.aliases), func(a *Alias) bool { return gone(a) })
	m.pruned = true
}

// Kernels returns the defined kernels, in file order.
func (m *Module) Kernels() []*Function {
	var kernels []*Function
	for _, f := range m.Functions() {
		if f.defined && f.kernel {
			kernels = append(kernels, f)
		}
	}
	return kernels
}

// Lookup returns the symbol of a name, nil when there is none.
func (m *Module) Lookup(name string) Symbol { return m.symbols[name] }

// Function returns the function of a name, nil when there is none.
func (m *Module) Function(name string) *Function {
	f, _ := m.symbols[name].(*Function)
	return f
}

// Global returns the variable of a name, nil when there is none.
func (m *Module) Global(name string) *Global {
	g, _ := m.symbols[name].(*Global)
	return g
}

// Alias returns the alias or ifunc of a name, nil when there is none.
func (m *Module) Alias(name string) *Alias {
	a, _ := m.symbols[name].(*Alias)
	return a
}

// Types returns the named types in file order.
func (m *Module) Types() []*Type {
	list := make([]*Type, len(m.typeNames))
	for i, name := range m.typeNames {
		list[i] = m.intern(Type{kind: Named, name: name})
	}
	return list
}

// typeDefinition returns what stands behind "type" in a type's definition.
func (m *Module) typeDefinition(at uint32) string {
	_, rest, _ := strings.Cut(m.text(at)[m.nameLen(at):], "type")
	return strings.TrimSpace(rest)
}

// nameLen returns the length of the name, sigil included, that an item starts with.
func (m *Module) nameLen(at uint32) int {
	end, _ := assigned(m.text(at), 0)
	return end
}

// Comdats returns the names of the comdats in file order.
func (m *Module) Comdats() []string { return slices.Clone(m.comdatIDs) }

// SourceFilename returns the module's source_filename, "" when it has none.
func (m *Module) SourceFilename() string { return m.target("source_filename", "") }

// Triple returns the target triple, "" when there is none.
func (m *Module) Triple() string { return m.target("target", "triple") }

// DataLayout returns the data layout, "" when there is none.
func (m *Module) DataLayout() string { return m.target("target", "datalayout") }

func (m *Module) target(first, second string) string {
	for i := range m.items {
		if m.items[i].kind != itemTarget || m.items[i].gone {
			continue
		}
		var words []string
		for t := range Tokens(m.text(uint32(i))) {
			if t.Kind == TokenString && words[0] == first && (second == "" || len(words) > 1 && words[1] == second) {
				return stringValue(t.Text)
			}
			words = append(words, t.Text)
		}
	}
	return ""
}

// ModuleAsm returns the module's inline assembly, one element a line.
func (m *Module) ModuleAsm() []string {
	var list []string
	for i := range m.items {
		if m.items[i].kind == itemAsm && !m.items[i].gone {
			for t := range Tokens(m.text(uint32(i))) {
				if t.Kind == TokenString {
					list = append(list, stringValue(t.Text))
				}
			}
		}
	}
	return list
}

const linesPerMark = 4096

// line returns the line of a place in the text, 0 for what was added.
func (m *Module) line(src, pos uint32) int {
	if src != 0 {
		return 0
	}
	text := m.sources[0]
	m.lazy.Lock()
	defer m.lazy.Unlock()
	if m.lines == nil || len(m.lines) <= int(pos/linesPerMark) {
		m.lines = []uint32{1}
		for at := 0; at < len(text); at += linesPerMark {
			n := strings.Count(text[at:min(at+linesPerMark, len(text))], "\n")
			m.lines = append(m.lines, m.lines[len(m.lines)-1]+uint32(n))
		}
	}
	mark := pos / linesPerMark
	return int(m.lines[mark]) + strings.Count(text[mark*linesPerMark:pos], "\n")
}

// An entity is what other parts of a module may refer to or be referred from:
// a *Function, *Global, *Alias, *Node or *NamedMetadata.
type Entity interface{ entity() uint32 }

// SymbolUsers returns what refers to a symbol directly: functions, variables,
// aliases and metadata, in file order.
func (m *Module) SymbolUsers(name string) []Entity {
	s := m.symbols[name]
	if s == nil {
		return nil
	}
	return m.usersOf(s.entity())
}

// NodeUsers returns what refers to a metadata node directly, in file order.
func (m *Module) NodeUsers(id int) []Entity {
	at, ok := m.nodes.find(uint32(id))
	if !ok {
		return nil
	}
	return m.usersOf(at)
}

func (m *Module) usersOf(at uint32) []Entity {
	m.buildIndex()
	m.lazy.Lock()
	users := m.users
	m.lazy.Unlock()
	if users == nil {
		users = map[uint32][]uint32{}
		for i := range m.items {
			if !m.items[i].gone {
				for _, to := range m.references(uint32(i)) {
					to &^= hardReference
					// A function may name a symbol plainly and as that of a label.
					if list := users[to]; len(list) == 0 || list[len(list)-1] != uint32(i) {
						users[to] = append(list, uint32(i))
					}
				}
			}
		}
		m.lazy.Lock()
		m.users = users
		m.lazy.Unlock()
	}
	var list []Entity
	for _, i := range users[at] {
		if e := m.entityOf(i); e != nil {
			list = append(list, e)
		}
	}
	return list
}

func (m *Module) entityOf(i uint32) Entity {
	it := &m.items[i]
	if it.gone {
		return nil
	}
	switch it.kind {
	case itemFunction, itemGlobal, itemAlias:
		return m.all[it.index]
	case itemNode:
		return &Node{m: m, id: int(it.index), item: i, text: m.nodeText(i)}
	case itemNamed:
		return m.named[it.index]
	}
	return nil
}

// Nodes yields the numbered metadata nodes in file order.
func (m *Module) Nodes() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for i := range m.items {
			if m.items[i].kind == itemNode && !m.items[i].gone {
				if !yield(m.entityOf(uint32(i)).(*Node)) {
					return
				}
			}
		}
	}
}
