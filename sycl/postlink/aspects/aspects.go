// Package aspects finds the aspects that the functions of a module use.
package aspects

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// Metadata about aspects. DPC++'s front end writes a list of numbers. Its last pass replaces each
// number by a pair with the aspect's name, and so does Propagate. This package reads both forms.
const (
	EnumerationMD        = "sycl_aspects"                    // on a module: the enumeration
	typesUsingAspectsMD  = "sycl_types_that_use_aspects"     // on a module
	conditionalAspectsMD = "sycl_conditionally_used_aspects" // on a function
	deviceHasAttribute   = "sycl-device-has"                 // on a function: the property device_has
)

// Options configure Propagate.
type Options struct {
	// Exclude lists names or numbers of aspects that are not written, unless a function already had
	// them or declares them. DPC++ excludes fp64 in this way before optimization. Excluded aspects
	// still cause diagnostics.
	Exclude []string

	// NoMismatch turns off the warnings about device_has.
	NoMismatch bool

	// EmulateFP64Conversions indicates that the device's compiler emulates moves and conversions of
	// doubles, so these do not require fp64.
	EmulateFP64Conversions bool

	// FixedTargets are the targets of -fsycl-fixed-targets, for kernels and SYCL_EXTERNAL functions
	// that do not have fixed targets yet.
	FixedTargets []string

	// NoFixedTargets leaves fixed targets unchanged, because they are added when sources are linked.
	NoFixedTargets bool

	// Devices are the devices that fixed targets are compared with; nil disables the comparison.
	Devices *deviceconfig.Config
}

// A Result is the result of Propagate.
type Result struct {
	// Derived is true if the module lacks the metadata of DPC++'s front end, so aspects were derived
	// from the code.
	Derived bool

	Diagnostics []devicecode.Diagnostic
}

// Propagate finds the aspects that each function uses, directly and through its callees, and
// attaches them to the function as !sycl_used_aspects. Aspects that a function declares count as
// used. Kernels and SYCL_EXTERNAL functions get !sycl_fixed_targets. It warns about functions that
// use more aspects than they declare, and about kernels that a fixed target cannot run.
//
// In DPC++ modules, a function uses aspects through the types in its signature and instructions,
// and through metadata. In stock clang's modules, the rules match package spirv, which must return
// the same result for the translated module: the type of an instruction's result or constant
// operand uses its aspect, and so do certain instructions and SPIR-V built-ins. Memory that is
// never read or written does not use aspects.
//
// The call graph starts at kernels and SYCL_EXTERNAL functions; unreachable functions keep only the
// aspects that they use directly.
func Propagate(m *llvmir.Module, o Options) (*Result, error) {
	p := &propagation{module: m, options: o}
	if err := p.run(); err != nil {
		return nil, err
	}
	return &Result{p.derived, p.diagnostics}, nil
}

// A propagation holds the state of one call of Propagate.
type propagation struct {
	module   *llvmir.Module
	options  Options
	derived  bool
	excluded aspectSet
	lists    map[int]aspectSet // by metadata node

	aspectTable
	typeTable
	aspectGraph

	diagnostics []devicecode.Diagnostic
	steps       int // units of work, for tests
}

func (p *propagation) run() error {
	if err := p.readEnumeration(); err != nil {
		return err
	}
	if err := p.readTypes(); err != nil {
		return err
	}
	for _, name := range p.options.Exclude {
		value, err := p.parse(name)
		if err != nil {
			return fmt.Errorf("excluded aspects: %w", err)
		}
		if err := p.put(&p.excluded, value); err != nil {
			return err
		}
	}
	p.addNodes()
	for i := range p.nodes {
		if err := p.readFunction(i); err != nil {
			return err
		}
	}
	p.callVirtualSets()
	p.propagate()
	if !p.options.NoMismatch {
		p.checkDeclared()
	}
	p.writeAspects()
	if p.options.NoFixedTargets {
		return nil
	}
	return p.fixedTargets()
}

// IsPropagated reports whether DPC++'s compiler has propagated the aspects and dropped the
// enumeration: functions list their aspects, and kernels have fixed targets, even if these are
// empty.
func IsPropagated(m *llvmir.Module) bool {
	kernels := m.Kernels()
	return len(kernels) > 0 && m.NamedMetadata(EnumerationMD) == nil &&
		!slices.ContainsFunc(kernels, func(k *llvmir.Function) bool { return !k.HasMetadata(devicecode.FixedTargetsMD) })
}

// readEnumeration reads !sycl_aspects. A module without it was not compiled with DPC++'s headers,
// or its aspects were already propagated.
func (p *propagation) readEnumeration() error {
	p.fp64 = int32(aspect.FP64)
	named := p.module.NamedMetadata(EnumerationMD)
	if named == nil && IsPropagated(p.module) {
		return p.put(new(aspectSet), p.fp64)
	}
	if named == nil {
		p.derived = true
		var all aspectSet
		for _, a := range aspect.OfFeatures() {
			if err := p.put(&all, int32(a)); err != nil {
				return err
			}
		}
		return nil
	}
	p.names = map[int32]string{}
	p.values = map[string]int32{}
	p.pairs = map[int32]int{}
	for _, id := range named.Nodes() {
		name, value, ok := devicecode.AspectPair(p.module.Node(id))
		if !ok {
			return &devicecode.MetadataError{Msg: fmt.Sprintf("!%s: !%d is not a name and an i32", EnumerationMD, id)}
		}
		// If names share a value, the first is used.
		if _, ok := p.names[value]; !ok {
			p.names[value] = name
			p.pairs[value] = id
		}
		p.values[name] = value
	}
	if value, ok := p.values["fp64"]; ok {
		p.fp64 = value
	}
	return p.put(new(aspectSet), p.fp64)
}

