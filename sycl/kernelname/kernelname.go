// Package kernelname turns the symbols of kernels and device functions into the
// names that people gave them.
//
// A SYCL kernel is named by a type: its symbol is the mangled name of that type's
// type information, so that class VectorAdd becomes _ZTS9VectorAdd. The device
// header sycl_lite wraps the type of a kernel with required sizes into
// sycl_lite::kernel_with, which the author never wrote, as DPC++ does with the type of
// a kernel that it makes of another ([Rounded]). And DPC++'s runtime finds a
// kernel of a SYCLBIN only when its symbol starts with [Prefix], which people never
// see.
package kernelname

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Prefix is how the symbols of kernels start that the function ext_oneapi_get_kernel
// of DPC++'s runtime can find: it puts the prefix before every name that lacks it.
const Prefix = "__sycl_kernel_"

// Base returns the symbol of a kernel without the prefix: the same for a kernel
// whether or not it was built to be found in a SYCLBIN.
func Base(symbol string) string { return strings.TrimPrefix(symbol, Prefix) }

// compiled matches what DPC++'s runtime puts before the names of kernels whose source
// it has compiled itself. A file that it writes lists them with and without it.
var compiled = regexp.MustCompile(`^rtc_[0-9]+\$`)

// Distinct returns the symbols without those that only name another one again: of
// rtc_0$K and K, which DPC++'s runtime writes for one kernel, K stays.
func Distinct(symbols []string) []string {
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

// maxMangled bounds the names that are demangled: longer ones come from no
// compiler, and names can grow a lot.
const maxMangled = 16 << 10

// sizes matches what follows the kernel's own name in kernel_with.
var sizes = regexp.MustCompile(`(, \d+u){4}>$`)

// versioned matches where a name says which version of DPC++'s headers it is of: in
// an inline namespace, which people do not write.
var versioned = regexp.MustCompile(`\bsycl::_V\d+::`)

// freeFunction matches the prefix inside of the mangled names that DPC++ gives to
// kernels that are functions.
var freeFunction = regexp.MustCompile(`\b` + Prefix)

// Display returns the name of a kernel or function as people write it:
// "__sycl_kernel__ZTS9VectorAdd" and "_ZTS9VectorAdd" are VectorAdd, and
// "_Z19__sycl_kernel_scalePff" is scale(float*, float). A kernel that [Rounded] says was
// made of another has the name of that one. A name that is not mangled stays as it is but
// for the prefix and what the runtime puts before it.
func Display(symbol string) string {
	symbol = Base(symbol[len(compiled.FindString(symbol)):])
	tree := parse(symbol)
	if tree == nil {
		return symbol
	}
	if of := rounded(tree); of != nil {
		tree = of
	}
	if name, ok := reduction(tree); ok {
		return name
	}
	name, _ := text(tree)
	if of, ok := strings.CutPrefix(name, "sycl_lite::kernel_with<"); ok {
		if at := sizes.FindStringIndex(of); at != nil {
			return of[:at[0]]
		}
	}
	return name
}

// Rounded reports whether a kernel is one that DPC++ made of another. For one
// parallel_for over a range there are two kernels: the one that was written, and one
// that runs it over a range rounded up to a size that suits the device. When a program
// runs, the runtime takes one of them by the range. Rounded returns the name of the
// kernel that was written, as Display does.
func Rounded(symbol string) (kernel string, ok bool) {
	of := rounded(parse(Base(symbol)))
	if of == nil {
		return "", false
	}
	return text(of)
}

// roundedArgument says which template argument of the types that DPC++ names its own
// kernels by is the kernel that was written: a named one, and ones whose name is the
// type of their function.
var roundedArgument = map[string]int{
	"sycl::detail::__pf_kernel_wrapper":      0,
	"sycl::detail::RoundedRangeKernel":       2,
	"sycl::detail::RoundedRangeKernelWithKH": 2,
}

// rounded returns the type that names the kernel that was written, or nil.
func rounded(tree demangle.AST) demangle.AST {
	t, ok := tree.(*demangle.Template)
	if !ok {
		return nil
	}
	name, _ := text(t.Name)
	at, ok := roundedArgument[name]
	if !ok || at >= len(t.Args) {
		return nil
	}
	return t.Args[at]
}

// reduction names a kernel that DPC++ makes for a kernel with reductions, of which there
// are several: its headers choose among ways of reducing, and among kernels for each.
// The name is that of the kernel that was written, and what sets this one apart:
// "Sum (reduction, KernelOneWGTag)".
func reduction(tree demangle.AST) (name string, ok bool) {
	t, ok := tree.(*demangle.Template)
	if !ok || len(t.Args) < 2 {
		return "", false
	}
	kind, _ := text(t.Name)
	kind, ok = strings.CutPrefix(kind, "sycl::detail::reduction::")
	if !ok || kind != "MainKrn" && kind != "AuxKrn" {
		return "", false
	}
	tag := kind + " " + last(t.Args[1])
	for _, arg := range t.Args[2:] {
		if name := last(arg); name != "" {
			tag = name
		}
	}
	of, _ := text(t.Args[0])
	return of + " (reduction, " + tag + ")", true
}

// last returns the last part of a name, without namespaces, casts and template arguments.
func last(tree demangle.AST) string {
	name, _ := text(tree)
	name, _, _ = strings.Cut(name, "<")
	return name[strings.LastIndexAny(name, ":)")+1:]
}

// parse returns what a mangled name says, without the words that make a type the
// symbol of a kernel, or nil.
func parse(symbol string) demangle.AST {
	if len(symbol) > maxMangled {
		return nil
	}
	tree, err := demangle.ToAST(symbol)
	if err != nil {
		return nil
	}
	if s, ok := tree.(*demangle.Special); ok && s.Prefix == "typeinfo name for " {
		return s.Val
	}
	return tree
}

// text writes a name out, as far as it is short enough for people to read.
func text(tree demangle.AST) (name string, whole bool) {
	name = demangle.ASTToString(tree, demangle.MaxLength(14)) // up to 1<<14 bytes
	whole = len(name) < 1<<14
	return freeFunction.ReplaceAllString(versioned.ReplaceAllString(name, "sycl::"), ""), whole
}
