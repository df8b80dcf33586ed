package llvmir

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Linkage is the linkage of a symbol. It is External if the text does not specify a linkage.
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

// Local reports whether the symbol is invisible to other modules.
func (l Linkage) Local() bool { return l == Private || l == Internal }

// Discardable reports whether every source that uses the symbol defines it.
func (l Linkage) Discardable() bool {
	return l == LinkOnce || l == LinkOnceODR || l == AvailableExternally
}

// A Symbol is a *Function, a *Global or an *Alias.
type Symbol interface {
	Entity
	Name() string
	Defined() bool // not a declaration
	Linkage() Linkage
	ValueType() *Type             // for a function, its function type
	HasAttribute(key string) bool // of any kind, including attributes in groups
	// References returns the names of the symbols that it refers to, sorted.
	References() []string

	base() *symbol
}

// A symbol holds the data that functions, variables and aliases have in common.
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

// Linkage returns the linkage.
func (s *symbol) Linkage() Linkage {
	if l := s.header().word(fieldLinkage); l != "external" {
		return Linkage(l)
	}
	return External
}

// SetLinkage changes the linkage. If the symbol becomes local, SetLinkage removes its visibility,
// DLL storage class, preemption and comdat.
func (s *symbol) SetLinkage(l Linkage) {
	if s.Linkage() == l {
		return
	}
	if l.Local() {
		s.removeWord(fieldVisibility)
		s.removeWord(fieldDLL)
		s.removeComdat()
		s.removeWord(fieldPreemption)
	}
	h := s.header()
	word := string(l)
	switch at := h.fields[fieldLinkage]; {
	case at.ok() && word == "":
		s.cut(at)
	case at.ok():
		s.splice(at, word)
	case word != "":
		s.splice(span{h.before, h.before}, " "+word)
	}
}

// removeWord removes a field before the type.
func (s *symbol) removeWord(f field) {
	if at := s.header().fields[f]; at.ok() {
		s.cut(at)
	}
}

// removeComdat removes the comdat and, for a variable, the comma before it.
func (s *symbol) removeComdat() {
	h := s.header()
	at := h.fields[fieldComdat]
	if !at.ok() {
		return
	}
	if s.m.items[s.item].kind != itemFunction {
		at.start = uint32(strings.LastIndexByte(h.text[:at.start], ','))
	}
	s.cut(at)
}

// AddrSpace returns the address space of the symbol.
func (s *symbol) AddrSpace() int {
	number := strings.TrimPrefix(s.header().word(fieldSpace), "addrspace")
	n, _ := strconv.Atoi(strings.Trim(number, "() "))
	return n
}

// comdat returns the name of the comdat, or "" if there is none.
func (s *symbol) comdat() string {
	h := s.header()
	if !h.fields[fieldComdat].ok() {
		return ""
	}
	_, name, ok := strings.Cut(h.word(fieldComdat), "$")
	if !ok {
		return s.name
	}
	return plainName(strings.TrimSpace(strings.TrimSuffix(name, ")")))
}

// References returns the names of the symbols that the entity refers to, sorted.
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

// header parses the header. The result is not cached, because few headers are needed more than
// once.
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
		h.function(&c, false) // without the brace, a definition has the syntax of a declaration
	} else {
		h.variable(&c)
	}
	s.hdr.Store(h)
	return h
}

// splice replaces a range of the header.
func (s *symbol) splice(at span, text string) {
	h := s.header()
	it := &s.m.items[s.item]
	s.m.rewrite(s.item, join(join(h.text[it.start:at.start], text), h.text[at.end:it.end]))
	s.hdr.Store(nil)
}

// join concatenates texts, with a space if two words would merge.
func join(a, b string) string {
	if a != "" && b != "" && classes[a[len(a)-1]]&classWord != 0 && classes[b[0]]&classWord != 0 {
		return a + " " + b
	}
	return a + b
}

// cut removes a range of the header and one adjacent space.
func (s *symbol) cut(at span) {
	h := s.header()
	if at.start > 0 && h.text[at.start-1] == ' ' {
		at.start--
	}
	s.splice(at, "")
}

// Reference returns a symbol as an operand with its type, such as "ptr @f".
func (m *Module) Reference(s Symbol) string {
	space := ""
	if s.base().AddrSpace() != 0 {
		space = " " + s.base().header().word(fieldSpace)
	}
	return "ptr" + space + " " + symbolText('@', s.Name())
}
