package llvmir

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// An Instr is an instruction, a label, or a debug record of a body. The one that
// an iteration yields is used again for the next: see [Instr.Clone].
type Instr struct {
	f          *Function
	src        uint32
	text       string // of the source
	start, end uint32
	toks       []token
	op         int // index of the operation's token; of calls that of "call"
	result     span
	cut        bool // how far the tokens have been understood:
	operands   []operand
	types      []span
	attached   []attachment
	attributes []span // of a call
	callee     span
	calleeType span
	scratch    cursor
}

type operand struct {
	typ, val   span
	attributes []span
}

// edit replaces a place of a body's source.
type edit struct {
	at   span
	text string
}

// BodyText returns the text of the body with its braces, "" for a declaration.
func (f *Function) BodyText() string {
	if !f.defined {
		return ""
	}
	f.fold()
	return f.body.in(f.m.sources[f.bodySrc])
}

// Body yields the labels, instructions and debug records of the body in order of
// text. Edits made meanwhile are seen by iterations that start later.
func (f *Function) Body() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		if !f.defined {
			return
		}
		f.fold()
		f.m.lazy.Lock()
		f.running++
		f.m.lazy.Unlock()
		defer func() {
			f.m.lazy.Lock()
			f.running--
			f.m.lazy.Unlock()
		}()
		text := f.m.sources[f.bodySrc]
		in := &Instr{f: f, src: f.bodySrc, text: text}
		lx := lexer{text, int(f.body.start) + 1, int(f.body.end) - 1}
		t := lx.next()
		for t.kind != TokenEnd {
			t = in.take(&lx, t)
			if !yield(in) {
				return
			}
		}
	}
}

// take collects the tokens of one instruction and returns the first of the next.
func (in *Instr) take(lx *lexer, t token) token {
	in.toks = append(in.toks[:0], t)
	in.cut, in.op, in.result = false, 0, span{}
	if lx.pos < lx.limit && lx.text[lx.pos] == ':' && (t.kind == TokenWord || t.kind == TokenString || t.kind == TokenComdat) {
		lx.pos++
		in.start, in.end = t.start, uint32(lx.pos)
		return lx.next()
	}
	depth := 0
	for {
		prev := t
		switch {
		case t.kind != TokenPunct:
		case strings.IndexByte("([{", lx.text[t.start]) >= 0:
			depth++
		case strings.IndexByte(")]}", lx.text[t.start]) >= 0:
			depth--
		}
		t = lx.next()
		if t.kind == TokenEnd || t.kind == tokenBad || depth <= 0 && in.starts(lx, prev, t) {
			break
		}
		in.toks = append(in.toks, t)
	}
	in.start, in.end = in.toks[0].start, in.toks[len(in.toks)-1].end
	if len(in.toks) > 2 && in.toks[0].kind == TokenLocal && in.isPunct(1, '=') {
		in.result = span{in.toks[0].start + 1, in.toks[0].end}
		in.op = 2
	}
	if in.op+1 < len(in.toks) {
		switch in.word(in.op) {
		case "tail", "musttail", "notail":
			in.op++
		}
	}
	if t.kind == tokenBad {
		t.kind = TokenEnd
	}
	return t
}

// starts tells whether t is the first token of another instruction.
func (in *Instr) starts(lx *lexer, prev, t token) bool {
	if t.kind == TokenLocal && (t.newline || prev.kind != TokenPunct) {
		_, ok := assigned(lx.text[:lx.limit], int(t.start))
		return ok
	}
	if !t.newline || prev.kind == TokenPunct && (lx.text[prev.start] == ',' || lx.text[prev.start] == '=') {
		return false
	}
	switch t.kind {
	case TokenRecord:
		return true
	case TokenString, TokenComdat:
		return lx.pos < lx.limit && lx.text[lx.pos] == ':'
	case TokenWord:
		switch lx.text[t.start:t.end] {
		case "to", "cleanup", "catch", "filter", "unwind", "from", "within", "label":
			return false
		}
		return true
	}
	return false
}

func (in *Instr) word(i int) string {
	if i >= len(in.toks) {
		return ""
	}
	return in.text[in.toks[i].start:in.toks[i].end]
}

