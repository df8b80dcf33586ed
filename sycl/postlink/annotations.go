package postlink

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// annotationsGlobal is the variable that lists the [[clang::annotate]] annotations of functions and
// variables.
const annotationsGlobal = "llvm.global.annotations"

// Annotations that the device header uses for attributes that stock clang lacks.
const (
	annotateExternal   = "sycl-external"   // SYCL_EXTERNAL
	annotateDeviceHas  = "sycl-device-has" // [[sycl::device_has(...)]], with names of aspects after a colon
	annotateProperties = "sycl-properties" // with names and values of attributes as arguments
)

// lowerAnnotations replaces the annotations with which the device header marks functions and
// variables by the attributes and metadata that DPC++'s front end would have generated:
//
//   - "sycl-external" makes a function SYCL_EXTERNAL, in the source named by id
//   - "sycl-device-has:fp64,fp16" declares aspects
//   - "sycl-properties" with pairs of a name and a value as arguments adds attributes to a
//     function or a variable. Values are strings, integers or null
//
// It keeps other annotations, and annotations of pointers.
func lowerAnnotations(m *llvmir.Module, id string) error {
	var errs []error
	filterElements(m, annotationsGlobal, func(e llvmir.Value) bool {
		a := readAnnotation(m, e)
		ours, err := a.lower(id)
		if err != nil {
			errs = append(errs, err)
		}
		return !ours
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := lowerKernelProperties(m); err != nil {
		return err
	}
	return lowerVariableProperties(m, id)
}

// An annotation is an element of llvm.global.annotations.
type annotation struct {
	module    *llvmir.Module
	of        llvmir.Symbol // nil if it is unknown
	text      string
	file      string
	line      int64
	arguments llvmir.Value
}

// readAnnotation reads an element of the list: the annotated value, the text, the file, the line,
// and the arguments.
func readAnnotation(m *llvmir.Module, e llvmir.Value) annotation {
	a := annotation{module: m}
	fields := e.Elements()
	if len(fields) < 2 {
		return a
	}
	name, _ := fields[0].BaseGlobal()
	a.of = m.Symbol(name)
	a.text, _ = constantText(m, fields[1])
	if len(fields) > 3 {
		a.file, _ = constantText(m, fields[2])
		a.line, _ = fields[3].Int()
	}
	if len(fields) > 4 {
		a.arguments = fields[4]
	}
	return a
}

// constantText returns the text that a value points to.
func constantText(m *llvmir.Module, v llvmir.Value) (string, bool) {
	name, _ := v.BaseGlobal()
	g := m.Global(name)
	if g == nil {
		return "", false
	}
	value, ok := g.InitializerValue()
	if !ok {
		return "", false
	}
	content, ok := value.Bytes()
	text, _, _ := strings.Cut(string(content), "\x00")
	return text, ok
}

// errorf returns an error about the annotation, with its location.
func (a annotation) errorf(format string, arguments ...any) error {
	place := ""
	if a.file != "" {
		place = fmt.Sprintf("%s:%d: ", safetext.Escape(a.file), a.line)
	}
	return &devicecode.MetadataError{Msg: fmt.Sprintf("%sannotation %q of '%s': %s", place, a.text, displayName(a.of), fmt.Sprintf(format, arguments...))}
}

// lower applies the annotation to the annotated value. It reports whether the annotation comes from
// the device header.
func (a annotation) lower(id string) (bool, error) {
	f, _ := a.of.(*llvmir.Function)
	key, argument, _ := strings.Cut(a.text, ":")
	switch {
	case f != nil && key == annotateExternal && argument == "":
		if _, ok := f.Attribute(devicecode.AttrModuleID); !ok && f.Defined() {
			f.SetAttribute(devicecode.AttrModuleID, id)
		}
	case f != nil && key == annotateDeviceHas:
		if f.Defined() { // a declaration repeats the annotations of the definition
			return true, declareAspects(a.module, f, argument)
		}
	case a.of != nil && a.text == annotateProperties:
		return true, a.lowerProperties()
	default:
		return false, nil
	}
	return true, nil
}

// lowerProperties adds to the annotated value the attributes that the arguments specify.
func (a annotation) lowerProperties() error {
	list, err := argumentProperties(a.module, a.arguments)
	if err != nil {
		return a.errorf("%v", err)
	}
	for _, p := range list {
		if f, ok := a.of.(*llvmir.Function); ok && !f.Kernel() && slices.Contains(kernelOnly, p.name) {
			return a.errorf("%q is a kernel property, but clang drops annotations of kernels; pass it to parallel_for in a property list", p.name)
		}
		if err := setProperty(a.module, a.of, p); err != nil {
			return a.errorf("%v", err)
		}
	}
	return nil
}

// argumentProperties returns the properties in the arguments of an annotation, which are a constant
// with pairs of a name and a value.
func argumentProperties(m *llvmir.Module, arguments llvmir.Value) ([]property, error) {
	name, _ := arguments.BaseGlobal()
	g := m.Global(name)
	if g == nil {
		return nil, errors.New("missing property names and values")
	}
	value, _ := g.InitializerValue()
	fields := value.Elements()
	if len(fields) == 0 || len(fields)%2 != 0 {
		return nil, errors.New("its arguments are not pairs of a name and a value")
	}
	var list []property
	for i := 0; i < len(fields); i += 2 {
		p, ok := readProperty(m, fields[i], fields[i+1])
		if !ok {
			return nil, fmt.Errorf("arguments %d and %d are not the name and the value of a property", i+1, i+2)
		}
		list = append(list, p)
	}
	return list, nil
}

// kernelOnly lists the properties that are meaningless for a function that a kernel calls, such as
// the call operator of the kernel's function object. Clang omits annotations of a kernel's entry
// point, and after the operator was inlined, nothing identifies its kernel.
var kernelOnly = []string{
	"sycl-floating-point-control", attrGRFSize, "sycl-max-linear-work-group-size", "sycl-max-work-group-size",
	"sycl-sub-group-size", "sycl-work-group-size", "sycl-work-group-size-hint",
}

// A property is a name and a value that become an attribute of a function or a variable.
type property struct{ name, value string }

// readProperty returns the property in two constants: a string, and a string, an integer or null.
func readProperty(m *llvmir.Module, name, value llvmir.Value) (property, bool) {
	var p property
	var ok bool
	if p.name, ok = constantText(m, name); !ok || p.name == "" {
		return p, false
	}
	if p.value, ok = constantText(m, value); ok {
		return p, true
	}
	if n, isInt := value.Int(); isInt && value.Text != "null" {
		p.value = strconv.FormatInt(n, 10)
		return p, true
	}
	return p, value.Text == "null"
}

// setProperty adds an attribute to a function or a variable. The property device_has declares
// aspects.
func setProperty(m *llvmir.Module, s llvmir.Symbol, p property) error {
	switch s := s.(type) {
	case *llvmir.Function:
		if p.name == annotateDeviceHas {
			return declareAspects(m, s, p.value)
		}
		return setAttribute(s, p)
	case *llvmir.Global:
		return setAttribute(s, p)
	}
	return fmt.Errorf("only functions and variables can have properties")
}

func setAttribute(s interface {
	Attribute(key string) (string, bool)
	SetAttribute(key, value string)
}, p property) error {
	if old, ok := s.Attribute(p.name); ok && old != p.value {
		return fmt.Errorf("property %q has two values, %q and %q", p.name, old, p.value)
	}
	s.SetAttribute(p.name, p.value)
	return nil
}

// displayName returns the demangled name of a function or a variable.
func displayName(s llvmir.Symbol) string {
	switch s := s.(type) {
	case *llvmir.Function:
		return kernelname.Display(s.Name())
	case llvmir.Symbol:
		return variableName(s.Name())
	}
	return ""
}

// declareAspects adds aspects to the aspects that a function declares.
func declareAspects(m *llvmir.Module, f *llvmir.Function, names string) error {
	declared := []int32{}
	if id, ok := f.Metadata(devicecode.DeclaredAspectsMD); ok {
		declared, _ = devicecode.AspectNumbers(m, id)
	}
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue // device_has() declares that the function needs no aspect
		}
		a, err := aspect.Parse(name)
		if err != nil {
			return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("device_has of '%s': %v", kernelname.Display(f.Name()), err)}
		}
		declared = append(declared, int32(a))
	}
	slices.Sort(declared)
	var nodes []string
	for _, a := range slices.Compact(declared) {
		nodes = append(nodes, "i32 "+strconv.Itoa(int(a)))
	}
	f.SetMetadata(devicecode.DeclaredAspectsMD, m.AddNode(strings.Join(nodes, ", ")))
	return nil
}
