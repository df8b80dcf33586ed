package postlink

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// kernelPropertyCall is the function that kernels of the device header call with the name and the
// value of each property. It is not defined.
const kernelPropertyCall = "_Z27__sycl_lite_kernel_propertyPKcS0_"

// When device code that uses the device header accesses a device_global, the pointer to it has this
// annotation, whose arguments are the names and values of the variable's properties.
const (
	annotatePointer  = "llvm.ptr.annotation."
	annotateVariable = "sycl-device-global"
)

// lowerKernelProperties replaces the property calls of kernels with attributes.
func lowerKernelProperties(m *llvmir.Module) error {
	var errs []error
	for _, f := range callersOf(m, kernelPropertyCall) {
		for in := range f.Calls() {
			if name, _ := in.Callee(); name != kernelPropertyCall {
				continue
			}
			if err := lowerKernelProperty(m, f, in); err != nil {
				errs = append(errs, propertyError(f, in, err))
			}
			f.Replace(in, "")
		}
	}
	if f := m.Function(kernelPropertyCall); f != nil && !f.Defined() && len(m.SymbolUsers(kernelPropertyCall)) == 0 {
		m.Delete(f)
	}
	return errors.Join(errs...)
}

func lowerKernelProperty(m *llvmir.Module, f *llvmir.Function, in *llvmir.Instr) error {
	p, err := calledProperty(m, in)
	switch {
	case err != nil:
		return err
	case !f.Kernel():
		return fmt.Errorf("kernel property %q on a function that is not a kernel", p.name)
	}
	return setProperty(m, f, p)
}

// calledProperty returns the property whose name and value are the arguments of a call.
func calledProperty(m *llvmir.Module, in *llvmir.Instr) (property, error) {
	if in.NumOperands() != 2 {
		return property{}, fmt.Errorf("it does not request a property with a name and a value")
	}
	p, ok := readProperty(m, in.Operand(0), in.Operand(1))
	if !ok {
		return p, fmt.Errorf("property name and value must be string constants")
	}
	return p, nil
}

