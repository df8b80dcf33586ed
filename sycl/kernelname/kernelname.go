// Package kernelname converts the symbols of kernels and device functions to their names in the
// source.
//
// A SYCL kernel is named by a type: its symbol is the mangled name of the type's typeinfo name, so
// class VectorAdd becomes _ZTS9VectorAdd. The device header sycl_lite wraps the type of a kernel
// with required sizes in sycl_lite::kernel_with, which names omit. DPC++ likewise wraps the type of
// a kernel when it generates another kernel from it ([FormOf]). DPC++'s runtime finds a kernel of a
// SYCLBIN only if its symbol starts with [Prefix], which names omit.
package kernelname

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Prefix is the prefix of the symbols of kernels that the function ext_oneapi_get_kernel of DPC++'s
// runtime can find. The function adds the prefix to every name that lacks it.
const Prefix = "__sycl_kernel_"

// Base returns the symbol of a kernel without the prefix. The result is the same whether or not the
// kernel was built to be found in a SYCLBIN.
func Base(symbol string) string { return strings.TrimPrefix(symbol, Prefix) }

// compiled matches the prefix that DPC++'s runtime adds to the names of kernels that it compiles
// from source. A file that it writes lists the names with and without the prefix.
var compiled = regexp.MustCompile(`^rtc_[0-9]+\$`)

// WithoutAliases returns symbols without aliases. DPC++'s runtime writes rtc_0$K and K for the same
// kernel; WithoutAliases keeps K.
func WithoutAliases(symbols []string) []string {
	if !slices.ContainsFunc(symbols, compiled.MatchString) {
		return symbols
	}
	listed := make(map[string]bool, len(symbols))
	for _, s := range symbols {
		listed[Base(s)] = true
	}
	return slices.DeleteFunc(slices.Clone(symbols), func(s string) bool {
		at := compiled.FindStringIndex(s)
		return at != nil && listed[Base(s[at[1]:])]
	})
}

// maxMangled is the maximum length of names that are demangled. No compiler generates longer names,
// and demangled names can be much longer.
const maxMangled = 16 << 10

// sizes matches the text after the kernel's name in kernel_with.
var sizes = regexp.MustCompile(`(, \d+u){4}>$`)

// versioned matches the inline namespace with the version of DPC++'s headers, which sources omit.
var versioned = regexp.MustCompile(`\bsycl::_V\d+::`)

// freeFunction matches the prefix inside mangled names that DPC++ gives to free function kernels.
var freeFunction = regexp.MustCompile(`\b` + Prefix)

// Display returns the name of a kernel or function as in the source: "__sycl_kernel__ZTS9VectorAdd"
// and "_ZTS9VectorAdd" become VectorAdd, and "_Z19__sycl_kernel_scalePff" becomes scale(float*,
// float). A kernel that runs another over a rounded range has the name of the original ([FormOf]).
// For a reduction, the name also includes the part that distinguishes it from the others: "Sum
// (reduction, KernelOneWGTag)". A name that is not mangled is unchanged, except that the prefix and
// the runtime's prefix are removed.
func Display(symbol string) string {
	symbol = Base(symbol[len(compiled.FindString(symbol)):])
	tree := parse(symbol)
	if tree == nil {
		return symbol
	}
	switch m := parseGenerated(tree); {
	case m.original == nil:
	case m.kind == RoundedRange:
		tree = m.original
	case m.tag != "":
		name, _ := text(m.original)
		return name + " (reduction, " + m.tag + ")"
	}
	name, _ := text(tree)
	if of, ok := strings.CutPrefix(name, "sycl_lite::kernel_with<"); ok {
		if at := sizes.FindStringIndex(of); at != nil {
			return of[:at[0]]
		}
	}
	return name
}

// stable matches the prefix that DPC++ adds to the mangled name of a variable with internal linkage
// to make it unique among sources.
var stable = regexp.MustCompile(`^(?:uid[0-9a-f]*)?___(_Z.*)$`)

// Constant returns the name of a specialization constant as in the source, given its symbolic id:
// "_ZN3app5scaleE" and "uid0123456789abcdef____ZN3appL5scaleE" become app::scale.
func Constant(id string) string {
	if m := stable.FindStringSubmatch(id); m != nil {
		id = m[1]
	}
	return Display(id)
}

// parse parses a mangled name. The result omits the words "typeinfo name for". It is nil if the
// name is invalid.
func parse(symbol string) demangle.AST {
	if len(symbol) > maxMangled {
		return nil
	}
	tree, err := toAST(symbol)
	if err != nil {
		return nil
	}
	if strings.Contains(symbol, charLiteral) {
		spellNames(tree)
	}
	if s, ok := tree.(*demangle.Special); ok && s.Prefix == "typeinfo name for " {
		return s.Val
	}
	return tree
}

// text returns a parsed name as text, truncated to a readable length; whole reports whether it is
// complete.
func text(tree demangle.AST) (name string, whole bool) {
	name = demangle.ASTToString(tree, demangle.MaxLength(14)) // up to 1<<14 bytes
	whole = len(name) < 1<<14
	// Regular expressions are slow, and most names need no replacement.
	if strings.Contains(name, "#1") {
		name = locatedLambda.ReplaceAllStringFunc(name, lambdaLocation)
	}
	if strings.Contains(name, "sycl::_V") {
		name = versioned.ReplaceAllString(name, "sycl::")
	}
	if strings.Contains(name, Prefix) {
		name = freeFunction.ReplaceAllString(name, "")
	}
	return name, whole
}
