package constants

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// An Error is returned for a specialization constant that cannot be lowered.
type Error struct {
	Place    srcloc.Location // zero if the code has no debug information
	Function string          // symbol; "" for the module
	Msg      string
}

func (e *Error) Error() string {
	var b strings.Builder
	if !e.Place.IsZero() {
		b.WriteString(e.Place.String() + ": ")
	}
	if e.Function != "" {
		b.WriteString("in '" + kernelname.Display(e.Function) + "': ")
	}
	return b.String() + e.Msg
}

// BadInput marks the error as caused by an input file.
func (*Error) BadInput() {}

func printable(s string) string { return safetext.Printable(s) }

func quoted(s string) string { return devicecode.MDString(s) }

// A read is a call that reads a constant.
type read struct {
	function *llvmir.Function
	at       int // index of the instruction in the function
	where    srcloc.Location

	name         string
	typ          *llvmir.Type // that the call returns
	value        llvmir.Value // the default
	shape        *shape
	nameVariable string
	dead         []int  // instructions that only find the name
	idVariable   string // "" without one

	result    string        // local name, "" if there is none
	returns   *llvmir.Value // the address that the value is stored to, instead of a result
	buffer    *llvmir.Value // for emulation
	allocates *allocation
	debug     string // attachment with the source location
	unset     bool   // programs cannot set it, so it has the default value
	left      bool   // whether the call is kept
}

// An allocation is memory whose number of elements is a specialization constant.
type allocation struct {
	element *llvmir.Type
	align   int64
	space   int
}

func (r *read) fail(format string, args ...any) error {
	return &Error{r.where, r.function.Name(), fmt.Sprintf(format, args...)}
}

// place describes the location of a read.
func (r *read) place() string {
	text := "in '" + kernelname.Display(r.function.Name()) + "'"
	if !r.where.IsZero() {
		text += " at " + r.where.String()
	}
	return text
}

// describe returns a description of the type and the default value.
func (r *read) describe() string {
	text := r.typ.String() + " = " + r.value.Text
	if r.typ != r.value.Type {
		text = r.typ.String() + " = " + r.value.Type.String() + " " + r.value.Text
	}
	return "'" + safetext.Shorten(printable(text)) + "'"
}

// find returns all reads in the order in which DPC++ numbers them: by the position of the callee,
// then last call first; see TextOrder.
func (l *lowering) find(functions func(*llvmir.Function) bool) ([]*read, error) {
	var reads []*read
	var errs []error
	bodies := map[*llvmir.Function]*body{}
	before := map[llvmir.Entity]bool{} // the callee
	for _, callee := range l.module.Functions() {
		if callee.Defined() || !ReadsConstant(callee.Name()) {
			before[callee] = true
			continue
		}
		var early, list []*read
		for _, user := range l.module.SymbolUsers(callee.Name()) {
			f, ok := user.(*llvmir.Function)
			switch {
			case ok && !functions(f):
				continue
			case ok:
				if bodies[f] == nil {
					bodies[f] = readBody(f)
				}
				found, err := l.readsIn(bodies[f], callee)
				if l.TextOrder && before[f] {
					early = append(early, found...)
				} else {
					list = append(list, found...)
				}
				errs = append(errs, err)
			default:
				if s, ok := user.(llvmir.Symbol); ok {
					errs = append(errs, &Error{Msg: fmt.Sprintf("'%s' names the function '%s', which reads a specialization constant and can only be called",
						kernelname.Display(s.Name()), kernelname.Display(callee.Name()))})
				}
			}
		}
		slices.Reverse(list)
		reads = append(append(reads, list...), early...)
	}
	return reads, errors.Join(errs...)
}

// A body holds the data about a function that is needed to find the strings with the names of
// constants. Unoptimized code keeps them in variables.
type body struct {
	function *llvmir.Function
	calls    map[string][]*call // by callee
	named    map[string]bool    // symbols that are used other than as a callee
	values   map[string]definition
	stores   map[variable][]store
	escaped  map[string]bool // local values with unknown uses
	locals   map[string]bool
	uses     map[string]int // of local values
	loads    map[variable]int
}

// A variable is the target of an address: the memory of an alloca, or a part of it. A sanitizer
// puts all variables of a function into one alloca.
type variable struct {
	root   string // a local value
	offset int64  // in bytes
}

// A call is a call to a function that reads a constant.
type call struct {
	at     int
	result string
	args   []llvmir.Operand
	typ    *llvmir.Type
	where  srcloc.Location
	debug  string
	plain  bool // a call that is not an invoke
}

// A definition is an instruction that computes an address.
type definition struct {
	op     string
	from   llvmir.Value
	offset int64 // that is added to it, in bytes
	at     int
}

