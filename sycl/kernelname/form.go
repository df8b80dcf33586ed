package kernelname

import (
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// A FormKind is the purpose of a kernel that DPC++ generates from another kernel.
type FormKind string

const (
	// RoundedRange runs the kernel over a range that is rounded up to a size that suits the device.
	// A parallel_for over a range is compiled to both this kernel and the original. The runtime
	// selects one of them by the range.
	RoundedRange FormKind = "rounded-range"

	// Reduction runs the kernel and performs a reduction, or a part of it. The original kernel is not
	// compiled separately.
	Reduction FormKind = "reduction"
)

// A Form describes the original of a kernel that DPC++ generates.
type Form struct {
	Kernel string // the original, as named by Display
	Kind   FormKind

	// Strategy is the reduction algorithm. At run time, the SYCL library selects a strategy by the
	// device's capabilities, and then runs all of its kernels. It is "" if the name does not
	// contain it.
	Strategy string
}

// FormOf returns the form of a kernel that DPC++ or its headers generated from another kernel. For
// other kernels, ok is false. It supports the names that releases from 2021 to 2026 use. Kernels
// that are not named by a type of the program, such as fill kernels, have no original.
func FormOf(symbol string) (form Form, ok bool) {
	if !slices.ContainsFunc(wrapperWords, func(word string) bool { return strings.Contains(symbol, word) }) {
		return Form{}, false
	}
	m := parseGenerated(parse(Base(symbol)))
	if m.original == nil {
		return Form{}, false
	}
	name, whole := text(m.original)
	return Form{name, m.kind, m.strategy}, whole
}

// wrapperWords are parts of the names of all wrappers and functions that [parseGenerated] looks
// for. Symbols contain these words unchanged, and searching a symbol is much faster than parsing
// it.
var wrapperWords = []string{"__pf_kernel_wrapper", "RangeRoundedKernel", "RoundedRangeKernel", "Krn", "_krn", "__sycl_reduction_",
	"NDRangeReduction", "reduction_parallel_for", "reduCGFuncMulti", "reduAuxCGFunc"}

// generated is the information in the name of a generated kernel.
type generated struct {
	original      demangle.AST // nil if there is no original
	kind          FormKind
	strategy, tag string
}

// A wrapper is a class template with which DPC++ names kernels.
type wrapper struct {
	kind FormKind
	arg  int // index of the template argument that names the original kernel
}

// wrappers are indexed by the last component of their names, because the namespaces of the wrappers
// for reductions differ between releases.
var wrappers = map[string]wrapper{
	"__pf_kernel_wrapper":          {RoundedRange, 0},
	"RoundedRangeKernel":           {RoundedRange, 2},
	"RoundedRangeKernelWithKH":     {RoundedRange, 2},
	"MainKrn":                      {Reduction, 0},
	"AuxKrn":                       {Reduction, 0},
	"InitMemKrn":                   {Reduction, 0},
	"__sycl_reduction_main_kernel": {Reduction, 0},
	"__sycl_reduction_aux_kernel":  {Reduction, 0},
}

// parseGenerated returns the original of a kernel and the kind of the form.
func parseGenerated(tree demangle.AST) generated {
	m := parseGeneratedOnce(tree)
	if m.original == nil {
		return m
	}
	if name, _ := text(m.original); name == "sycl::detail::auto_name" {
		return generated{}
	}
	// The original of a generated kernel may itself be generated.
	if of := parseGenerated(m.original); of.original != nil {
		if of.kind == Reduction {
			return of
		}
		m.original = of.original
	}
	return m
}

func parseGeneratedOnce(tree demangle.AST) generated {
	t, ok := tree.(*demangle.Template)
	if !ok {
		return parseUnnamed(tree)
	}
	name, _ := text(t.Name)
	name = strings.TrimPrefix(name, "cl::") // before 2023
	space, class := name[:strings.LastIndexByte(name, ':')+1], name[strings.LastIndexByte(name, ':')+1:]
	if !strings.HasPrefix(space, "sycl::") {
		return generated{}
	}
	w, ok := wrappers[class]
	switch {
	case space == "sycl::detail::reduction::main_krn::", space == "sycl::detail::reduction::aux_krn::":
		w, ok = wrapper{Reduction, 0}, true // 2022 and 2023: one class per strategy
	case strings.HasSuffix(class, "Krn"):
		ok = ok && space == "sycl::detail::reduction::" && (len(t.Args) > 1 || class == "InitMemKrn")
	case w.kind == RoundedRange:
		ok = space == "sycl::detail::"
	}
	if !ok || w.arg >= len(t.Args) {
		return generated{}
	}
	m := generated{original: t.Args[w.arg], kind: w.kind}
	if m.kind != Reduction {
		return m
	}
	m.tag = class
	if len(t.Args) > 1 && class != "__sycl_reduction_main_kernel" && class != "__sycl_reduction_aux_kernel" {
		m.strategy = last(t.Args[1])
		m.tag += " " + m.strategy
	}
	if strings.HasSuffix(space, "_krn::") {
		m.strategy, m.tag = class, class
	}
	for _, arg := range t.Args[min(2, len(t.Args)):] {
		if name := last(arg); name != "" {
			m.tag = name
		}
	}
	return m
}

// parseUnnamed returns the original of a kernel whose name is the type of a lambda in DPC++'s
// headers. The original is a template argument of the function that contains the lambda. For a
// rounded range, as in 2021, it is the first argument or, if that does not name a type of the
// program, the type of the kernel. For a reduction, it is the last argument that is not from the
// headers.
func parseUnnamed(tree demangle.AST) generated {
	q, ok := tree.(*demangle.Qualified)
	if !ok {
		return generated{}
	}
	f := function(q.Scope)
	if f == nil {
		return generated{}
	}
	name, _ := text(f.Name)
	if strings.TrimPrefix(name, "cl::") == "sycl::handler::getRangeRoundedKernelLambda" && len(f.Args) > 3 {
		written := f.Args[0]
		if first, _ := text(written); strings.Contains(first, "sycl::detail::auto_name") {
			written = f.Args[3]
		}
		return generated{original: written, kind: RoundedRange}
	}
	strategy, isRun := strings.CutPrefix(name, "sycl::detail::NDRangeReduction<(sycl::detail::reduction::strategy)")
	if isRun {
		strategy, isRun = strings.CutSuffix(strategy, ">::run")
	}
	switch {
	case isRun:
	case name == "sycl::detail::reduction_parallel_for", name == "sycl::detail::reduCGFuncMulti", name == "sycl::detail::reduAuxCGFunc":
		strategy = ""
	default:
		return generated{}
	}
	return generated{original: kernelArgument(f), kind: Reduction, strategy: strategy}
}

// function returns the outermost function template that contains a local type, or nil.
func function(scope demangle.AST) *demangle.Template {
	for {
		switch s := scope.(type) {
		case *demangle.Qualified:
			scope = s.Scope
		case *demangle.MethodWithQualifiers:
			scope = s.Method
		case *demangle.Typed:
			scope = s.Name
		case *demangle.Template:
			return s
		default:
			return nil
		}
	}
}

// kernelArgument returns the template argument of a function in DPC++'s headers that is the
// original kernel, or nil.
func kernelArgument(f *demangle.Template) demangle.AST {
	var args []demangle.AST
	for _, arg := range f.Args {
		if pack, ok := arg.(*demangle.ArgumentPack); ok {
			args = append(args, pack.Args...)
		} else {
			args = append(args, arg)
		}
	}
	for i := len(args) - 1; i > 0; i-- {
		arg := args[i]
		switch arg.(type) {
		case *demangle.Qualified, *demangle.Name, *demangle.Template, *demangle.Closure, *demangle.UnnamedType:
		default:
			continue
		}
		if q, ok := arg.(*demangle.Qualified); ok {
			if inner := function(q.Scope); inner != nil {
				if name, _ := text(inner.Name); name == "sycl::detail::reduction_parallel_for" {
					return kernelArgument(inner)
				}
			}
		}
		if name, _ := text(arg); !strings.HasPrefix(name, "sycl::") && !strings.HasPrefix(name, "std::") {
			return arg
		}
	}
	return nil
}

// last returns the last component of a name, without namespaces, casts and template arguments.
func last(tree demangle.AST) string {
	name, _ := text(tree)
	name, _, _ = strings.Cut(name, "<")
	return name[strings.LastIndexAny(name, ":)")+1:]
}
