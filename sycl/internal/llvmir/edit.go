package llvmir

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// An InstrEdit is a list of changes to an instruction, which [InstrEdit.Apply] makes. Apply must be
// called before the iteration that yielded the instruction continues.
type InstrEdit struct {
	in    *Instr
	edits []edit // ranges of the source
}

// Edit starts a list of changes.
func (in *Instr) Edit() *InstrEdit {
	in.parse()
	return &InstrEdit{in: in}
}

// Apply makes the changes.
func (e *InstrEdit) Apply() {
	if len(e.edits) == 0 {
		return
	}
	slices.SortStableFunc(e.edits, func(a, b edit) int { return cmp.Compare(a.at.start, b.at.start) })
	var b strings.Builder
	pos := e.in.start
	for _, c := range e.edits {
		if c.at.start < pos { // within another change
			continue
		}
		b.WriteString(e.in.text[pos:c.at.start])
		b.WriteString(c.text)
		pos = c.at.end
	}
	b.WriteString(e.in.text[pos:e.in.end])
	e.in.f.Replace(e.in, b.String())
}

func (e *InstrEdit) replace(at span, text string) { e.edits = append(e.edits, edit{at, text}) }

// SetAlignment sets the alignment of a load, a store or an atomic operation.
func (e *InstrEdit) SetAlignment(n uint64) {
	number := strconv.FormatUint(n, 10)
	for i := e.in.opAt; i+1 < len(e.in.toks); i++ {
		if t := e.in.toks[i]; t.kind == tokenWord && e.in.word(i) == "align" {
			e.replace(e.in.toks[i+1].span(), number)
			return
		}
	}
	if len(e.in.attached) > 0 {
		at := e.in.attached[0].all.start
		e.replace(span{at, at}, "align "+number+", ")
		return
	}
	e.replace(span{e.in.end, e.in.end}, ", align "+number)
}

// SetArgumentAlignment sets the alignment of an argument of a call.
func (e *InstrEdit) SetArgumentAlignment(i int, n uint64) {
	text := "align " + strconv.FormatUint(n, 10)
	o := e.in.operands[i]
	for _, a := range o.attributes {
		if attributeOf(a.in(e.in.text)).Key == "align" {
			e.replace(a, text)
			return
		}
	}
	e.replace(span{o.typ.end, o.typ.end}, " "+text)
}

// SetOperand replaces the value of an operand, keeping its type.
func (e *InstrEdit) SetOperand(i int, value string) { e.replace(e.in.operands[i].val, value) }

// SetMetadata attaches a node, replacing any attached node of the same kind.
func (e *InstrEdit) SetMetadata(kind string, id int) {
	ref := "!" + strconv.Itoa(id)
	for i, a := range attachmentsOf(e.in.text, e.in.attached) {
		if a.Kind == kind {
			e.replace(e.in.attached[i].ref, ref)
			return
		}
	}
	e.replace(span{e.in.end, e.in.end}, ", !"+escapeName(kind)+" "+ref)
}

// ReplaceLocals replaces local values. Keys and values are names, which must not be names of types.
func (e *InstrEdit) ReplaceLocals(values map[string]string) {
	for i, t := range e.in.toks {
		if t.kind != tokenLocal || i == 0 && e.in.result.ok() {
			continue
		}
		if value, ok := values[plainName(e.in.text[t.start+1:t.end])]; ok {
			e.replace(t.span(), value)
		}
	}
}

// LocalText returns the text of the local value with a name, as in instructions.
func LocalText(name string) string { return symbolText('%', name) }

// HasType reports whether there is a type with a name.
func (m *Module) HasType(name string) bool {
	_, ok := m.typeItems[name]
	return ok
}

// AddString adds a private constant with a NUL-terminated text.
func (m *Module) AddString(text string, space int, section string) *Global {
	name := ".str"
	for n := len(m.globals); m.symbols[name] != nil; n++ {
		name = ".str." + strconv.Itoa(n)
	}
	where, after := "", ""
	if space != 0 {
		where = "addrspace(" + strconv.Itoa(space) + ") "
	}
	if section != "" {
		after = ", section " + quote(section)
	}
	text += "\x00"
	m.mustAdd("@" + name + " = private unnamed_addr " + where + "constant [" + strconv.Itoa(len(text)) + " x i8] c" + quote(text) + after)
	return m.Global(name)
}

// Section returns the section of the symbol, or "".
func (s *symbol) Section() string {
	word := s.header().word(fieldSection)
	at := strings.IndexByte(word, '"')
	if at < 0 {
		return ""
	}
	return stringValue(word[at:])
}