func (in *Instr) isPunct(i int, c byte) bool {
	return i < len(in.toks) && in.toks[i].kind == TokenPunct && in.text[in.toks[i].start] == c
}

// IsLabel tells whether this is the label of a basic block.
func (in *Instr) IsLabel() bool {
	return in.text[in.end-1] == ':' && len(in.toks) == 1 && in.toks[0].kind != TokenPunct
}

// Op returns the operation: "load", "call" (also for tail calls), "label", or
// "#dbg_value" and its like.
func (in *Instr) Op() string {
	if in.IsLabel() {
		return "label"
	}
	return in.word(in.op)
}

// IsCall tells whether this is a call, an invoke or a callbr.
func (in *Instr) IsCall() bool {
	switch in.Op() {
	case "call", "invoke", "callbr":
		return true
	}
	return false
}

// Result returns the name of the result without %, "" when there is none; of a
// label its name.
func (in *Instr) Result() string {
	if in.IsLabel() {
		return plainName(in.word(0))
	}
	return plainName(in.result.in(in.text))
}

// Text returns the instruction's text.
func (in *Instr) Text() string { return in.text[in.start:in.end] }

// Line returns the line of the text, 0 when the body was edited before.
func (in *Instr) Line() int { return in.f.m.line(in.src, in.start) }

// Function returns the function whose body this is in.
func (in *Instr) Function() *Function { return in.f }

// Clone returns an instruction that stays as it is.
func (in *Instr) Clone() *Instr {
	c := *in
	c.toks = slices.Clone(in.toks)
	c.cut = false
	c.operands, c.types, c.attached, c.attributes = nil, nil, nil, nil
	c.scratch = cursor{}
	return &c
}

// Tokens yields the instruction's tokens.
func (in *Instr) Tokens() iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for _, t := range in.toks {
			if !yield(Token{t.kind, in.text[t.start:t.end]}) {
				return
			}
		}
	}
}

// Globals yields the names of the symbols that the instruction names, as often
// as it names them.
func (in *Instr) Globals() iter.Seq[string] { return in.names(TokenGlobal, 0) }

// Locals yields the names of the local values, labels and named types that the
// instruction names, but for its result.
func (in *Instr) Locals() iter.Seq[string] { return in.names(TokenLocal, in.op) }

func (in *Instr) names(kind TokenKind, from int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range in.toks[from:] {
			if t.kind == kind && !yield(plainName(in.text[t.start+1:t.end])) {
				return
			}
		}
	}
}

// parse takes the tokens behind the operation apart.
func (in *Instr) parse() {
	if in.cut {
		return
	}
	in.cut = true
	in.operands, in.types, in.attached, in.attributes = in.operands[:0], in.types[:0], in.attached[:0], in.attributes[:0]
	in.callee, in.calleeType = span{}, span{}
	if in.IsLabel() {
		return
	}
	c := &in.scratch
	*c = cursor{text: in.text, toks: in.toks, i: in.op + 1}
	op := in.Op()
	switch {
	case in.IsCall():
		in.parseCall(c)
	case op == "phi":
		in.skipWords(c)
		typ, ok := c.skipType()
		if !ok {
			break
		}
		in.types = append(in.types, typ)
		for c.accept('[') {
			if val, ok := c.skipValue(); ok {
				in.operands = append(in.operands, operand{typ: typ, val: val})
			}
			for c.peek(0).kind != TokenEnd && !c.accept(']') {
				c.i++
			}
			if !c.at(',') || !c.atK(1, '[') {
				break
			}
			c.i++
		}
	case op[0] == '#':
		c.accept('(')
	}
	in.rest(c, op)
}

func (in *Instr) skipWords(c *cursor) {
	for t := c.peek(0); t.kind == TokenWord && !isTypeWord(c.word(t)); t = c.peek(0) {
		c.i++
		if c.at('(') && !c.group() {
			return
		}
	}
}

