// Package constants lowers specialization constants: it replaces the calls with which device code
// reads them.
//
// DPC++'s headers read a constant by calling an undefined function. Its arguments are the
// constant's name, a string, and the address of a specialization_id, whose first member is the
// default value:
//
//	T __sycl_getScalar2020SpecConstantValue<T>(name, id, buffer)
//	T __sycl_getComposite2020SpecConstantValue<T>(name, id, buffer)
//	T __sycl_getScalarSpecConstantValue<T>(name)            // SYCL 1.2.1
//	T __sycl_getCompositeSpecConstantValue<T>(name)
//	T *llvm.sycl.alloca(name, id, buffer, T, alignment)     // memory for an array of that many T
//
// A [Mode] selects how the calls are lowered. SPIR-V identifies constants by numbers, one for each
// scalar, so a constant of a class type has several numbers, in the order of its members. A
// [propset.SpecConstant] records the numbers of a name and the location of each scalar in the
// constant, which the runtime needs to set the constant.
package constants

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// A Mode selects how the calls that read constants are lowered.
type Mode string

// The modes.
const (
	Native    Mode = "native"    // constants of SPIR-V, which have numbers and default values
	Emulation Mode = "emulation" // loads from a buffer that the runtime passes to the kernel
	Defaults  Mode = "defaults"  // the default values
)

// prefixes lists the name prefixes of the functions that read constants.
var prefixes = []struct {
	name  string
	older bool // of SYCL 1.2.1, without an argument for the default value
}{
	{"_Z37__sycl_getScalar2020SpecConstantValue", false},
	{"_Z40__sycl_getComposite2020SpecConstantValue", false},
	{"_Z33__sycl_getScalarSpecConstantValue", true},
	{"_Z36__sycl_getCompositeSpecConstantValue", true},
	{allocaPrefix, false},
}

const allocaPrefix = "llvm.sycl.alloca."

// ReadsConstant reports whether the named function reads a constant.
func ReadsConstant(name string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.name) {
			return true
		}
	}
	return false
}

// Options configure how constants are lowered.
type Options struct {
	Mode Mode

	// TextOrder numbers calls in text order if the callee is declared after them, as DPC++ does with
	// text that it does not split. Otherwise, the last call of a function is numbered first.
	TextOrder bool

	// AsDPCPP lowers constants that DPC++'s step accepts, with a warning instead of an error:
	// constants with two default values or without one, and constants that a mode does not support.
	AsDPCPP bool
}

// Check checks the constants that some functions of a module read. It returns warnings, or an
// error.
func Check(m *llvmir.Module, o Options, functions func(*llvmir.Function) bool) ([]devicecode.Diagnostic, error) {
	l, err := newLowering(m, o, functions)
	if err != nil {
		return nil, err
	}
	return l.warnings, nil
}

// Lower replaces all calls that read constants in a module, and returns the constants, or nil for
// [Defaults].
func Lower(m *llvmir.Module, o Options) ([]propset.SpecConstant, error) {
	l, err := newLowering(m, o, func(*llvmir.Function) bool { return true })
	if err != nil {
		return nil, err
	}
	l.replaceCalls()
	if err := l.declare(); err != nil {
		return nil, err
	}
	l.removeUnused()
	if o.Mode == Defaults {
		m.MarkNamed(ReplacedMD)
		return nil, nil
	}
	l.writeMetadata()
	return l.result(), nil
}

// A lowering holds the state of one call of Lower or Check.
type lowering struct {
	Options
	module    *llvmir.Module
	layout    *llvmir.Layout
	reads     []*read // in DPC++'s order, which determines numbers
	constants []*constant
	byName    map[string]*constant
	total     uint64 // bytes of all default values
	spir      bool
	warnings  []devicecode.Diagnostic

	declarations map[string]string // of SPIR-V built-ins, by name
}

// A constant holds the data that all reads of a name share.
type constant struct {
	name   string
	first  *read
	number uint32 // of the first part
	shape  *shape
	offset uint64 // in the buffer
	gap    uint64 // bytes between the constant and the next one, in the buffer
}

