package postlink

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// checkStaticConstructors returns an error for each variable that device code reads but only a
// static constructor initializes. Host programs run constructors at startup, but devices do not, so
// kernels would read zeros. SYCL allows variables with constant initializers. The location of an
// error is the initialization or, if debug information lacks it, the read in device code.
//
// A constructor writes a variable if it, or a function that it calls, stores through a pointer
// derived from the variable. A variable that device code also writes is assumed to be initialized
// there.
//
// It must run before dropHostCode.
func checkStaticConstructors(m *llvmir.Module, o SplitOptions) []Diagnostic {
	constructors := staticConstructors(m)
	if len(constructors) == 0 {
		return nil
	}
	var roots []*llvmir.Function
	var symbols []llvmir.Symbol
	for _, f := range m.Functions() {
		if isEntryPoint(f, o) {
			roots = append(roots, f)
			symbols = append(symbols, f)
		}
	}
	variables := map[string]bool{} // that device code refers to
	var deviceCode []*llvmir.Function
	for _, s := range m.Closure(symbols...) {
		switch s := s.(type) {
		case *llvmir.Global:
			if !s.Constant() {
				variables[s.Name()] = true
			}
		case *llvmir.Function:
			deviceCode = append(deviceCode, s)
		}
	}
	if len(variables) == 0 {
		return nil
	}
	return uninitialized(m, roots, newWrites(m, variables).writtenOnlyBy(constructors, deviceCode))
}

