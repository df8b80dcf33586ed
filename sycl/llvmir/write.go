package llvmir

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// A writer writes pieces of text and knows where a line ended.
type writer struct {
	b    *bufio.Writer
	n    int64
	last byte
	err  error
}

// buffers are shared by writers: a module may be split into many.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}

func newWriter(w io.Writer) *writer {
	b := buffers.Get().(*bufio.Writer)
	b.Reset(w)
	return &writer{b: b, last: '\n'}
}

func (w *writer) put(s string) {
	if s == "" || w.err != nil {
		return
	}
	n, err := w.b.WriteString(s)
	w.n += int64(n)
	w.err = err
	w.last = s[len(s)-1]
}

func (w *writer) flush() (int64, error) {
	if w.err == nil {
		w.err = w.b.Flush()
	}
	w.b.Reset(nil)
	buffers.Put(w.b)
	w.b = nil
	return w.n, w.err
}

// item writes what stands before an item and then its text.
func (w *writer) item(m *Module, i uint32, text string) {
	it := &m.items[i]
	lead := m.sources[it.src][it.lead:it.start]
	if w.last != '\n' && strings.IndexByte(lead, '\n') < 0 {
		w.put("\n")
	}
	if w.n == 0 && i > 0 {
		lead = strings.TrimLeft(lead, "\r\n")
	}
	w.put(lead)
	w.put(text)
}

// WriteTo writes the module. A module that was not edited is written byte for
// byte as it was read. One that was loses its uselistorder directives and its
// summary, which describe what it was.
func (m *Module) WriteTo(out io.Writer) (int64, error) {
	w := newWriter(out)
	if !m.edited {
		w.put(m.sources[0])
		return w.flush()
	}
	for i := range m.items {
		it := &m.items[i]
		if it.gone || it.kind == itemOrder || it.kind == itemSummary {
			continue
		}
		w.item(m, uint32(i), m.text(uint32(i)))
		if it.kind == itemFunction {
			w.put(m.all[it.index].(*Function).plainBody())
		}
	}
	if len(m.sources[0]) > 0 {
		w.put(m.sources[0][m.tail:])
	}
	if w.last != '\n' {
		w.put("\n")
	}
	return w.flush()
}

// plainBody returns the body without uselistorder directives.
func (f *Function) plainBody() string {
	body := f.BodyText()
	if !strings.Contains(body, "uselistorder") {
		return body
	}
	var b strings.Builder
	in := &Instr{f: f, text: body}
	lx := lexer{body, 1, len(body) - 1}
	pos := uint32(0)
	for t := lx.next(); t.kind != TokenEnd; {
		t = in.take(&lx, t)
		if strings.HasPrefix(in.Op(), "uselistorder") {
			b.WriteString(strings.TrimRight(body[pos:in.start], " \t\r\n"))
			pos = in.end
		}
	}
	b.WriteString(body[pos:])
	return b.String()
}

// check tells whether a text is IR as this package knows it.
func (m *Module) check(text string) error {
	if _, err := ParseString("added text", text); err != nil {
		return err
	}
	return nil
}

// Add adds top-level entities: declarations, definitions, types, metadata.
func (m *Module) Add(text string) error {
	added, err := ParseString("added text", text)
	if err != nil {
		return err
	}
	for _, s := range added.all {
		if m.symbols[s.Name()] != nil {
			return fmt.Errorf("there is a symbol @%s already", s.Name())
		}
	}
	for _, name := range added.typeNames {
		if _, ok := m.typeItems[name]; ok {
			return fmt.Errorf("there is a type %%%s already", name)
		}
	}
	for n := range added.Nodes() {
		if m.Node(n.id) != nil {
			return fmt.Errorf("there is a metadata node !%d already", n.id)
		}
	}
	for _, n := range added.named {
		if m.Named(n.name) != nil {
			return fmt.Errorf("there is named metadata !%s already", n.name)
		}
	}
	return m.add(text)
}

func (m *Module) add(text string) error {
	m.edited = true
	// A symbol deleted before may come back; the lists are made anew.
	m.prune()
	_, err := m.read(text)
	m.forget()
	return err
}

