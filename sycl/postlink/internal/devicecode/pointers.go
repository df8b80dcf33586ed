package devicecode

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// cacheControlMD is attached to a load, a store or a transfer of memory. Each of its nodes has a
// decoration, a level, a control and an operand number.
const cacheControlMD = "spirv.DecorationCacheControlINTEL"

// pointerAnnotation is the name prefix of the function that annotates a pointer. Its operands are
// the pointer, a text, the name of a source file, a line, and a list of names and values if the
// text is propertiesText.
const (
	pointerAnnotation = "llvm.ptr.annotation."
	propertiesText    = "sycl-properties"
)

// An annotation is a call that specifies properties of a pointer.
type annotation struct {
	result     string // its name, "" if unused
	pointer    llvmir.Value
	where      srcloc.Location
	properties []pointerProperty
	alignment  uint64 // 0 for none
	aligned    bool   // loads and stores have the alignment
	cache      []string
	text       string // of the annotation that stays, "" for none
}

// A pointerProperty is a name and an optional value.
type pointerProperty struct {
	name, value string
	hasValue    bool
}

// pointers lowers the annotations of all pointers.
func (l *lowering) pointers() error {
	var functions []*llvmir.Function
	seen := map[*llvmir.Function]bool{}
	for _, f := range l.m.Functions() {
		if f.Defined() || !strings.HasPrefix(f.Name(), pointerAnnotation) {
			continue
		}
		for _, user := range l.m.SymbolUsers(f.Name()) {
			if caller, ok := user.(*llvmir.Function); ok && !seen[caller] {
				seen[caller] = true
				functions = append(functions, caller)
			}
		}
	}
	var errs []error
	for _, f := range functions {
		b := &body{lowering: l, f: f, annotations: map[string]*annotation{}, casts: map[string]string{}, replacements: map[string]string{}}
		errs = append(errs, b.lower())
	}
	return errors.Join(errs...)
}

// A body is the code of a function with annotated pointers.
type body struct {
	*lowering
	f            *llvmir.Function
	list         []*annotation          // in order of text
	annotations  map[string]*annotation // by result
	casts        map[string]string      // operands of casts, by result
	replacements map[string]string      // results of removed calls, and the pointers that replace them
}

