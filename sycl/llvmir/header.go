package llvmir

// A header is what stands around the name of a symbol, by place in its source
// text. One struct serves functions, variables and aliases.
type header struct {
	text string

	linkage, preemption, visibility, dll, convention span
	before                                           uint32 // where words before the type may be put: behind define or "="
	name                                             span   // with its sigil
	threadLocal, unnamed, space                      span
	typ                                              span // result type, or value type
	resultAttributes                                 []span
	section, partition, comdat, align, gc            span
	prefix, prologue, personality                    span // type and value
	attributes                                       []span
	attributeAt                                      uint32 // where the first function attribute goes
	attachments                                      []attachment
	end                                              uint32

	// functions
	open, close uint32 // parentheses of the parameters
	params      []param
	varArg      bool

	// variables and aliases
	keyword     span // global, constant, alias, ifunc
	external    bool
	externally  span // externally_initialized
	initializer span // without the type; of an alias the aliasee, with its type if it has one
	comma       uint32
	body        uint32 // position of a definition's opening brace
}

type attachment struct {
	all, kind, ref span // kind with its "!"
}

type param struct {
	all, typ, name span
	attributes     []span
}

var linkages = map[string]bool{
	"private": true, "internal": true, "available_externally": true, "linkonce": true, "weak": true, "common": true,
	"appending": true, "extern_weak": true, "linkonce_odr": true, "weak_odr": true, "external": true,
}

// headError is where a header stops being one.
type headError struct {
	at  uint32
	msg string
}

func (h *header) clear(text string) {
	*h = header{text: text, resultAttributes: h.resultAttributes[:0], attributes: h.attributes[:0],
		attachments: h.attachments[:0], params: h.params[:0]}
}

// leading takes the words that every kind of symbol may have first.
func (h *header) leading(c *cursor) bool {
	t := c.peek(0)
	s := span{t.start, t.end}
	switch w := c.word(t); {
	case linkages[w]:
		h.linkage = s
		h.external = w == "external" || w == "extern_weak"
	case w == "dso_local" || w == "dso_preemptable":
		h.preemption = s
	case w == "default" || w == "hidden" || w == "protected":
		h.visibility = s
	case w == "dllimport" || w == "dllexport":
		h.dll = s
	default:
		return false
	}
	c.i++
	return true
}

func (h *header) attachment(c *cursor) bool {
	kind := c.peek(0)
	c.i++
	ref, ok := c.skipValue()
	if !ok || h.text[ref.start] != '!' {
		return false
	}
	h.attachments = append(h.attachments, attachment{span{kind.start, ref.end}, span{kind.start, kind.end}, ref})
	return true
}

// function reads a define or declare, up to the opening brace or the limit.
func (h *header) function(c *cursor, defined bool) *headError {
	fail := func(msg string) *headError { return &headError{c.peek(0).start, msg} }
	c.i++ // define or declare
	h.before = c.end()
	for c.peek(0).kind == TokenMeta {
		if !h.attachment(c) {
			return fail("metadata is expected here")
		}
		h.before = c.end()
	}
	for {
		t := c.peek(0)
		if t.kind == TokenWord && h.leading(c) {
			continue
		}
		if t.kind == TokenWord && !isTypeWord(c.word(t)) || t.kind == TokenString || t.kind == TokenGroup {
			s, ok := c.skipAttribute()
			if !ok {
				return fail("a group of brackets does not end")
			}
			if !h.convention.ok() && isConvention(s.in(h.text)) {
				h.convention = s
			} else {
				h.resultAttributes = append(h.resultAttributes, s)
			}
			continue
		}
		break
	}
	var ok bool
	if h.typ, ok = c.skipType(); !ok {
		return fail("the result type of a function is expected here")
	}
	t := c.peek(0)
	if t.kind != TokenGlobal {
		return fail("a function without a name")
	}
	h.name = span{t.start, t.end}
	c.i++
	if !c.at('(') {
		return fail("the parameters of a function are expected here")
	}
	h.open = c.peek(0).start
	c.i++
	for !c.at(')') {
		if (len(h.params) > 0 || h.varArg) && !c.accept(',') {
			return fail("a parameter list continues with a comma or ends")
		}
		if p := c.peek(0); p.kind == TokenWord && c.word(p) == "..." {
			c.i++
			h.varArg = true
			continue
		}
		var p param
		if n := len(h.params); n < cap(h.params) {
			p.attributes = h.params[:n+1][n].attributes[:0]
		}
		if p.typ, ok = c.skipType(); !ok {
			return fail("the type of a parameter is expected here")
		}
		p.all.start = p.typ.start
		for k := c.peek(0); k.kind == TokenWord || k.kind == TokenString || k.kind == TokenGroup; k = c.peek(0) {
			s, ok := c.skipAttribute()
			if !ok {
				return fail("a group of brackets does not end")
			}
			p.attributes = append(p.attributes, s)
		}
		if k := c.peek(0); k.kind == TokenLocal {
			p.name = span{k.start, k.end}
			c.i++
		}
		p.all.end = c.end()
		h.params = append(h.params, p)
	}
	h.close = c.peek(0).start
	c.i++
	h.attributeAt = c.end()
	h.end = c.end()
	for {
		t := c.peek(0)
		s := span{t.start, t.end}
		switch t.kind {
		case TokenMeta:
			if !h.attachment(c) {
				return fail("metadata is expected here")
			}
		case TokenString, TokenGroup:
			s, _ := c.skipAttribute()
			h.attributes = append(h.attributes, s)
		case TokenWord:
			switch w := c.word(t); w {
			case "unnamed_addr", "local_unnamed_addr":
				c.i++
				h.unnamed = s
				h.attributeAt = c.end()
			case "addrspace":
				c.i++
				if !c.at('(') || !c.group() {
					return fail("the number of an address space is expected here")
				}
				h.space = span{t.start, c.end()}
				h.attributeAt = c.end()
			case "section", "partition", "gc":
				c.i++
				if c.peek(0).kind != TokenString {
					return fail("a string is expected here")
				}
				c.i++
				s.end = c.end()
				*map[string]*span{"section": &h.section, "partition": &h.partition, "gc": &h.gc}[w] = s
			case "comdat":
				c.i++
				if c.at('(') && !c.group() {
					return fail("the name of a comdat is expected here")
				}
				h.comdat = span{t.start, c.end()}
			case "align":
				if h.align, ok = c.skipAttribute(); !ok {
					return fail("an alignment is expected here")
				}
			case "prefix", "prologue", "personality":
				c.i++
				if _, ok := c.skipType(); !ok {
					return fail("a type is expected here")
				}
				if _, ok := c.skipValue(); !ok {
					return fail("a constant is expected here")
				}
				s.end = c.end()
				*map[string]*span{"prefix": &h.prefix, "prologue": &h.prologue, "personality": &h.personality}[w] = s
			default:
				a, ok := c.skipAttribute()
				if !ok {
					return fail("a group of brackets does not end")
				}
				h.attributes = append(h.attributes, a)
			}
		case TokenPunct:
			if !defined || !c.at('{') {
				return fail("this does not belong to the header of a function")
			}
			h.body = t.start
			return nil
		case TokenEnd:
			if defined {
				return &headError{h.name.start, "the header of function " + c.text[h.name.start:h.name.end] + " does not end with {"}
			}
			return nil
		default:
			return fail("this does not belong to the header of a function")
		}
		h.end = c.end()
	}
}

