package llvmir

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Subset selects the contents of a module that is extracted from another module.
type Subset struct {
	// Define lists the symbols to write in full. Other symbols that they use are only declared.
	// [Module.Closure] returns all symbols that symbols use.
	Define []Symbol
	// Internal and External, if not nil, select the definitions that have internal or external linkage
	// in the output.
	Internal, External func(Symbol) bool
	// Named, if not nil, selects the operands of named metadata to keep, among the operands that
	// [Module.WriteSubset] would keep.
	Named func(name string, n *Node) bool
}

// WriteSubset writes a module with the symbols in want and everything that they refer to. The cost
// is proportional to the output, not to the whole module; the first call builds an index of all
// references.
//
// Metadata nodes keep their numbers. An operand of named metadata is removed if it names a symbol
// that the output lacks, or only declares although the module defines it; elsewhere in metadata,
// such a symbol is replaced by null. llvm.dbg.cu keeps referenced units. The lists of enums,
// retained types, globals and imports of a unit keep elements that are referenced elsewhere.
//
// The lists llvm.used, llvm.compiler.used and llvm.global.annotations are always written, with the
// elements whose first symbol the output defines. Other variables with appending linkage are
// written if want defines them, with their elements selected in the same way.
func (m *Module) WriteSubset(out io.Writer, want Subset) error {
	m.buildIndex()
	s := subset{m: m, want: want, lists: m.subsetLists(), marks: m.newMarks()}
	defer m.release(s.marks)
	s.operands = make([][]listEntry, len(s.lists.named))
	s.mark()
	return s.emit(out)
}

// A subset is a module that is being written. Marks record its items, and whether a symbol is only
// declared.
type subset struct {
	m     *Module
	want  Subset
	lists *subsetLists
	marks *markSet
	done  int // marked items whose references have been marked

	// Elements of lists in the output. Maps are created on first insertion.
	listItems []uint32                   // lists to write, if any element remains
	elements  map[uint32][]listEntry     // of lists
	operands  [][]listEntry              // of named metadata
	units     []*unit                    // compile units
	members   map[*unitList][]unitMember // of the lists of compile units

	declarations []declaration // of symbols that the module defines
}

// A declaration is the text that declares a symbol.
type declaration struct {
	item uint32
	text string
}

// mark determines the contents of the output.
func (s *subset) mark() {
	s.markRoots()
	s.markElements()
	s.markOperands()
	s.markReferences()
	s.markUnits()
	s.markListItems()
	s.markReferences()
	for _, i := range s.lists.always {
		s.marks.set(i, full)
	}
	for _, u := range s.units {
		for _, list := range u.lists {
			if list.numeric && len(s.members[list]) == list.size {
				s.marks.set(list.item, full)
			}
		}
	}
}

// markRoots marks the requested symbols.
func (s *subset) markRoots() {
	for _, name := range listNames {
		if g := s.m.Global(name); g != nil && s.lists.isList[g.item] {
			s.listItems = append(s.listItems, g.item)
		}
	}
	for _, sym := range s.want.Define {
		if i := sym.entity(); s.lists.isList[i] {
			s.listItems = append(s.listItems, i)
		} else if !s.m.items[i].gone {
			s.marks.set(i, full)
		}
	}
}

// markReferences marks the references of marked items.
func (s *subset) markReferences() {
	for ; s.done < len(s.marks.list); s.done++ {
		i := s.marks.list[s.done]
		switch {
		case s.m.items[i].kind == itemNamed || s.lists.isList[i]:
			// The remaining elements of lists are already marked.
		case s.m.items[i].kind == itemNode:
			s.markNodeReferences(i)
		case s.m.isSymbol(i) && s.onlyDeclared(i):
			text := s.m.declaration(i)
			s.declarations = append(s.declarations, declaration{i, text})
			s.reachAll(s.m.scan(text, i, nil))
		default:
			s.reachAll(s.m.references(i))
		}
	}
}

