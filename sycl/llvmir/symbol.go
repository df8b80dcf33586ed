package llvmir

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Linkage says who sees a symbol. Where the text says nothing it is External.
type Linkage string

// The linkages.
const (
	External            Linkage = ""
	Private             Linkage = "private"
	Internal            Linkage = "internal"
	AvailableExternally Linkage = "available_externally"
	LinkOnce            Linkage = "linkonce"
	LinkOnceODR         Linkage = "linkonce_odr"
	Weak                Linkage = "weak"
	WeakODR             Linkage = "weak_odr"
	Common              Linkage = "common"
	Appending           Linkage = "appending"
	ExternWeak          Linkage = "extern_weak"
)

// Local tells whether other modules do not see the symbol.
func (l Linkage) Local() bool { return l == Private || l == Internal }

// A Symbol is a *Function, a *Global or an *Alias.
type Symbol interface {
	Entity
	Name() string
	Defined() bool // not a declaration
	Line() int     // where it starts, from 1; 0 when it was added or rewritten
	Linkage() Linkage
	Visibility() string // "", default, hidden or protected
	ValueType() *Type   // of a function its function type
	AddrSpace() int
	Section() string
	Comdat() string
	UnnamedAddr() string // "", unnamed_addr or local_unnamed_addr
	// References returns the names of the symbols that it names, sorted.
	References() []string

	// Attributes returns the attributes, those of attribute groups included.
	Attributes() []Attribute
	Attribute(key string) (value string, ok bool) // a string attribute
	HasAttribute(key string) bool                 // one of any sort
	// SetAttribute gives it a string attribute, in place of one of that key.
	SetAttribute(key, value string)
	RemoveAttribute(key string) bool

	Metadata(kind string) (id int, ok bool)
	HasMetadata(kind string) bool
	Attachments() []Attachment
	// SetMetadata attaches a metadata node, in place of one of that kind.
	SetMetadata(kind string, id int)
	RemoveMetadata(kind string) bool

	// SetLinkage changes the linkage. A local symbol loses visibility and DLL
	// storage class, and a comdat of its own name.
	SetLinkage(Linkage)
	SetVisibility(string)
	// Rename changes the name where the symbol stands, not where it is used:
	// see [Module.RenameAll].
	Rename(name string) error

	header() *header
	base() *symbol
}

// An Attachment is metadata attached to a symbol or an instruction.
type Attachment struct {
	Kind string // without !
	ID   int    // -1 when the node is written in place
	Text string // "!12", or the node
}

// symbol is what functions, variables and aliases have in common.
type symbol struct {
	m    *Module
	name string
	item uint32
	hdr  atomic.Pointer[header]
}

func (s *symbol) entity() uint32 { return s.item }
func (s *symbol) base() *symbol  { return s }

// Name returns the name without @ and quotes.
func (s *symbol) Name() string { return s.name }

// header reads the header again: few are ever asked for.
func (s *symbol) header() *header {
	if h := s.hdr.Load(); h != nil {
		return h
	}
	it := &s.m.items[s.item]
	text := s.m.sources[it.src]
	h := new(header)
	h.clear(text)
	var c cursor
	c.reset(text, int(it.start), int(it.end))
	if it.kind == itemFunction {
		h.function(&c, false) // without the brace a definition reads like a declaration
	} else {
		h.variable(&c)
	}
	s.hdr.Store(h)
	return h
}

// splice replaces a place of the header.
func (s *symbol) splice(at span, text string) {
	h := s.header()
	it := &s.m.items[s.item]
	s.m.rewrite(s.item, join(join(h.text[it.start:at.start], text), h.text[at.end:it.end]))
	s.hdr.Store(nil)
}

// join puts texts together, with a space when two words would become one.
func join(a, b string) string {
	if a != "" && b != "" && classes[a[len(a)-1]]&classWord != 0 && classes[b[0]]&classWord != 0 {
		return a + " " + b
	}
	return a + b
}

