package llvmir

import (
	"iter"
	"strings"
)

// An Instr is an instruction, a label, or a debug record of a body. An iteration reuses a single
// Instr.
type Instr struct {
	f          *Function
	src        uint32
	text       string // of the source
	start, end uint32
	toks       []token
	op         string
	opAt       int  // index of its token
	label      bool // of a basic block
	result     span
	scratch    cursor // memory for parse

	// found by parse
	parsed     bool
	operands   []operand
	types      []span
	attached   []attachment
	attributes []span // of a call
	callee     span
	calleeType span
}

type operand struct {
	typ, val   span
	attributes []span
}

// Op returns the operation: "load", "call" (including tail calls), "label", or a debug record such
// as "#dbg_value".
func (in *Instr) Op() string { return in.op }

// Result returns the name of the result without %, or "" if there is none. For a label, it returns
// the name of the label.
func (in *Instr) Result() string {
	if in.label {
		return plainName(in.word(0))
	}
	return plainName(in.result.in(in.text))
}

// Text returns the instruction's text.
func (in *Instr) Text() string { return in.text[in.start:in.end] }

// Globals yields the names of the symbols that the instruction refers to, including repetitions.
func (in *Instr) Globals() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range in.toks {
			if t.kind == tokenGlobal && !yield(plainName(in.text[t.start+1:t.end])) {
				return
			}
		}
	}
}

// An Operand is a typed operand. If it is the argument of a call, it can have attributes.
type Operand struct {
	Value
	Attributes []Attribute
}

// Attribute returns the attribute with a key.
func (o Operand) Attribute(key string) (Attribute, bool) { return findAttribute(o.Attributes, key) }

// Operands returns the operands in text order. For calls, these are the arguments, followed by the
// labels of invoke and callbr and the operands of bundles.
func (in *Instr) Operands() []Operand {
	in.parse()
	list := make([]Operand, len(in.operands))
	for i, o := range in.operands {
		list[i] = Operand{Value{in.typeOf(o.typ), o.val.in(in.text), in.f.m}, in.f.m.attributes(in.text, o.attributes)}
	}
	return list
}

// NumOperands returns the number of operands.
func (in *Instr) NumOperands() int { in.parse(); return len(in.operands) }

// Operand returns one of the operands without building the list.
func (in *Instr) Operand(i int) Value {
	in.parse()
	o := in.operands[i]
	return Value{in.typeOf(o.typ), o.val.in(in.text), in.f.m}
}

// Callee returns the name of the symbol that a call calls directly, and whether there is one.
func (in *Instr) Callee() (string, bool) {
	if !in.isCall() {
		return "", false
	}
	in.parse()
	return Value{Text: in.callee.in(in.text)}.BaseGlobal()
}

// CalleeText returns the callee of a call as written.
func (in *Instr) CalleeText() string { in.parse(); return in.callee.in(in.text) }

// IsIndirect reports whether this is a call through a pointer.
func (in *Instr) IsIndirect() bool {
	if !in.isCall() || in.isAsm() {
		return false
	}
	_, direct := in.Callee()
	return !direct
}

// Attributes returns the attributes of a call, including attributes in groups, but not the
// attributes of its result and arguments.
func (in *Instr) Attributes() []Attribute {
	in.parse()
	return in.f.m.attributes(in.text, in.attributes)
}

// Attribute returns the call's attribute with a key, and whether there is one.
func (in *Instr) Attribute(key string) (Attribute, bool) { return findAttribute(in.Attributes(), key) }

// Attachments returns the metadata attached to the instruction.
func (in *Instr) Attachments() []Attachment {
	in.parse()
	return attachmentsOf(in.text, in.attached)
}

// Metadata returns the number of the attached node of a kind, and whether there is one.
func (in *Instr) Metadata(kind string) (int, bool) {
	in.parse()
	for _, a := range in.attached {
		if unescapeName(in.text[a.kind.start+1:a.kind.end]) == kind {
			id := nodeID(a.ref.in(in.text))
			return id, id >= 0
		}
	}
	return 0, false
}

// isCall reports whether this is a call, an invoke or a callbr.
func (in *Instr) isCall() bool {
	switch in.op {
	case "call", "invoke", "callbr":
		return true
	}
	return false
}

// isAsm reports whether this is a call of inline assembly.
func (in *Instr) isAsm() bool {
	return in.isCall() && strings.HasPrefix(in.CalleeText(), "asm")
}

func (in *Instr) word(i int) string {
	if i >= len(in.toks) {
		return ""
	}
	return in.toks[i].span().in(in.text)
}

func (in *Instr) isPunct(i int, c byte) bool {
	return i < len(in.toks) && in.toks[i].kind == tokenPunct && in.text[in.toks[i].start] == c
}
