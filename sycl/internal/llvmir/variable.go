package llvmir

// A Global is a global variable.
type Global struct{ symbol }

// Defined reports whether the variable has an initial value.
func (g *Global) Defined() bool { return !g.header().declared() }

// Constant reports whether the variable cannot be written.
func (g *Global) Constant() bool { return g.header().word(fieldKeyword) == "constant" }

// ValueType returns the type of the variable's content.
func (g *Global) ValueType() *Type { h := g.header(); return g.m.typeAt(h.typ.in(h.text)) }

// Initializer returns the text of the initial value without its type, or "" for a declaration.
func (g *Global) Initializer() string { h := g.header(); return h.initializer.in(h.text) }

// InitializerValue returns the initial value.
func (g *Global) InitializerValue() (Value, bool) {
	return Value{g.ValueType(), g.Initializer(), g.m}, g.Defined()
}

// SetDefinition replaces the type and the initial value, as in SetDefinition("i32", "5").
func (g *Global) SetDefinition(typ, initializer string) {
	h := g.header()
	if h.declared() {
		g.splice(h.typ, typ+" "+initializer)
		g.removeWord(fieldLinkage)
		return
	}
	g.splice(span{h.typ.start, h.initializer.end}, typ+" "+initializer)
}

// An Alias is an alias or an ifunc.
type Alias struct{ symbol }

// Defined returns true.
func (a *Alias) Defined() bool { return true }

// ValueType returns the type of the aliasee.
func (a *Alias) ValueType() *Type { h := a.header(); return a.m.typeAt(h.typ.in(h.text)) }

// Aliasee returns the text of the aliasee, with its type if the text contains it.
func (a *Alias) Aliasee() string { h := a.header(); return h.initializer.in(h.text) }
