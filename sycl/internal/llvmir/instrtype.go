package llvmir

import (
	"strconv"
)

// Type returns the type of the result. It is void if there is no result, and nil if the text does
// not specify the type.
func (in *Instr) Type() *Type {
	in.parse()
	switch in.op {
	case "call", "invoke", "callbr":
		return in.callResult()
	case "alloca":
		return in.f.m.intern(Type{kind: Pointer, space: in.allocaSpace()})
	case "getelementptr":
		return in.operandType(0)
	case "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "inttoptr",
		"ptrtoaddr", "bitcast", "addrspacecast", "va_arg":
		return in.namedType(1)
	case "icmp", "fcmp":
		return in.comparisonType()
	case "select", "atomicrmw":
		return in.operandType(1)
	case "extractelement":
		return in.namedType(0).vectorElement()
	case "shufflevector":
		return in.shuffleType()
	case "extractvalue":
		return in.extractedType()
	case "cmpxchg":
		if t := in.operandType(1); t != nil {
			return in.f.m.intern(Type{kind: Struct, fields: []*Type{t, in.f.m.boolType()}})
		}
		return nil
	case "catchpad", "cleanuppad", "catchswitch":
		return in.f.m.intern(Type{kind: TokenType})
	}
	if in.result.ok() {
		return in.namedType(0)
	}
	return in.f.m.intern(Type{kind: Void})
}

// SourceType returns the allocated type of alloca, the source element type of getelementptr, or the
// type that load loads. It returns nil for other instructions.
func (in *Instr) SourceType() *Type {
	switch in.op {
	case "alloca", "getelementptr", "load":
		in.parse()
		return in.namedType(0)
	}
	return nil
}

// CalleeType returns the function type of a call: as written or, if it is not written, derived from
// the result and the arguments. It returns nil for other instructions.
func (in *Instr) CalleeType() *Type {
	if !in.isCall() {
		return nil
	}
	in.parse()
	t := in.typeOf(in.calleeType)
	if t == nil || t.kind == Func {
		return t
	}
	f := Type{kind: Func, elem: t}
	for _, o := range in.operands {
		p := in.typeOf(o.typ)
		if p == nil {
			return nil
		}
		if p.kind == Label {
			break
		}
		f.fields = append(f.fields, p)
	}
	return in.f.m.intern(f)
}

// namedType returns one of the types that the instruction names, or nil if it names fewer.
func (in *Instr) namedType(i int) *Type {
	if i < len(in.types) {
		return in.typeOf(in.types[i])
	}
	return nil
}

// operandType returns the type of an operand, or nil if there is none.
func (in *Instr) operandType(i int) *Type {
	if i < len(in.operands) {
		return in.typeOf(in.operands[i].typ)
	}
	return nil
}

func (in *Instr) typeOf(s span) *Type {
	if !s.ok() {
		return nil
	}
	return in.f.m.typeAt(s.in(in.text))
}

func (in *Instr) callResult() *Type {
	t := in.typeOf(in.calleeType)
	if t != nil && t.kind == Func {
		return t.elem
	}
	return t
}

// allocaSpace returns the address space of an alloca.
func (in *Instr) allocaSpace() int {
	space := 0
	for i := range in.toks {
		if in.word(i) == "addrspace" && in.isPunct(i+1, '(') {
			space, _ = strconv.Atoi(in.word(i + 2))
		}
	}
	return space
}

func (in *Instr) comparisonType() *Type {
	if t := in.namedType(0); t != nil && t.kind == Vector {
		return in.f.m.vectorLike(t, in.f.m.boolType())
	}
	return in.f.m.boolType()
}

func (in *Instr) shuffleType() *Type {
	if len(in.operands) != 3 {
		return nil
	}
	element, mask := in.namedType(0).vectorElement(), in.operandType(2)
	if element == nil || mask == nil || mask.kind != Vector {
		return nil
	}
	return in.f.m.vectorLike(mask, element)
}

// extractedType returns the type of the member that the indices of extractvalue select.
func (in *Instr) extractedType() *Type {
	t := in.namedType(0)
	for _, o := range in.operands[min(1, len(in.operands)):] {
		n, err := strconv.ParseUint(o.val.in(in.text), 10, 32)
		if t == nil || err != nil {
			return nil
		}
		t = t.member(n)
	}
	return t
}

func (m *Module) boolType() *Type { return m.intern(Type{kind: Int, bits: 1}) }

// vectorLike returns a vector type with the length of another.
func (m *Module) vectorLike(t, elem *Type) *Type {
	return m.intern(Type{kind: Vector, length: t.length, scalable: t.scalable, elem: elem})
}

// vectorElement returns the element type of a vector, or nil.
func (t *Type) vectorElement() *Type {
	if t == nil || t.kind != Vector {
		return nil
	}
	return t.elem
}

// member returns the type of a field or an element of an aggregate, or nil if there is none.
func (t *Type) member(n uint64) *Type {
	body := t.Body()
	switch {
	case body == nil:
	case body.kind == Struct && n < uint64(len(body.fields)):
		return body.fields[n]
	case body.kind == Array:
		return body.elem
	}
	return nil
}