// callersOf returns the functions that refer to a function, directly or through an alias.
func callersOf(m *llvmir.Module, name string) []*llvmir.Function {
	var list []*llvmir.Function
	for _, e := range m.SymbolUsers(name) {
		switch e := e.(type) {
		case *llvmir.Function:
			list = append(list, e)
		case *llvmir.Alias:
			for _, user := range m.SymbolUsers(e.Name()) {
				if f, ok := user.(*llvmir.Function); ok {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// propertyError returns an input error with the location of an instruction.
func propertyError(f *llvmir.Function, in *llvmir.Instr, err error) error {
	place := ""
	if where, ok := in.DebugLoc(); ok && devicecode.HasLine(where) {
		place = where.String() + ": "
	}
	return &devicecode.MetadataError{Msg: fmt.Sprintf("%s'%s': %v", place, kernelname.Display(f.Name()), err)}
}

// lowerVariableProperties replaces annotations of pointers to variables with attributes of the
// variables. The pointer is the variable itself or, in unoptimized code, a parameter. In the latter
// case, lowerVariableProperties reads all functions that pass the pointer on.
func lowerVariableProperties(m *llvmir.Module, id string) error {
	annotating := annotatingFunctions(m)
	if len(annotating) == 0 {
		return nil
	}
	v := variableProperties{
		module: m, source: id, given: map[*llvmir.Function]map[int][]property{}, variables: map[string]bool{}, queue: slices.Clone(annotating),
	}
	for _, g := range m.Globals() {
		v.variables[g.Name()] = true
	}
	for len(v.queue) > 0 {
		f := v.queue[0]
		v.queue = v.queue[1:]
		v.read(f)
	}
	for _, f := range annotating {
		for in := range f.Calls() {
			if annotatesVariable(m, in) {
				f.Replace(in, plainPointer(in))
			}
		}
	}
	return errors.Join(v.errs...)
}

// plainPointer returns an instruction that only copies the annotated pointer.
func plainPointer(in *llvmir.Instr) string {
	result := ""
	for t := range llvmir.Tokens(in.Text()) {
		result = t.Text
		break
	}
	pointer := in.Operand(0)
	return fmt.Sprintf("%s = getelementptr i8, %s %s, i64 0", result, pointer.Type, pointer.Text)
}

// annotatingFunctions returns the functions that have an annotation of a variable.
func annotatingFunctions(m *llvmir.Module) []*llvmir.Function {
	var list []*llvmir.Function
	for _, f := range m.Functions() {
		if f.Defined() || !strings.HasPrefix(f.Name(), annotatePointer) {
			continue
		}
		for _, caller := range callersOf(m, f.Name()) {
			for in := range caller.Calls() {
				if annotatesVariable(m, in) {
					list = append(list, caller)
					break
				}
			}
		}
	}
	return list
}

// annotatesVariable reports whether an instruction is an annotation of a variable.
func annotatesVariable(m *llvmir.Module, in *llvmir.Instr) bool {
	name, _ := in.Callee()
	if !strings.HasPrefix(name, annotatePointer) || in.NumOperands() < 2 || in.Result() == "" {
		return false
	}
	text, _ := constantText(m, in.Operand(1))
	return text == annotateVariable
}

// variableProperties determines the variables to which properties apply.
type variableProperties struct {
	module    *llvmir.Module
	source    string
	variables map[string]bool
	given     map[*llvmir.Function]map[int][]property // properties of the variables that parameters of functions point to
	queue     []*llvmir.Function
	errs      []error
}

// maxPropertiesPerParameter limits the properties of a parameter. Only hostile code has more.
const maxPropertiesPerParameter = 64

// read assigns the properties in the calls of a function to variables and to its parameters.
func (v *variableProperties) read(f *llvmir.Function) {
	if !f.Defined() {
		return
	}
	p := newPointers(newWrites(v.module, v.variables), f, &written{variables: map[string]llvmir.Frame{}, params: map[int]bool{}})
	p.follow()
	for in := range f.Calls() {
		if err := v.call(p, in); err != nil {
			err = propertyError(f, in, err)
			// The function may be read several times.
			if !slices.ContainsFunc(v.errs, func(old error) bool { return old.Error() == err.Error() }) {
				v.errs = append(v.errs, err)
			}
		}
	}
}

func (v *variableProperties) call(p *pointers, in *llvmir.Instr) error {
	if annotatesVariable(v.module, in) {
		list, err := v.annotated(in)
		if err != nil {
			return err
		}
		return v.assign(p, in.Operand(0), list)
	}
	name, _ := in.Callee()
	f := functionOf(v.module, name)
	for _, i := range slices.Sorted(maps.Keys(v.given[f])) {
		if i >= in.NumOperands() {
			continue
		}
		if err := v.assign(p, in.Operand(i), v.given[f][i]); err != nil {
			return err
		}
	}
	return nil
}

// annotated returns the properties in the arguments of an annotation.
func (v *variableProperties) annotated(in *llvmir.Instr) ([]property, error) {
	if in.NumOperands() < 5 {
		return nil, fmt.Errorf("its annotation %q has no properties", annotateVariable)
	}
	list, err := argumentProperties(v.module, in.Operand(4))
	if err != nil {
		return nil, fmt.Errorf("its annotation %q: %w", annotateVariable, err)
	}
	return list, nil
}

// assign assigns properties to the variable or parameter that a pointer in a function refers to.
func (v *variableProperties) assign(p *pointers, pointer llvmir.Value, list []property) error {
	origins := p.origins(pointer)
	if len(origins) == 0 {
		return fmt.Errorf("device_global must be at namespace scope or a static data member")
	}
	for _, o := range origins {
		if o.variable == "" {
			v.giveParam(p.function, o.param-1, list)
			continue
		}
		if err := v.giveVariable(o.variable, list); err != nil {
			return fmt.Errorf("variable '%s': %w", variableName(o.variable), err)
		}
	}
	return nil
}

func (v *variableProperties) giveParam(f *llvmir.Function, param int, list []property) {
	if v.given[f] == nil {
		v.given[f] = map[int][]property{}
	}
	known := v.given[f][param]
	for _, p := range list {
		if !slices.Contains(known, p) && len(known) < maxPropertiesPerParameter {
			known = append(known, p)
		}
	}
	if len(known) == len(v.given[f][param]) {
		return
	}
	v.given[f][param] = known
	for _, caller := range callersOf(v.module, f.Name()) {
		if !slices.Contains(v.queue, caller) {
			v.queue = append(v.queue, caller)
		}
	}
}

func (v *variableProperties) giveVariable(name string, list []property) error {
	g := v.module.Global(name)
	if g == nil {
		return fmt.Errorf("it is not a variable")
	}
	if _, ok := g.Attribute(attrUniqueID); !ok {
		// Hosts find a variable by this name. Other sources may have a local variable with the same symbol.
		id := g.Name()
		if g.Linkage().Local() {
			id = v.source + "____" + id
		}
		g.SetAttribute(attrUniqueID, id)
	}
	for _, p := range list {
		if err := setProperty(v.module, g, p); err != nil {
			return err
		}
	}
	return nil
}
