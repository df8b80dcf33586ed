package postlink

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

// Metadata about aspects. What DPC++'s front end writes is a list of numbers; its
// last pass turns each into a pair with the aspect's name, which is what
// PropagateAspects writes. Both are read.
const (
	aspectsMD            = "sycl_aspects"                    // on a module: the enumeration
	typesUsingAspectsMD  = "sycl_types_that_use_aspects"     // on a module
	usedAspectsMD        = "sycl_used_aspects"               // on a function or an instruction
	declaredAspectsMD    = "sycl_declared_aspects"           // on a function: [[sycl::device_has()]]
	conditionalAspectsMD = "sycl_conditionally_used_aspects" // on a function
	fixedTargetsMD       = "sycl_fixed_targets"              // on a kernel or SYCL_EXTERNAL function
	deviceHasAttribute   = "sycl-device-has"                 // on a function: the property device_has
)

// AspectOptions say how PropagateAspects goes about it.
type AspectOptions struct {
	// Exclude has names or numbers of aspects that are not written, unless a
	// function had them before or declares them, as DPC++ does with fp64 before
	// optimization. Diagnostics are about them too.
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

// An AspectResult says where aspects come from.
type AspectResult struct {
	// Derived says that the module has no metadata of DPC++'s front end, so that
	// aspects were found by looking at the code.
	Derived bool

	// Origins has what makes a kernel or SYCL_EXTERNAL function need an aspect.
	Origins map[string]map[aspect.Aspect]Origin
}

// An Origin is a place that uses an aspect, or that declares it.
type Origin struct {
	Function string          // its symbol
	Location llvmir.Location // zero without debug information
}

// A MetadataError describes metadata or attributes that no compiler writes.
type MetadataError struct {
	Function string // "" for the module
	Msg      string
}

func (e *MetadataError) Error() string {
	if e.Function == "" {
		return e.Msg
	}
	return fmt.Sprintf("function %s: %s", e.Function, e.Msg)
}

// BadInput marks the error as caused by an input file.
func (*MetadataError) BadInput() {}

// PropagateAspects finds the aspects that each function uses, itself and through
// the functions it calls, and writes them to the function as !sycl_used_aspects.
// Aspects that a function declares count as used. Kernels and SYCL_EXTERNAL
// functions get !sycl_fixed_targets. It warns of functions that use more than they
// declare, and of kernels that a fixed target cannot run.
//
// In modules of DPC++ a function uses aspects by the types in its signature and
// its instructions and by metadata. For those of stock clang the rules are those
// of package spirv, so that the translated module tells the same: a value that an
// instruction makes, or a constant it takes, uses the aspect of its type, and so do
// certain instructions and SPIR-V built-ins; memory that is never read or written
// uses none.
//
// The call graph starts at kernels and SYCL_EXTERNAL functions; others keep what
// they use themselves.
func PropagateAspects(m *llvmir.Module, o AspectOptions) (*AspectResult, []Diagnostic, error) {
	p := &propagation{module: m, options: o}
	if err := p.run(); err != nil {
		return nil, nil, err
	}
	return &AspectResult{p.derived, p.origins()}, p.diagnostics, nil
}

// propagation is one run of PropagateAspects.
type propagation struct {
	module   *llvmir.Module
	options  AspectOptions
	derived  bool
	excluded aspectSet
	lists    map[int]aspectSet // by metadata node

	aspectTable
	typeTable
	aspectGraph

	diagnostics []Diagnostic
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

// finished reports whether DPC++'s compiler has done its own propagation, after which
// it drops the enumeration: what its functions use stands with them, and kernels have
// fixed targets, be it none.
func finished(m *llvmir.Module) bool {
	kernels := m.Kernels()
	return len(kernels) > 0 && m.Named(aspectsMD) == nil &&
		!slices.ContainsFunc(kernels, func(k *llvmir.Function) bool { return !k.HasMetadata(fixedTargetsMD) })
}

// readEnumeration takes in !sycl_aspects. A module without it was not made with
// DPC++'s headers, or is finished.
func (p *propagation) readEnumeration() error {
	p.fp64 = int32(aspect.FP64)
	named := p.module.Named(aspectsMD)
	if named == nil && finished(p.module) {
		return p.put(new(aspectSet), p.fp64)
	}
	if named == nil {
		p.derived = true
		var all aspectSet
		for _, a := range derivable {
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
		name, value, ok := aspectPair(p.module.Node(id))
		if !ok {
			return &MetadataError{Msg: fmt.Sprintf("!%s: !%d is not a name and an i32", aspectsMD, id)}
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
	named := p.module.Named(typesUsingAspectsMD)
	if named == nil {
		return nil
	}
	for _, id := range named.Nodes() {
		bad := &MetadataError{Msg: fmt.Sprintf("!%s: !%d is not the name of a type and aspects", typesUsingAspectsMD, id)}
		n := p.module.Node(id)
		if n == nil {
			return bad
		}
		operands := n.Operands()
		if len(operands) == 0 {
			return bad
		}
		name, ok := operands[0].Str()
		if !ok {
			return bad
		}
		set := p.named[name]
		for _, operand := range operands[1:] {
			value, ok := aspectOperand(p.module, operand)
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
	if n.before, _, err = p.functionAspects(f, usedAspectsMD); err != nil {
		return err
	}
	n.own = n.before
	if n.declared, n.declares, err = p.functionAspects(f, declaredAspectsMD); err != nil {
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
			if err != nil || !fitsAspect(value) {
				return &MetadataError{f.Name(), fmt.Sprintf("attribute %q: %q is not the number of an aspect", deviceHasAttribute, word)}
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
	values, ok := aspectNumbers(p.module, id)
	if !ok {
		return set, &MetadataError{f.Name(), fmt.Sprintf("!%s: !%d is not a list of aspects", kind, id)}
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

// checkDeclared warns of functions that use more than they declare.
func (p *propagation) checkDeclared() {
	type reported struct{ node, bit int }
	seen := map[reported]bool{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if !n.declares || n.function == nil || !n.function.Defined() {
			continue
		}
		missing := n.used
		missing.remove(n.declared)
		for _, bit := range p.sorted(missing) {
			blamed := i
			if n.root {
				next := p.nextFunction(i, bit)
				if next >= 0 && p.nodes[next].declares && !p.nodes[next].declared.has(bit) {
					// The kernel repeats what the function it wraps declares, and that
					// one is reported itself.
					continue
				}
				if next >= 0 && n.byAttribute && n.function.Kernel() {
					blamed = next
				}
			}
			if seen[reported{blamed, bit}] {
				continue
			}
			seen[reported{blamed, bit}] = true
			c, use := p.chain(blamed, bit)
			p.diagnostics = append(p.diagnostics, Diagnostic{
				Location: use,
				Text: fmt.Sprintf("function '%s' uses aspect '%s' not listed in 'sycl::device_has'",
					briefName(p.nodes[blamed].function.Name()), p.name(bit)),
				Notes: c.notes(use),
			})
		}
	}
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
		if n.function == nil || !n.function.Defined() {
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
		n.function.SetMetadata(usedAspectsMD, id)
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
	id = p.module.AddNode(fmt.Sprintf("!%s, i32 %d", mdString(name), value))
	p.pairs[value] = id
	return id, true
}

// mdString returns a string as it stands in metadata, after the "!".
func mdString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c == '"' || c == '\\' || c > '~' {
			fmt.Fprintf(&b, "\\%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// origins returns where the aspects of roots come from.
func (p *propagation) origins() map[string]map[aspect.Aspect]Origin {
	all := map[string]map[aspect.Aspect]Origin{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if !n.root {
			continue
		}
		list := map[aspect.Aspect]Origin{}
		for _, bit := range p.sorted(n.written(p.excluded)) {
			if value := p.numbers[bit]; value >= 0 {
				list[aspect.Aspect(value)] = p.origin(i, bit)
			}
		}
		all[n.function.Name()] = list
	}
	return all
}

// fixedTargets marks kernels and SYCL_EXTERNAL functions with the targets they
// are made for, and compares them with what those targets can do.
func (p *propagation) fixedTargets() error {
	list := -1
	unknown := map[string]bool{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if !n.root {
			continue
		}
		targets, ok, err := fixedTargetsOf(p.module, n.function)
		if err != nil {
			return err
		}
		if !ok {
			if list < 0 {
				var quoted []string
				for _, target := range p.options.FixedTargets {
					quoted = append(quoted, "!"+mdString(target))
				}
				list = p.module.AddNode(strings.Join(quoted, ", "))
			}
			n.function.SetMetadata(fixedTargetsMD, list)
			targets = p.options.FixedTargets
		}
		if p.options.Devices != nil {
			for _, target := range targets {
				p.checkTarget(i, target, unknown)
			}
		}
	}
	return nil
}

func (p *propagation) checkTarget(i int, target string, unknown map[string]bool) {
	n := &p.nodes[i]
	const listed = "listed in '-fsycl-fixed-targets'"
	device, ok := p.options.Devices.Lookup(target)
	if !ok {
		if !unknown[target] {
			unknown[target] = true
			d := Diagnostic{Text: fmt.Sprintf("target '%s' %s is not in the device configuration, so no code is checked for it", target, listed)}
			if near := p.options.Devices.Nearest(target); len(near) > 0 {
				d.Notes = []string{fmt.Sprintf("did you mean '%s'?", near[0])}
			}
			p.diagnostics = append(p.diagnostics, d)
		}
		return
	}
	name := briefName(n.function.Name())
	needs := n.used
	needs.join(n.allDeclared)
	for _, bit := range p.sorted(needs) {
		value := p.numbers[bit]
		if value < 0 || device.MayHaveOtherAspects || device.Has(aspect.Aspect(value)) {
			continue
		}
		c, use := p.chain(i, bit)
		p.diagnostics = append(p.diagnostics, Diagnostic{
			Location: use,
			Text:     fmt.Sprintf("function '%s' uses aspect '%s' not supported by target '%s' %s", name, p.name(bit), target, listed),
			Notes:    c.notes(use),
		})
	}
	where, _ := n.function.DebugLoc()
	if size, ok := metadataInts(p.module, n.function, "intel_reqd_sub_group_size"); ok && len(size) == 1 &&
		len(device.SubGroupSizes) > 0 && !(size[0] >= 0 && size[0] <= math.MaxUint32 && device.HasSubGroupSize(uint32(size[0]))) {
		p.diagnostics = append(p.diagnostics, Diagnostic{
			Location: where,
			Text:     fmt.Sprintf("function '%s' has required sub-group size '%d' not supported by target '%s' %s", name, size[0], target, listed),
		})
	}
	if size, ok := metadataInts(p.module, n.function, "reqd_work_group_size"); ok && !fitsWorkGroup(size, device.Limits) {
		var text []string
		for _, s := range size {
			text = append(text, strconv.FormatInt(s, 10))
		}
		p.diagnostics = append(p.diagnostics, Diagnostic{
			Location: where,
			Text:     fmt.Sprintf("function '%s' has required work-group size '%s' not supported by target '%s' %s", name, strings.Join(text, ", "), target, listed),
		})
	}
}

// fitsWorkGroup reports whether nothing is known that forbids the size, which is
// in the order of OpenCL.
func fitsWorkGroup(size []int64, limits deviceconfig.Limits) bool {
	total := uint64(1)
	for i, s := range size {
		if i < len(limits.MaxWorkItemSizes) && uint64(s) > limits.MaxWorkItemSizes[i] {
			return false
		}
		high, low := bits.Mul64(total, uint64(s))
		if high != 0 {
			low = math.MaxUint64
		}
		total = low
	}
	return limits.MaxWorkGroupSize == 0 || total <= limits.MaxWorkGroupSize
}

// metadataInts reads a function's metadata that is a list of integers.
func metadataInts(m *llvmir.Module, f *llvmir.Function, kind string) ([]int64, bool) {
	id, ok := f.Metadata(kind)
	if !ok {
		return nil, false
	}
	n := m.Node(id)
	if n == nil {
		return nil, false
	}
	return n.Ints(), true
}

// fixedTargetsOf reads a function's fixed targets and reports whether it has a
// list, which may be empty. DPC++ writes numbers of aspects that are called like
// the targets; they come back as names.
func fixedTargetsOf(m *llvmir.Module, f *llvmir.Function) (targets []string, ok bool, err error) {
	id, ok := f.Metadata(fixedTargetsMD)
	if !ok {
		return nil, false, nil
	}
	bad := &MetadataError{f.Name(), fmt.Sprintf("!%s: !%d is not a list of targets", fixedTargetsMD, id)}
	n := m.Node(id)
	if n == nil {
		return nil, false, bad
	}
	for _, operand := range n.Operands() {
		if name, ok := operand.Str(); ok {
			targets = append(targets, name)
		} else if value, ok := operand.Int(); ok && fitsAspect(value) {
			targets = append(targets, aspect.Aspect(value).String())
		} else {
			return nil, false, bad
		}
	}
	return targets, true, nil
}

// aspectNumbers reads a list of aspects, numbers or pairs of name and number.
func aspectNumbers(m *llvmir.Module, id int) ([]int32, bool) {
	n := m.Node(id)
	if n == nil {
		return nil, false
	}
	var values []int32
	for _, operand := range n.Operands() {
		value, ok := aspectOperand(m, operand)
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

func aspectOperand(m *llvmir.Module, o llvmir.MDOperand) (int32, bool) {
	if value, ok := o.Int(); ok {
		return int32(value), fitsAspect(value)
	}
	n, ok := o.Inline()
	if !ok {
		if id, ok := o.Node(); ok {
			n = m.Node(id)
		}
	}
	_, value, ok := aspectPair(n)
	return value, ok
}

// aspectPair reads !{!"fp64", i32 6}.
func aspectPair(n *llvmir.Node) (name string, value int32, ok bool) {
	if n == nil {
		return "", 0, false
	}
	operands := n.Operands()
	if len(operands) != 2 {
		return "", 0, false
	}
	name, ok = operands[0].Str()
	if !ok {
		return "", 0, false
	}
	number, ok := operands[1].Int()
	return name, int32(number), ok && fitsAspect(number)
}

// fitsAspect reports whether a value fits in an i32. Numbers below zero are
// DPC++'s own: they keep kernels apart and are no aspects of devices.
func fitsAspect(value int64) bool { return value >= math.MinInt32 && value <= math.MaxInt32 }

// maxAspects is how many different aspects a module may use. DPC++ has about a
// hundred.
const maxAspects = 256

// An aspectSet has a bit for each aspect that the module uses.
type aspectSet [maxAspects / 64]uint64

func (s *aspectSet) add(bit int)     { s[bit/64] |= 1 << (bit % 64) }
func (s aspectSet) has(bit int) bool { return s[bit/64]&(1<<(bit%64)) != 0 }

func (s *aspectSet) join(o aspectSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *aspectSet) remove(o aspectSet) {
	for i := range s {
		s[i] &^= o[i]
	}
}

// aspectTable gives the aspects that the module uses their bits and names.
type aspectTable struct {
	numbers []int32 // by bit
	bit     map[int32]int
	names   map[int32]string // of the module's enumeration
	values  map[string]int32
	pairs   map[int32]int // nodes with name and number
	fp64    int32
}

// put adds an aspect to a set.
func (t *aspectTable) put(s *aspectSet, value int32) error {
	bit, ok := t.bit[value]
	if !ok {
		bit = len(t.numbers)
		if bit == maxAspects {
			return &MetadataError{Msg: fmt.Sprintf("the module uses more than %d different aspects", maxAspects)}
		}
		if t.bit == nil {
			t.bit = map[int32]int{}
		}
		t.bit[value] = bit
		t.numbers = append(t.numbers, value)
	}
	s.add(bit)
	return nil
}

// sorted returns the bits of a set in the order of their aspects' numbers.
func (t *aspectTable) sorted(s aspectSet) []int {
	var list []int
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			list = append(list, i*64+bits.TrailingZeros64(word))
		}
	}
	slices.SortFunc(list, func(a, b int) int { return int(t.numbers[a]) - int(t.numbers[b]) })
	return list
}

// parse returns the number of an aspect given by name or number. The module's own
// names come first.
func (t *aspectTable) parse(name string) (int32, error) {
	if value, ok := t.values[name]; ok {
		return value, nil
	}
	a, err := aspect.Parse(name)
	return int32(a), err
}

// name returns what an aspect is called.
func (t *aspectTable) name(bit int) string {
	value := t.numbers[bit]
	if name, ok := t.valueName(value); ok {
		return name
	}
	return "aspect " + strconv.Itoa(int(value))
}

func (t *aspectTable) valueName(value int32) (string, bool) {
	if name, ok := t.names[value]; ok {
		return name, true
	}
	if value >= 0 && aspect.Aspect(value).Known() {
		return aspect.Aspect(value).String(), true
	}
	return "", false
}
