package llvmir

import "strings"

// A header holds the positions of the parts of a symbol's header in its source. Functions,
// variables and aliases share the struct.
type header struct {
	text   string
	fields [fieldCount]span

	before      uint32 // where words before the type can be inserted: after define or "="
	convention  span
	typ         span // result type, or value type
	name        span // with its sigil
	attributes  []span
	attributeAt uint32 // where a first attribute is inserted
	attachments []attachment
	end         uint32

	// functions
	params []param
	varArg bool
	body   uint32 // position of a definition's opening brace

	// variables and aliases
	initializer span // without the type; of an alias the aliasee, with its type if it has one
}

type attachment struct {
	all, kind, ref span // kind with its "!"
}

type param struct {
	all, typ, name span
	attributes     []span
}

// A field is a part of a header that starts with a word.
type field uint8

const (
	fieldLinkage field = iota
	fieldPreemption
	fieldVisibility
	fieldDLL
	fieldUnnamed
	fieldSpace
	fieldThreadLocal
	fieldExternally // externally_initialized
	fieldKeyword    // global, constant, alias, ifunc
	fieldSection
	fieldPartition
	fieldComdat
	fieldAlign
	fieldCodeModel
	fieldGC
	fieldPrefix
	fieldPrologue
	fieldPersonality
	fieldCount
)

// A form is the syntax of a field after its word.
type form uint8

const (
	formWord      form = iota // nothing
	formAttribute             // as an attribute with that word: a number, or a group
	formSpace                 // a group
	formString
	formConstant // a type and a value
)

// Positions of words in a header.
const (
	functionStart = 1 << iota // before the result type
	functionEnd               // after the parameters
	variableStart             // before the type
	variableEnd               // after the value and a comma

	anyStart = functionStart | variableStart
	anyEnd   = functionEnd | variableEnd
)

type headerWord struct {
	field field
	form  form
	in    uint8
}

// headerWords lists the header words that are not attributes.
var headerWords = map[string]headerWord{
	"private":              {fieldLinkage, formWord, anyStart},
	"internal":             {fieldLinkage, formWord, anyStart},
	"available_externally": {fieldLinkage, formWord, anyStart},
	"linkonce":             {fieldLinkage, formWord, anyStart},
	"linkonce_odr":         {fieldLinkage, formWord, anyStart},
	"weak":                 {fieldLinkage, formWord, anyStart},
	"weak_odr":             {fieldLinkage, formWord, anyStart},
	"common":               {fieldLinkage, formWord, anyStart},
	"appending":            {fieldLinkage, formWord, anyStart},
	"extern_weak":          {fieldLinkage, formWord, anyStart},
	"external":             {fieldLinkage, formWord, anyStart},

	"dso_local":       {fieldPreemption, formWord, anyStart},
	"dso_preemptable": {fieldPreemption, formWord, anyStart},
	"default":         {fieldVisibility, formWord, anyStart},
	"hidden":          {fieldVisibility, formWord, anyStart},
	"protected":       {fieldVisibility, formWord, anyStart},
	"dllimport":       {fieldDLL, formWord, anyStart},
	"dllexport":       {fieldDLL, formWord, anyStart},

	"unnamed_addr":       {fieldUnnamed, formWord, functionEnd | variableStart},
	"local_unnamed_addr": {fieldUnnamed, formWord, functionEnd | variableStart},
	"addrspace":          {fieldSpace, formSpace, functionEnd | variableStart},

	"thread_local":           {fieldThreadLocal, formAttribute, variableStart},
	"externally_initialized": {fieldExternally, formWord, variableStart},
	"global":                 {fieldKeyword, formWord, variableStart},
	"constant":               {fieldKeyword, formWord, variableStart},
	"alias":                  {fieldKeyword, formWord, variableStart},
	"ifunc":                  {fieldKeyword, formWord, variableStart},

	"section":    {fieldSection, formString, anyEnd},
	"partition":  {fieldPartition, formString, anyEnd},
	"comdat":     {fieldComdat, formAttribute, anyEnd},
	"align":      {fieldAlign, formAttribute, anyEnd},
	"code_model": {fieldCodeModel, formString, variableEnd},

	"gc":          {fieldGC, formString, functionEnd},
	"prefix":      {fieldPrefix, formConstant, functionEnd},
	"prologue":    {fieldPrologue, formConstant, functionEnd},
	"personality": {fieldPersonality, formConstant, functionEnd},
}

// wordIn returns the header word that a token is at a place of a header, or false for an attribute.
func wordIn(place uint8, c *cursor, t token) (headerWord, bool) {
	if t.kind != tokenWord {
		return headerWord{}, false
	}
	w, ok := headerWords[c.word(t)]
	return w, ok && w.in&place != 0
}

// A headError reports a malformed header, with the position.
type headError struct {
	at  uint32
	msg string
}

