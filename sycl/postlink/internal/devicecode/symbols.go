package devicecode

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

const (
	decorationsMD          = "spirv.Decorations"
	parameterDecorationsMD = "spirv.ParameterDecorations"
)

// variable decorates a variable.
func (l *lowering) variable(g *llvmir.Global) error {
	l.renumber(g)
	attributes := propertiesOf(g.Attributes())
	list, err := l.decorate(attributes, func(name string) {
		where, _ := VariablePlace(l.m, g)
		l.unknown(name, "variable '"+kernelname.Display(g.Name())+"'", Place(where))
	})
	host, err2 := l.hostAccess(attributes)
	if err := errors.Join(err, err2); err != nil {
		return &MetadataError{Msg: fmt.Sprintf("variable %s: %v", g.Name(), err)}
	}
	if list = append(list, host...); len(list) > 0 && !g.HasMetadata(decorationsMD) {
		g.SetMetadata(decorationsMD, l.list(list))
	}
	return nil
}

// hostAccess returns the decorations of a device global or a pipe with its host access and name.
func (l *lowering) hostAccess(attributes []llvmir.Attribute) ([]string, error) {
	values := map[string]string{}
	for _, a := range attributes {
		values[a.Key] = a.Value
	}
	_, isGlobal := values[attrDeviceGlobalSize]
	if _, isPipe := values[attrHostPipe]; !isGlobal && !isPipe {
		return nil, nil
	}
	id, ok := values[attrUniqueID]
	if !ok {
		return nil, fmt.Errorf("there is no %q", attrUniqueID)
	}
	access := uint64(readAndWrite)
	if value, ok := values[attrHostAccess]; ok && isGlobal {
		var err error
		if access, err = unsigned(value, 32); err == nil && access >= uint64(len(hostAccess)) {
			err = fmt.Errorf("%q is not 0 (read), 1 (write), 2 (read and write) or 3 (none)", value)
		}
		if err != nil {
			return nil, propertyError(attrHostAccess, err)
		}
	}
	code, value := uint32(withdrawnHostAccess), uint32(access)
	if !l.options.DPCPP {
		code, value = decorationHostAccess, hostAccess[access]
	}
	return []string{fmt.Sprintf("i32 %d, i32 %d, !%s", code, value, MDString(id))}, nil
}

// renumber replaces the decorations of a withdrawn extension, which DPC++'s front end writes, in a
// variable's metadata.
func (l *lowering) renumber(g *llvmir.Global) {
	id, ok := g.Metadata(decorationsMD)
	if !ok || l.options.DPCPP {
		return
	}
	list := l.m.Node(id)
	if list == nil {
		return
	}
	changed := false
	var refs []string
	for _, o := range list.Operands() {
		ref := o.Text
		if n, ok := OperandNode(l.m, o); ok {
			if content, ok := renumbered(n.Operands()); ok {
				ref, changed = "!"+strconv.Itoa(l.node(content)), true
			}
		}
		refs = append(refs, ref)
	}
	if changed {
		g.SetMetadata(decorationsMD, l.node(strings.Join(refs, ", ")))
	}
}

// renumbered returns a decoration with a withdrawn number replaced, or false if its number is not withdrawn.
func renumbered(operands []llvmir.NodeOperand) (string, bool) {
	if len(operands) == 0 {
		return "", false
	}
	code, ok := operands[0].Int()
	if !ok {
		return "", false
	}
	words := make([]string, len(operands))
	for i, o := range operands {
		words[i] = o.Text
	}
	number := uint32(0)
	for _, p := range properties {
		if p.withdrawn != 0 && code == int64(p.withdrawn) {
			number = p.decoration
		}
	}
	if code == withdrawnHostAccess && len(operands) > 1 {
		if access, ok := operands[1].Int(); ok && access >= 0 && access < int64(len(hostAccess)) {
			number, words[1] = decorationHostAccess, integer(32, uint64(hostAccess[access]))
		}
	}
	words[0] = integer(32, uint64(number))
	return strings.Join(words, ", "), number != 0
}

// parameters decorates the parameters of a kernel.
func (l *lowering) parameters(f *llvmir.Function) error {
	var errs []error
	var all [][]string
	found := false
	for i, p := range f.Params() {
		attributes := propertiesOf(p.Attributes)
		if j := slices.IndexFunc(attributes, func(a llvmir.Attribute) bool { return a.Key == attrAlignment }); j >= 0 {
			errs = append(errs, l.alignParameter(f, i, attributes[j].Value))
			attributes = slices.Delete(attributes, j, j+1)
		}
		list, err := l.decorate(attributes, func(name string) {
			where := f.DebugLoc()
			l.unknown(name, fmt.Sprintf("parameter %d of '%s'", i+1, BriefName(f.Name())), Place(where))
		})
		if err != nil {
			errs = append(errs, &MetadataError{Function: f.Name(), Msg: fmt.Sprintf("parameter %d: %v", i+1, err)})
		}
		found = found || len(list) > 0
		all = append(all, list)
	}
	if err := errors.Join(errs...); err != nil || !found || f.HasMetadata(parameterDecorationsMD) {
		return err
	}
	nodes := make([]string, len(all))
	for i, list := range all {
		nodes[i] = "!" + strconv.Itoa(l.list(list))
	}
	f.SetMetadata(parameterDecorationsMD, l.node(strings.Join(nodes, ", ")))
	return nil
}