// mustAdd adds one entity whose text this package has made around a caller's.
func (m *Module) mustAdd(text string) {
	if err := m.check(text); err != nil {
		panic("llvmir: " + err.Error())
	}
	if err := m.add(text); err != nil {
		panic("llvmir: " + err.Error())
	}
}

// Delete removes symbols. What uses them is not looked at.
func (m *Module) Delete(symbols ...Symbol) {
	for _, s := range symbols {
		m.items[s.entity()].gone = true
		if m.symbols[s.Name()] == s {
			delete(m.symbols, s.Name())
		}
		m.touch(s.entity())
	}
	m.lazy.Lock()
	m.pruned = false
	m.lazy.Unlock()
}

// DeleteGlobal removes a variable and says whether there was one.
func (m *Module) DeleteGlobal(name string) bool {
	g := m.Global(name)
	if g == nil {
		return false
	}
	m.Delete(g)
	return true
}

// RenameAll renames symbols where they stand and wherever they are used, in one
// pass over the module. Keys are the old names.
func (m *Module) RenameAll(names map[string]string) error {
	taken := map[string]bool{}
	for old, name := range names {
		switch {
		case m.symbols[old] == nil:
			return fmt.Errorf("there is no symbol @%s", old)
		case name == "" || strings.IndexByte(name, 0) >= 0:
			return fmt.Errorf("a symbol cannot have the name %q", name)
		case taken[name]:
			return fmt.Errorf("two symbols would have the name @%s", name)
		}
		if _, moves := names[name]; m.symbols[name] != nil && !moves {
			return fmt.Errorf("there is a symbol @%s already", name)
		}
		taken[name] = true
	}
	var renamed []Symbol
	for old := range names {
		s := m.symbols[old]
		renamed = append(renamed, s)
		m.keepComdat(s)
	}
	replace := func(text string) (string, bool) {
		var b strings.Builder
		pos := 0
		lx := lexer{text: text, limit: len(text)}
		for t := lx.next(); t.kind != TokenEnd; t = lx.next() {
			if t.kind != TokenGlobal {
				continue
			}
			if name, ok := names[plainName(text[t.start+1:t.end])]; ok {
				b.WriteString(text[pos:t.start])
				b.WriteString(symbolText('@', name))
				pos = int(t.end)
			}
		}
		if pos == 0 {
			return "", false
		}
		b.WriteString(text[pos:])
		return b.String(), true
	}
	for i := range m.items {
		it := &m.items[i]
		if it.gone {
			continue
		}
		if text, ok := replace(m.text(uint32(i))); ok {
			m.rewrite(uint32(i), text)
		}
		if it.kind == itemFunction {
			f := m.all[it.index].(*Function)
			if text, ok := replace(f.BodyText()); ok {
				m.sources = append(m.sources, text)
				f.bodySrc, f.body = uint32(len(m.sources)-1), span{0, uint32(len(text))}
				m.touch(uint32(i))
			}
		}
		if s, ok := m.entityOf(uint32(i)).(Symbol); ok {
			s.base().hdr.Store(nil)
		}
	}
	for _, s := range renamed {
		delete(m.symbols, s.Name())
	}
	for _, s := range renamed {
		s.base().name = names[s.Name()]
	}
	for _, s := range renamed {
		m.symbols[s.Name()] = s
	}
	m.forget()
	return nil
}

// keepComdat spells out the comdat of a symbol that is about to lose the name
// that stands for it.
func (m *Module) keepComdat(s Symbol) {
	if h := s.header(); h.comdat.ok() && !strings.Contains(h.comdat.in(h.text), "$") {
		s.base().splice(h.comdat, "comdat("+symbolText('$', s.Name())+")")
	}
}

// A Subset says what a module made of a part of another holds.
type Subset struct {
	// Define are the symbols to write in full. What they use and Define lacks is
	// declared: see [Module.Closure].
	Define []Symbol
	// Internal and External, when not nil, choose definitions that have that
	// linkage in the output.
	Internal, External func(Symbol) bool
	// Named, when not nil, chooses among the operands of named metadata that the
	// built-in rule keeps.
	Named func(name string, n *Node) bool
}