// typedPointer is the error for typed pointers, which no current device compiler writes.
const typedPointer = "typed pointers, which LLVM before 17 wrote, are not supported; create the text with a newer llvm-dis"

func headErrorAt(c *cursor, msg string) *headError {
	t := c.peek(0)
	if t.kind == tokenPunct && c.text[t.start] == '*' {
		msg = typedPointer
	}
	return &headError{t.start, msg}
}

const openGroup = "unterminated bracket"

// clear resets a header to read text, and reuses its memory.
func (h *header) clear(text string) {
	*h = header{text: text, attributes: h.attributes[:0], attachments: h.attachments[:0], params: h.params[:0]}
}

// word returns the text of a field.
func (h *header) word(f field) string { return h.fields[f].in(h.text) }

// declared reports whether the linkage makes a variable a declaration.
func (h *header) declared() bool {
	switch h.word(fieldLinkage) {
	case "external", "extern_weak":
		return true
	}
	return false
}

// field reads a field up to its end.
func (h *header) field(c *cursor, w headerWord) *headError {
	start := c.peek(0).start
	if w.form == formAttribute {
		if _, ok := c.skipAttribute(); !ok {
			return headErrorAt(c, openGroup)
		}
	} else {
		c.i++
	}
	switch w.form {
	case formSpace:
		if !c.at('(') || !c.group() {
			return headErrorAt(c, "expected the number of an address space")
		}
	case formString:
		if c.peek(0).kind != tokenString {
			return headErrorAt(c, "expected a string")
		}
		c.i++
	case formConstant:
		if _, ok := c.skipType(); !ok {
			return headErrorAt(c, "expected a type")
		}
		if _, ok := c.skipValue(); !ok {
			return headErrorAt(c, "expected a constant")
		}
	}
	h.fields[w.field] = span{start, c.end()}
	return nil
}

func (h *header) attachment(c *cursor) *headError {
	kind := c.peek(0)
	c.i++
	ref, ok := c.skipValue()
	if !ok || h.text[ref.start] != '!' {
		return headErrorAt(c, "expected metadata")
	}
	h.attachments = append(h.attachments, attachment{span{kind.start, ref.end}, kind.span(), ref})
	return nil
}

// function reads a define or declare, up to the opening brace or the limit.
func (h *header) function(c *cursor, defined bool) *headError {
	c.i++ // define or declare
	if err := h.functionStart(c); err != nil {
		return err
	}
	var ok bool
	if h.typ, ok = c.skipType(); !ok {
		return headErrorAt(c, "expected the result type of a function")
	}
	t := c.peek(0)
	if t.kind != tokenGlobal {
		return headErrorAt(c, "a function without a name")
	}
	h.name = t.span()
	c.i++
	if err := h.parameters(c); err != nil {
		return err
	}
	return h.functionEnd(c, defined)
}

// functionStart reads the part before the result type. It does not keep attributes of the result.
func (h *header) functionStart(c *cursor) *headError {
	h.before = c.end()
	for c.peek(0).kind == tokenMeta {
		if err := h.attachment(c); err != nil {
			return err
		}
		h.before = c.end()
	}
	for c.atAttribute() {
		if w, ok := wordIn(functionStart, c, c.peek(0)); ok {
			if err := h.field(c, w); err != nil {
				return err
			}
			continue
		}
		s, ok := c.skipAttribute()
		if !ok {
			return headErrorAt(c, openGroup)
		}
		if !h.convention.ok() && isConvention(s.in(h.text)) {
			h.convention = s
		}
	}
	return nil
}

// isConvention reports whether a word is a calling convention.
func isConvention(w string) bool {
	switch w {
	case "spir_kernel", "spir_func", "ptx_kernel", "ptx_device", "amdgpu_kernel", "x86_64_sysvcc", "win64cc":
		return true
	}
	if len(w) > 2 && w[:2] == "cc" && (w[2] == ' ' || isDigit(w[2])) {
		return true
	}
	for _, prefix := range []string{"amdgpu_", "aarch64_", "riscv_", "x86_", "intel_", "arm_", "avr_", "msp430_", "m68k_"} {
		if len(w) > len(prefix) && strings.HasPrefix(w, prefix) {
			return true
		}
	}
	return len(w) > 2 && strings.HasSuffix(w, "cc")
}

func isKernel(convention string) bool {
	return convention == "spir_kernel" || convention == "ptx_kernel" || convention == "amdgpu_kernel"
}

func (h *header) parameters(c *cursor) *headError {
	if !c.accept('(') {
		return headErrorAt(c, "expected the parameters of a function")
	}
	for !c.accept(')') {
		if (len(h.params) > 0 || h.varArg) && !c.accept(',') {
			return headErrorAt(c, "expected a comma or the end of the parameter list")
		}
		if c.word(c.peek(0)) == "..." {
			c.i++
			h.varArg = true
			continue
		}
		if err := h.parameter(c); err != nil {
			return err
		}
	}
	h.attributeAt, h.end = c.end(), c.end()
	return nil
}

