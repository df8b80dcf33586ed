package llvmir

// TypedPointers reports whether pointer types of the module say what they point to, as
// those of LLVM before 15 do. A module without pointers has none of these.
func (m *Module) TypedPointers() bool {
	m.lazy.Lock()
	defer m.lazy.Unlock()
	if m.pointers == pointersUnknown {
		m.pointers = m.findPointers()
	}
	return m.pointers == pointersTyped
}

type pointerForm uint8

const (
	pointersUnknown pointerForm = iota
	pointersOpaque
	pointersTyped
)

// findPointers looks for the first pointer type.
func (m *Module) findPointers() pointerForm {
	for _, text := range m.sources {
		lx := lexer{text: text, limit: len(text)}
		for t := lx.next(); t.kind != tokenEnd && t.kind != tokenBad; t = lx.next() {
			switch word := text[t.start:t.end]; {
			case t.kind == tokenWord && word == "ptr":
				return pointersOpaque
			case t.kind == tokenPunct && word == "*":
				return pointersTyped
			}
		}
	}
	return pointersOpaque
}

// Reference returns a symbol as an operand with its type, "ptr @f" or "void (i32)* @f".
func (m *Module) Reference(s Symbol) string {
	name := symbolText('@', s.Name())
	space := ""
	if n := s.base().AddrSpace(); n != 0 {
		space = " " + s.base().header().word(fieldSpace)
	}
	if t := s.ValueType(); t != nil && m.TypedPointers() {
		return t.text + space + "* " + name
	}
	return "ptr" + space + " " + name
}