// isConvention tells whether a word is a calling convention.
func isConvention(w string) bool {
	switch w {
	case "spir_kernel", "spir_func", "ptx_kernel", "ptx_device", "amdgpu_kernel", "x86_64_sysvcc", "win64cc":
		return true
	}
	if len(w) > 2 && w[:2] == "cc" && (w[2] == ' ' || isDigit(w[2])) {
		return true
	}
	for _, prefix := range []string{"amdgpu_", "aarch64_", "riscv_", "x86_", "intel_", "arm_", "avr_", "msp430_", "m68k_"} {
		if len(w) > len(prefix) && w[:len(prefix)] == prefix {
			return true
		}
	}
	return len(w) > 2 && w[len(w)-2:] == "cc"
}

// variable reads a global variable, an alias or an ifunc, up to the limit.
func (h *header) variable(c *cursor) *headError {
	fail := func(msg string) *headError { return &headError{c.peek(0).start, msg} }
	t := c.peek(0)
	h.name = span{t.start, t.end}
	c.i += 2 // name and =
	h.before = c.end()
words:
	for {
		t := c.peek(0)
		s := span{t.start, t.end}
		if t.kind != TokenWord {
			return fail("global, constant, alias or ifunc is expected here")
		}
		if h.leading(c) {
			continue
		}
		switch w := c.word(t); w {
		case "global", "constant", "alias", "ifunc":
			h.keyword = s
			c.i++
			break words
		case "unnamed_addr", "local_unnamed_addr":
			h.unnamed = s
		case "externally_initialized":
			h.externally = s
		}
		if _, ok := c.skipAttribute(); !ok {
			return fail("a group of brackets does not end")
		}
		s.end = c.end()
		switch c.word(t) {
		case "addrspace":
			h.space = s
		case "thread_local":
			h.threadLocal = s
		}
	}
	var ok bool
	if h.typ, ok = c.skipType(); !ok {
		return fail("the type of a global is expected here")
	}
	switch w := h.keyword.in(h.text); {
	case w == "alias" || w == "ifunc":
		if !c.accept(',') {
			return fail("a comma and what the alias stands for are expected here")
		}
		start := c.peek(0).start
		if first := c.peek(0); first.kind != TokenWord || !isConstantWord(c.word(first)) {
			if _, ok := c.skipType(); !ok {
				return fail("the type of what an alias stands for is expected here")
			}
		}
		if _, ok := c.skipValue(); !ok {
			return fail("what the alias stands for is expected here")
		}
		h.initializer = span{start, c.end()}
	case !h.external:
		if h.initializer, ok = c.skipValue(); !ok {
			return fail("the initial value of a global is expected here")
		}
	}
	h.end = c.end()
	h.comma = h.end
	for c.at(',') {
		c.i++
		t := c.peek(0)
		s := span{t.start, t.end}
		switch {
		case t.kind == TokenMeta:
			if !h.attachment(c) {
				return fail("metadata is expected here")
			}
		case t.kind == TokenWord:
			w := c.word(t)
			if _, ok := c.skipAttribute(); !ok {
				return fail("a group of brackets does not end")
			}
			switch w {
			case "section", "partition", "code_model":
				if c.peek(0).kind != TokenString {
					return fail("a string is expected here")
				}
				c.i++
			}
			s.end = c.end()
			switch w {
			case "section":
				h.section = s
			case "partition":
				h.partition = s
			case "comdat":
				h.comdat = s
			case "align":
				h.align = s
			}
		default:
			return fail("this does not belong to a global")
		}
		h.end = c.end()
		if t.kind != TokenMeta {
			h.comma = h.end
		}
	}
	h.attributeAt = h.end
	for t := c.peek(0); t.kind != TokenEnd; t = c.peek(0) {
		s, ok := c.skipAttribute()
		if !ok {
			return fail("this does not belong to a global")
		}
		h.attributes = append(h.attributes, s)
		h.end = c.end()
	}
	return nil
}
