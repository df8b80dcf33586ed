package llvmir

import "strings"

// listNames are the names of the variables that list symbols without using them.
var listNames = []string{"llvm.used", "llvm.compiler.used", "llvm.global.annotations"}

// subsetLists is an index of lists of symbols by symbol, which all subsets share, so that a subset
// does not have to read unrelated elements.
type subsetLists struct {
	always   []uint32               // items that are in every output
	isList   map[uint32]bool        // variables with appending linkage
	elements map[uint32][]listEntry // by the first symbol that they refer to
	named    []namedList
	byItem   map[uint32]int         // indexes in named
	bySymbol map[uint32][]listEntry // operands of named metadata by the first symbol that they refer to
	units    int                    // index of llvm.dbg.cu in named, -1 without one

	compileUnits map[uint32]*unit
	members      map[uint32][]unitMember // of the lists of compile units, by node
}

// A listEntry is an element of a list, or an operand of named metadata.
type listEntry struct {
	list  uint32 // item, or index in named
	order int
	text  string
	refs  []uint32
	node  int // number of an operand's node, -1 without one
}

type namedList struct {
	item   uint32
	name   string
	always []listEntry // operands that do not refer to a symbol
}

func (m *Module) subsetLists() *subsetLists {
	m.lazy.Lock()
	l := m.lists
	m.lazy.Unlock()
	if l != nil {
		return l
	}
	l = &subsetLists{
		isList: map[uint32]bool{}, elements: map[uint32][]listEntry{}, byItem: map[uint32]int{}, bySymbol: map[uint32][]listEntry{}, units: -1,
		compileUnits: map[uint32]*unit{}, members: map[uint32][]unitMember{},
	}
	for i := range uint32(len(m.items)) {
		if m.items[i].gone {
			continue
		}
		switch m.items[i].kind {
		case itemTarget, itemAsm:
			l.always = append(l.always, i)
		case itemGlobal:
			l.addVariable(m, i)
		case itemNamed:
			l.addNamed(m, i)
		case itemNode:
			l.addUnit(m, i)
		}
	}
	m.lazy.Lock()
	m.lists = l
	m.lazy.Unlock()
	return l
}

// addVariable records a variable with appending linkage, and ignores others.
func (l *subsetLists) addVariable(m *Module, i uint32) {
	if !strings.Contains(m.text(i), "appending") {
		return
	}
	g := m.symbolOf(i).(*Global)
	if g.Linkage() != Appending || !g.Defined() {
		return
	}
	l.isList[i] = true
	init, _ := g.InitializerValue()
	for k, e := range init.Elements() {
		text := e.Type.String() + " " + e.Text
		if refs := m.symbolsIn(text, i); len(refs) > 0 {
			l.elements[refs[0]] = append(l.elements[refs[0]], listEntry{i, k, text, refs, -1})
		}
	}
}

// addNamed records named metadata.
func (l *subsetLists) addNamed(m *Module, i uint32) {
	n := m.entityOf(i).(*NamedMetadata)
	entry := namedList{item: i, name: n.name}
	at := len(l.named)
	if n.name == "llvm.dbg.cu" {
		l.units = at
	}
	for k, o := range n.operands() {
		e := listEntry{list: uint32(at), order: k, text: o.Text, node: -1}
		text := o.Text
		if id, ok := o.NodeID(); ok {
			if node := m.Node(id); node != nil {
				e.node, text = id, node.text
			}
		}
		e.refs = m.symbolsIn(text, i)
		if len(e.refs) == 0 {
			entry.always = append(entry.always, e)
		} else {
			l.bySymbol[e.refs[0]] = append(l.bySymbol[e.refs[0]], e)
		}
	}
	l.named = append(l.named, entry)
	l.byItem[i] = at
}

// symbolsIn returns the symbols that a text refers to, in text order.
func (m *Module) symbolsIn(text string, self uint32) []uint32 {
	var list []uint32
	for _, to := range m.scan(text, self, nil) {
		if to &^= hardReference; m.isSymbol(to) {
			list = append(list, to)
		}
	}
	return list
}
