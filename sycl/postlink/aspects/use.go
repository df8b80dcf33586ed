package aspects

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// typeTable maps types to aspects.
type typeTable struct {
	named       map[string]aspectSet // of !sycl_types_that_use_aspects
	typeAspects map[*llvmir.Type]aspectSet
}

// A construct is the form of a feature of package aspect in LLVM IR.
type construct struct {
	kind aspect.FeatureKind
	ir   string
}

// constructs maps constructs to features.
var constructs = func() map[construct][]aspect.Feature {
	table := map[construct][]aspect.Feature{}
	for _, f := range aspect.Features {
		c := construct{f.Kind, f.IR}
		table[c] = append(table[c], f)
	}
	return table
}()

// singleAspect returns the set of an aspect.
func (p *propagation) singleAspect(a aspect.Aspect) aspectSet {
	value := int32(a)
	if a == aspect.FP64 {
		value = p.fp64
	}
	var s aspectSet
	if bit, ok := p.bit[value]; ok {
		s.add(bit)
	}
	return s
}

// constructAspects returns the aspects of a construct. For features with a scope, the scope must
// match.
func (p *propagation) constructAspects(kind aspect.FeatureKind, ir string, scope uint32) aspectSet {
	var s aspectSet
	for _, f := range constructs[construct{kind, ir}] {
		if f.Scope == 0 || f.Scope == scope {
			s.join(p.singleAspect(f.Aspect))
		}
	}
	return s
}

// ofType returns the aspects of a type and of all types that it contains. A pointer does not
// contain its pointee.
func (p *propagation) ofType(t *llvmir.Type) aspectSet {
	if t == nil {
		return aspectSet{}
	}
	if s, ok := p.typeAspects[t]; ok {
		return s
	}
	p.typeAspects[t] = aspectSet{} // so that a type that contains itself does not cause endless recursion
	p.steps++
	var s aspectSet
	switch t.Kind() {
	case llvmir.Double:
		s = p.constructAspects(aspect.TypeFeature, "double", 0)
	case llvmir.Half:
		if p.derived {
			s = p.constructAspects(aspect.TypeFeature, "half", 0)
		}
	case llvmir.Vector, llvmir.Array:
		s = p.ofType(t.Elem())
	case llvmir.Struct:
		for _, field := range t.Fields() {
			s.join(p.ofType(field))
		}
	case llvmir.Named:
		s = p.named[t.Name()]
		if body := t.Body(); body != t {
			s.join(p.ofType(body))
		}
	case llvmir.Func:
		s = p.ofType(t.Result())
		for _, param := range t.Params() {
			s.join(p.ofType(param))
		}
	case llvmir.Target:
		if p.derived {
			s = p.targetTypeAspects(t)
		}
	}
	p.typeAspects[t] = s
	return s
}

// targetTypeAspects returns the aspects of a target-specific type.
func (p *propagation) targetTypeAspects(t *llvmir.Type) aspectSet {
	var s aspectSet
	for _, f := range constructs[construct{aspect.TypeFeature, t.Name()}] {
		s.join(p.singleAspect(f.Aspect))
		if f.HasElements {
			for _, element := range t.TargetTypes() {
				s.join(p.ofType(element))
			}
		}
	}
	return s
}

// readBody reads a function's signature and instructions.
func (p *propagation) readBody(i int) error {
	f := p.nodes[i].function
	own := p.signatureAspects(f)
	seen := map[int32]bool{}
	for _, callee := range p.nodes[i].calls {
		seen[callee] = true
	}
	folded := foldedValues{}
	for in := range f.Body() {
		p.steps++
		s, err := p.instrAspects(f, in, folded)
		if err != nil {
			return err
		}
		own.join(s)
		if isRecord(in) || p.conditionalCall(i, in) {
			continue
		}
		call := func(name string) {
			if callee, ok := p.index[name]; ok && !seen[int32(callee)] {
				seen[int32(callee)] = true
				p.nodes[i].calls = append(p.nodes[i].calls, int32(callee))
			}
		}
		if name, ok := in.Callee(); ok {
			call(name)
		} else if _, ok := in.Attribute(devicecode.AttrVirtualCall); ok {
			p.nodes[i].virtualCall = true
		}
		if p.derived {
			for name := range in.Globals() {
				call(name)
			}
		}
	}
	p.nodes[i].code = own
	p.nodes[i].own.join(own)
	return nil
}

// signatureAspects returns the aspects of a function's result and parameters.
func (p *propagation) signatureAspects(f *llvmir.Function) aspectSet {
	s := p.ofType(f.Result())
	for _, param := range f.Params() {
		s.join(p.ofType(param.Type))
		// An argument passed by value is copied, unless the call is removed.
		if byval, ok := param.Attribute("byval"); ok && p.derived && p.nodes[p.index[f.Name()]].attributes.noInline && !f.Kernel() {
			if t, err := p.module.Type(byval.Value); err == nil {
				s.join(p.ofType(t))
			}
		}
	}
	if p.options.EmulateFP64Conversions {
		s.remove(p.singleAspect(aspect.FP64))
	}
	for _, feature := range aspect.Features {
		if feature.Kind == aspect.MarkFeature && p.derived && f.HasMetadata(feature.IR) {
			s.join(p.singleAspect(feature.Aspect))
		}
	}
	return s
}