// rest takes types, operands and attachments as they come.
func (in *Instr) rest(c *cursor, op string) {
	comma := false // the last token was a comma
	for {
		t := c.peek(0)
		before := c.i
		wasComma := comma
		comma = false
		switch t.kind {
		case TokenEnd:
			return
		case TokenMeta:
			c.i++
			if op[0] == '#' {
				if c.at('(') {
					c.group()
				}
				break
			}
			if ref, ok := c.skipValue(); ok && in.text[ref.start] == '!' {
				in.attached = append(in.attached, attachment{span{t.start, ref.end}, span{t.start, t.end}, ref})
			} else {
				c.i = before + 1
			}
		case TokenLocal:
			next := c.peek(1)
			alone := len(in.types) == 0 && (op == "getelementptr" || op == "alloca" || op == "load") || op == "va_arg" && wasComma ||
				c.i > 0 && c.word(c.toks[c.i-1]) == "to"
			if in.f.m.isType(in.text[t.start+1:t.end]) && (alone || in.startsValue(next)) {
				in.typed(c)
				break
			}
			in.untyped(c)
		case TokenWord:
			w := c.word(t)
			switch {
			case isTypeWord(w):
				in.typed(c)
			case wasComma && (isConstantWord(w) || len(w) > 2 && w[1:3] == "0x"):
				in.untyped(c)
			default:
				c.i++
				if c.at('(') {
					c.group()
				} else if w == "align" {
					c.i++
				}
			}
		case TokenGlobal:
			in.untyped(c)
		case TokenPunct:
			switch in.text[t.start] {
			case ',':
				c.i++
				comma = true
			case '{', '<':
				in.typedOrValue(c, wasComma)
			case '[':
				if op == "switch" || op == "indirectbr" || op == "catchpad" || op == "cleanuppad" || op == "catchswitch" || in.IsCall() {
					c.i++ // a list of typed values
				} else {
					in.typedOrValue(c, wasComma)
				}
			default:
				c.i++
			}
		default:
			c.i++
		}
		if c.i == before {
			c.i++
		}
	}
}

// startsValue tells whether a token can be a value behind its type.
func (in *Instr) startsValue(t token) bool {
	switch t.kind {
	case TokenLocal, TokenGlobal:
		return true
	case TokenWord:
		return isConstantWord(in.text[t.start:t.end])
	case TokenPunct:
		return strings.IndexByte("[{<*", in.text[t.start]) >= 0
	}
	return false
}

// typed takes a type and the value behind it, if there is one.
func (in *Instr) typed(c *cursor) {
	typ, ok := c.skipType()
	if !ok {
		return
	}
	in.types = append(in.types, typ)
	// metadata !5, metadata i32 %x: the value is what follows
	if typ.in(in.text) == "metadata" {
		if val, ok := c.skipValue(); ok {
			in.operands = append(in.operands, operand{typ: typ, val: val})
		}
		return
	}
	if in.startsValue(c.peek(0)) {
		if val, ok := c.skipValue(); ok {
			in.operands = append(in.operands, operand{typ: typ, val: val})
		}
	}
}

// typedOrValue decides whether a bracket opens a type or, behind a comma, a
// constant of the type that the operand before it has.
func (in *Instr) typedOrValue(c *cursor, comma bool) {
	i := c.i
	if comma && len(in.operands) > 0 {
		// A vector constant starts with a type, a vector type with a number.
		if w := c.word(c.peek(1)); w == "" || !isDigit(w[0]) && w != "vscale" && in.text[c.peek(0).start] == '<' && w != "{" {
			in.untyped(c)
			if c.i > i {
				return
			}
		}
	}
	in.typed(c)
}

// untyped takes a value that has the type of the operand before it, as the
// second operand of additions and comparisons does.
func (in *Instr) untyped(c *cursor) {
	val, ok := c.skipValue()
	if !ok {
		return
	}
	o := operand{val: val}
	if n := len(in.operands); n > 0 && in.op < len(in.toks) {
		switch in.Op() {
		case "extractvalue", "insertvalue", "cleanupret", "catchret":
		default:
			o.typ = in.operands[n-1].typ
		}
	}
	in.operands = append(in.operands, o)
}

