package llvmir

import (
	"slices"
	"strings"
)

// declaration returns the text that declares a symbol that the module defines.
func (m *Module) declaration(i uint32) string {
	switch s := m.symbolOf(i).(type) {
	case *Function:
		return functionDeclaration(s.header(), m.items[i].start)
	case *Global:
		return variableDeclaration(s.header())
	case *Alias:
		return aliasDeclaration(s)
	}
	return ""
}

// functionDeclaration returns a function's header as a declaration, without the parts that only
// definitions may have.
func functionDeclaration(h *header, start uint32) string {
	var few [16]span
	drop := few[:0]
	for _, f := range []field{fieldSection, fieldPartition, fieldComdat, fieldGC, fieldPrefix, fieldPrologue, fieldPersonality} {
		drop = append(drop, h.fields[f])
	}
	if l := h.word(fieldLinkage); l != "" && l != "extern_weak" {
		drop = append(drop, h.fields[fieldLinkage], h.fields[fieldVisibility])
	}
	if h.word(fieldDLL) == "dllexport" {
		drop = append(drop, h.fields[fieldDLL])
	}
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

// variableDeclaration returns a variable's header as a declaration.
func variableDeclaration(h *header) string {
	var b strings.Builder
	add := func(before string, f field) {
		if s := h.fields[f]; s.ok() {
			b.WriteString(before + s.in(h.text))
		}
	}
	b.WriteString(h.name.in(h.text) + " = external")
	if !Linkage(h.word(fieldLinkage)).Local() {
		add(" ", fieldPreemption)
		add(" ", fieldVisibility)
	}
	if h.word(fieldDLL) == "dllimport" {
		add(" ", fieldDLL)
	}
	for _, f := range []field{fieldThreadLocal, fieldUnnamed, fieldSpace, fieldExternally, fieldKeyword} {
		add(" ", f)
	}
	b.WriteString(" " + h.typ.in(h.text))
	add(", ", fieldSection)
	add(", ", fieldAlign)
	for _, a := range h.attachments {
		if a.kind.in(h.text) != "!dbg" { // debug information describes the definition
			b.WriteString(", " + a.all.in(h.text))
		}
	}
	for _, a := range h.attributes {
		b.WriteString(" " + a.in(h.text))
	}
	return b.String()
}

// aliasDeclaration returns a declaration that replaces an alias: of a function or a variable, like
// its aliasee.
func aliasDeclaration(a *Alias) string {
	h := a.header()
	name := symbolText('@', a.name)
	t := a.ValueType()
	if t == nil || t.kind != Func {
		return name + " = external " + spaced(h.word(fieldSpace)) + "global " + h.typ.in(h.text)
	}
	convention := ""
	if base, ok := (Value{Text: lastValue(h.initializer.in(h.text))}).BaseGlobal(); ok {
		if f := a.m.Function(base); f != nil {
			convention = f.CallingConvention()
		}
	}
	params := strings.TrimPrefix(t.text, t.elem.text+" ")
	return "declare " + spaced(convention) + t.elem.text + " " + name + params
}

// spaced returns a word with a space after it, or "" for an empty word.
func spaced(word string) string {
	if word == "" {
		return ""
	}
	return word + " "
}

// lastValue returns the value of an aliasee, without its type.
func lastValue(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 && nameEnd(text, at+1) == len(text) {
		return text[at:]
	}
	return text
}
