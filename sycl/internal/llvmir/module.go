package llvmir

import (
	"slices"
	"strings"
	"sync"
)

// A Module is an IR file.
type Module struct {
	file    string
	sources []string // the text, then added or rewritten text
	items   []item   // top-level entities in file order, then added ones
	tail    uint32   // where the text after the last entity starts
	edited  bool

	functions []*Function
	globals   []*Global
	aliases   []*Alias
	named     []*NamedMetadata
	all       []Symbol // by item.index
	symbols   map[string]Symbol
	namedIDs  map[string]*NamedMetadata
	typeItems map[string]uint32 // items of named types
	groups    map[uint32]uint32 // item of each attribute group
	attrs     sync.Map          // []Attribute of the groups that were read, by reference
	maxGroup  uint32            // one more than the greatest
	lowGroup  uint32            // all smaller numbers are in use; advanced if maxGroup is too large
	clones    map[string]string // groups made by edits, by content
	comdats   map[string]uint32 // items
	nodes     nodeTable

	typesLock sync.RWMutex
	interned  map[string]*Type // by text

	pruned    bool       // functions, globals and aliases do not contain deleted symbols
	lazy      sync.Mutex // guards the fields below and pending edits of bodies
	index     *index
	fresh     map[uint32][]uint32 // references of items that changed since the index was built
	users     map[uint32][]uint32 // items that refer to each item
	freshRead bool                // fresh has references, and not only items that are still to be read
	lists     *subsetLists
	spare     []*markSet
}

// Mentions reports whether the text contains a word without escapes, or contained it before an
// edit.
func (m *Module) Mentions(word string) bool {
	return slices.ContainsFunc(m.sources, func(text string) bool { return strings.Contains(text, word) })
}

// Functions returns all functions in file order. The list must not be modified.
func (m *Module) Functions() []*Function { m.prune(); return m.functions }

// Globals returns all variables in file order. The list must not be modified.
func (m *Module) Globals() []*Global { m.prune(); return m.globals }

// Aliases returns all aliases and ifuncs in file order. The list must not be modified.
func (m *Module) Aliases() []*Alias { m.prune(); return m.aliases }

// Symbols returns all functions, variables, aliases and ifuncs in file order.
func (m *Module) Symbols() []Symbol {
	return slices.DeleteFunc(slices.Clone(m.all), func(s Symbol) bool { return m.items[s.entity()].gone })
}

// prune removes deleted symbols from the lists.
func (m *Module) prune() {
	m.lazy.Lock()
	defer m.lazy.Unlock()
	if m.pruned {
		return
	}
	// Lists that callers hold must not change.
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

// Symbol returns the symbol with a name, or nil if there is none.
func (m *Module) Symbol(name string) Symbol { return m.symbols[name] }

// Function returns the function with a name, or nil if there is none.
func (m *Module) Function(name string) *Function {
	f, _ := m.symbols[name].(*Function)
	return f
}

// Global returns the variable with a name, or nil if there is none.
func (m *Module) Global(name string) *Global {
	g, _ := m.symbols[name].(*Global)
	return g
}

// Alias returns the alias or ifunc with a name, or nil if there is none.
func (m *Module) Alias(name string) *Alias {
	a, _ := m.symbols[name].(*Alias)
	return a
}

// Triple returns the target triple, or "" if there is none.
func (m *Module) Triple() string { return m.target("triple") }

// target returns a target property of the module: its triple or its datalayout.
func (m *Module) target(what string) string {
	for i := range m.items {
		if m.items[i].kind != itemTarget || m.items[i].gone {
			continue
		}
		if words := slices.Collect(Tokens(m.text(uint32(i)))); len(words) == 4 && words[0].Text == "target" && words[1].Text == what {
			return stringValue(words[3].Text)
		}
	}
	return ""
}

// Delete removes symbols, but not the uses of them.
func (m *Module) Delete(symbols ...Symbol) {
	for _, s := range symbols {
		m.items[s.entity()].gone = true
		if m.symbols[s.Name()] == s {
			delete(m.symbols, s.Name())
		}
		m.invalidate(s.entity())
	}
	m.lazy.Lock()
	m.pruned = false
	m.lazy.Unlock()
}

// DeleteGlobal removes a variable and reports whether there was one.
func (m *Module) DeleteGlobal(name string) bool {
	g := m.Global(name)
	if g == nil {
		return false
	}
	m.Delete(g)
	return true
}

// Declare adds the declaration of a function that is not in the module.
func (m *Module) Declare(text string) error {
	if err := check(text); err != nil {
		return err
	}
	return m.add(text)
}

// check returns an error if a text is not a valid sequence of top-level entities.
func check(text string) error {
	_, err := Parse("added text", text)
	return err
}

// add adds the entities of a text, which must be valid IR without redefinitions.
func (m *Module) add(text string) error {
	m.edited = true
	// A deleted symbol may be added again, so the lists are rebuilt.
	m.prune()
	_, err := m.read(text)
	m.forget()
	return err
}

// mustAdd adds an entity whose text this package built around a caller's text. It panics if the
// caller's text is not valid IR.
func (m *Module) mustAdd(text string) {
	if err := check(text); err != nil {
		panic("llvmir: " + err.Error())
	}
	if err := m.add(text); err != nil {
		panic("llvmir: " + err.Error())
	}
}

type itemKind uint8

const (
	itemTarget itemKind = iota // target or source_filename
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

// An item is a top-level entity: source[start:end]. White space and comments before it start at
// lead. The item of a function is the header.
type item struct {
	src, lead, start, end uint32
	index                 uint32 // in the slice of its kind; for a node, its number
	kind                  itemKind
	gone                  bool
}

// text returns the text of an item.
func (m *Module) text(i uint32) string {
	it := &m.items[i]
	return m.sources[it.src][it.start:it.end]
}

// rewrite replaces the text of an item.
func (m *Module) rewrite(i uint32, text string) {
	it := &m.items[i]
	lead := m.sources[it.src][it.lead:it.start]
	m.sources = append(m.sources, lead+text)
	it.src = uint32(len(m.sources) - 1)
	it.lead, it.start, it.end = 0, uint32(len(lead)), uint32(len(lead)+len(text))
	m.invalidate(i)
}

// invalidate discards cached data about a changed item.
func (m *Module) invalidate(i uint32) {
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

// entityOf returns the entity of an item, or nil if the item is not an [Entity].
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

// symbolOf returns the symbol of an item.
func (m *Module) symbolOf(i uint32) Symbol { return m.all[m.items[i].index] }

// isSymbol reports whether a reference refers to a symbol.
func (m *Module) isSymbol(i uint32) bool {
	switch m.items[i&^hardReference].kind {
	case itemFunction, itemGlobal, itemAlias:
		return true
	}
	return false
}