// cut removes a place of the header and one space beside it.
func (s *symbol) cut(at span) {
	h := s.header()
	if at.start > 0 && h.text[at.start-1] == ' ' {
		at.start--
	}
	s.splice(at, "")
}

// Line returns the line of the text where the symbol starts, 0 when it was added or rewritten.
func (s *symbol) Line() int { it := &s.m.items[s.item]; return s.m.line(it.src, it.start) }

// Linkage returns the linkage.
func (s *symbol) Linkage() Linkage {
	h := s.header()
	if l := h.linkage.in(h.text); l != "external" {
		return Linkage(l)
	}
	return External
}

// Visibility returns the visibility as it is written.
func (s *symbol) Visibility() string { h := s.header(); return h.visibility.in(h.text) }

// UnnamedAddr returns unnamed_addr, local_unnamed_addr or nothing.
func (s *symbol) UnnamedAddr() string { h := s.header(); return h.unnamed.in(h.text) }

// DLLStorage returns dllimport, dllexport or nothing.
func (s *symbol) DLLStorage() string { h := s.header(); return h.dll.in(h.text) }

// AddrSpace returns the address space of the symbol.
func (s *symbol) AddrSpace() int {
	h := s.header()
	n, _ := strconv.Atoi(strings.Trim(strings.TrimPrefix(h.space.in(h.text), "addrspace"), "() "))
	return n
}

// Section returns the section, "" when the text does not say.
func (s *symbol) Section() string {
	h := s.header()
	return stringIn(h.section.in(h.text))
}

func stringIn(text string) string {
	if at := strings.IndexByte(text, '"'); at >= 0 {
		return stringValue(text[at:])
	}
	return ""
}

// Comdat returns the name of the comdat, "" when there is none.
func (s *symbol) Comdat() string {
	h := s.header()
	if !h.comdat.ok() {
		return ""
	}
	if text := h.comdat.in(h.text); strings.IndexByte(text, '$') >= 0 {
		return plainName(strings.TrimSpace(strings.TrimSuffix(text[strings.IndexByte(text, '$')+1:], ")")))
	}
	return s.name
}

// Align returns the alignment, 0 when the text does not say.
func (s *symbol) Align() int {
	h := s.header()
	n, _ := strconv.Atoi(strings.Trim(strings.TrimPrefix(h.align.in(h.text), "align"), "() "))
	return n
}

// Attributes returns the attributes, those of groups included.
func (s *symbol) Attributes() []Attribute {
	h := s.header()
	return s.m.attributes(h.text, h.attributes)
}

func (m *Module) attributes(text string, spans []span) []Attribute {
	var list []Attribute
	for _, a := range spans {
		if t := a.in(text); t[0] == '#' {
			list = append(list, m.Group(t)...)
		} else {
			list = append(list, attributeOf(t))
		}
	}
	return list
}

// Group returns the attributes of a group such as "#3".
func (m *Module) Group(ref string) []Attribute {
	text, spans := m.groupText(ref)
	return m.attributes(text, spans)
}

func (m *Module) groupText(ref string) (string, []span) {
	id, err := strconv.ParseUint(strings.TrimPrefix(ref, "#"), 10, 31)
	at, ok := m.groups[uint32(id)]
	if err != nil || !ok {
		return "", nil
	}
	text := m.text(at)
	var c cursor
	c.reset(text, 0, len(text))
	c.i = 4 // attributes #3 = {
	c.peek(3)
	c.peek(4)
	var spans []span
	for t := c.peek(0); t.kind == TokenWord || t.kind == TokenString; t = c.peek(0) {
		a, ok := c.skipAttribute()
		if !ok {
			break
		}
		spans = append(spans, a)
	}
	return text, spans
}

// Attribute returns the value of a string attribute.
func (s *symbol) Attribute(key string) (string, bool) {
	for _, a := range s.Attributes() {
		if a.Quoted && a.Key == key {
			return a.Value, true
		}
	}
	return "", false
}

