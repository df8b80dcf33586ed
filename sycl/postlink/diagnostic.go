package postlink

import (
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

// A Severity says how bad the matter of a diagnostic is.
type Severity uint8

// The severities.
const (
	Warning Severity = iota
	Error
)

func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// A Diagnostic tells the author of device code about a mistake in it.
type Diagnostic struct {
	Severity Severity
	Location llvmir.Location // zero when the code has no debug information
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
	if known(d.Location) {
		b.WriteString(d.Location.String() + ": ")
	}
	b.WriteString(d.Severity.String() + ": " + d.Text)
	for _, note := range d.Notes {
		b.WriteString("\n" + note)
	}
	return b.String()
}

// compileWithDebug is the last note of a diagnostic that has no location.
const compileWithDebug = "compile with '-g' to get source location"

func known(l llvmir.Location) bool { return l.File != "" && l.Line > 0 }

// briefName returns a function's name as people write it, without parameters.
func briefName(symbol string) string {
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
// parameters when they are known. A function of C has no mangled name to tell.
func chainName(f *llvmir.Function) string {
	s := kernelname.Display(f.Name())
	if s == f.Name() && !f.Kernel() {
		s += "()"
	}
	return s
}

// maxChain is how many functions of a call chain are shown.
const maxChain = 32

// A chain is the way from a function to another one by calls.
type chain struct {
	lines []string
}

func (c *chain) add(name string, call llvmir.Location) {
	if known(call) {
		name += " " + call.String()
	}
	c.lines = append(c.lines, "  "+name)
}

// addCall adds a function, nil when it is something else, that the last one of the
// chain calls at a place.
func (c *chain) addCall(f *llvmir.Function, call llvmir.Location) {
	c.addInlined(call)
	if f != nil {
		c.add(chainName(f), call)
	}
}

// cut reports whether the chain is long enough; then it ends with its last function.
func (c *chain) cut(last *llvmir.Function) bool {
	if len(c.lines) < maxChain {
		return false
	}
	c.lines = append(c.lines, "  ...")
	c.add(chainName(last), llvmir.Location{})
	return true
}

// addInlined adds the functions that the compiler has inlined between the last
// function of the chain and l.
func (c *chain) addInlined(l llvmir.Location) {
	var inlined []llvmir.Location
	for ; l.InlinedAt != nil && len(inlined) < maxChain; l = *l.InlinedAt {
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

// notes returns the notes of a diagnostic about a use at the end of the chain.
func (c *chain) notes(use llvmir.Location) []string {
	notes := append([]string{"use is from this call chain:"}, c.lines...)
	if !known(use) {
		notes = append(notes, compileWithDebug)
	}
	return notes
}

// callSites are places where functions name symbols.
type callSites map[callSite]llvmir.Location

type callSite struct {
	caller *llvmir.Function
	symbol string
}

// find returns the first place with a location, the zero Location when there is none.
func (s *callSites) find(caller *llvmir.Function, symbol string) llvmir.Location {
	key := callSite{caller, symbol}
	if where, ok := (*s)[key]; ok {
		return where
	}
	var where llvmir.Location
	for in := range caller.Body() {
		at, ok := in.DebugLoc()
		if !ok || !known(at) {
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
		*s = callSites{}
	}
	(*s)[key] = where
	return where
}