// A store stores a value to a variable.
type store struct {
	value llvmir.Value
	at    int
}

func readBody(f *llvmir.Function) *body {
	b := &body{
		function: f, calls: map[string][]*call{}, named: map[string]bool{}, values: map[string]definition{}, stores: map[variable][]store{},
		escaped: map[string]bool{}, locals: map[string]bool{}, uses: map[string]int{}, loads: map[variable]int{},
	}
	for _, p := range f.Params() {
		b.locals[p.Name] = true
	}
	at := 0
	for in := range f.Body() {
		b.instruction(in, at)
		at++
	}
	return b
}

func (b *body) instruction(in *llvmir.Instr, at int) {
	if in.Result() != "" {
		b.locals[in.Result()] = true
	}
	b.count(in)
	callee, _ := in.Callee()
	b.name(in, callee)
	switch in.Op() {
	case "alloca":
		b.values[in.Result()] = definition{op: "alloca", at: at}
		return
	case "load":
		if in.NumOperands() > 0 {
			if from, ok := in.Operand(0).Local(); ok {
				b.loads[b.variable(from)]++
			}
			b.values[in.Result()] = definition{in.Op(), in.Operand(0), 0, at}
		}
		return
	case "bitcast", "addrspacecast", "ptrtoint", "inttoptr", "getelementptr", "add":
		if from, offset, ok := moved(in); ok {
			b.values[in.Result()] = definition{opCast, from, offset, at}
			return
		}
	case "store":
		if in.NumOperands() == 2 {
			b.store(in.Operand(0), in.Operand(1), at)
			return
		}
	}
	if strings.HasPrefix(in.Op(), "#") {
		return
	}
	if strings.HasPrefix(callee, "llvm.lifetime.") || strings.HasPrefix(callee, "llvm.dbg.") || sanitizes(callee) {
		return
	}
	b.use(in, callee, at)
}

// count counts an instruction's uses of local values.
func (b *body) count(in *llvmir.Instr) {
	first := in.Result() != "" && in.Op() != "label"
	for token := range llvmir.Tokens(in.Text()) {
		if local, ok := (llvmir.Value{Text: token.Text}).Local(); ok && !first {
			b.uses[local]++
		}
		first = false
	}
}

// name records the functions that read a constant and that an instruction uses other than as a
// callee.
func (b *body) name(in *llvmir.Instr, callee string) {
	called := false
	for name := range in.Globals() {
		if !ReadsConstant(name) {
			continue
		}
		if name != callee || called {
			b.named[name] = true
		}
		called = true
	}
}

// use records a call to a function that reads a constant, and an instruction's uses of addresses.
func (b *body) use(in *llvmir.Instr, callee string, at int) {
	for token := range llvmir.Tokens(in.Text()) {
		if local, ok := (llvmir.Value{Text: token.Text}).Local(); ok {
			b.escaped[local] = true
		}
	}
	if !ReadsConstant(callee) {
		return
	}
	where, _ := in.DebugLoc()
	for where.InlinedAt != nil { // find the call in the program's source
		where = *where.InlinedAt
	}
	c := &call{at: at, result: in.Result(), args: in.Operands(), where: devicecode.Place(where), plain: in.Op() == "call"}
	if t := in.CalleeType(); t != nil {
		c.typ = t.Result()
	}
	for _, a := range in.Attachments() {
		if a.Kind == "dbg" {
			c.debug = ", !dbg " + a.Text
		}
	}
	b.calls[callee] = append(b.calls[callee], c)
}

func (b *body) store(value, pointer llvmir.Value, at int) {
	if local, ok := value.Local(); ok {
		b.escaped[local] = true
	}
	if local, ok := pointer.Local(); ok {
		of := b.variable(local)
		b.stores[of] = append(b.stores[of], store{value, at})
	}
}

// opCast is the op of definitions that copy an address or add an offset to it.
const opCast = "cast"

// variable follows casts from a local value to the variable that it points to.
func (b *body) variable(local string) variable {
	v := variable{root: local}
	for range deepestCast {
		d, ok := b.values[v.root]
		if !ok || d.op != opCast {
			break
		}
		next, ok := d.from.Local()
		if !ok {
			break
		}
		v = variable{next, v.offset + d.offset}
	}
	return v
}

// deepestCast limits chains of casts, which may be circular in hostile code.
const deepestCast = 100

// moved returns the base address and the offset in bytes of an instruction that computes an
// address. If the offset is not known, ok is false.
func moved(in *llvmir.Instr) (from llvmir.Value, offset int64, ok bool) {
	n := in.NumOperands()
	if n == 0 {
		return from, 0, false
	}
	from = in.Operand(0)
	bytes := in.Op() == "add"
	if t := in.SourceType(); in.Op() == "getelementptr" && t != nil && n == 2 {
		bytes = t.Kind() == llvmir.Int && t.Bits() == 8
	}
	for i := 1; i < n; i++ {
		v, ok := in.Operand(i).Int()
		if !ok || v != 0 && !bytes {
			return from, 0, false
		}
		offset = v
	}
	return from, offset, true
}