func (p *propagation) readTypes() error {
	p.typeAspects = map[*llvmir.Type]aspectSet{}
	p.named = map[string]aspectSet{}
	if p.derived {
		return nil
	}
	named := p.module.NamedMetadata(typesUsingAspectsMD)
	if named == nil {
		return nil
	}
	for _, id := range named.Nodes() {
		bad := &devicecode.MetadataError{Msg: fmt.Sprintf("!%s: !%d is not the name of a type and aspects", typesUsingAspectsMD, id)}
		n := p.module.Node(id)
		if n == nil {
			return bad
		}
		operands := n.Operands()
		if len(operands) == 0 {
			return bad
		}
		name, ok := operands[0].StringValue()
		if !ok {
			return bad
		}
		set := p.named[name]
		for _, operand := range operands[1:] {
			value, ok := devicecode.AspectOperand(p.module, operand)
			if !ok {
				return bad
			}
			if err := p.put(&set, value); err != nil {
				return err
			}
		}
		p.named[name] = set
	}
	return nil
}

// readFunction reads the metadata and the code of a function.
func (p *propagation) readFunction(i int) error {
	n := &p.nodes[i]
	f := n.function
	if f == nil {
		return nil
	}
	var err error
	if n.before, _, err = p.functionAspects(f, devicecode.UsedAspectsMD); err != nil {
		return err
	}
	n.own = n.before
	if n.declared, n.declares, err = p.functionAspects(f, devicecode.DeclaredAspectsMD); err != nil {
		return err
	}
	if text := n.attributes.deviceHas; text != nil && !n.declares {
		n.declares, n.byAttribute = true, true
		for word := range strings.SplitSeq(*text, ",") {
			word = strings.TrimSpace(word)
			if word == "" {
				continue
			}
			value, err := strconv.ParseInt(word, 10, 64)
			if err != nil || !devicecode.FitsAspect(value) {
				return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("attribute %q: invalid aspect number %q", deviceHasAttribute, word)}
			}
			if err := p.put(&n.declared, int32(value)); err != nil {
				return err
			}
		}
	}
	if n.stated, err = p.statedConditions(f); err != nil || !f.Defined() {
		return err
	}
	return p.readBody(i)
}

// functionAspects reads a function's list of aspects, and reports whether it has
// one.
func (p *propagation) functionAspects(f *llvmir.Function, kind string) (set aspectSet, ok bool, err error) {
	id, ok := f.Metadata(kind)
	if !ok {
		return set, false, nil
	}
	set, err = p.list(f, kind, id)
	return set, true, err
}

// list reads a list of aspects of a function or of one of its instructions.
func (p *propagation) list(f *llvmir.Function, kind string, id int) (aspectSet, error) {
	set, ok := p.lists[id]
	if ok {
		return set, nil
	}
	values, ok := devicecode.AspectNumbers(p.module, id)
	if !ok {
		return set, &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: !%d is not a list of aspects", kind, id)}
	}
	for _, value := range values {
		if err := p.put(&set, value); err != nil {
			return set, err
		}
	}
	if p.lists == nil {
		p.lists = map[int]aspectSet{}
	}
	p.lists[id] = set
	return set, nil
}

// written returns the aspects to write to a function's metadata.
func (n *graphNode) written(excluded aspectSet) aspectSet {
	set := n.used
	set.remove(excluded)
	set.join(n.before)
	set.join(n.allDeclared)
	return set
}

// writeAspects writes the metadata of functions.
func (p *propagation) writeAspects() {
	lists := map[aspectSet]int{}
	for i := range p.nodes {
		n := &p.nodes[i]
		// In DPC++ modules, declarations have lists too.
		if n.function == nil || p.derived && !n.function.Defined() {
			continue
		}
		set := n.written(p.excluded)
		if !n.unconditional {
			set = n.before
		}
		if set == (aspectSet{}) {
			continue
		}
		id, ok := lists[set]
		if !ok {
			id = p.addList(p.sorted(set))
			lists[set] = id
		}
		n.function.SetMetadata(devicecode.UsedAspectsMD, id)
	}
	p.writeConditional()
}

// addList adds a list of aspects to the module.
func (p *propagation) addList(set []int) int {
	var b strings.Builder
	for i, bit := range set {
		if i > 0 {
			b.WriteString(", ")
		}
		value := p.numbers[bit]
		if pair, ok := p.pair(value); ok {
			fmt.Fprintf(&b, "!%d", pair)
		} else {
			fmt.Fprintf(&b, "i32 %d", value)
		}
	}
	return p.module.AddNode(b.String())
}

// pair returns the node with an aspect's name and number. For an aspect without a name, ok is
// false.
func (p *propagation) pair(value int32) (id int, ok bool) {
	if id, ok := p.pairs[value]; ok {
		return id, true
	}
	name, ok := p.valueName(value)
	if !ok {
		return 0, false
	}
	if p.pairs == nil {
		p.pairs = map[int32]int{}
	}
	id = p.module.AddNode(fmt.Sprintf("!%s, i32 %d", devicecode.MDString(name), value))
	p.pairs[value] = id
	return id, true
}