// listNames are the variables that list symbols without using them.
var listNames = []string{"llvm.used", "llvm.compiler.used", "llvm.global.annotations"}

// subsetLists are what every subset needs to know about lists of symbols, by
// symbol, so that a subset does not have to read what concerns others.
type subsetLists struct {
	always   []uint32            // items that every output has
	isList   map[uint32]bool     // variables with appending linkage
	elements map[uint32][]listed // by the first symbol that they name
	named    []namedList
	bySymbol map[uint32][]listed // operands of named metadata by the first symbol that they name
	units    int                 // place of llvm.dbg.cu in named, -1 without one

	compileUnits map[uint32]*unit
	members      map[uint32][]unitMember // of the lists of compile units, by node
}

type listed struct {
	list  uint32 // item, or place in named
	order int
	text  string
	refs  []uint32
	node  int // number of an operand's node, -1 without one
}

type namedList struct {
	item   uint32
	name   string
	always []listed // operands that name no symbol
}

func (m *Module) subsetLists() *subsetLists {
	m.lazy.Lock()
	l := m.lists
	m.lazy.Unlock()
	if l != nil {
		return l
	}
	l = &subsetLists{isList: map[uint32]bool{}, elements: map[uint32][]listed{}, bySymbol: map[uint32][]listed{}, units: -1,
		compileUnits: map[uint32]*unit{}, members: map[uint32][]unitMember{}}
	for i := range m.items {
		it, i := &m.items[i], uint32(i)
		switch {
		case it.gone:
		case it.kind == itemTarget || it.kind == itemAsm:
			l.always = append(l.always, i)
		case it.kind == itemGlobal:
			g := m.all[it.index].(*Global)
			if !strings.Contains(m.text(i), "appending") || g.Linkage() != Appending || !g.Defined() {
				continue
			}
			l.isList[i] = true
			init, _ := g.InitializerValue()
			for k, e := range init.Elements() {
				text := e.Type.String() + " " + e.Text
				if refs := m.symbolsIn(text, i); len(refs) > 0 {
					l.elements[refs[0]] = append(l.elements[refs[0]], listed{i, k, text, refs, -1})
				}
			}
		case it.kind == itemNamed:
			n := m.entityOf(i).(*NamedMetadata)
			entry := namedList{item: i, name: n.name}
			at := uint32(len(l.named))
			if n.name == "llvm.dbg.cu" {
				l.units = int(at)
			}
			for k, o := range (&Node{m: m, text: m.nodeText(i)}).Operands() {
				id, isNode := o.Node()
				e := listed{at, k, o.Text, nil, -1}
				text := o.Text
				if node := m.Node(id); isNode && node != nil {
					e.node, text = id, node.text
				}
				e.refs = m.symbolsIn(text, i)
				if len(e.refs) == 0 {
					entry.always = append(entry.always, e)
				} else {
					l.bySymbol[e.refs[0]] = append(l.bySymbol[e.refs[0]], e)
				}
			}
			l.named = append(l.named, entry)
		case it.kind == itemNode:
			l.addUnit(m, i)
		}
	}
	m.lazy.Lock()
	m.lists = l
	m.lazy.Unlock()
	return l
}

// symbolsIn returns the symbols that a text names, in order of text.
func (m *Module) symbolsIn(text string, self uint32) []uint32 {
	var list []uint32
	for _, to := range m.scan(text, self, nil) {
		if to &^= hardReference; m.isSymbol(to) {
			list = append(list, to)
		}
	}
	return list
}