// alignParameter sets the alignment of a parameter to the value of its property.
func (l *lowering) alignParameter(f *llvmir.Function, i int, value string) error {
	n, err := alignment(value)
	if err != nil {
		return &MetadataError{Function: f.Name(), Msg: fmt.Sprintf("parameter %d: %v", i+1, propertyError(attrAlignment, err))}
	}
	f.RemoveParamAttribute(i, attrAlignment)
	f.SetParamAlignment(i, n)
	return nil
}

// kernelDecorations decorates a kernel.
func (l *lowering) kernelDecorations(f *llvmir.Function, attributes []llvmir.Attribute) error {
	list, err := l.decorate(attributes, func(name string) {
		where := f.DebugLoc()
		l.unknown(name, "kernel '"+BriefName(f.Name())+"'", Place(where))
	})
	if err != nil {
		return &MetadataError{Function: f.Name(), Msg: err.Error()}
	}
	if len(list) > 0 && !f.HasMetadata(decorationsMD) {
		f.SetMetadata(decorationsMD, l.list(list))
	}
	return nil
}

// propertiesOf returns the attributes that are properties, sorted as in DPC++.
func propertiesOf(attributes []llvmir.Attribute) []llvmir.Attribute {
	var list []llvmir.Attribute
	for _, a := range attributes {
		if a.Quoted && strings.HasPrefix(a.Key, "sycl-") {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b llvmir.Attribute) int { return strings.Compare(a.Key, b.Key) })
	return list
}

// decorate returns the decorations for properties. It calls unknown for properties that no pass
// handles.
func (l *lowering) decorate(attributes []llvmir.Attribute, unknown func(name string)) ([]string, error) {
	var all []string
	var errs []error
	for _, a := range attributes {
		var list []string
		var err error
		p, ok := properties[a.Key]
		switch {
		case ok:
			list, err = l.decorations(p, a.Value)
		case a.Key == attrPipelined:
			list, err = pipelined(a.Value)
		case !isKnown(a.Key):
			unknown(a.Key)
		}
		if err != nil {
			errs = append(errs, propertyError(a.Key, err))
		}
		all = append(all, list...)
	}
	return all, errors.Join(errs...)
}

// pipelined returns the decorations that pipeline work-items through a kernel. The value is the
// distance between work-items in clock cycles. If it is negative, the compiler chooses; 0 disables
// pipelining.
func pipelined(value string) ([]string, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is not a 32-bit number", value)
	case n == 0:
		return []string{fmt.Sprintf("i32 %d, i32 0", decorationPipelineEnable)}, nil
	}
	list := []string{fmt.Sprintf("i32 %d, i32 1", decorationPipelineEnable)}
	if n > 0 {
		list = append(list, fmt.Sprintf("i32 %d, i32 %d", decorationInitiationInterval, n))
	}
	return list, nil
}

// list returns the number of a node that refers to nodes with the given contents.
func (l *lowering) list(contents []string) int {
	refs := make([]string, len(contents))
	for i, content := range contents {
		refs[i] = "!" + strconv.Itoa(l.node(content))
	}
	return l.node(strings.Join(refs, ", "))
}

// isKnown reports whether any pass, the runtime or a front end handles a property.
func isKnown(name string) bool {
	switch name {
	case attrHostAccess, attrPipelined, attrDeviceGlobalSize, attrHostPipe, attrUniqueID, attrFloatingPoint:
		return true
	}
	_, decorates := properties[name]
	return decorates || handledElsewhere[name] || slices.ContainsFunc(kernelProperties, func(p kernelProperty) bool { return p.name == name })
}

// unknown warns about an unknown property.
func (l *lowering) unknown(name, owner string, where srcloc.Location) {
	l.warn(name, fmt.Sprintf("unknown property '%s' of %s has no effect", name, owner), where)
}

// warn warns about a property, once per name.
func (l *lowering) warn(name, text string, where srcloc.Location) {
	if l.reported[name] {
		return
	}
	l.reported[name] = true
	d := Diagnostic{Location: where, Text: text}
	if where.IsZero() {
		d.Notes = []string{CompileWithDebug}
	}
	l.diagnostics = append(l.diagnostics, d)
}

// propertyError returns an error about a property.
func propertyError(name string, err error) error { return fmt.Errorf("property %q: %w", name, err) }