// parseCall takes a call up to its arguments' closing parenthesis.
func (in *Instr) parseCall(c *cursor) {
	for {
		t := c.peek(0)
		if t.kind == TokenString || t.kind == TokenGroup || t.kind == TokenWord && !isTypeWord(c.word(t)) {
			if _, ok := c.skipAttribute(); ok {
				continue
			}
			return
		}
		break
	}
	typ, ok := c.skipType()
	if !ok {
		return
	}
	in.calleeType = typ
	in.types = append(in.types, typ)
	if in.callee, ok = c.skipValue(); !ok || !c.accept('(') {
		return
	}
	for !c.accept(')') {
		if c.peek(0).kind == TokenEnd {
			return
		}
		start := c.i
		typ, ok := c.skipType()
		if !ok {
			c.i = start + 1
			continue
		}
		o := operand{typ: typ}
		if n := len(in.operands); n < cap(in.operands) {
			o.attributes = in.operands[:n+1][n].attributes[:0]
		}
		in.types = append(in.types, typ)
		for t := c.peek(0); t.kind == TokenString || t.kind == TokenGroup || t.kind == TokenWord && !isConstantWord(c.word(t)); t = c.peek(0) {
			if typ.in(in.text) == "metadata" && t.kind == TokenWord {
				break
			}
			a, ok := c.skipAttribute()
			if !ok {
				break
			}
			o.attributes = append(o.attributes, a)
		}
		if typ.in(in.text) == "metadata" && c.peek(0).kind != TokenMeta && !c.at('!') {
			// metadata ptr %x
			if inner, ok := c.skipType(); ok {
				in.types = append(in.types, inner)
			}
		}
		if o.val, ok = c.skipValue(); ok {
			in.operands = append(in.operands, o)
		}
		c.accept(',')
	}
	for t := c.peek(0); ; t = c.peek(0) {
		switch {
		case t.kind == TokenString || t.kind == TokenGroup || t.kind == TokenWord && c.word(t) != "to":
			a, ok := c.skipAttribute()
			if !ok {
				return
			}
			in.attributes = append(in.attributes, a)
			continue
		}
		return
	}
}

// isType tells whether a local name, quoted or not, is that of a type.
func (m *Module) isType(text string) bool {
	_, ok := m.typeItems[plainName(text)]
	return ok
}

func (in *Instr) typeOf(s span) *Type {
	if !s.ok() {
		return nil
	}
	return in.f.m.typeAt(s.in(in.text))
}

// An Operand is a typed operand; attributes are those of call arguments.
type Operand struct {
	Value
	Attributes []Attribute
}

// Attribute returns the attribute of a key.
func (o Operand) Attribute(key string) (Attribute, bool) { return findAttribute(o.Attributes, key) }

// Operands returns the operands in order of text; of calls the arguments, and
// behind them the labels of invoke and callbr and the operands of bundles.
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

// Operand returns one of the operands, which saves the list.
func (in *Instr) Operand(i int) Value {
	in.parse()
	o := in.operands[i]
	return Value{in.typeOf(o.typ), o.val.in(in.text), in.f.m}
}

// Types returns the types that the instruction names outside of attributes, and
// the type of its result, each once.
func (in *Instr) Types() []*Type { return in.AppendTypes(nil) }

// AppendTypes appends what [Instr.Types] returns to a list.
func (in *Instr) AppendTypes(list []*Type) []*Type {
	in.parse()
	first := len(list)
	add := func(t *Type) {
		if t != nil && !slices.Contains(list[first:], t) {
			list = append(list, t)
		}
	}
	for _, s := range in.types {
		t := in.typeOf(s)
		if t != nil && t.kind == Func {
			add(t.elem)
			for _, p := range t.fields {
				add(p)
			}
		}
		add(t)
	}
	if t := in.Type(); t != nil && t.kind != Void {
		add(t)
	}
	return list
}

// SourceType returns the allocated type of alloca, the source element type of
// getelementptr, and the type that load loads; nil for other instructions.
func (in *Instr) SourceType() *Type {
	switch in.Op() {
	case "alloca", "getelementptr", "load":
		if in.parse(); len(in.types) > 0 {
			return in.typeOf(in.types[0])
		}
	}
	return nil
}