// isRecord reports whether a line of a body is not code: a label or a debug record.
func isRecord(in *llvmir.Instr) bool {
	op := in.Op()
	if op == "label" || strings.HasPrefix(op, "#") {
		return true
	}
	name, ok := in.Callee()
	return ok && strings.HasPrefix(name, "llvm.dbg.")
}

// foldedValues holds the aspects of a function's values that are computed only from specialization
// constants and other constants. Such a computation is folded when device code is generated, so the
// computation itself has no requirements.
type foldedValues map[string]aspectSet

// fold reports whether an instruction computes such a value.
func (p *propagation) fold(in *llvmir.Instr, base string, folded foldedValues) bool {
	switch in.Op() {
	case "call":
		if base != "__spirv_SpecConstant" && base != "__spirv_SpecConstantComposite" {
			return false
		}
	case "fptoui", "fptosi", "uitofp", "sitofp", "zext", "sext", "trunc", "fptrunc", "fpext", "fneg", "add", "fadd", "sub", "fsub",
		"mul", "fmul", "udiv", "sdiv", "fdiv", "urem", "srem", "frem", "icmp", "fcmp", "select":
		if len(folded) == 0 {
			return false
		}
		specialized := false
		for i := range in.NumOperands() {
			o := in.Operand(i)
			name, local := o.Local()
			if _, ok := folded[name]; local && !ok || strings.HasPrefix(o.Text, "@") {
				return false
			}
			specialized = specialized || local
		}
		if !specialized {
			return false
		}
	default:
		return false
	}
	folded[in.Result()] = p.ofType(in.Type())
	return true
}

// instrAspects returns the aspects that an instruction uses, without the aspects of a called
// function. It must be called on the instructions of a function in order.
func (p *propagation) instrAspects(f *llvmir.Function, in *llvmir.Instr, folded foldedValues) (aspectSet, error) {
	var s aspectSet
	if isRecord(in) {
		return s, nil
	}
	if p.derived {
		s = p.derivedUse(in, folded)
	} else {
		s = p.typedUse(in)
	}
	if p.options.EmulateFP64Conversions && p.onlyConverts(in) {
		s.remove(p.singleAspect(aspect.FP64))
	}
	if id, ok := in.Metadata(devicecode.UsedAspectsMD); ok {
		list, err := p.list(f, devicecode.UsedAspectsMD, id)
		if err != nil {
			return s, err
		}
		s.join(list)
	}
	return s, nil
}

// typedUse implements DPC++'s rule: every type that an instruction mentions counts.
func (p *propagation) typedUse(in *llvmir.Instr) aspectSet {
	var s aspectSet
	switch in.Op() {
	case "alloca":
		s = p.ofType(in.SourceType())
	case "getelementptr":
		s = p.ofType(in.Type())
		s.join(p.ofType(in.SourceType()))
	default:
		s = p.ofType(in.Type())
	}
	symbol := func(name string) {
		if sym := p.module.Symbol(name); sym != nil {
			s.join(p.ofType(sym.ValueType()))
		}
	}
	for i := range in.NumOperands() {
		o := in.Operand(i)
		s.join(p.ofType(o.Type))
		if name, ok := o.BaseGlobal(); ok {
			symbol(name)
		}
	}
	if name, ok := in.Callee(); ok {
		symbol(name)
	}
	return s
}

// derivedUse implements package spirv's rule, for code without metadata.
func (p *propagation) derivedUse(in *llvmir.Instr, folded foldedValues) aspectSet {
	var s aspectSet
	name, direct := in.Callee()
	base := baseName(name)
	if p.fold(in, base, folded) {
		return s
	}
	if !direct || !replacesType(base) {
		s = p.ofType(in.Type())
	}
	for i := range in.NumOperands() {
		s.join(p.operandUse(in, i, folded))
	}
	switch {
	case direct:
		s.join(p.builtinUse(in, name, base))
	case in.IsIndirect():
		s.join(p.constructAspects(aspect.InstructionFeature, aspect.IndirectCall, 0))
	default:
		s.join(p.atomicUse(in))
	}
	return s
}

// replacesType reports whether the type of a built-in's result does not count.
func replacesType(base string) bool {
	return strings.HasPrefix(base, "__spirv_") &&
		slices.ContainsFunc(constructs[construct{aspect.InstructionFeature, base}], func(f aspect.Feature) bool { return f.ReplacesType })
}

