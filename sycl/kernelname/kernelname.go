// Package kernelname turns the symbols of kernels and device functions into the
// names that people gave them.
//
// A SYCL kernel is named by a type: its symbol is the mangled name of that type's
// type information, so that class VectorAdd becomes _ZTS9VectorAdd. The device
// header sycl_lite wraps the type of a kernel with required sizes into
// sycl_lite::kernel_with, which the author never wrote, as DPC++ does with the type of
// a kernel that it makes of another ([FormOf]). And DPC++'s runtime finds a
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
// "_Z19__sycl_kernel_scalePff" is scale(float*, float). A kernel that runs
// another over a rounded range has the name of that one ([FormOf]); one of a reduction also
// has what sets it apart from the others: "Sum (reduction, KernelOneWGTag)". A name that is not mangled stays
// as it is but for the prefix and what the runtime puts before it.
func Display(symbol string) string {
	symbol = Base(symbol[len(compiled.FindString(symbol)):])
	tree := parse(symbol)
	if tree == nil {
		return symbol
	}
	switch m := madeOf(tree); {
	case m.written == nil:
	case m.kind == RoundedRange:
		tree = m.written
	case m.tag != "":
		name, _ := text(m.written)
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

// stable matches what DPC++ puts before the mangled name of a variable with internal
// linkage, so that those of different sources differ.
var stable = regexp.MustCompile(`^(?:uid[0-9a-f]*)?___(_Z.*)$`)

// Constant returns the name of a specialization constant as people write it, from its
// symbolic id: "_ZN3app5scaleE" and "uid0123456789abcdef____ZN3appL5scaleE" are app::scale.
func Constant(id string) string {
	if m := stable.FindStringSubmatch(id); m != nil {
		id = m[1]
	}
	return Display(id)
}

// parse returns what a mangled name says, without the words that make a type the
// symbol of a kernel, or nil.
func parse(symbol string) demangle.AST {
	if len(symbol) > maxMangled {
		return nil
	}
	tree, err := toAST(symbol)
	if err != nil {
		return nil
	}
	spellNames(tree)
	if s, ok := tree.(*demangle.Special); ok && s.Prefix == "typeinfo name for " {
		return s.Val
	}
	return tree
}

// text writes a name out, as far as it is short enough for people to read.
func text(tree demangle.AST) (name string, whole bool) {
	name = demangle.ASTToString(tree, demangle.MaxLength(14)) // up to 1<<14 bytes
	whole = len(name) < 1<<14
	// Regular expressions are slow, and most names have nothing to replace.
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
