package hostkernels

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A classForm is the kind of class that a kernel is, as defined in
// rules/dpcpp/host/sycl/detail/kernel_launch_helper.hpp.
type classForm int

const (
	unknownForm classForm = iota
	ownLambda             // a lambda directly in a function that is not a template
	ownClass              // a class without lambdas, whose members the source declares
)

var (
	// introducer matches the start of a lambda, as opposed to an array index.
	introducer = regexp.MustCompile(`(?:^|[^\w\s)\]>]|\breturn|\bcase)\s*\[|\[\s*(?:[&=\]]|this\b|\*\s*this\b)`)

	// macroCall matches a macro with arguments, which may expand to anything.
	macroCall = regexp.MustCompile(`\b[A-Z][A-Z0-9_]{2,}\s*\(`)
)

// mayHaveLambdas reports whether the lambda at a location may contain lambdas. It returns true if
// it does not find a lambda there.
func (s *source) mayHaveLambdas(at srcloc.Location) bool {
	captures, rest, ok := s.lambdaAt(at)
	return !ok || strings.Contains(rest, `R"`) || introducer.MatchString(captures[1:]) || introducer.MatchString(rest) || macroCall.MatchString(rest)
}

// mayReorder reports whether host and device code may lay out the captures of a lambda differently
// although the total size is the same. DPC++ captures a constant that the lambda binds to a
// reference only at the end of the full expression. g++ captures variables in the order of their
// first mention, and no constants in calls that it evaluates.
func (s *source) mayReorder(k Kernel) bool {
	if len(k.captures) == 0 || len(k.parameters) < 2 {
		return false
	}
	list, rest, ok := s.lambdaAt(k.Location)
	if !ok {
		return true
	}
	mentioned := variablesIn(list + rest)
	var captures []string // without duplicates
	for _, name := range k.captures {
		switch {
		case name == "this":
		case !slices.Contains(captures, name):
			captures = append(captures, name)
		case strings.Contains(list+rest, "..."):
			return true // a parameter pack
		}
	}
	inOrder := slices.DeleteFunc(slices.Clone(mentioned), func(name string) bool { return !slices.Contains(captures, name) })
	return !slices.Equal(inOrder, captures) || slices.ContainsFunc(captures, s.mayBindConstant) ||
		// The device compile may have removed a constant from the arguments.
		len(k.parameters) > len(captures) && slices.ContainsFunc(mentioned, s.mayBeConstant)
}
