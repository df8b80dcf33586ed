package llvmir

import "strings"

// withoutSymbols returns the text of a metadata node with null instead of symbols that are not in
// the output.
func (s *subset) withoutSymbols(text string) string {
	n := operandClearer{text: text}
	lx := lexer{text: text, limit: len(text)}
	end := 0 // of the token before
	for t := lx.next(); t.kind != tokenEnd; t = lx.next() {
		switch t.kind {
		case tokenGlobal:
			if sym := s.m.symbols[plainName(text[t.start+1:t.end])]; sym != nil && s.marks.get(sym.entity()) == 0 {
				n.drop = true
			}
		case tokenPunct:
			n.punct(t, end)
		}
		if n.start < int(t.start) && strings.TrimSpace(text[n.start:t.start]) == "" {
			n.start = int(t.start)
		}
		end = int(t.end)
	}
	n.b.WriteString(text[n.pos:])
	return n.b.String()
}

// An operandClearer writes a node with null instead of some of its operands. Operands are separated
// by commas, brackets and the colons of fields.
type operandClearer struct {
	text  string
	b     strings.Builder
	pos   int // everything before it has been written
	start int // of the current operand
	drop  bool
	nodes int // groups around the operand
	inner int // groups that belong to it
}

// punct processes a byte of punctuation; end is the end of the token before it.
func (n *operandClearer) punct(t token, end int) {
	switch n.text[t.start] {
	case '{', '(', '[', '<':
		// Brackets of nodes follow "!" or a node's kind.
		if n.inner == 0 && t.start > 0 && (n.text[t.start-1] == '!' || n.nodes == 0 && n.text[t.start] == '(') {
			n.nodes++
			n.start = int(t.end)
		} else {
			n.inner++
		}
	case '}', ')', ']', '>':
		if n.inner > 0 {
			n.inner--
		} else {
			n.end(end)
		}
	case ',', ':':
		if n.inner == 0 {
			n.end(end)
			n.start = int(t.end)
		}
	}
}

// end ends the current operand.
func (n *operandClearer) end(at int) {
	if n.drop {
		n.b.WriteString(n.text[n.pos:n.start])
		n.b.WriteString("null")
		n.pos = at
	}
	n.drop = false
}