// WriteSubset writes a module that holds the symbols of s and what they refer to.
// It costs what is written, however large the whole module is; the first call
// makes an index of all references.
//
// Metadata nodes keep their numbers. An operand of named metadata goes when it
// names a symbol that the output does not have or only declares while the module
// defines it; elsewhere in metadata such a symbol becomes null. llvm.dbg.cu keeps
// the units that something refers to, and the lists that a unit has of its enums,
// retained types, globals and imports keep what something else refers to, too. The lists llvm.used, llvm.compiler.used and
// llvm.global.annotations are always written, with the elements whose first
// symbol the output defines; other variables with appending linkage only when s
// defines them, with their elements chosen likewise.
func (m *Module) WriteSubset(out io.Writer, s Subset) error {
	m.buildIndex()
	lists := m.subsetLists()
	sc := m.scratch()
	defer m.release(sc)

	wanted := map[uint32]bool{} // lists to write
	for _, name := range listNames {
		if g := m.Global(name); g != nil && lists.isList[g.item] {
			wanted[g.item] = true
		}
	}
	for _, sym := range s.Define {
		if i := sym.entity(); lists.isList[i] {
			wanted[i] = true
		} else if !m.items[i].gone {
			sc.set(i, full)
		}
	}
	declarations := map[uint32]string{}
	elements := map[uint32][]listed{}
	operands := make([][]listed, len(lists.named))
	var units []*unit
	members := map[*unitList][]unitMember{} // to keep in compile units
	there := func(i uint32) bool {
		return sc.get(i) == full || sc.get(i) == declared && !m.all[m.items[i].index].Defined()
	}
	reach := func(to uint32) {
		hard := to&hardReference != 0
		to &^= hardReference
		switch {
		case m.items[to].gone || lists.isList[to]:
		case hard || !m.isSymbol(to):
			sc.set(to, full)
		default:
			sc.set(to, declared)
		}
	}
	done := 0
	spread := func() {
		for ; done < len(sc.list); done++ {
			i := sc.list[done]
			refs := m.references(i)
			switch {
			case m.items[i].kind == itemNamed || lists.isList[i]:
				continue // what stays of them was looked at
			case m.items[i].kind == itemNode:
				if u := lists.compileUnits[i]; u != nil {
					refs = u.refs
					units = append(units, u)
				}
				for _, member := range lists.members[i] {
					members[member.list] = append(members[member.list], member)
				}
				for _, to := range refs {
					if !m.isSymbol(to) {
						reach(to)
					}
				}
				continue
			case m.isSymbol(i) && sc.get(i) == declared && m.all[m.items[i].index].Defined():
				text := m.declaration(i)
				declarations[i] = text
				refs = m.scan(text, i, nil)
			}
			for _, to := range refs {
				reach(to)
			}
		}
	}
	// Elements of lists may need more symbols, which other elements are about.
	looked := 0
	for spread(); looked < len(sc.list); spread() {
		for ; looked < len(sc.list); looked++ {
			i := sc.list[looked]
			if !m.isSymbol(i) || !there(i) {
				continue
			}
			for _, e := range lists.elements[i] {
				if wanted[e.list] {
					elements[e.list] = append(elements[e.list], e)
					for _, to := range m.scan(e.text, e.list, nil) {
						if m.isSymbol(to) {
							to |= hardReference
						}
						reach(to)
					}
					for _, dep := range m.closureOf(e.refs[1:]) {
						sc.set(dep, full)
					}
				}
			}
		}
	}
	// Named metadata: what is about no symbol, then what is about those there are.
	keep := func(e listed) {
		n := lists.named[e.list]
		if s.Named != nil {
			node := m.Node(e.node)
			if node == nil {
				node = &Node{m: m, id: -1, text: e.text}
			}
			if !s.Named(n.name, node) {
				return
			}
		}
		operands[e.list] = append(operands[e.list], e)
		for _, to := range m.scan(e.text, n.item, nil) {
			reach(to)
		}
	}
	for _, i := range slices.Clone(sc.list) {
		if m.isSymbol(i) && there(i) {
			for _, e := range lists.bySymbol[i] {
				if !slices.ContainsFunc(e.refs, func(r uint32) bool { return !there(r) }) {
					keep(e)
				}
			}
		}
	}
	for k, n := range lists.named {
		for _, e := range n.always {
			if k != lists.units {
				keep(e)
			}
		}
	}
	spread()
	if lists.units >= 0 {
		for _, e := range lists.named[lists.units].always {
			if at, ok := m.nodes.find(uint32(e.node)); ok && e.node >= 0 && sc.get(at) == full {
				keep(e)
			}
		}
	}
	for k, ops := range operands {
		if len(ops) > 0 {
			sc.set(lists.named[k].item, full)
		}
	}
	for i := range elements {
		sc.set(i, full)
		for _, to := range m.references(i) {
			if !m.isSymbol(to) {
				reach(to)
			}
		}
	}
	spread()
	for _, i := range lists.always {
		sc.set(i, full)
	}
	for _, u := range units {
		for _, list := range u.lists {
			if list.numeric && len(members[list]) == list.size {
				sc.set(list.item, full)
			}
		}
	}

	slices.Sort(sc.list)
	w := newWriter(out)
	byItem := map[uint32]int{}
	for k, n := range lists.named {
		byItem[n.item] = k
	}
	for _, i := range slices.Compact(sc.list) {
		it := &m.items[i]
		text := m.text(i)
		switch it.kind {
		case itemOrder, itemSummary:
			continue
		case itemNamed:
			ops := operands[byItem[i]]
			slices.SortFunc(ops, func(a, b listed) int { return a.order - b.order })
			text = "!" + escapeName(lists.named[byItem[i]].name) + " = !{" + joinListed(slices.CompactFunc(ops, sameListed)) + "}"
		case itemNode:
			if u := lists.compileUnits[i]; u != nil {
				text = m.unitText(i, u, members)
			}
			for _, to := range m.references(i) {
				if m.isSymbol(to) && sc.get(to&^hardReference) == 0 {
					text = m.withoutSymbols(text, sc)
					break
				}
			}
		case itemGlobal, itemAlias, itemFunction:
			sym := m.all[it.index]
			if list, ok := elements[i]; ok {
				slices.SortFunc(list, func(a, b listed) int { return a.order - b.order })
				text = m.listText(sym.(*Global), slices.CompactFunc(list, sameListed))
				break
			}
			if sc.get(i) == declared && sym.Defined() {
				w.item(m, i, declarations[i])
				continue
			}
			if sym.Defined() {
				if s.Internal != nil && s.Internal(sym) && !sym.Linkage().Local() {
					text = m.relinked(i, Internal)
				} else if s.External != nil && s.External(sym) && sym.Linkage() != External {
					text = m.relinked(i, External)
				}
			}
			if f, ok := sym.(*Function); ok {
				w.item(m, i, text)
				w.put(f.plainBody())
				continue
			}
		}
		w.item(m, i, text)
	}
	if w.n > 0 && w.last != '\n' {
		w.put("\n")
	}
	_, err := w.flush()
	return err
}