// HasAttribute tells whether there is an attribute of that key, string or not.
func (s *symbol) HasAttribute(key string) bool {
	return slices.ContainsFunc(s.Attributes(), func(a Attribute) bool { return a.Key == key })
}

// SetAttribute gives the symbol a string attribute, in place of one of that key.
func (s *symbol) SetAttribute(key, value string) {
	if v, ok := s.Attribute(key); ok && v == value {
		return
	}
	s.RemoveAttribute(key)
	h := s.header()
	text := " " + quote(key)
	if value != "" {
		text += "=" + quote(value)
	}
	s.splice(span{h.attributeAt, h.attributeAt}, text)
}

// RemoveAttribute removes the attributes of that key, string or not, and says
// whether there were any. A group that others share is replaced by one without it.
func (s *symbol) RemoveAttribute(key string) bool {
	found := false
	for {
		h := s.header()
		at := slices.IndexFunc(h.attributes, func(a span) bool {
			t := a.in(h.text)
			if t[0] != '#' {
				return attributeOf(t).Key == key
			}
			return slices.ContainsFunc(s.m.Group(t), func(a Attribute) bool { return a.Key == key })
		})
		if at < 0 {
			return found
		}
		found = true
		a := h.attributes[at]
		if t := a.in(h.text); t[0] != '#' {
			s.cut(a)
		} else if without := s.m.groupWithout(t, key); without == "" {
			s.cut(a)
		} else {
			s.splice(a, without)
		}
	}
}

// freeGroup returns a number that no group has.
func (m *Module) freeGroup() uint32 {
	if m.maxGroup <= math.MaxInt32 {
		return m.maxGroup
	}
	for ; ; m.lowGroup++ {
		if _, taken := m.groups[m.lowGroup]; !taken {
			return m.lowGroup
		}
	}
}

// groupWithout returns a group with the attributes of another but one, "" when
// nothing is left.
func (m *Module) groupWithout(ref, key string) string {
	text, spans := m.groupText(ref)
	var words []string
	for _, a := range spans {
		if t := a.in(text); attributeOf(t).Key != key {
			words = append(words, t)
		}
	}
	if len(words) == 0 {
		return ""
	}
	body := strings.Join(words, " ")
	if old, ok := m.clones[body]; ok {
		return old
	}
	if m.clones == nil {
		m.clones = map[string]string{}
	}
	ref = "#" + strconv.FormatUint(uint64(m.freeGroup()), 10)
	m.clones[body] = ref
	m.mustAdd("attributes " + ref + " = { " + body + " }")
	return ref
}

// Attachments returns the attached metadata.
func (s *symbol) Attachments() []Attachment {
	h := s.header()
	return attachmentsOf(h.text, h.attachments)
}

func attachmentsOf(text string, spans []attachment) []Attachment {
	list := make([]Attachment, len(spans))
	for i, a := range spans {
		list[i] = Attachment{unescapeName(text[a.kind.start+1 : a.kind.end]), nodeID(a.ref.in(text)), a.ref.in(text)}
	}
	return list
}

// nodeID returns the number of a reference such as "!12", -1 for other text.
func nodeID(ref string) int {
	if len(ref) > 1 && ref[0] == '!' {
		if n, err := strconv.ParseUint(ref[1:], 10, 31); err == nil {
			return int(n)
		}
	}
	return -1
}

// Metadata returns the number of the node of that kind that is attached.
func (s *symbol) Metadata(kind string) (int, bool) {
	for _, a := range s.Attachments() {
		if a.Kind == kind && a.ID >= 0 {
			return a.ID, true
		}
	}
	return 0, false
}

// HasMetadata tells whether metadata of that kind is attached.
func (s *symbol) HasMetadata(kind string) bool {
	return slices.ContainsFunc(s.Attachments(), func(a Attachment) bool { return a.Kind == kind })
}

