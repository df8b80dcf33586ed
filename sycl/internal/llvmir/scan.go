package llvmir

import (
	"slices"
	"strconv"
	"strings"
)

// scanItem appends the references of an item. It ignores pending edits of a body.
func (m *Module) scanItem(i uint32, refs []uint32) []uint32 {
	it := &m.items[i]
	from := len(refs)
	if it.gone {
		return refs
	}
	text := m.text(i)
	refs = m.scan(text, i, refs)
	if m.isSymbol(i) {
		s := m.symbolOf(i)
		if strings.Contains(text, "comdat") {
			if c, ok := m.comdats[s.base().comdat()]; ok {
				refs = append(refs, c)
			}
		}
		if f, ok := s.(*Function); ok && f.defined {
			refs = m.scan(f.body.in(m.sources[f.bodySrc]), i, refs)
		}
	}
	if it.kind == itemAlias {
		for k, to := range refs[from:] {
			if m.isSymbol(to) {
				refs[from+k] = to | hardReference
			}
		}
	}
	slices.Sort(refs[from:])
	return refs[:from+len(slices.Compact(refs[from:]))]
}

// nothing is a value that is not a reference to an item.
const nothing = ^uint32(0)

// scan appends the references of a text.
func (m *Module) scan(text string, self uint32, refs []uint32) []uint32 {
	last := nothing // previous reference, because repetition is common
	for pos := 0; pos < len(text); {
		if classes[text[pos]]&classRef == 0 {
			pos++
			continue
		}
		to, end := m.referenceAt(text, pos)
		if end < 0 {
			return refs
		}
		if to != nothing && to != self && to != last {
			refs = append(refs, to)
			last = to
		}
		pos = end
	}
	return refs
}

// referenceAt returns the reference at a position of a text, and its end, or -1 if there is none.
func (m *Module) referenceAt(text string, pos int) (to uint32, end int) {
	c := text[pos]
	switch c {
	case '"':
		return nothing, stringEnd(text, pos)
	case ';':
		return nothing, lineEnd(text, pos)
	case '!', '#':
		return m.numberedAt(text, pos)
	}
	end = nameEnd(text, pos+1)
	if end <= pos+1 {
		return nothing, end
	}
	name := plainName(text[pos+1 : end])
	var ok bool
	switch c {
	case '@':
		s := m.symbols[name]
		if s == nil {
			return nothing, end
		}
		to = s.entity()
		if strings.HasSuffix(text[:pos], "blockaddress(") {
			to |= hardReference
		}
		return to, end
	case '%':
		to, ok = m.typeItems[name]
	default:
		to, ok = m.comdats[name]
	}
	if !ok {
		return nothing, end
	}
	return to, end
}

// numberedAt is like referenceAt, for metadata nodes and attribute groups.
func (m *Module) numberedAt(text string, pos int) (to uint32, end int) {
	end = pos + 1
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	digits := text[pos+1 : end]
	if digits == "" || len(digits) > 10 {
		return nothing, end
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return nothing, end
	}
	var ok bool
	if text[pos] == '!' {
		to, ok = m.nodes.find(uint32(n))
	} else {
		to, ok = m.groups[uint32(n)]
	}
	if !ok {
		return nothing, end
	}
	return to, end
}
