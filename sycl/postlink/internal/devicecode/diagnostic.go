// Package devicecode holds the code shared by passes over device code: names and readers of
// attributes and metadata, diagnostics, and compile-time properties.
package devicecode

import (
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Diagnostic is an error or a warning about device code.
type Diagnostic struct {
	IsError  bool            // otherwise, it is a warning
	Location srcloc.Location // with the path as written by the compiler; zero if the code has no debug information
	Text     string          // one line
	Notes    []string        // lines that follow
}

// String returns the diagnostic in the format of compilers, without a trailing newline:
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

// HasLine reports whether a location has a line.
func HasLine(l llvmir.Frame) bool { return l.Path != "" && l.Line > 0 }

// Place returns l as a srcloc.Location, or the zero Location if l has no line.
func Place(l llvmir.Frame) srcloc.Location {
	if !HasLine(l) {
		return srcloc.Location{}
	}
	return l.Location
}

// VariablePlace returns the location of a variable's definition according to debug information.
func VariablePlace(m *llvmir.Module, g *llvmir.Global) (llvmir.Frame, bool) {
	id, _ := g.Metadata("dbg")
	expression := m.Node(id)
	if expression == nil {
		return llvmir.Frame{}, false
	}
	o := expression.Field("var")
	variable, ok := o.NodeID()
	if !ok {
		return llvmir.Frame{}, false
	}
	where, _ := m.Location(variable)
	return where, HasLine(where)
}

// BriefName returns a function's demangled name without parameters.
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

// chainName returns a function's name for a call chain. It includes the parameters unless they are
// unknown, because the name of a C function is not mangled.
func chainName(f *llvmir.Function) string {
	s := kernelname.Display(f.Name())
	if s == f.Name() && !f.Kernel() {
		s += "()"
	}
	return s
}

// MaxChain limits the number of functions shown in a call chain.
const MaxChain = 32

// A Chain is a chain of calls from one function to another.
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
	if HasLine(call) {
		name += " " + call.String()
	}
	c.lines = append(c.lines, "  "+name)
}

// AddCall adds f, which the last function of the chain calls at the given location. f is nil if the
// callee is not a function.
func (c *Chain) AddCall(f *llvmir.Function, call llvmir.Frame) {
	c.AddInlined(call)
	if f != nil {
		c.add(chainName(f), call)
	}
}

// Cut reports whether the chain has reached its maximum length. If so, it ends the chain with last.
func (c *Chain) Cut(last *llvmir.Function) bool {
	if len(c.lines) < MaxChain {
		return false
	}
	c.lines = append(c.lines, "  ...")
	c.add(chainName(last), llvmir.Frame{})
	return true
}

// AddInlined adds the functions that the compiler has inlined between the last function of the
// chain and l.
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
	if !HasLine(use) {
		notes = append(notes, CompileWithDebug)
	}
	return notes
}

// CallSites holds the locations where functions refer to symbols.
type CallSites map[callSite]llvmir.Frame

type callSite struct {
	caller *llvmir.Function
	symbol string
}

// Find returns the first known location, or the zero Location.
func (s *CallSites) Find(caller *llvmir.Function, symbol string) llvmir.Frame {
	key := callSite{caller, symbol}
	if where, ok := (*s)[key]; ok {
		return where
	}
	var where llvmir.Frame
	for in := range caller.Body() {
		at, ok := in.DebugLoc()
		if !ok || !HasLine(at) {
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
