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

// Metadata about aspects. What DPC++'s front end writes is a list of numbers; its
// last pass turns each into a pair with the aspect's name, which is what
// Propagate writes. Both are read.
const (
	EnumerationMD        = "sycl_aspects"                    // on a module: the enumeration
	typesUsingAspectsMD  = "sycl_types_that_use_aspects"     // on a module
	conditionalAspectsMD = "sycl_conditionally_used_aspects" // on a function
	deviceHasAttribute   = "sycl-device-has"                 // on a function: the property device_has
)

// Options say how Propagate goes about it.
type Options struct {
	// Exclude has names or numbers of aspects that are not written, unless a
	// function had them before or declares them, as DPC++ does with fp64 before
	// optimization. Diagnostics are about them as well.
	Exclude []string

	// NoMismatch turns off the warnings about device_has.
	NoMismatch bool

	// EmulateFP64Conversions says that the device's compiler replaces what only
	// moves and converts a double, so that it needs no fp64.
	EmulateFP64Conversions bool

	// FixedTargets are those of -fsycl-fixed-targets, for kernels and SYCL_EXTERNAL
	// functions that carry none yet.
	FixedTargets []string

	// NoFixedTargets leaves fixed targets alone: they come when sources are linked.
	NoFixedTargets bool

	// Devices is what fixed targets are compared with; nil turns that off.
	Devices *deviceconfig.Config
}

// An Result says where aspects come from.
type Result struct {
	// Derived says that the module has no metadata of DPC++'s front end, so that
	// aspects were found by looking at the code.
	Derived bool

	Diagnostics []devicecode.Diagnostic
}

// Propagate finds the aspects that each function uses, itself and through
// the functions it calls, and writes them to the function as !sycl_used_aspects.
// Aspects that a function declares count as used. Kernels and SYCL_EXTERNAL
// functions get !sycl_fixed_targets. It warns of functions that use more than they
// declare, and of kernels that a fixed target cannot run.
//
// In modules of DPC++ a function uses aspects by the types in its signature and
// its instructions and by metadata. For those of stock clang the rules are those
// of package spirv, so that the translated module says the same: a value that an
// instruction makes, or a constant it takes, uses the aspect of its type, and so do
// certain instructions and SPIR-V built-ins; memory that is never read or written
// uses none.
//
// The call graph starts at kernels and SYCL_EXTERNAL functions; others keep what
// they use themselves.
func Propagate(m *llvmir.Module, o Options) (*Result, error) {
	p := &propagation{module: m, options: o}
	if err := p.run(); err != nil {
		return nil, err
	}
	return &Result{p.derived, p.diagnostics}, nil
}

// propagation is one run of Propagate.
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
	steps       int // work done, for tests
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
	p.spread()
	if !p.options.NoMismatch {
		p.checkDeclared()
	}
	p.writeAspects()
	if p.options.NoFixedTargets {
		return nil
	}
	return p.fixedTargets()
}

// Finished reports whether DPC++'s compiler has done its own propagation, after which
// it drops the enumeration: what its functions use stands with them, and kernels have
// fixed targets, be it none.
func Finished(m *llvmir.Module) bool {
	kernels := m.Kernels()
	return len(kernels) > 0 && m.NamedMetadata(EnumerationMD) == nil &&
		!slices.ContainsFunc(kernels, func(k *llvmir.Function) bool { return !k.HasMetadata(devicecode.FixedTargetsMD) })
}

// readEnumeration takes in !sycl_aspects. A module without it was not made with
// DPC++'s headers, or is finished.
func (p *propagation) readEnumeration() error {
	p.fp64 = int32(aspect.FP64)
	named := p.module.NamedMetadata(EnumerationMD)
	if named == nil && Finished(p.module) {
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
		// Where names share a value, the first is the one in use.
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

// readFunction takes in what a function says about itself and what its code
// does.
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
				return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("attribute %q: %q is not the number of an aspect", deviceHasAttribute, word)}
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

// list reads a list of aspects that belongs to a function or to one of its
// instructions.
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

// written returns the aspects that a function's metadata is to have.
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
		// In modules of DPC++, declarations have lists as well.
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

// pair returns the node with an aspect's name and number. An aspect without a
// name has none.
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