// sanitizes reports whether a function is a sanitizer's access check. Such functions never write
// through their arguments.
func sanitizes(name string) bool {
	return slices.ContainsFunc([]string{"__asan_", "__msan_", "__tsan_"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// global returns the symbol whose address a value contains. It follows casts, and a variable that
// is written only once.
func (b *body) global(v llvmir.Value) (string, bool) {
	for range deepestCast {
		local, ok := v.Local()
		if !ok {
			return constantAddress(v)
		}
		d, ok := b.values[local]
		switch {
		case !ok || d.op == "alloca":
			return "", false
		case d.op == "load":
			from, ok := d.from.Local()
			if !ok {
				return "", false
			}
			of := b.variable(from)
			if b.values[of.root].op != "alloca" || b.escapes(of) || len(b.stores[of]) != 1 {
				return "", false
			}
			v = b.stores[of][0].value
		case d.offset != 0:
			return "", false
		default:
			v = d.from
		}
	}
	return "", false
}

// dead returns the instructions that only compute the address in v: the loads of a constant's name
// from a variable, and the store of the name.
func (b *body) dead(v llvmir.Value) []int {
	var list []int
	for range deepestCast {
		local, ok := v.Local()
		d, known := b.values[local]
		if !ok || !known || b.uses[local] != 1 {
			return list
		}
		list = append(list, d.at)
		v = d.from
		if d.op != "load" {
			continue
		}
		from, _ := v.Local()
		if of := b.variable(from); b.loads[of] == 1 {
			list = append(list, b.stores[of][0].at)
		}
		return list
	}
	return list
}

// escapes reports whether other code may write to a variable through its address or casts of it. An
// address of one part of an alloca cannot be used for another part.
func (b *body) escapes(v variable) bool {
	if b.escaped[v.root] && v.offset == 0 {
		return true
	}
	for local, d := range b.values {
		if d.op == opCast && b.escaped[local] && b.variable(local) == v {
			return true
		}
	}
	return false
}

// constantAddress returns the symbol whose address, without an offset, a constant contains.
func constantAddress(v llvmir.Value) (string, bool) {
	name, ok := v.BaseGlobal()
	if !ok {
		return "", false
	}
	previous := ""
	for token := range llvmir.Tokens(v.Text) {
		index := len(previous) > 1 && previous[0] == 'i' && strings.Trim(previous[1:], "0123456789") == ""
		if index && token.Text != "0" && strings.Trim(token.Text, "-0123456789") == "" {
			return "", false
		}
		previous = token.Text
	}
	return name, true
}

// readsIn returns the reads that a function performs by calling one callee, in text order.
func (l *lowering) readsIn(b *body, callee *llvmir.Function) ([]*read, error) {
	var list []*read
	var errs []error
	if b.named[callee.Name()] {
		errs = append(errs, &Error{Function: b.function.Name(), Msg: fmt.Sprintf("the function '%s' reads a specialization constant and can only be called", kernelname.Display(callee.Name()))})
	}
	for _, c := range b.calls[callee.Name()] {
		r := &read{function: b.function, at: c.at, where: c.where, result: c.result, typ: c.typ, debug: c.debug}
		if err := l.readCall(b, r, c, callee); err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, r)
	}
	return list, errors.Join(errs...)
}

// readCall returns the read that a call performs.
func (l *lowering) readCall(b *body, r *read, c *call, callee *llvmir.Function) error {
	args := c.args
	if len(args) > 0 {
		if t := returnedType(callee, args[0]); t != "" {
			typ, err := l.module.Type(t)
			if err != nil {
				return r.fail("%v", err)
			}
			r.typ, r.returns = typ, &args[0].Value
			args = args[1:]
		}
	}
	older, least := isOlder(callee.Name()), 3
	if older {
		least = 1
	}
	if len(args) < least || r.typ == nil || !c.plain {
		return r.fail("the call of '%s' does not match DPC++'s headers; expected a name, the address of a specialization_id and a buffer", kernelname.Display(callee.Name()))
	}
	var err error
	if r.nameVariable, r.name, err = l.nameOf(b, args[0].Value); err != nil {
		return r.fail("%v", err)
	}
	r.dead = b.dead(args[0].Value)
	if strings.HasPrefix(callee.Name(), allocaPrefix) {
		if r.allocates, err = allocationOf(args, c.typ); err != nil {
			return r.fail("%v", err)
		}
	}
	if older {
		r.value, err = l.module.Value(r.typ.String() + " " + zeroOf(r.typ))
		if err != nil {
			return r.fail("%v", err)
		}
		if r.unset = l.Mode == Emulation; r.unset {
			return l.warnOrReject(r, "the specialization constant '%s' is read in the way of SYCL 1.2.1, which passes no buffer to load it from. Use get_specialization_constant of SYCL 2020",
				"it is 0, whatever a program sets")
		}
		return nil
	}
	r.buffer = &args[2].Value
	if err := l.readDefault(b, r, args[1].Value); err != nil {
		return err
	}
	if r.allocates != nil {
		r.typ = r.value.Type
	}
	return nil
}

func isOlder(name string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.name) {
			return p.older
		}
	}
	return false
}