func sameListed(a, b listed) bool { return a.order == b.order }

func joinListed(list []listed) string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = e.text
	}
	return strings.Join(words, ", ")
}

// closureOf returns the items of the symbols that some symbols reach.
func (m *Module) closureOf(items []uint32) []uint32 {
	if len(items) == 0 {
		return nil
	}
	var roots []Symbol
	for _, i := range items {
		roots = append(roots, m.all[m.items[i].index])
	}
	var list []uint32
	for _, s := range m.Closure(roots...) {
		list = append(list, s.entity())
	}
	return list
}

// Extract returns a subset as a module of its own.
func (m *Module) Extract(s Subset) (*Module, error) {
	var b bytes.Buffer
	if err := m.WriteSubset(&b, s); err != nil {
		return nil, err
	}
	return ParseString(m.file, b.String())
}

// declaration returns the text that declares a symbol that the module defines.
func (m *Module) declaration(i uint32) string {
	switch s := m.all[m.items[i].index].(type) {
	case *Function:
		return declaration(s.header(), m.items[i].start)
	case *Global:
		return variableDeclaration(s.header())
	case *Alias:
		h := s.header()
		t := s.ValueType()
		if t == nil || t.kind != Func {
			words := ""
			if sp := h.space.in(h.text); sp != "" {
				words = sp + " "
			}
			return symbolText('@', s.name) + " = external " + words + "global " + h.typ.in(h.text)
		}
		words := ""
		if base, ok := (Value{Text: lastValue(h.initializer.in(h.text))}).BaseGlobal(); ok {
			if f := m.Function(base); f != nil && f.CallingConv() != "" {
				words = f.CallingConv() + " "
			}
		}
		params := strings.TrimPrefix(t.text, t.elem.text+" ")
		return "declare " + words + t.elem.text + " " + symbolText('@', s.name) + params
	}
	return ""
}