// markNodeReferences marks the references of a metadata node, except symbols.
func (s *subset) markNodeReferences(i uint32) {
	refs := s.m.references(i)
	if u := s.lists.compileUnits[i]; u != nil {
		refs = u.refs
		s.units = append(s.units, u)
	}
	for _, member := range s.lists.members[i] {
		setEntry(&s.members, member.list, append(s.members[member.list], member))
	}
	for _, to := range refs {
		if !s.m.isSymbol(to) {
			s.markReference(to)
		}
	}
}

func (s *subset) reachAll(refs []uint32) {
	for _, to := range refs {
		s.markReference(to)
	}
}

// markReference marks a reference of a marked item.
func (s *subset) markReference(to uint32) {
	hard := to&hardReference != 0
	to &^= hardReference
	switch {
	case s.m.items[to].gone || s.lists.isList[to]:
	case hard || !s.m.isSymbol(to):
		s.marks.set(to, full)
	default:
		s.marks.set(to, declared)
	}
}

// onlyDeclared reports whether the output declares a symbol that the module defines.
func (s *subset) onlyDeclared(i uint32) bool {
	return s.marks.get(i) == declared && s.m.symbolOf(i).Defined()
}

// isUnchanged reports whether a symbol is unchanged in the output.
func (s *subset) isUnchanged(i uint32) bool {
	return s.marks.get(i) == full || s.marks.get(i) == declared && !s.m.symbolOf(i).Defined()
}

// markElements marks the references of list elements. These may need more symbols, for which there
// may be more elements.
func (s *subset) markElements() {
	looked := 0
	for s.markReferences(); looked < len(s.marks.list); s.markReferences() {
		for ; looked < len(s.marks.list); looked++ {
			i := s.marks.list[looked]
			if !s.m.isSymbol(i) || !s.isUnchanged(i) {
				continue
			}
			for _, e := range s.lists.elements[i] {
				if slices.Contains(s.listItems, e.list) {
					s.keepElement(e)
				}
			}
		}
	}
}

func (s *subset) keepElement(e listEntry) {
	setEntry(&s.elements, e.list, append(s.elements[e.list], e))
	for _, to := range s.m.scan(e.text, e.list, nil) {
		if s.m.isSymbol(to) {
			to |= hardReference
		}
		s.markReference(to)
	}
	for _, i := range s.m.closureOf(e.refs[1:]) {
		s.marks.set(i, full)
	}
}

// markListItems marks the lists that have elements or operands.
func (s *subset) markListItems() {
	for k, operands := range s.operands {
		if len(operands) > 0 {
			s.marks.set(s.lists.named[k].item, full)
		}
	}
	for i := range s.elements {
		s.marks.set(i, full)
		for _, to := range s.m.references(i) {
			if !s.m.isSymbol(to) {
				s.markReference(to)
			}
		}
	}
}

// markOperands marks the operands of named metadata that refer to a symbol in the output, or to no
// symbol. Compile units are handled later.
func (s *subset) markOperands() {
	for _, i := range slices.Clone(s.marks.list) {
		if !s.m.isSymbol(i) || !s.isUnchanged(i) {
			continue
		}
		for _, e := range s.lists.bySymbol[i] {
			if !slices.ContainsFunc(e.refs, func(r uint32) bool { return !s.isUnchanged(r) }) {
				s.keepOperand(e)
			}
		}
	}
	for k, n := range s.lists.named {
		if k == s.lists.units {
			continue
		}
		for _, e := range n.always {
			s.keepOperand(e)
		}
	}
}

// markUnits marks referenced compile units.
func (s *subset) markUnits() {
	if s.lists.units < 0 {
		return
	}
	for _, e := range s.lists.named[s.lists.units].always {
		if e.node < 0 {
			continue
		}
		if at, ok := s.m.nodes.find(uint32(e.node)); ok && s.marks.get(at) == full {
			s.keepOperand(e)
		}
	}
}

func (s *subset) keepOperand(e listEntry) {
	n := s.lists.named[e.list]
	if s.want.Named != nil {
		node := s.m.Node(e.node)
		if node == nil {
			node = &Node{m: s.m, id: -1, text: e.text}
		}
		if !s.want.Named(n.name, node) {
			return
		}
	}
	s.operands[e.list] = append(s.operands[e.list], e)
	s.reachAll(s.m.scan(e.text, n.item, nil))
}