// writtenOnlyBy returns the variables that writers write and others do not, with the locations of
// the writes.
func (w *writes) writtenOnlyBy(writers, others []*llvmir.Function) map[string]llvmir.Frame {
	all := map[string]llvmir.Frame{}
	for _, f := range writers {
		for name, where := range w.functionWrites(f).variables {
			if old, ok := all[name]; !ok || !devicecode.HasLine(old) {
				all[name] = where
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, f := range others {
		for name := range w.functionWrites(f).variables {
			delete(all, name)
		}
	}
	return all
}

// uninitialized returns the diagnostics for variables.
func uninitialized(m *llvmir.Module, roots []*llvmir.Function, variables map[string]llvmir.Frame) []Diagnostic {
	if len(variables) == 0 {
		return nil
	}
	ways := newPathsFrom(m, roots)
	var sites devicecode.CallSites
	var list []Diagnostic
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		chain := ways.chain(name)
		if len(chain) == 0 {
			continue // the text contains names that Closure does not follow
		}
		where := variables[name]
		if defined, ok := devicecode.VariablePlace(m, m.Global(name)); ok {
			where = defined
		}
		if !devicecode.HasLine(where) {
			where = sites.Find(m.Function(chain[len(chain)-1]), name)
		}
		kind := "kernel"
		if !m.Function(chain[0]).Kernel() {
			kind = "function"
		}
		d := Diagnostic{
			IsError: true, Location: devicecode.Place(where),
			Text: fmt.Sprintf("variable '%s' is initialized when the program starts, which does not happen on a device. "+
				"Make it constexpr, initialize it in the kernel, or pass its value to the kernel", variableName(name)),
			Notes: []string{"it is read by " + callers(chain, kind)},
		}
		if !devicecode.HasLine(where) {
			d.Notes = append(d.Notes, devicecode.CompileWithDebug)
		}
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(a.Location.Compare(b.Location), strings.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(list, func(a, b Diagnostic) bool { return a.String() == b.String() })
}

// variableName returns the name of a variable like kernelname.Display, but without the suffixes
// that compilers append to the parts of a variable and to duplicate names.
func variableName(symbol string) string {
	if strings.HasPrefix(symbol, "_Z") {
		symbol, _, _ = strings.Cut(symbol, ".")
	}
	return kernelname.Display(symbol)
}

// staticConstructors returns the functions of llvm.global_ctors, in its order.
func staticConstructors(m *llvmir.Module) []*llvmir.Function {
	g := m.Global("llvm.global_ctors")
	if g == nil {
		return nil
	}
	value, ok := g.InitializerValue()
	if !ok {
		return nil
	}
	var list []*llvmir.Function
	for _, e := range value.Elements() { // priority, function, and the variable that it initializes
		parts := e.Elements()
		if len(parts) < 2 {
			continue
		}
		if name, ok := parts[1].BaseGlobal(); ok {
			if f := functionOf(m, name); f != nil {
				list = append(list, f)
			}
		}
	}
	return list
}

// functionOf returns the function that a name or an alias refers to, or nil.
func functionOf(m *llvmir.Module, name string) *llvmir.Function {
	for range 10 { // aliases may refer to each other
		alias := m.Alias(name)
		if alias == nil {
			return m.Function(name)
		}
		_, value, _ := strings.Cut(alias.Aliasee(), "@")
		value, _, _ = strings.Cut(value, " ")
		if v, err := m.Value("ptr @" + value); err == nil {
			name, _ = v.Global()
		}
	}
	return nil
}

// writes records what functions write through pointers to variables and through their parameters.
type writes struct {
	module    *llvmir.Module
	variables map[string]bool // the variables to record
	known     map[*llvmir.Function]*written
	depth     int // of calls
}

func newWrites(m *llvmir.Module, variables map[string]bool) *writes {
	return &writes{m, variables, map[*llvmir.Function]*written{}, 0}
}

// maxCallDepth limits the depth to which calls are followed.
const maxCallDepth = 1000

// A written holds the writes of a function and its callees.
type written struct {
	variables map[string]llvmir.Frame
	params    map[int]bool // parameters through which it writes
	returned  origins      // that the result may point to
}

// An origin is the variable, or the parameter by number, that a pointer is derived from.
type origin struct {
	variable string
	param    int
}

type origins []origin

// maxOrigins limits the origins of a pointer. Only hostile code has more.
const maxOrigins = 64

func (list origins) appendDistinct(more origins) origins {
	for _, o := range more {
		if len(list) < maxOrigins && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}

// functionWrites returns the writes of a function. In a recursion, it returns the writes that are
// known so far.
func (w *writes) functionWrites(f *llvmir.Function) *written {
	if known := w.known[f]; known != nil {
		return known
	}
	out := &written{variables: map[string]llvmir.Frame{}, params: map[int]bool{}}
	if w.depth == maxCallDepth {
		return out
	}
	w.known[f] = out
	if f.Defined() {
		w.depth++
		p := newPointers(w, f, out)
		p.follow()
		p.place()
		w.depth--
	}
	return out
}

// pointers follows the pointers in a function.
type pointers struct {
	*writes
	function *llvmir.Function
	out      *written
	from     map[string]origins // by local value
	slot     map[string]string  // the alloca that a local value points to
	stored   map[string]origins // by alloca: pointers that it holds
	changed  bool
}

func newPointers(w *writes, f *llvmir.Function, out *written) *pointers {
	p := &pointers{w, f, out, map[string]origins{}, map[string]string{}, map[string]origins{}, false}
	unnamed := 0
	for i, param := range f.Params() {
		name := param.Name
		if name == "" {
			name = fmt.Sprint(unnamed)
			unnamed++
		}
		// An argument passed by value is a copy.
		if _, copied := param.Attribute("byval"); !copied && param.Type != nil && param.Type.Kind() == llvmir.Pointer {
			p.from[name] = origins{{param: i + 1}}
		}
	}
	return p
}

// maxRounds limits how often a body is read. Loops need two rounds. Code that stores a pointer
// after the instruction that loads it needs more.
const maxRounds = 8

func (p *pointers) follow() {
	for range maxRounds {
		p.changed = false
		for in := range p.function.Body() {
			p.instruction(in)
		}
		if !p.changed {
			return
		}
	}
}

func (p *pointers) instruction(in *llvmir.Instr) {
	switch in.Op() {
	case "alloca":
		p.slot[in.Result()] = in.Result()
	case "getelementptr", "addrspacecast", "bitcast", "freeze", "phi", "select", "inttoptr", "ptrtoint", "insertvalue", "extractvalue":
		for i := range in.NumOperands() {
			p.derive(in.Result(), in.Operand(i))
		}
	case "load":
		if in.NumOperands() > 0 {
			p.add(p.from, in.Result(), p.stored[p.allocaOf(in.Operand(0))])
		}
	case "store":
		if in.NumOperands() > 1 {
			p.write(in, in.Operand(1))
			if slot := p.allocaOf(in.Operand(1)); slot != "" {
				p.add(p.stored, slot, p.origins(in.Operand(0)))
			}
		}
	case "atomicrmw", "cmpxchg":
		if in.NumOperands() > 0 {
			p.write(in, in.Operand(0))
		}
	case "ret":
		if in.NumOperands() > 0 {
			p.out.returned = p.out.returned.appendDistinct(p.origins(in.Operand(0)))
		}
	case "call", "invoke", "callbr":
		p.call(in)
	}
}

func (p *pointers) call(in *llvmir.Instr) {
	name, ok := in.Callee()
	if !ok {
		return
	}
	f := functionOf(p.module, name)
	if f == nil || f == p.function {
		return
	}
	arguments := in.Operands()
	if !f.Defined() {
		p.callUndefined(in, f.Name(), arguments)
		return
	}
	called := p.functionWrites(f)
	for variable, where := range called.variables {
		if old, ok := p.out.variables[variable]; !ok || !devicecode.HasLine(old) {
			p.out.variables[variable] = where
		}
	}
	for i, a := range arguments {
		if called.params[i] {
			p.write(in, a.Value)
		}
	}
	for _, o := range called.returned {
		switch {
		case o.variable != "":
			p.add(p.from, in.Result(), origins{o})
		case o.param <= len(arguments):
			p.derive(in.Result(), arguments[o.param-1].Value)
		}
	}
}

// callUndefined records the writes of intrinsics, and of undefined functions that create an object:
// constructors, and functions that return an object through a pointer argument.
func (p *pointers) callUndefined(in *llvmir.Instr, name string, arguments []llvmir.Operand) {
	if len(arguments) == 0 {
		return
	}
	_, result := arguments[0].Attribute("sret")
	copies := strings.HasPrefix(name, "llvm.memcpy.") || strings.HasPrefix(name, "llvm.memmove.") || strings.HasPrefix(name, "llvm.memset.")
	if result || copies || isConstructor(name) {
		p.write(in, arguments[0].Value)
	}
}

// isConstructor reports whether a function is a constructor: the last component of its name is the
// name of its class.
func isConstructor(symbol string) bool {
	if !strings.HasPrefix(symbol, "_ZN") {
		return false
	}
	name, err := demangle.ToString(symbol, demangle.NoParams, demangle.NoTemplateParams, demangle.MaxLength(14))
	if err != nil {
		return false
	}
	parts := strings.Split(name, "::")
	return len(parts) > 1 && parts[len(parts)-1] == parts[len(parts)-2]
}

// origins returns the variables and parameters that a value may point to.
func (p *pointers) origins(v llvmir.Value) origins {
	if name, ok := v.Local(); ok {
		return p.from[name]
	}
	if name, ok := v.BaseGlobal(); ok && p.variables[name] {
		return origins{{variable: name}}
	}
	return nil
}

func (p *pointers) allocaOf(v llvmir.Value) string {
	name, _ := v.Local()
	return p.slot[name]
}

// derive adds the origins of a value to the origins of a result.
func (p *pointers) derive(result string, v llvmir.Value) {
	p.add(p.from, result, p.origins(v))
	if slot := p.allocaOf(v); slot != "" && p.slot[result] == "" {
		p.slot[result] = slot
		p.changed = true
	}
}

func (p *pointers) add(to map[string]origins, name string, more origins) {
	if all := to[name].appendDistinct(more); len(all) > len(to[name]) {
		to[name] = all
		p.changed = true
	}
}

// write records that an instruction writes through a pointer.
func (p *pointers) write(in *llvmir.Instr, v llvmir.Value) {
	for _, o := range p.origins(v) {
		if o.variable == "" {
			p.out.params[o.param-1] = true
		} else if where, ok := p.out.variables[o.variable]; !ok || !devicecode.HasLine(where) {
			where, _ = in.DebugLoc()
			p.out.variables[o.variable] = initPlace(where, initFunction(where))
		}
	}
}

// globalInit is the name prefix of the functions that clang generates to initialize one variable.
const globalInit = "__cxx_global_var_init"

// initFunction returns the function that initializes one variable and contains a location, directly
// or inlined, or "" if there is none.
func initFunction(l llvmir.Frame) string {
	for at, depth := &l, 0; at != nil && depth < devicecode.MaxChain; at, depth = at.InlinedAt, depth+1 {
		if strings.HasPrefix(at.Function, globalInit) {
			return at.Function
		}
	}
	return ""
}

// initPlace returns the location in a function itself, if other functions are inlined into it.
func initPlace(l llvmir.Frame, function string) llvmir.Frame {
	for at, depth := &l, 0; function != "" && at != nil && depth < devicecode.MaxChain; at, depth = at.InlinedAt, depth+1 {
		if at.Function == function {
			return llvmir.Frame{Location: at.Location, Function: function}
		}
	}
	return l
}

// place sets the location of each variable without a line to the line of its initialization. If the
// function initializes only one variable, other instructions have that line.
func (p *pointers) place() {
	var places map[string]llvmir.Frame // by function
	for name, where := range p.out.variables {
		if devicecode.HasLine(where) || !strings.HasPrefix(where.Function, globalInit) {
			continue
		}
		if places == nil {
			places = p.initPlaces()
		}
		if found, ok := places[where.Function]; ok {
			p.out.variables[name] = found
		}
	}
}

// initPlaces returns the first line of each function that initializes one variable.
func (p *pointers) initPlaces() map[string]llvmir.Frame {
	places := map[string]llvmir.Frame{}
	for in := range p.function.Body() {
		l, _ := in.DebugLoc()
		function := initFunction(l)
		if where := initPlace(l, function); function != "" && devicecode.HasLine(where) && !devicecode.HasLine(places[function]) {
			places[function] = where
		}
	}
	return places
}