// lastValue returns the value of an aliasee, without its type.
func lastValue(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 && nameEnd(text, at+1) == len(text) {
		return text[at:]
	}
	return text
}

// variableDeclaration turns a variable's header into that of a declaration.
func variableDeclaration(h *header) string {
	var b strings.Builder
	word := func(s span) {
		if s.ok() {
			b.WriteString(" " + s.in(h.text))
		}
	}
	b.WriteString(h.name.in(h.text) + " = external")
	local := Linkage(h.linkage.in(h.text)).Local()
	if !local {
		word(h.preemption)
		word(h.visibility)
	}
	if h.dll.in(h.text) == "dllimport" {
		word(h.dll)
	}
	word(h.threadLocal)
	word(h.unnamed)
	word(h.space)
	word(h.externally)
	word(h.keyword)
	word(h.typ)
	if h.section.ok() {
		b.WriteString(", " + h.section.in(h.text))
	}
	if h.align.ok() {
		b.WriteString(", " + h.align.in(h.text))
	}
	for _, a := range h.attachments {
		if a.kind.in(h.text) != "!dbg" { // debug information is about the definition
			b.WriteString(", " + a.all.in(h.text))
		}
	}
	for _, a := range h.attributes {
		b.WriteString(" " + a.in(h.text))
	}
	return b.String()
}

// relinked returns a symbol's header with another linkage, and leaves the symbol as it is.
func (m *Module) relinked(i uint32, l Linkage) string {
	text := m.text(i)
	other := &Module{sources: []string{text}, items: []item{{end: uint32(len(text)), kind: m.items[i].kind}}}
	s := &symbol{m: other, name: m.all[m.items[i].index].Name()}
	s.SetLinkage(l)
	return other.text(0)
}

// listText writes a list variable with some of its elements.
func (m *Module) listText(g *Global, list []listed) string {
	h := g.header()
	at := m.items[g.item]
	element := "ptr"
	if t := g.ValueType(); t != nil && t.elem != nil {
		element = t.elem.text
	}
	return h.text[at.start:h.typ.start] + fmt.Sprintf("[%d x %s] [%s]", len(list), element, joinListed(list)) + h.text[h.initializer.end:at.end]
}

// withoutSymbols returns a metadata node in which null stands for the symbols
// that an output does not have.
func (m *Module) withoutSymbols(text string, sc *scratch) string {
	var b strings.Builder
	pos := 0
	lx := lexer{text: text, limit: len(text)}
	// An operand is what stands between commas, brackets and a field's colon.
	start, depth, drop := 0, 0, false
	var depths []int // of groups that belong to an operand
	end := func(at int) {
		if drop {
			b.WriteString(text[pos:start])
			b.WriteString("null")
			pos = at
		}
		drop = false
	}
	lastEnd := 0
	for t := lx.next(); t.kind != TokenEnd; t = lx.next() {
		switch {
		case t.kind == TokenGlobal:
			if s := m.symbols[plainName(text[t.start+1:t.end])]; s != nil && sc.get(s.entity()) == 0 {
				drop = true
			}
		case t.kind == TokenPunct:
			switch text[t.start] {
			case '{', '(', '[', '<':
				// Brackets of nodes follow "!" or a node's kind.
				if len(depths) == 0 && t.start > 0 && (text[t.start-1] == '!' || depth == 0 && text[t.start] == '(') {
					depth++
					start = int(t.end)
				} else {
					depths = append(depths, 0)
				}
			case '}', ')', ']', '>':
				if len(depths) > 0 {
					depths = depths[:len(depths)-1]
				} else {
					end(lastEnd)
				}
			case ',', ':':
				if len(depths) == 0 {
					end(lastEnd)
					start = int(t.end)
				}
			}
		}
		if start < int(t.start) && strings.TrimSpace(text[start:t.start]) == "" {
			start = int(t.start)
		}
		lastEnd = int(t.end)
	}
	b.WriteString(text[pos:])
	return b.String()
}