func (m *Module) simple(kind Kind, bits int) *Type { return m.intern(Type{kind: kind, bits: bits}) }

// Type returns the type of the result: void when there is none, nil when this
// package cannot tell.
func (in *Instr) Type() *Type {
	in.parse()
	m := in.f.m
	first := func() *Type {
		if len(in.types) > 0 {
			return in.typeOf(in.types[0])
		}
		return nil
	}
	switch op := in.Op(); op {
	case "call", "invoke", "callbr":
		t := in.typeOf(in.calleeType)
		if t != nil && t.kind == Func {
			return t.elem
		}
		return t
	case "alloca":
		space := 0
		for i := range in.toks {
			if in.word(i) == "addrspace" && in.isPunct(i+1, '(') {
				space, _ = strconv.Atoi(in.word(i + 2))
			}
		}
		return m.intern(Type{kind: Pointer, space: space})
	case "getelementptr":
		if len(in.operands) == 0 {
			return nil
		}
		t := in.typeOf(in.operands[0].typ)
		if t != nil && t.kind == Pointer && t.elem != nil {
			return nil
		}
		return t
	case "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "inttoptr",
		"ptrtoaddr", "bitcast", "addrspacecast", "va_arg":
		if len(in.types) > 1 {
			return in.typeOf(in.types[1])
		}
		return nil
	case "icmp", "fcmp":
		t := first()
		if t != nil && t.kind == Vector {
			return m.intern(Type{kind: Vector, length: t.length, scalable: t.scalable, elem: m.simple(Int, 1)})
		}
		return m.simple(Int, 1)
	case "select":
		if len(in.operands) > 1 {
			return in.typeOf(in.operands[1].typ)
		}
		return nil
	case "extractelement":
		if t := first(); t != nil && t.kind == Vector {
			return t.elem
		}
		return nil
	case "shufflevector":
		if len(in.operands) == 3 {
			t, mask := first(), in.typeOf(in.operands[2].typ)
			if t != nil && mask != nil && t.kind == Vector && mask.kind == Vector {
				return m.intern(Type{kind: Vector, length: mask.length, scalable: mask.scalable, elem: t.elem})
			}
		}
		return nil
	case "extractvalue":
		t := first()
		for _, o := range in.operands[min(1, len(in.operands)):] {
			n, err := strconv.ParseUint(o.val.in(in.text), 10, 32)
			if t == nil || err != nil {
				return nil
			}
			switch t = t.Body(); {
			case t == nil:
				return nil
			case t.kind == Struct && n < uint64(len(t.fields)):
				t = t.fields[n]
			case t.kind == Array:
				t = t.elem
			default:
				return nil
			}
		}
		return t
	case "cmpxchg":
		if len(in.operands) > 1 {
			if t := in.typeOf(in.operands[1].typ); t != nil {
				return m.intern(Type{kind: Struct, fields: []*Type{t, m.simple(Int, 1)}})
			}
		}
		return nil
	case "atomicrmw":
		if len(in.operands) > 1 {
			return in.typeOf(in.operands[1].typ)
		}
		return nil
	case "catchpad", "cleanuppad", "catchswitch":
		return m.intern(Type{kind: TokenType})
	}
	if in.result.ok() {
		return first()
	}
	return m.intern(Type{kind: Void})
}

// Callee returns the name of the symbol that a call calls directly.
func (in *Instr) Callee() (string, bool) {
	if !in.IsCall() {
		return "", false
	}
	in.parse()
	return Value{Text: in.callee.in(in.text)}.BaseGlobal()
}

// CalleeText returns what a call calls as it is written.
func (in *Instr) CalleeText() string { in.parse(); return in.callee.in(in.text) }

// IsAsm tells whether this is a call of inline assembly.
func (in *Instr) IsAsm() bool {
	return in.IsCall() && strings.HasPrefix(in.CalleeText(), "asm")
}

// IsIndirect tells whether this is a call through a pointer.
func (in *Instr) IsIndirect() bool {
	if !in.IsCall() || in.IsAsm() {
		return false
	}
	_, direct := in.Callee()
	return !direct
}