func newLowering(m *llvmir.Module, o Options, functions func(*llvmir.Function) bool) (*lowering, error) {
	layout, err := m.Layout()
	if err != nil {
		return nil, &Error{Msg: err.Error()}
	}
	triple := m.Triple()
	l := &lowering{
		Options: o, module: m, layout: layout, byName: map[string]*constant{}, declarations: map[string]string{},
		spir: strings.HasPrefix(triple, "spir"),
	}
	if l.reads, err = l.find(functions); err != nil {
		return nil, err
	}
	var errs []error
	for _, r := range l.reads {
		errs = append(errs, l.add(r))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return l, l.number()
}

// add adds the constant of a read, or compares it with other reads.
func (l *lowering) add(r *read) error {
	s, err := l.shapeOf(r)
	if err != nil {
		return r.fail("%v", err)
	}
	r.shape = s
	if r.unset {
		return nil
	}
	if l.Mode == Emulation && r.allocates != nil && l.spir {
		r.left = true
		return l.warnOrReject(r, "private_alloca with the size of the specialization constant '%s' is not supported in SPIR-V that is compiled ahead of time. Use --spec-const=native, or a C++ constant as the size",
			"the call stays, and compilers reject it")
	}
	c := l.byName[r.name]
	if c == nil {
		if l.total += s.size.Store; l.total > mostTotal {
			return r.fail("the default values of the specialization constants are too large (limit %d bytes)", mostTotal)
		}
		c = &constant{name: r.name, first: r, shape: s}
		l.byName[r.name] = c
		l.constants = append(l.constants, c)
		return nil
	}
	what := c.shape.difference(s)
	if what == "default value" && l.AsDPCPP {
		l.warn(r, "the specialization constant '%s' has the default value %s here and %s %s, which all reads return. Use the same specialization_id",
			printable(r.name), r.describe(), c.first.describe(), c.first.place())
		r.shape, r.value = c.shape, c.first.value
		return nil
	}
	if what != "" {
		return c.first.fail("the specialization constant '%s' has the %s %s here and %s %s. Give both reads the same specialization_id, with one default value",
			printable(r.name), what, c.first.describe(), r.describe(), r.place())
	}
	r.shape = c.shape
	return nil
}

// warnOrReject adds a warning about a constant that DPC++'s step accepts or, unless AsDPCPP is set,
// returns an error. wrong describes the error, and becomes the result.
func (l *lowering) warnOrReject(r *read, wrong, becomes string) error {
	if !l.AsDPCPP {
		return r.fail(wrong, printable(r.name))
	}
	text, _, _ := strings.Cut(wrong, ". ")
	l.warn(r, text+": "+becomes, printable(r.name))
	return nil
}

func (l *lowering) warn(r *read, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.warnings = append(l.warnings, devicecode.Diagnostic{Location: r.where, Text: "in '" + kernelname.Display(r.function.Name()) + "': " + text})
}

// number assigns numbers and offsets to constants.
func (l *lowering) number() error {
	next, offset := uint64(0), uint64(0)
	if l.Mode == Native {
		next = firstNumber(l.module)
	}
	for i, c := range l.constants {
		c.number = uint32(next)
		if l.Mode != Emulation {
			next += uint64(len(c.shape.leaves))
		} else {
			next++
			size := c.shape.size
			if gap := -offset & (size.Align - 1); gap > 0 {
				l.constants[i-1].gap = gap
				offset += gap
			}
			c.offset = offset
			offset += size.Store
		}
		if next >= propset.SpecPadding || offset > math.MaxInt32 {
			return c.first.fail("the image has too many specialization constants")
		}
	}
	return nil
}

// firstNumber returns the first number that SPIR-V constants already in the code do not use.
func firstNumber(m *llvmir.Module) uint64 {
	next := uint64(0)
	all, _ := Numbers(m)
	for _, numbers := range all {
		for _, n := range numbers {
			next = max(next, uint64(n)+1)
		}
	}
	return next
}

// result returns the data for the runtime.
func (l *lowering) result() []propset.SpecConstant {
	var list []propset.SpecConstant
	for _, c := range l.constants {
		list = append(list, propset.SpecConstant{Name: c.name, Records: l.records(c), Default: append(c.shape.bytes, make([]byte, c.gap)...)})
	}
	return list
}

func (l *lowering) records(c *constant) []propset.SpecRecord {
	if l.Mode == Emulation {
		size := uint32(c.shape.size.Store)
		parts := []propset.SpecRecord{{ID: c.number, Size: size}}
		if c.gap > 0 {
			parts = append(parts, propset.SpecRecord{ID: propset.SpecPadding, Offset: size, Size: uint32(c.gap)})
		}
		return parts
	}
	var parts []propset.SpecRecord
	for _, p := range c.shape.parts {
		id := uint32(propset.SpecPadding)
		if p.leaf >= 0 {
			id = c.number + uint32(p.leaf)
		}
		parts = append(parts, propset.SpecRecord{ID: id, Offset: uint32(p.offset), Size: uint32(p.size)})
	}
	return parts
}

// ReplacedMD is the named metadata of a module whose constants were replaced with default values,
// as in DPC++.
const ReplacedMD = "sycl.specialization-constants-default-values-module"

// Names of the metadata that lists a module's constants.
const (
	constantsMD = "sycl.specialization-constants"
	defaultsMD  = "sycl.specialization-constants-default-values"
)

// writeMetadata records the constants in the module, like DPC++, for IR that is written without
// property sets.
func (l *lowering) writeMetadata() {
	var constants, defaults []int
	for _, c := range l.constants {
		text := "!" + quoted(c.name)
		for _, p := range l.records(c) {
			text += fmt.Sprintf(", i32 %d, i32 %d, i32 %d", int32(p.ID), p.Offset, p.Size)
		}
		constants = append(constants, l.module.AddNode(text))
		value := c.first.value
		defaults = append(defaults, l.module.AddNode(value.Type.String()+" "+value.Text))
		if c.gap > 0 {
			defaults = append(defaults, l.module.AddNode(fmt.Sprintf("[%d x i8] zeroinitializer", c.gap)))
		}
	}
	l.module.SetNamed(constantsMD, constants...)
	l.module.SetNamed(defaultsMD, defaults...)
}

// removeUnused removes symbols that are no longer used: the functions that read constants, the
// strings with names, and the variables with default values.
func (l *lowering) removeUnused() {
	var dead []llvmir.Symbol
	for _, f := range l.module.Functions() {
		if ReadsConstant(f.Name()) && !f.Defined() && len(l.module.SymbolUsers(f.Name())) == 0 {
			dead = append(dead, f)
		}
	}
	seen := map[string]bool{}
	for _, r := range l.reads {
		for _, name := range []string{r.nameVariable, r.idVariable} {
			g := l.module.Global(name)
			if g != nil && !seen[name] && g.Linkage().Local() && len(l.module.SymbolUsers(name)) == 0 {
				dead = append(dead, g)
			}
			seen[name] = true
		}
	}
	l.module.Delete(dead...)
}
