package constants

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// replaceCalls replaces all reads.
func (l *lowering) replaceCalls() {
	byFunction := map[*llvmir.Function]map[int]*read{} // nil for a dead instruction
	for _, r := range l.reads {
		if r.left {
			continue
		}
		if byFunction[r.function] == nil {
			byFunction[r.function] = map[int]*read{}
		}
		byFunction[r.function][r.at] = r
		for _, at := range r.dead {
			byFunction[r.function][at] = nil
		}
	}
	for _, f := range l.module.Functions() { // in order, because the order determines names
		reads := byFunction[f]
		if reads == nil {
			continue
		}
		names := newNames(f)
		at := 0
		for in := range f.Body() {
			switch r, ok := reads[at]; {
			case ok && r != nil:
				f.Replace(in, l.code(r, names))
			case ok:
				f.Replace(in, "")
			}
			at++
		}
	}
}

// names generates names of local values that are unused in a function.
type names struct {
	prefix string
	next   int
}

func newNames(f *llvmir.Function) *names {
	taken := readBody(f).locals
	n := &names{prefix: "constant"}
	for used := true; used; {
		used = false
		for name := range taken {
			if strings.HasPrefix(name, n.prefix) {
				used = true
				n.prefix += "."
				break
			}
		}
	}
	return n
}

func (n *names) name() string {
	n.next++
	return fmt.Sprintf("%s%d", n.prefix, n.next-1)
}

// A code is a sequence of instructions that compute a value.
type code struct {
	l     *lowering
	names *names
	lines []line
	debug string
}

// A line is an instruction with a result.
type line struct{ result, text string }

// add adds an instruction and returns its result.
func (c *code) add(format string, args ...any) string {
	result := "%" + c.names.name()
	c.lines = append(c.lines, line{result, fmt.Sprintf(format, args...)})
	return result
}

// text returns the instructions. The last instruction has the result name of the replaced call, so
// the numbers of unnamed values do not change.
func (c *code) text(result string) string {
	var b strings.Builder
	for i, line := range c.lines {
		name := line.result
		if i == len(c.lines)-1 && result != keepName {
			name = ""
			if result != "" {
				name = localText(result)
			}
		}
		if name != "" {
			b.WriteString(name + " = ")
		}
		b.WriteString(line.text + c.debug + "\n")
	}
	return b.String()
}

// keepName marks a last instruction that keeps its name. It is not a valid name of a value.
const keepName = "\x00"

// localText writes the name of a local value.
func localText(name string) string {
	if strings.Trim(name, "0123456789") == "" || isPlain(name) {
		return "%" + name
	}
	return "%" + quoted(name)
}

