package postlink

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// The functions that device code of our header calls to say what has which property:
// the kernel that the call is in, and the variable that the first argument points to.
// Both have a name and a value as last arguments. Nothing defines them.
const (
	kernelPropertyCall   = "_Z27__sycl_lite_kernel_propertyPKcS0_"
	variablePropertyCall = "_Z29__sycl_lite_variable_propertyPKvPKcS2_"
)

// lowerKernelProperties gives kernels the attributes that they call for, and removes the
// calls.
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
	deleteUnused(m, kernelPropertyCall)
	return errors.Join(errs...)
}

func lowerKernelProperty(m *llvmir.Module, f *llvmir.Function, in *llvmir.Instr) error {
	p, err := calledProperty(m, in, 0)
	switch {
	case err != nil:
		return err
	case !f.Kernel():
		return fmt.Errorf("property %q is that of a kernel, and this is none", p.name)
	}
	return setProperty(m, f, p)
}

// calledProperty reads the name and the value that a call has as arguments.
func calledProperty(m *llvmir.Module, in *llvmir.Instr, first int) (property, error) {
	if in.NumOperands() != first+2 {
		return property{}, fmt.Errorf("it does not call for a property with a name and a value")
	}
	p, ok := readProperty(m, in.Operand(first), in.Operand(first+1))
	if !ok {
		return p, fmt.Errorf("it calls for a property whose name and value are no constant texts")
	}
	return p, nil
}

// callersOf returns the functions that name a function, themselves or by an alias.
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

// deleteUnused removes a declaration that nothing names anymore.
func deleteUnused(m *llvmir.Module, name string) {
	if f := m.Function(name); f != nil && !f.Defined() && len(m.SymbolUsers(name)) == 0 {
		m.Delete(f)
	}
}

// propertyError is an error of the input, with the place of an instruction.
func propertyError(f *llvmir.Function, in *llvmir.Instr, err error) error {
	place := ""
	if where, ok := in.DebugLoc(); ok && devicecode.Known(where) {
		place = where.String() + ": "
	}
	return &devicecode.MetadataError{Msg: fmt.Sprintf("%s'%s': %v", place, kernelname.Display(f.Name()), err)}
}

// lowerVariableProperties gives variables the attributes that their destructors call for,
// and removes the calls. Of a variable with a constructor for constants, only the code that
// registers its destructor says at any level of optimization which function that is:
//
//	call i32 @__cxa_atexit(ptr @destructor, ptr @variable, ptr @__dso_handle)
//
// From the calls on, all functions are read that pass the pointer on.
func lowerVariableProperties(m *llvmir.Module, id string) error {
	if m.Function(variablePropertyCall) == nil {
		return nil
	}
	v := variableProperties{
		module: m, source: id, given: map[*llvmir.Function]map[int][]property{}, variables: map[string]bool{},
	}
	for _, g := range m.Globals() {
		v.variables[g.Name()] = true
	}
	v.queue = callersOf(m, variablePropertyCall)
	calling := slices.Clone(v.queue)
	for len(v.queue) > 0 {
		f := v.queue[0]
		v.queue = v.queue[1:]
		v.read(f)
	}
	for _, f := range calling {
		for in := range f.Calls() {
			if name, _ := in.Callee(); name == variablePropertyCall {
				f.Replace(in, "")
			}
		}
	}
	deleteUnused(m, variablePropertyCall)
	return errors.Join(v.errs...)
}

// variableProperties finds the variables that properties are for.
type variableProperties struct {
	module    *llvmir.Module
	source    string
	variables map[string]bool
	given     map[*llvmir.Function]map[int][]property // what functions give to what a parameter points to
	queue     []*llvmir.Function
	errs      []error
}

// mostProperties bounds what is known of one parameter: more is hostile code.
const mostProperties = 64

// read gives variables, and parameters of the function, what its calls give them.
func (v *variableProperties) read(f *llvmir.Function) {
	if !f.Defined() {
		return
	}
	p := newPointers(newWrites(v.module, v.variables), f, &written{variables: map[string]llvmir.Frame{}, params: map[int]bool{}})
	p.follow()
	for in := range f.Calls() {
		if err := v.call(p, in); err != nil {
			v.fault(propertyError(f, in, err))
		}
	}
}

// fault notes an error once, however often the function is read.
func (v *variableProperties) fault(err error) {
	if !slices.ContainsFunc(v.errs, func(old error) bool { return old.Error() == err.Error() }) {
		v.errs = append(v.errs, err)
	}
}

func (v *variableProperties) call(p *pointers, in *llvmir.Instr) error {
	name, _ := in.Callee()
	if name == variablePropertyCall {
		called, err := calledProperty(v.module, in, 1)
		if err != nil {
			return err
		}
		return v.give(p, in.Operand(0), called)
	}
	f, first := functionOf(v.module, name), 0
	if name == "__cxa_atexit" && in.NumOperands() > 1 {
		destructor, _ := in.Operand(0).BaseGlobal()
		f, first = functionOf(v.module, destructor), 1
	}
	for _, i := range slices.Sorted(maps.Keys(v.given[f])) {
		if first+i >= in.NumOperands() {
			continue
		}
		for _, called := range v.given[f][i] {
			if err := v.give(p, in.Operand(first+i), called); err != nil {
				return err
			}
		}
	}
	return nil
}

// give gives a property to what a pointer of a function points to.
func (v *variableProperties) give(p *pointers, pointer llvmir.Value, called property) error {
	origins := p.origins(pointer)
	if len(origins) == 0 {
		return fmt.Errorf("it has a device_global of its own. Declare it at namespace scope, or as a static member of a class")
	}
	for _, o := range origins {
		if o.variable == "" {
			v.giveParam(p.function, o.param-1, called)
			continue
		}
		if err := v.giveVariable(o.variable, called); err != nil {
			return fmt.Errorf("variable '%s': %w", variableName(o.variable), err)
		}
	}
	return nil
}

func (v *variableProperties) giveParam(f *llvmir.Function, param int, called property) {
	if v.given[f] == nil {
		v.given[f] = map[int][]property{}
	}
	list := v.given[f][param]
	if slices.Contains(list, called) || len(list) == mostProperties {
		return
	}
	v.given[f][param] = append(list, called)
	for _, caller := range callersOf(v.module, f.Name()) {
		if !slices.Contains(v.queue, caller) {
			v.queue = append(v.queue, caller)
		}
	}
}

func (v *variableProperties) giveVariable(name string, p property) error {
	g := v.module.Global(name)
	if g == nil {
		return fmt.Errorf("it is no variable")
	}
	if _, ok := g.Attribute(attrUniqueID); !ok {
		g.SetAttribute(attrUniqueID, v.uniqueID(g))
	}
	return setProperty(v.module, g, p)
}

// uniqueID returns the name by which hosts know a variable: its symbol. One that only its
// source knows has the source's name before it, as another source may have its like.
func (v *variableProperties) uniqueID(g *llvmir.Global) string {
	if g.Linkage().Local() {
		return v.source + "____" + g.Name()
	}
	return g.Name()
}