// emit writes the marked items, in file order.
func (s *subset) emit(out io.Writer) error {
	slices.Sort(s.marks.list)
	slices.SortFunc(s.declarations, func(a, b declaration) int { return cmp.Compare(a.item, b.item) })
	w := newWriter(out)
	for _, i := range slices.Compact(s.marks.list) {
		switch s.m.items[i].kind {
		case itemOrder, itemSummary:
		case itemNamed:
			w.item(s.m, i, s.namedText(i))
		case itemNode:
			w.item(s.m, i, s.nodeText(i))
		case itemGlobal, itemAlias, itemFunction:
			s.emitSymbol(w, i)
		default:
			w.item(s.m, i, s.m.text(i))
		}
	}
	if w.n > 0 && w.last != '\n' {
		w.put("\n")
	}
	_, err := w.flush()
	return err
}

func (s *subset) namedText(i uint32) string {
	k := s.lists.byItem[i]
	return "!" + escapeName(s.lists.named[k].name) + " = !{" + joinEntries(inOrder(s.operands[k])) + "}"
}

func (s *subset) nodeText(i uint32) string {
	text := s.m.text(i)
	if u := s.lists.compileUnits[i]; u != nil {
		text = s.m.unitText(i, u, s.members)
	}
	for _, to := range s.m.references(i) {
		if s.m.isSymbol(to) && s.marks.get(to&^hardReference) == 0 {
			return s.withoutSymbols(text)
		}
	}
	return text
}

func (s *subset) emitSymbol(w *writer, i uint32) {
	sym := s.m.symbolOf(i)
	switch {
	case len(s.elements[i]) > 0:
		w.item(s.m, i, s.m.listText(sym.(*Global), inOrder(s.elements[i])))
		return
	case s.onlyDeclared(i):
		k, _ := slices.BinarySearchFunc(s.declarations, i, func(d declaration, i uint32) int { return cmp.Compare(d.item, i) })
		w.item(s.m, i, s.declarations[k].text)
		return
	}
	text := s.m.text(i)
	if sym.Defined() {
		if s.want.Internal != nil && s.want.Internal(sym) && !sym.Linkage().Local() {
			text = s.m.relinked(i, Internal)
		} else if s.want.External != nil && s.want.External(sym) && sym.Linkage() != External {
			text = s.m.relinked(i, External)
		}
	}
	w.item(s.m, i, text)
	if f, ok := sym.(*Function); ok {
		w.put(f.plainBody())
	}
}

// setEntry sets an entry of a map, creating the map if necessary.
func setEntry[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// inOrder returns the kept elements of a list, sorted and without duplicates.
func inOrder(list []listEntry) []listEntry {
	slices.SortFunc(list, func(a, b listEntry) int { return a.order - b.order })
	return slices.CompactFunc(list, func(a, b listEntry) bool { return a.order == b.order })
}

func joinEntries(list []listEntry) string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = e.text
	}
	return strings.Join(words, ", ")
}

// listText returns the text of a list variable with some of its elements.
func (m *Module) listText(g *Global, list []listEntry) string {
	h := g.header()
	at := m.items[g.item]
	element := "ptr"
	if t := g.ValueType(); t != nil && t.elem != nil {
		element = t.elem.text
	}
	return h.text[at.start:h.typ.start] + fmt.Sprintf("[%d x %s] [%s]", len(list), element, joinEntries(list)) + h.text[h.initializer.end:at.end]
}

// relinked returns a symbol's header with a different linkage, without modifying the symbol.
func (m *Module) relinked(i uint32, l Linkage) string {
	text := m.text(i)
	other := &Module{sources: []string{text}, items: []item{{end: uint32(len(text)), kind: m.items[i].kind}}}
	s := &symbol{m: other, name: m.symbolOf(i).Name()}
	s.SetLinkage(l)
	return other.text(0)
}