// SetMetadata attaches a node, in place of one of that kind.
func (s *symbol) SetMetadata(kind string, id int) {
	ref := "!" + strconv.Itoa(id)
	h := s.header()
	for i, a := range attachmentsOf(h.text, h.attachments) {
		if a.Kind == kind {
			s.splice(h.attachments[i].ref, ref)
			return
		}
	}
	text := "!" + escapeName(kind) + " " + ref
	it := &s.m.items[s.item]
	switch {
	case it.kind == itemFunction && !strings.HasPrefix(h.text[it.start:], "define"):
		s.splice(span{h.before, h.before}, " "+text)
	case it.kind == itemFunction:
		at := h.end
		s.splice(span{at, at}, " "+text)
	case it.kind == itemGlobal:
		at := h.attributeAt
		s.splice(span{at, at}, ", "+text)
	}
}

// RemoveMetadata detaches the metadata of that kind and says whether there was any.
func (s *symbol) RemoveMetadata(kind string) bool {
	found := false
	for {
		h := s.header()
		at := slices.IndexFunc(attachmentsOf(h.text, h.attachments), func(a Attachment) bool { return a.Kind == kind })
		if at < 0 {
			return found
		}
		found = true
		place := h.attachments[at].all
		if s.m.items[s.item].kind == itemGlobal {
			place.start = uint32(strings.LastIndexByte(h.text[:place.start], ','))
		}
		s.cut(place)
	}
}

// SetVisibility changes the visibility; "" removes it.
func (s *symbol) SetVisibility(v string) { s.setWord(func(h *header) span { return h.visibility }, v) }

// setWord replaces, removes or adds one of the words before the type.
func (s *symbol) setWord(place func(*header) span, word string) {
	h := s.header()
	switch at := place(h); {
	case at.ok() && word == "":
		s.cut(at)
	case at.ok():
		s.splice(at, word)
	case word != "":
		// The order is linkage, preemption, visibility, DLL storage.
		pos := h.before
		for _, w := range []span{h.linkage, h.preemption} {
			if w.ok() {
				pos = w.end
			}
		}
		s.splice(span{pos, pos}, " "+word)
	}
}

// SetLinkage changes the linkage.
func (s *symbol) SetLinkage(l Linkage) {
	if s.Linkage() == l {
		return
	}
	if l.Local() {
		s.setWord(func(h *header) span { return h.visibility }, "")
		s.setWord(func(h *header) span { return h.dll }, "")
		if h := s.header(); h.comdat.ok() {
			s.dropField(h.comdat)
		}
		s.setWord(func(h *header) span { return h.preemption }, "")
	}
	h := s.header()
	word := string(l)
	switch {
	case h.linkage.ok() && word == "":
		s.cut(h.linkage)
	case h.linkage.ok():
		s.splice(h.linkage, word)
	case word != "":
		s.splice(span{h.before, h.before}, " "+word)
	}
}

// dropField removes a field behind a symbol's value, with the comma that
// variables have before it.
func (s *symbol) dropField(at span) {
	h := s.header()
	if s.m.items[s.item].kind != itemFunction {
		at.start = uint32(strings.LastIndexByte(h.text[:at.start], ','))
	}
	s.cut(at)
}

func (s *symbol) rename(self Symbol, name string) error {
	if name == s.name {
		return nil
	}
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return fmt.Errorf("a symbol cannot have the name %q", name)
	}
	if s.m.symbols[name] != nil {
		return fmt.Errorf("there is a symbol @%s already", name)
	}
	s.m.keepComdat(self)
	s.splice(s.header().name, symbolText('@', name))
	delete(s.m.symbols, s.name)
	s.name = name
	s.m.symbols[name] = self
	s.m.forget()
	return nil
}