// operandUse returns the aspects of an instruction's operand.
func (p *propagation) operandUse(in *llvmir.Instr, i int, folded foldedValues) aspectSet {
	o := in.Operand(i)
	if local, ok := o.Local(); ok {
		// A local value counts where it is computed. An alloca with a local value as an operand has a
		// variable size.
		s := folded[local]
		if in.Op() == "alloca" {
			s.join(p.constructAspects(aspect.InstructionFeature, aspect.VariableAlloca, 0))
		}
		return s
	}
	s := p.ofType(o.Type)
	if symbol, ok := o.BaseGlobal(); ok && p.module.Function(symbol) != nil {
		s.join(p.constructAspects(aspect.InstructionFeature, aspect.FunctionAddress, 0))
	}
	return s
}

// atomicUse returns the aspects of an LLVM atomic operation.
func (p *propagation) atomicUse(in *llvmir.Instr) aspectSet {
	var s aspectSet
	switch op := in.Op(); {
	case op == "atomicrmw":
		s = p.atomic(in.Type(), qualifier(in) == "fadd")
	case op == "cmpxchg":
		for i := range in.NumOperands() {
			s.join(p.atomic(in.Operand(i).Type, false))
		}
	case op == "load" && qualifier(in) == "atomic":
		s = p.atomic(in.Type(), false)
	case op == "store" && qualifier(in) == "atomic" && in.NumOperands() > 0:
		s = p.atomic(in.Operand(0).Type, false)
	}
	return s
}

// qualifier returns the first word after an instruction's name other than "volatile".
func qualifier(in *llvmir.Instr) string {
	seen := false
	for word := range strings.FieldsSeq(in.Text()) {
		switch {
		case !seen:
			seen = word == in.Op()
		case word != "volatile":
			return word
		}
	}
	return ""
}

// builtinUse returns the aspects of calling a function that the SPIR-V translator replaces with an
// instruction.
func (p *propagation) builtinUse(in *llvmir.Instr, name, base string) aspectSet {
	var s aspectSet
	if f := p.module.Function(name); f == nil || f.Defined() {
		return s
	}
	if strings.HasPrefix(base, "__spirv_Atomic") || isOpenCLAtomic(base) {
		add := strings.Contains(base, "FAdd") || strings.Contains(base, "_add")
		s = p.atomic(in.Type(), add)
		for i := range in.NumOperands() {
			s.join(p.atomic(in.Operand(i).Type, add))
		}
		return s
	}
	if !strings.HasPrefix(base, "__spirv_") {
		return s
	}
	scope := int64(0)
	if in.NumOperands() > 0 {
		scope, _ = in.Operand(0).Int()
	}
	return p.constructAspects(aspect.InstructionFeature, base, uint32(max(scope, 0)))
}

func isOpenCLAtomic(base string) bool {
	return strings.HasPrefix(base, "atom_") || strings.HasPrefix(base, "atomic_") &&
		base != "atomic_init" && !strings.HasPrefix(base, "atomic_work_item_fence")
}

// atomic returns the aspects of an atomic operation on a type.
func (p *propagation) atomic(t *llvmir.Type, add bool) aspectSet {
	var s aspectSet
	if t == nil {
		return s
	}
	width, float := scalarWidth(t)
	for _, f := range constructs[construct{kind: aspect.AtomicFeature}] {
		if f.Width == width && (!f.FloatAddition || float && add) {
			s.join(p.singleAspect(f.Aspect))
		}
	}
	return s
}

// scalarWidth returns the width of a numeric type in bits, or 0 for other types, and whether the
// type is floating-point.
func scalarWidth(t *llvmir.Type) (width uint32, float bool) {
	switch t.Kind() {
	case llvmir.Int:
		return uint32(t.Bits()), false
	case llvmir.Half:
		return 16, true
	case llvmir.Double:
		return 64, true
	}
	return 0, false
}

// onlyConverts reports whether an instruction only moves or converts values.
func (p *propagation) onlyConverts(in *llvmir.Instr) bool {
	switch in.Op() {
	case "alloca", "getelementptr", "load", "store", "fpext", "fptrunc", "sitofp", "uitofp", "fptoui", "fptosi",
		"fcmp", "phi", "extractvalue", "insertvalue", "ret":
		return true
	}
	name, ok := in.Callee()
	if !ok {
		return false
	}
	if strings.HasPrefix(name, "llvm.mem") {
		return true
	}
	f := p.module.Function(name)
	return f != nil && f.Defined()
}

// baseName returns the name of a function at namespace scope, without parameters and the suffix of
// the SPIR-V translator: foo for "_Z3foov".
func baseName(symbol string) string {
	if rest, ok := strings.CutPrefix(symbol, "_Z"); ok {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if n, err := strconv.Atoi(rest[:digits]); err == nil && n <= len(rest)-digits {
			symbol = rest[digits : digits+n]
		}
	}
	// The result type of a SPIR-V built-in, as in __spirv_ReadClockKHR_Rulong.
	if at := strings.LastIndex(symbol, "_R"); at >= len("__spirv_") && strings.HasPrefix(symbol, "__spirv_") {
		symbol = symbol[:at]
	}
	return symbol
}
