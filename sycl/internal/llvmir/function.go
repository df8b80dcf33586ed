package llvmir

import (
	"slices"
	"strconv"
)

// A Function is a function definition or declaration.
type Function struct {
	symbol
	defined, kernel bool
	bodySrc         uint32
	body            span   // braces included
	running         int    // number of active iterations over the body
	edits           []edit // of the body, in its order
}

// Defined reports whether the function has a body.
func (f *Function) Defined() bool { return f.defined }

// Kernel reports whether the function has a kernel calling convention.
func (f *Function) Kernel() bool { return f.kernel }

// CallingConvention returns the calling convention, or "" for C.
func (f *Function) CallingConvention() string { h := f.header(); return h.convention.in(h.text) }

// Result returns the type of the function's result.
func (f *Function) Result() *Type { h := f.header(); return f.m.typeAt(h.typ.in(h.text)) }

// ValueType returns the function type.
func (f *Function) ValueType() *Type {
	t := Type{kind: Func, elem: f.Result(), varArg: f.header().varArg}
	for _, p := range f.Params() {
		t.fields = append(t.fields, p.Type)
	}
	if t.elem == nil || slices.Contains(t.fields, nil) {
		return nil
	}
	return f.m.intern(t)
}

// A Param is a parameter of a function.
type Param struct {
	Type       *Type
	Name       string // "" if it has none
	Attributes []Attribute
	Text       string
}

// Attribute returns the attribute with a key, and whether there is one.
func (p Param) Attribute(key string) (Attribute, bool) { return findAttribute(p.Attributes, key) }

// Params returns the parameters.
func (f *Function) Params() []Param {
	h := f.header()
	list := make([]Param, len(h.params))
	for i, p := range h.params {
		list[i] = Param{Type: f.m.typeAt(p.typ.in(h.text)), Attributes: f.m.attributes(h.text, p.attributes), Text: p.all.in(h.text)}
		if p.name.ok() {
			list[i].Name = plainName(h.text[p.name.start+1 : p.name.end])
		}
	}
	return list
}

// SetParamAttribute adds a string attribute to a parameter, replacing any with the same key.
func (f *Function) SetParamAttribute(i int, key, value string) {
	f.RemoveParamAttribute(i, key)
	at := f.header().params[i].typ.end
	f.splice(span{at, at}, " "+stringAttribute(key, value))
}

// RemoveParamAttribute removes a parameter's attributes with a key.
func (f *Function) RemoveParamAttribute(i int, key string) {
	for {
		h := f.header()
		attributes := h.params[i].attributes
		at := slices.IndexFunc(attributes, func(a span) bool { return attributeOf(a.in(h.text)).Key == key })
		if at < 0 {
			return
		}
		f.cut(attributes[at])
	}
}

// SetParamAlignment sets the alignment of a parameter.
func (f *Function) SetParamAlignment(i int, n uint64) {
	f.RemoveParamAttribute(i, "align")
	at := f.header().params[i].typ.end
	f.splice(span{at, at}, " align "+strconv.FormatUint(n, 10))
}

// Internalize changes the function's linkage to internal.
func (f *Function) Internalize() { f.SetLinkage(Internal) }