// CalleeType returns the function type of a call: as it is written, else from the
// result and the arguments; nil for other instructions.
func (in *Instr) CalleeType() *Type {
	if !in.IsCall() {
		return nil
	}
	in.parse()
	t := in.typeOf(in.calleeType)
	if t == nil || t.kind == Func {
		return t
	}
	if t.kind == Pointer && t.elem != nil && t.elem.kind == Func {
		return t.elem
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

// Attributes returns the attributes of a call, those of groups included, without
// those of its result and arguments.
func (in *Instr) Attributes() []Attribute {
	in.parse()
	return in.f.m.attributes(in.text, in.attributes)
}

// Attribute returns the call's attribute of a key.
func (in *Instr) Attribute(key string) (Attribute, bool) { return findAttribute(in.Attributes(), key) }

// Attachments returns the metadata attached to the instruction.
func (in *Instr) Attachments() []Attachment {
	in.parse()
	return attachmentsOf(in.text, in.attached)
}

// Metadata returns the number of the node of that kind that is attached.
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

// Calls yields the calls, invokes and callbrs of the body.
func (f *Function) Calls() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for in := range f.Body() {
			if in.IsCall() && !yield(in) {
				return
			}
		}
	}
}

// Replace puts text in the place of an instruction.
func (f *Function) Replace(in *Instr, text string) { f.edit(in, span{in.start, in.end}, lines(text)) }

// Remove removes an instruction.
func (f *Function) Remove(in *Instr) {
	start := in.start
	for start > f.body.start+1 && classes[in.text[start-1]]&classSpace != 0 {
		start--
	}
	if start > f.body.start+1 && in.text[start-1] == '\n' {
		start--
	}
	f.edit(in, span{start, in.end}, "")
}

// InsertBefore puts instructions, one a line, before another.
func (f *Function) InsertBefore(in *Instr, text string) {
	f.edit(in, span{in.start, in.start}, lines(text)+"\n  ")
}

// InsertAfter puts instructions, one a line, behind another.
func (f *Function) InsertAfter(in *Instr, text string) {
	f.edit(in, span{in.end, in.end}, "\n  "+lines(text))
}

func lines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			if b.Len() > 0 {
				b.WriteString("\n  ")
			}
			b.WriteString(line)
		}
	}
	return b.String()
}

func (f *Function) edit(in *Instr, at span, text string) {
	if in.f != f || in.src != f.bodySrc {
		panic("llvmir: an instruction of another function, or of a body that has been edited since")
	}
	if at.ok() {
		for i, e := range f.edits {
			if e.at.ok() && e.at.end == at.end {
				f.edits[i] = edit{at, text}
				f.m.touch(f.item)
				return
			}
		}
	}
	f.edits = append(f.edits, edit{at, text})
	f.m.touch(f.item)
}

// fold applies the edits of the body, unless it is being read.
func (f *Function) fold() {
	f.m.lazy.Lock()
	defer f.m.lazy.Unlock()
	if len(f.edits) == 0 || f.running > 0 {
		return
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int {
		if a.at.start != b.at.start {
			return int(int64(a.at.start) - int64(b.at.start))
		}
		return int(int64(a.at.end) - int64(b.at.end))
	})
	text := f.m.sources[f.bodySrc]
	var b strings.Builder
	added := false // the last that was written, but for spaces, is of an edit
	write := func(text string) {
		next := strings.TrimLeft(text, " \t\r")
		// A comment at the end of what was put in must not reach further.
		if added && next != "" {
			added = false
			if next[0] != '\n' && next[0] != ';' {
				b.WriteByte('\n')
			}
		}
		b.WriteString(text)
	}
	pos := f.body.start
	for _, e := range f.edits {
		if e.at.start < pos {
			continue
		}
		write(text[pos:e.at.start])
		write(e.text)
		pos = e.at.end
		added = added || e.text != "" && !strings.HasSuffix(e.text, "  ")
	}
	write(text[pos:f.body.end])
	f.m.sources = append(f.m.sources, b.String())
	f.bodySrc = uint32(len(f.m.sources) - 1)
	f.body = span{0, uint32(b.Len())}
	f.edits = nil
}