func (h *header) parameter(c *cursor) *headError {
	var p param
	if n := len(h.params); n < cap(h.params) {
		p.attributes = h.params[:n+1][n].attributes[:0]
	}
	var ok bool
	if p.typ, ok = c.skipType(); !ok {
		return headErrorAt(c, "expected the type of a parameter")
	}
	for k := c.peek(0).kind; k == tokenWord || k == tokenString || k == tokenGroup; k = c.peek(0).kind {
		s, ok := c.skipAttribute()
		if !ok {
			return headErrorAt(c, openGroup)
		}
		p.attributes = append(p.attributes, s)
	}
	if t := c.peek(0); t.kind == tokenLocal {
		p.name = t.span()
		c.i++
	}
	p.all = span{p.typ.start, c.end()}
	h.params = append(h.params, p)
	return nil
}

// functionEnd reads the part after the parameters.
func (h *header) functionEnd(c *cursor, defined bool) *headError {
	for {
		var err *headError
		switch t := c.peek(0); t.kind {
		case tokenMeta:
			err = h.attachment(c)
		case tokenString, tokenGroup, tokenWord:
			err = h.functionWord(c, t)
		case tokenEnd:
			if defined {
				return &headError{h.name.start, "the header of function " + h.name.in(h.text) + " does not end with {"}
			}
			return nil
		default:
			if !defined || !c.at('{') {
				return headErrorAt(c, "unexpected text in the header of a function")
			}
			h.body = t.start
			return nil
		}
		if err != nil {
			return err
		}
		h.end = c.end()
	}
}

func (h *header) functionWord(c *cursor, t token) *headError {
	if w, ok := wordIn(functionEnd, c, t); ok {
		err := h.field(c, w)
		if w.field == fieldUnnamed || w.field == fieldSpace {
			h.attributeAt = c.end()
		}
		return err
	}
	a, ok := c.skipAttribute()
	if !ok {
		return headErrorAt(c, openGroup)
	}
	h.attributes = append(h.attributes, a)
	return nil
}

// variable reads a global variable, an alias or an ifunc, up to the limit.
func (h *header) variable(c *cursor) *headError {
	h.name = c.peek(0).span()
	c.i += 2 // name and =
	if err := h.variableStart(c); err != nil {
		return err
	}
	var ok bool
	if h.typ, ok = c.skipType(); !ok {
		return headErrorAt(c, "expected the type of a global")
	}
	switch h.word(fieldKeyword) {
	case "alias", "ifunc":
		if err := h.aliasee(c); err != nil {
			return err
		}
	default:
		if !h.declared() {
			if h.initializer, ok = c.skipValue(); !ok {
				return headErrorAt(c, "expected the initial value of a global")
			}
		}
	}
	return h.variableEnd(c)
}

// variableStart reads the part before the type.
func (h *header) variableStart(c *cursor) *headError {
	h.before = c.end()
	for !h.fields[fieldKeyword].ok() {
		t := c.peek(0)
		if t.kind != tokenWord {
			return headErrorAt(c, "expected global, constant, alias or ifunc")
		}
		if w, ok := wordIn(variableStart, c, t); ok {
			if err := h.field(c, w); err != nil {
				return err
			}
		} else if _, ok := c.skipAttribute(); !ok {
			return headErrorAt(c, openGroup)
		}
	}
	return nil
}

func (h *header) aliasee(c *cursor) *headError {
	if !c.accept(',') {
		return headErrorAt(c, "expected a comma and the aliasee")
	}
	first := c.peek(0)
	if first.kind != tokenWord || !isConstantWord(c.word(first)) {
		if _, ok := c.skipType(); !ok {
			return headErrorAt(c, "expected the type of the aliasee")
		}
	}
	if _, ok := c.skipValue(); !ok {
		return headErrorAt(c, "expected the aliasee")
	}
	h.initializer = span{first.start, c.end()}
	return nil
}

// variableEnd reads the part after the value.
func (h *header) variableEnd(c *cursor) *headError {
	h.end = c.end()
	for c.accept(',') {
		if err := h.variableWord(c); err != nil {
			return err
		}
		h.end = c.end()
	}
	h.attributeAt = h.end
	for c.peek(0).kind != tokenEnd {
		s, ok := c.skipAttribute()
		if !ok {
			return headErrorAt(c, "unexpected text in a global")
		}
		h.attributes = append(h.attributes, s)
		h.end = c.end()
	}
	return nil
}

func (h *header) variableWord(c *cursor) *headError {
	switch t := c.peek(0); t.kind {
	case tokenMeta:
		return h.attachment(c)
	case tokenWord:
		if w, ok := wordIn(variableEnd, c, t); ok {
			return h.field(c, w)
		}
		if _, ok := c.skipAttribute(); !ok {
			return headErrorAt(c, openGroup)
		}
		return nil
	}
	return headErrorAt(c, "unexpected text in a global")
}