// returnedType returns the type of the value stored through the first argument, or "" if the call
// returns its value.
func returnedType(callee *llvmir.Function, first llvmir.Operand) string {
	if a, ok := first.Attribute("sret"); ok {
		return a.Value
	}
	if params := callee.Params(); len(params) > 0 {
		if a, ok := params[0].Attribute("sret"); ok {
			return a.Value
		}
	}
	return ""
}

// zeroOf returns the all-zero constant of a type.
func zeroOf(t *llvmir.Type) string {
	switch t.Kind() {
	case llvmir.Int:
		if t.Bits() == 1 {
			return "false"
		}
		return "0"
	case llvmir.Half, llvmir.Float, llvmir.Double:
		return "0.000000e+00"
	}
	return "zeroinitializer"
}

// nameOf returns the name of a constant and the variable that holds the name.
func (l *lowering) nameOf(b *body, v llvmir.Value) (variable, name string, err error) {
	variable, ok := b.global(v)
	g := l.module.Global(variable)
	if !ok || g == nil {
		return "", "", errors.New("the name of a specialization constant is not known at compile time. Call get_specialization_constant with the specialization_id itself, or compile with -O1")
	}
	value, ok := g.InitializerValue()
	if !ok || !g.Constant() {
		return "", "", fmt.Errorf("the name of a specialization constant is in the variable '%s', which is not a constant string", printable(variable))
	}
	text, ok := value.Bytes()
	if !ok {
		return "", "", fmt.Errorf("the name of a specialization constant is in the variable '%s', which is not a string", printable(variable))
	}
	name = strings.TrimSuffix(string(text), "\x00")
	if !isName(name) {
		return "", "", fmt.Errorf("'%s' is not a valid property name for a specialization constant", printable(name))
	}
	return variable, name, nil
}

// isName reports whether a name is a valid property key.
func isName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\n\r\x00") }

// readDefault reads the default value, the first member of a specialization_id. The variable need
// not be a constant in LLVM IR, because device code cannot write to it.
func (l *lowering) readDefault(b *body, r *read, v llvmir.Value) error {
	if l.AsDPCPP && v.Text == "null" && r.allocates == nil {
		l.warn(r, "the specialization constant '%s' is read without a specialization_id: its default value is 0", printable(r.name))
		var err error
		r.value, err = l.module.Value(r.typ.String() + " " + zeroOf(r.typ))
		return err
	}
	variable, ok := b.global(v)
	g := l.module.Global(variable)
	if !ok || g == nil {
		return r.fail("the specialization_id of '%s' is not known at compile time. Call get_specialization_constant with the specialization_id itself, or compile with -O1", printable(r.name))
	}
	value, ok := g.InitializerValue()
	if !ok || value.Type == nil {
		return r.fail("the specialization_id '%s' has no value. Define it as inline constexpr where it is used", kernelname.Display(variable))
	}
	r.idVariable, r.value = variable, value
	if body := value.Type.Body(); body != nil && body.Kind() == llvmir.Struct {
		members := value.Elements()
		if len(members) == 0 || members[0].Type == nil {
			return r.fail("the specialization_id '%s' has no default value", kernelname.Display(variable))
		}
		r.value = members[0]
	}
	return nil
}

// allocationOf returns the allocation of a call to llvm.sycl.alloca.
func allocationOf(args []llvmir.Operand, result *llvmir.Type) (*allocation, error) {
	if len(args) != 5 || result == nil || result.Kind() != llvmir.Pointer || args[3].Type == nil {
		return nil, errors.New("invalid call of llvm.sycl.alloca; expected a name, the address of a specialization_id, a buffer, an element and an alignment")
	}
	align, ok := args[4].Int()
	if !ok || align < 1 || align > 1<<32 || align&(align-1) != 0 {
		return nil, fmt.Errorf("llvm.sycl.alloca: invalid alignment %s", args[4].Text)
	}
	return &allocation{args[3].Type, align, result.AddrSpace()}, nil
}