func (b *body) lower() error {
	var errs []error
	for in := range b.f.Body() {
		errs = append(errs, b.read(in))
	}
	if err := errors.Join(errs...); err != nil || len(b.list) == 0 {
		return err
	}
	for in := range b.f.Body() {
		for _, at := range b.accesses(in) {
			at.of.aligned = at.of.aligned || at.of.alignment != 0
		}
	}
	for _, a := range b.list {
		if err := b.translate(a); err != nil {
			errs = append(errs, b.errorf(a.where, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	b.findRemovable()
	next := 0
	for in := range b.f.Body() {
		if b.isAnnotation(in) {
			b.rewrite(in, b.list[next])
			next++
		} else {
			b.edit(in)
		}
	}
	return nil
}

// errorf returns an error about an annotation.
func (b *body) errorf(where srcloc.Location, err error) error {
	place := "annotation of a pointer: "
	if !where.IsZero() {
		place = where.String() + ": " + place
	}
	return &MetadataError{Function: b.f.Name(), Msg: place + err.Error()}
}

// isAnnotation reports whether an instruction specifies properties of a pointer.
func (b *body) isAnnotation(in *llvmir.Instr) bool {
	if in.Op() != "call" {
		return false
	}
	if name, ok := in.Callee(); !ok || !strings.HasPrefix(name, pointerAnnotation) || in.NumOperands() < 2 {
		return false
	}
	text, ok := b.text(in.Operand(1))
	return ok && text == propertiesText
}

// read records an annotation or a cast.
func (b *body) read(in *llvmir.Instr) error {
	switch in.Op() {
	case "bitcast", "addrspacecast":
		if in.NumOperands() > 0 {
			if from, ok := in.Operand(0).Local(); ok {
				b.casts[in.Result()] = from
			}
		}
		return nil
	}
	if !b.isAnnotation(in) {
		return nil
	}
	a := &annotation{result: in.Result(), pointer: in.Operand(0), where: b.place(in)}
	b.list = append(b.list, a)
	if a.result != "" {
		b.annotations[a.result] = a
	}
	if in.NumOperands() < 5 {
		return b.errorf(a.where, fmt.Errorf("expected 5 operands, got %d", in.NumOperands()))
	}
	var err error
	if a.properties, err = b.properties(in.Operand(4)); err != nil {
		return b.errorf(a.where, err)
	}
	for _, p := range a.properties {
		if p.name == attrAlignment {
			if a.alignment, err = alignment(p.value); err != nil {
				return b.errorf(a.where, propertyError(p.name, err))
			}
		}
	}
	return nil
}

// place returns the source location of a pointer annotation: from debug information or, if there is
// none, from the annotation.
func (b *body) place(in *llvmir.Instr) srcloc.Location {
	if where, ok := in.DebugLoc(); ok && HasLine(where) {
		return where.Location
	}
	if in.NumOperands() < 4 {
		return srcloc.Location{}
	}
	file, ok := b.text(in.Operand(2))
	line, ok2 := in.Operand(3).Int()
	if !ok || !ok2 || file == "" || line < 1 || line > 1<<31-1 {
		return srcloc.Location{}
	}
	return srcloc.Location{Path: file, Line: uint32(line)}
}

// text returns the text of a zero-terminated byte constant.
func (b *body) text(v llvmir.Value) (string, bool) {
	name, ok := v.BaseGlobal()
	g := b.m.Global(name)
	if !ok || g == nil {
		return "", false
	}
	value, ok := g.InitializerValue()
	if !ok {
		return "", false
	}
	content, ok := value.Bytes()
	text, ended := strings.CutSuffix(string(content), "\x00")
	return text, ok && ended && !strings.Contains(text, "\x00")
}

// properties reads the list of names and values of an annotation.
func (b *body) properties(v llvmir.Value) ([]pointerProperty, error) {
	if v.Text == "null" || v.Text == "zeroinitializer" {
		return nil, nil
	}
	name, ok := v.BaseGlobal()
	g := b.m.Global(name)
	if !ok || g == nil || !g.Defined() {
		return nil, errors.New("its properties are not a constant of the module")
	}
	list, _ := g.InitializerValue()
	elements := list.Elements()
	if len(elements)%2 != 0 || len(elements) == 0 && list.Text != "zeroinitializer" {
		return nil, fmt.Errorf("its properties @%s are not pairs of names and values", name)
	}
	var properties []pointerProperty
	for pair := range slices.Chunk(elements, 2) {
		var p pointerProperty
		if p.name, ok = b.text(pair[0]); !ok || p.name == "" {
			return nil, fmt.Errorf("the name of property %d in @%s is not a string", len(properties)+1, name)
		}
		if p.value, p.hasValue, ok = b.value(pair[1]); !ok {
			return nil, propertyError(p.name, errors.New("the value is neither a string nor a number"))
		}
		properties = append(properties, p)
	}
	return properties, nil
}

// value returns the value of a property. A null pointer or an empty text means that there is no
// value. Stock clang writes numbers directly.
func (b *body) value(v llvmir.Value) (value string, has, ok bool) {
	if v.Text == "null" || v.Text == "zeroinitializer" {
		return "", false, true
	}
	if v.Type != nil && v.Type.Kind() == llvmir.Int {
		if n, ok := v.Int(); ok {
			return strconv.FormatInt(n, 10), true, true
		}
	}
	value, ok = b.text(v)
	return value, value != "", ok
}

// translate determines what an annotation is lowered to.
func (b *body) translate(a *annotation) error {
	var words strings.Builder
	for _, p := range a.properties {
		row, ok := properties[p.name]
		switch {
		case !ok:
			if !isKnown(p.name) {
				b.unknown(p.name, "a pointer in '"+BriefName(b.f.Name())+"'", a.where)
			}
			continue
		case p.name == attrAlignment && a.aligned:
			continue
		}
		list, err := b.decorations(row, p.value) // also checks the value
		if err != nil {
			return propertyError(p.name, err)
		}
		if row.dropped && len(list) > 0 {
			b.warn(p.name, "property '"+p.name+"' of a pointer in '"+BriefName(b.f.Name())+"' does not reach the SPIR-V: translators drop it", a.where)
		}
		switch {
		case row.value == cache:
			a.cache = append(a.cache, list...)
		case row.value == level:
			controls, err := row.cacheControls(p.value)
			if err != nil {
				return propertyError(p.name, err)
			}
			fmt.Fprintf(&words, `{%d:"%d,%d"}`, row.controls.decoration, controls[0].level, controls[0].control)
		case strings.Contains(p.value, `"`):
			return propertyError(p.name, fmt.Errorf("%q has a quotation mark, which translators read as the end of the value", p.value))
		case row.value == flag && len(list) == 0:
		case p.hasValue:
			fmt.Fprintf(&words, `{%d:"%s"}`, b.number(row), p.value)
		default:
			fmt.Fprintf(&words, "{%d}", b.number(row))
		}
	}
	a.text = words.String()
	return nil
}

// An access is a load, a store or a transfer of memory through an annotated pointer.
type access struct {
	of       *annotation
	operand  int
	argument bool // of a call
}

// memoryFunctions maps the intrinsics that read and write memory to their number of pointer
// arguments.
var memoryFunctions = map[string]int{"llvm.memcpy.": 2, "llvm.memmove.": 2, "llvm.memset.": 1}

// accesses returns the accesses of an instruction through annotated pointers.
func (b *body) accesses(in *llvmir.Instr) []access {
	first, last, argument := 0, 0, false
	switch in.Op() {
	case "load":
		last = 1
	case "store":
		first, last = 1, 2
	case "call":
		name, _ := in.Callee()
		for prefix, n := range memoryFunctions {
			if strings.HasPrefix(name, prefix) {
				last, argument = n, true
			}
		}
	}
	var list []access
	for i := first; i < min(last, in.NumOperands()); i++ {
		if name, ok := in.Operand(i).Local(); ok {
			if a := b.root(name); a != nil {
				list = append(list, access{a, i, argument})
			}
		}
	}
	return list
}

// root returns the annotation whose result is the named pointer, or the pointer from which casts
// derive it.
func (b *body) root(name string) *annotation {
	for range len(b.casts) + 1 {
		if a := b.annotations[name]; a != nil {
			return a
		}
		from, ok := b.casts[name]
		if !ok {
			return nil
		}
		name = from
	}
	return nil
}

// edit adds to an instruction the alignment and the cache controls of its pointers, and replaces
// the results of removed annotations.
func (b *body) edit(in *llvmir.Instr) {
	e := in.Edit()
	var controls []string
	for _, at := range b.accesses(in) {
		if n := at.of.alignment; n != 0 && at.argument {
			e.SetArgumentAlignment(at.operand, n)
		} else if n != 0 {
			e.SetAlignment(n)
		}
		if at.of.text == "" { // otherwise, the annotation has them
			controls = append(controls, operandControls(at.of.cache, at.operand)...)
		}
	}
	if len(controls) > 0 {
		e.SetMetadata(cacheControlMD, b.lowering.list(controls))
	}
	e.ReplaceLocals(b.replacements)
	e.Apply()
}

// operandControls sets the operand number of cache controls.
func operandControls(controls []string, operand int) []string {
	list := make([]string, len(controls))
	for i, c := range controls {
		list[i] = c + ", i32 " + strconv.Itoa(operand)
	}
	return list
}

// rewrite replaces an annotation with the part that remains.
func (b *body) rewrite(in *llvmir.Instr, a *annotation) {
	e := in.Edit()
	if _, ok := b.replacements[a.result]; ok || a.text == "" && a.result == "" {
		b.f.Replace(in, "")
		return
	}
	if a.text == "" {
		b.f.Replace(in, fmt.Sprintf("%s = bitcast %s %s to %[2]s", llvmir.LocalText(a.result), a.pointer.Type, b.replacement(a.pointer.Text)))
		return
	}
	old := in.Operand(1)
	e.SetOperand(1, b.annotationText(old, a.text))
	e.SetOperand(4, "null")
	if len(a.cache) > 0 {
		e.SetMetadata(cacheControlMD, b.lowering.list(operandControls(a.cache, 0)))
	}
	e.ReplaceLocals(b.replacements)
	e.Apply()
}

// findRemovable determines the annotations whose results can be replaced by the annotated pointers.
// It keeps a result with the same name as a type.
func (b *body) findRemovable() {
	for _, a := range b.list {
		if a.text == "" && a.result != "" && !b.m.HasType(a.result) {
			b.replacements[a.result] = a.pointer.Text
		}
	}
	for _, a := range b.list {
		if text, ok := b.replacements[a.result]; ok {
			if b.replacements[a.result] = b.replacement(text); b.replacements[a.result] == "" { // in a cycle, which unreachable code may have
				delete(b.replacements, a.result)
			}
		}
	}
}

// replacement follows removed annotations and returns the pointer that replaces text, or "" in a cycle.
func (b *body) replacement(text string) string {
	for range len(b.replacements) + 1 {
		name, ok := (llvmir.Value{Text: text}).Local()
		next, replaced := b.replacements[name]
		if !ok || !replaced {
			return text
		}
		text = next
	}
	return ""
}

// annotationText returns the operand that replaces the text operand old of an annotation. Equal
// texts share a constant.
func (b *body) annotationText(old llvmir.Value, text string) string {
	name, _ := old.BaseGlobal()
	g := b.m.Global(name)
	key := textKey{text, g.AddrSpace(), g.Section()}
	made := b.texts[key]
	if made == nil {
		made = b.m.AddString(text, key.space, key.section)
		b.texts[key] = made
	}
	operand := old.WithGlobals(map[string]string{name: made.Name()})
	return strings.ReplaceAll(operand, g.ValueType().String(), made.ValueType().String())
}

// A textKey is equal for annotation texts that can share a constant.
type textKey struct {
	text    string
	space   int
	section string
}