func isPlain(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-$._", c) >= 0
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// code returns the replacement of a call.
func (l *lowering) code(r *read, n *names) string {
	c := &code{l: l, names: n, debug: r.debug}
	var value string
	switch {
	case l.Mode == Defaults || r.unset:
		value = c.defaultValue(r)
	case l.Mode == Native:
		w := &composition{code: c, leaves: r.shape.leaves, number: l.byName[r.name].number}
		value = w.value(r.typ)
	default:
		value = c.load(r, l.byName[r.name].offset)
	}
	if a := r.allocates; a != nil {
		if l.Mode != Native {
			// With a buffer, the value is not known in time, and the runtime rejects the kernel.
			c.lines, value = nil, r.value.Text
		}
		space := ""
		if a.space != 0 {
			space = fmt.Sprintf(", addrspace(%d)", a.space)
		}
		c.add("alloca %s, %s %s, align %d%s", a.element, r.value.Type, value, a.align, space)
	}
	if r.returns == nil {
		return c.text(r.result)
	}
	return c.text(keepName) + fmt.Sprintf("store %s %s, %s %s%s\n", r.typ, value, r.returns.Type, r.returns.Text, r.debug)
}

// A composition builds a SPIR-V constant from its leaves.
type composition struct {
	*code
	leaves []leaf
	number uint32 // of the first leaf
	next   int
}

// value returns the operand for a value of a type, which consists of the next leaves.
func (c *composition) value(t *llvmir.Type) string {
	if c.next >= len(c.leaves) {
		return "undef"
	}
	next := c.leaves[c.next]
	if next.undefined && next.typ == t {
		c.next++
		return "undef"
	}
	if isScalar(t) {
		return c.scalar(next)
	}
	var arguments, params []string
	name := ""
	for _, e := range elementTypes(t.Body()) {
		arguments = append(arguments, e.String()+" "+c.value(e))
		params = append(params, e.String())
		name += letters(e)
	}
	return c.call(t.String(), "_Z29__spirv_SpecConstantComposite"+name+"_R"+letters(t), params, arguments)
}

// scalar returns the operand for a leaf.
func (c *composition) scalar(l leaf) string {
	id := c.number + uint32(c.next)
	c.next++
	typ := l.value.Type
	value := c.call(typ.String(), "_Z20__spirv_SpecConstanti"+letters(typ), []string{"i32", typ.String()},
		[]string{fmt.Sprintf("i32 %d", id), typ.String() + " " + l.value.Text})
	if typ != l.typ { // a bool, which is a byte in memory
		value = c.add("trunc %s %s to %s", typ, value, l.typ)
	}
	return value
}

// call adds a call to a SPIR-V built-in function, and declares it.
func (c *code) call(result, name string, params, arguments []string) string {
	convention := ""
	if c.l.spir {
		convention = "spir_func "
	}
	declaration := func() (symbol, text string) {
		symbol = "@" + name
		if !isPlain(name) {
			symbol = "@" + quoted(name)
		}
		return symbol, fmt.Sprintf("declare %s%s %s(%s)", convention, result, symbol, strings.Join(params, ", "))
	}
	symbol, text := declaration()
	for c.l.declarations[name] != "" && c.l.declarations[name] != text { // a class name may equal the letter of a numeric type
		name += "_"
		symbol, text = declaration()
	}
	c.l.declarations[name] = text
	return c.add("call %s%s %s(%s)", convention, result, symbol, strings.Join(arguments, ", "))
}

// load loads the value from the buffer.
func (c *code) load(r *read, offset uint64) string {
	buffer := r.buffer.Type
	address := c.add("getelementptr i8, %s %s, i32 %d", buffer, r.buffer.Text, offset)
	isBool := r.typ.Kind() == llvmir.Int && r.typ.Bits() == 1
	typ := r.typ.String()
	if isBool {
		typ = "i8"
	}
	value := c.add("load %s, %s %s", typ, buffer, address)
	if isBool {
		value = c.add("trunc i8 %s to i1", value)
	}
	return value
}

// defaultValue returns the default value, as a named value if the call has a name.
func (c *code) defaultValue(r *read) string {
	text := c.l.defaultText(r)
	if r.returns != nil || r.allocates != nil {
		return text
	}
	// Translators and optimizers replace the result with the constant.
	return c.add("freeze %s %s", r.typ, text)
}

// defaultText formats the default value in the type that is read.
func (l *lowering) defaultText(r *read) string {
	if r.typ == r.value.Type {
		return r.value.Text
	}
	w := &defaultWriter{leaves: r.shape.leaves}
	return w.value(r.typ)
}

// A defaultWriter writes leaves as a constant.
type defaultWriter struct {
	leaves []leaf
	next   int
}

func (w *defaultWriter) value(t *llvmir.Type) string {
	if w.next >= len(w.leaves) {
		return "undef"
	}
	next := w.leaves[w.next]
	if next.undefined && next.typ == t {
		w.next++
		return "undef"
	}
	if isScalar(t) {
		w.next++
		if next.value.Type == t {
			return next.value.Text
		}
		bits, _ := scalarBits(next.value)
		text, err := scalarText(t, []byte{byte(bits)})
		if err != nil {
			return "undef"
		}
		return text
	}
	body := t.Body()
	opening, closing := "{ ", " }"
	switch {
	case body.Kind() == llvmir.Array:
		opening, closing = "[", "]"
	case body.Kind() == llvmir.Vector:
		opening, closing = "<", ">"
	case body.Packed():
		opening, closing = "<{ ", " }>"
	}
	var elements []string
	for _, e := range elementTypes(body) {
		elements = append(elements, e.String()+" "+w.value(e))
	}
	return opening + strings.Join(elements, ", ") + closing
}

// elementTypes returns the types of the elements of an aggregate or a vector.
func elementTypes(body *llvmir.Type) []*llvmir.Type {
	if body.Kind() == llvmir.Struct {
		return body.Fields()
	}
	return slices.Repeat([]*llvmir.Type{body.Elem()}, int(body.Len()))
}

// declare declares the built-in functions that calls refer to.
func (l *lowering) declare() error {
	for _, name := range slices.Sorted(maps.Keys(l.declarations)) {
		text := l.declarations[name]
		if f := l.module.Function(name); f != nil {
			if f.Defined() || !sameDeclaration(f, text) {
				return &Error{Function: name, Msg: "the function has the name of a SPIR-V built-in function, but a different type"}
			}
			continue
		}
		if l.module.Symbol(name) != nil {
			return &Error{Msg: fmt.Sprintf("the variable '%s' has the name of a SPIR-V built-in function", printable(name))}
		}
		if err := l.module.Declare(text); err != nil {
			return &Error{Msg: err.Error()}
		}
	}
	return nil
}

// sameDeclaration reports whether a function has the type of a declaration.
func sameDeclaration(f *llvmir.Function, text string) bool {
	other, err := llvmir.Parse("declaration", text)
	if err != nil || len(other.Functions()) != 1 {
		return false
	}
	return f.ValueType().String() == other.Functions()[0].ValueType().String()
}
