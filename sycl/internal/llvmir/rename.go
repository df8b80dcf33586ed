package llvmir

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RenameAll renames symbols and all their uses, in one pass over the module. Keys are the old
// names.
func (m *Module) RenameAll(names map[string]string) error {
	if err := m.checkNames(names); err != nil {
		return err
	}
	var renamed []Symbol
	for old := range names {
		s := m.symbols[old]
		renamed = append(renamed, s)
		m.keepComdat(s)
	}
	for i := range m.items {
		if !m.items[i].gone {
			m.renameIn(uint32(i), names)
		}
	}
	for _, s := range renamed {
		delete(m.symbols, s.Name())
	}
	for _, s := range renamed {
		name := names[s.Name()]
		s.base().name = name
		m.symbols[name] = s
	}
	m.forget()
	return nil
}

// checkNames returns an error if symbols cannot be renamed as requested.
func (m *Module) checkNames(names map[string]string) error {
	taken := map[string]bool{}
	for _, old := range slices.Sorted(maps.Keys(names)) {
		name := names[old]
		switch {
		case m.symbols[old] == nil:
			return fmt.Errorf("undefined symbol @%s", old)
		case name == "" || strings.IndexByte(name, 0) >= 0:
			return fmt.Errorf("a symbol cannot have the name %q", name)
		case taken[name]:
			return fmt.Errorf("two symbols would have the name @%s", name)
		}
		if _, moves := names[name]; m.symbols[name] != nil && !moves {
			return fmt.Errorf("duplicate symbol @%s", name)
		}
		taken[name] = true
	}
	return nil
}

// keepComdat writes the comdat name of a symbol explicitly if the name of the symbol, which is
// about to change, implies it.
func (m *Module) keepComdat(s Symbol) {
	h := s.base().header()
	if at := h.fields[fieldComdat]; at.ok() && !strings.Contains(at.in(h.text), "$") {
		s.base().splice(at, "comdat("+symbolText('$', s.Name())+")")
	}
}

// renameIn renames symbols in the text of an item.
func (m *Module) renameIn(i uint32, names map[string]string) {
	if text, ok := renamed(m.text(i), names); ok {
		m.rewrite(i, text)
	}
	if !m.isSymbol(i) {
		return
	}
	s := m.symbolOf(i)
	if f, ok := s.(*Function); ok {
		if text, ok := renamed(f.bodyText(), names); ok {
			m.sources = append(m.sources, text)
			f.bodySrc, f.body = uint32(len(m.sources)-1), span{0, uint32(len(text))}
			m.invalidate(i)
		}
	}
	s.base().hdr.Store(nil)
}

// renamed returns a text with symbols renamed, or false if it contains none of them.
func renamed(text string, names map[string]string) (string, bool) {
	var b strings.Builder
	pos := 0
	lx := lexer{text: text, limit: len(text)}
	for t := lx.next(); t.kind != tokenEnd; t = lx.next() {
		if t.kind != tokenGlobal {
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
