// Package devicecode has what the passes over device code share: the names of its
// attributes and metadata, readers of them, diagnostics, and compile-time properties.
package devicecode

import (
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Diagnostic is a mistake in device code.
type Diagnostic struct {
	IsError  bool            // otherwise it is a warning
	Location srcloc.Location // as the compiler wrote the path; zero when the code has no debug information
	Text     string          // one line
	Notes    []string        // lines that follow
}

// String returns the diagnostic as compilers write it, without a newline at the
// end:
//
//	hw.cpp:27:4: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has'
//	use is from this call chain:
//	  foo()
//	  bar() hw.cpp:15:3
func (d Diagnostic) String() string {
	var b strings.Builder
	if !d.Location.IsZero() {
		b.WriteString(d.Location.String() + ": ")
	}
	if d.IsError {
		b.WriteString("error: ")
	} else {
		b.WriteString("warning: ")
	}
	b.WriteString(d.Text)
	for _, note := range d.Notes {
		b.WriteString("\n" + note)
	}
	return b.String()
}

// CompileWithDebug is the last note of a diagnostic that has no location.
const CompileWithDebug = "compile with '-g' to get source location"

// Known reports whether a location names a line.
func Known(l llvmir.Frame) bool { return l.Path != "" && l.Line > 0 }

// Place returns a location that names a line, the zero Location for others.
func Place(l llvmir.Frame) srcloc.Location {
	if !Known(l) {
		return srcloc.Location{}
	}
	return l.Location
}

// VariablePlace returns where debug information says that a variable is defined.
func VariablePlace(m *llvmir.Module, g *llvmir.Global) (llvmir.Frame, bool) {
	id, _ := g.Metadata("dbg")
	expression := m.Node(id)
	if expression == nil {
		return llvmir.Frame{}, false
	}
	o, _ := expression.Field("var")
	variable, ok := o.NodeID()
	if !ok {
		return llvmir.Frame{}, false
	}
	where, _ := m.Location(variable)
	return where, Known(where)
}

// BriefName returns a function's name as people write it, without parameters.
func BriefName(symbol string) string {
	full := kernelname.Display(symbol)
	if full == symbol || strings.HasPrefix(symbol, "_ZTS") {
		return full
	}
	if s, err := demangle.ToString(symbol, demangle.NoParams, demangle.MaxLength(14)); err == nil {
		return s
	}
	return full
}

// chainName returns a function's name as it stands in a call chain: with its
// parameters when they are known. A function of C has no mangled name with parameters.
func chainName(f *llvmir.Function) string {
	s := kernelname.Display(f.Name())
	if s == f.Name() && !f.Kernel() {
		s += "()"
	}
	return s
}

// MaxChain is how many functions of a call chain are shown.
const MaxChain = 32

// A Chain is the way from a function to another one by calls.
type Chain struct {
	lines []string
}

// NewChain returns a chain that starts at a function.
func NewChain(f *llvmir.Function) *Chain {
	c := &Chain{}
	c.add(chainName(f), llvmir.Frame{})
	return c
}

func (c *Chain) add(name string, call llvmir.Frame) {
	if Known(call) {
		name += " " + call.String()
	}
	c.lines = append(c.lines, "  "+name)
}

// AddCall adds a function, nil when it is something else, that the last one of the
// chain calls at a place.
func (c *Chain) AddCall(f *llvmir.Function, call llvmir.Frame) {
	c.AddInlined(call)
	if f != nil {
		c.add(chainName(f), call)
	}
}

// Cut reports whether the chain is long enough; then it ends with its last function.
func (c *Chain) Cut(last *llvmir.Function) bool {
	if len(c.lines) < MaxChain {
		return false
	}
	c.lines = append(c.lines, "  ...")
	c.add(chainName(last), llvmir.Frame{})
	return true
}

// AddInlined adds the functions that the compiler has inlined between the last
// function of the chain and l.
func (c *Chain) AddInlined(l llvmir.Frame) {
	var inlined []llvmir.Frame
	for ; l.InlinedAt != nil && len(inlined) < MaxChain; l = *l.InlinedAt {
		inlined = append(inlined, l)
	}
	for i := len(inlined) - 1; i >= 0; i-- {
		name := inlined[i].Function
		if linkage := inlined[i].LinkageName; linkage != "" {
			name = kernelname.Display(linkage)
		}
		if !strings.Contains(name, "(") {
			name += "()"
		}
		c.add(name, *inlined[i].InlinedAt)
	}
}

// Notes returns the notes of a diagnostic about a use at the end of the chain.
func (c *Chain) Notes(use llvmir.Frame) []string {
	notes := append([]string{"use is from this call chain:"}, c.lines...)
	if !Known(use) {
		notes = append(notes, CompileWithDebug)
	}
	return notes
}

// CallSites are places where functions name symbols.
type CallSites map[callSite]llvmir.Frame

type callSite struct {
	caller *llvmir.Function
	symbol string
}

// Find returns the first place with a location, the zero Location when there is none.
func (s *CallSites) Find(caller *llvmir.Function, symbol string) llvmir.Frame {
	key := callSite{caller, symbol}
	if where, ok := (*s)[key]; ok {
		return where
	}
	var where llvmir.Frame
	for in := range caller.Body() {
		at, ok := in.DebugLoc()
		if !ok || !Known(at) {
			continue
		}
		named := false
		for name := range in.Globals() {
			named = named || name == symbol
		}
		if named {
			where = at
			break
		}
	}
	if *s == nil {
		*s = CallSites{}
	}
	(*s)[key] = where
	return where
}