// References returns the names of the symbols that the entity names, sorted.
func (s *symbol) References() []string {
	var names []string
	for _, to := range s.m.references(s.item) {
		if e, ok := s.m.entityOf(to &^ hardReference).(Symbol); ok {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A Function is one define or declare.
type Function struct {
	symbol
	defined, kernel bool
	bodySrc         uint32
	body            span // braces included
	running         int  // iterations over the body
	edits           []edit
}

// Defined tells whether the function has a body.
func (f *Function) Defined() bool { return f.defined }

// Kernel tells whether the function's calling convention is one of kernels.
func (f *Function) Kernel() bool { return f.kernel }

// CallingConv returns the calling convention, "" for that of C.
func (f *Function) CallingConv() string { h := f.header(); return h.convention.in(h.text) }

// Result returns the type of the function's result.
func (f *Function) Result() *Type { h := f.header(); return f.m.typeAt(h.typ.in(h.text)) }

// ResultAttributes returns the attributes of the result.
func (f *Function) ResultAttributes() []Attribute {
	h := f.header()
	return f.m.attributes(h.text, h.resultAttributes)
}

// VarArg tells whether the parameters end in "...".
func (f *Function) VarArg() bool { return f.header().varArg }

// Personality returns the personality function with its type, "" when there is none.
func (f *Function) Personality() string {
	h := f.header()
	return strings.TrimSpace(strings.TrimPrefix(h.personality.in(h.text), "personality"))
}

// GC returns the name of the garbage collector, "" when there is none.
func (f *Function) GC() string { h := f.header(); return stringIn(h.gc.in(h.text)) }

// ValueType returns the function type.
func (f *Function) ValueType() *Type {
	t := Type{kind: Func, elem: f.Result(), varArg: f.VarArg()}
	for _, p := range f.Params() {
		t.fields = append(t.fields, p.Type)
	}
	if t.elem == nil || slices.Contains(t.fields, nil) {
		return nil
	}
	return f.m.intern(t)
}

// A Param is a parameter of a function.
type Param struct {
	Type       *Type
	Name       string // "" when it has none
	Attributes []Attribute
	Text       string
}

// Attribute returns the attribute of a key.
func (p Param) Attribute(key string) (Attribute, bool) { return findAttribute(p.Attributes, key) }

func findAttribute(list []Attribute, key string) (Attribute, bool) {
	for _, a := range list {
		if a.Key == key {
			return a, true
		}
	}
	return Attribute{}, false
}

// Params returns the parameters.
func (f *Function) Params() []Param {
	h := f.header()
	list := make([]Param, len(h.params))
	for i, p := range h.params {
		list[i] = Param{Type: f.m.typeAt(p.typ.in(h.text)), Attributes: f.m.attributes(h.text, p.attributes), Text: p.all.in(h.text)}
		if p.name.ok() {
			list[i].Name = plainName(h.text[p.name.start+1 : p.name.end])
		}
	}
	return list
}

// SetParam replaces the whole text of a parameter.
func (f *Function) SetParam(i int, text string) { f.splice(f.header().params[i].all, text) }

// SetParamAttribute gives a parameter a string attribute, in place of one of that key.
func (f *Function) SetParamAttribute(i int, key, value string) {
	f.RemoveParamAttribute(i, key)
	text := " " + quote(key)
	if value != "" {
		text += "=" + quote(value)
	}
	at := f.header().params[i].typ.end
	f.splice(span{at, at}, text)
}

// RemoveParamAttribute removes a parameter's attributes of that key and says
// whether there were any.
func (f *Function) RemoveParamAttribute(i int, key string) bool {
	found := false
	for {
		h := f.header()
		attributes := h.params[i].attributes
		at := slices.IndexFunc(attributes, func(a span) bool { return attributeOf(a.in(h.text)).Key == key })
		if at < 0 {
			return found
		}
		found = true
		f.cut(attributes[at])
	}
}

// Rename changes the function's name in its header.
func (f *Function) Rename(name string) error { return f.rename(f, name) }

// Internalize gives the function internal linkage.
func (f *Function) Internalize() { f.SetLinkage(Internal) }

// Externalize gives the function external linkage.
func (f *Function) Externalize() { f.SetLinkage(External) }

// Undefine makes a definition a declaration.
func (f *Function) Undefine() {
	if !f.defined {
		return
	}
	h := f.header()
	lead := f.m.items[f.item]
	f.m.rewrite(f.item, declaration(h, lead.start))
	f.defined = false
	f.edits = nil
	f.hdr.Store(nil)
}

// declaration turns a function's header into that of a declaration: without what
// only definitions may have.
func declaration(h *header, start uint32) string {
	at := func(s span) string { return s.in(h.text) }
	var drop []span
	if l := at(h.linkage); l != "" && l != "extern_weak" {
		drop = append(drop, h.linkage)
		if at(h.visibility) != "" {
			drop = append(drop, h.visibility)
		}
	}
	if at(h.dll) == "dllexport" {
		drop = append(drop, h.dll)
	}
	drop = append(drop, h.section, h.partition, h.comdat, h.gc, h.prefix, h.prologue, h.personality)
	for _, a := range h.attachments {
		drop = append(drop, a.all)
	}
	drop = slices.DeleteFunc(drop, func(s span) bool { return !s.ok() })
	slices.SortFunc(drop, func(a, b span) int { return int(a.start) - int(b.start) })
	var b strings.Builder
	b.WriteString("declare")
	pos := start + uint32(len("define"))
	for _, s := range drop {
		b.WriteString(strings.TrimRight(h.text[pos:s.start], " \t\r\n"))
		pos = s.end
	}
	b.WriteString(strings.TrimRight(h.text[pos:h.end], " \t\r\n"))
	return b.String()
}

// A Global is a global variable.
type Global struct{ symbol }

// Defined tells whether the variable has an initial value.
func (g *Global) Defined() bool { return !g.header().external }

// Constant tells whether the variable cannot be written.
func (g *Global) Constant() bool { h := g.header(); return h.keyword.in(h.text) == "constant" }

// ValueType returns the type of the variable's content.
func (g *Global) ValueType() *Type { h := g.header(); return g.m.typeAt(h.typ.in(h.text)) }

// ThreadLocal returns thread_local with its model, "" when the variable is not.
func (g *Global) ThreadLocal() string { h := g.header(); return h.threadLocal.in(h.text) }

// ExternallyInitialized tells whether the variable is externally_initialized.
func (g *Global) ExternallyInitialized() bool { return g.header().externally.ok() }

// Initializer returns the text of the initial value without its type, "" for a declaration.
func (g *Global) Initializer() string { h := g.header(); return h.initializer.in(h.text) }

// InitializerValue returns the initial value.
func (g *Global) InitializerValue() (Value, bool) {
	return Value{g.ValueType(), g.Initializer(), g.m}, g.Defined()
}

// SetInitializer replaces the initial value; the text has no type. A declaration
// becomes a definition.
func (g *Global) SetInitializer(text string) {
	h := g.header()
	if !h.external {
		g.splice(h.initializer, text)
		return
	}
	g.splice(span{h.typ.end, h.typ.end}, " "+text)
	g.cut(g.header().linkage)
}

// SetDefinition replaces type and initial value: SetDefinition("i32", "5").
func (g *Global) SetDefinition(typ, initializer string) {
	h := g.header()
	if h.external {
		g.splice(h.typ, typ+" "+initializer)
		g.cut(g.header().linkage)
		return
	}
	g.splice(span{h.typ.start, h.initializer.end}, typ+" "+initializer)
}

// Rename changes the variable's name where it stands.
func (g *Global) Rename(name string) error { return g.rename(g, name) }

// An Alias is an alias or an ifunc.
type Alias struct{ symbol }

// Defined is always true.
func (a *Alias) Defined() bool { return true }

// IFunc tells whether it is an ifunc, whose aliasee is a resolver.
func (a *Alias) IFunc() bool { h := a.header(); return h.keyword.in(h.text) == "ifunc" }

// ValueType returns the type of what it stands for.
func (a *Alias) ValueType() *Type { h := a.header(); return a.m.typeAt(h.typ.in(h.text)) }

// Aliasee returns the text of what it stands for, with its type if that is written.
func (a *Alias) Aliasee() string { h := a.header(); return h.initializer.in(h.text) }

// Rename changes the alias's name where it stands.
func (a *Alias) Rename(name string) error { return a.rename(a, name) }
