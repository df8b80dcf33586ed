package hostkernels

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A classForm is the form of a kernel's class, as defined in
// rules/dpcpp/host/sycl/detail/kernel_launch_helper.hpp.
type classForm int

const (
	unknownForm classForm = iota
	ownLambda             // a lambda in a function that is neither a template nor in a lambda
	ownClass              // a class without lambdas, whose members the source declares
)

var (
	// The start of a lambda, as opposed to an array index.
	introducer = regexp.MustCompile(`(?:^|[^\w\s)\]>]|\breturn|\bcase)\s*\[|\[\s*(?:[&=\]]|this\b|\*\s*this\b)`)

	// A macro may expand to anything.
	macroCall = regexp.MustCompile(`\b[A-Z][A-Z0-9_]{2,}\s*\(`)
)

// mayHaveLambdas reports whether the lambda at a location may contain lambdas. It returns true if
// there is no lambda.
func (s *source) mayHaveLambdas(at srcloc.Location) bool {
	captures, rest, ok := s.lambdaAt(at)
	return !ok || strings.Contains(rest, `R"`) || introducer.MatchString(captures[1:]) || introducer.MatchString(rest) || macroCall.MatchString(rest)
}

// mayReorder reports whether the host code may lay out the captures of a lambda differently from
// the device compile, although their total size is the same. DPC++ captures a constant that the
// lambda binds to a reference at the end of the full expression. g++ captures variables in the
// order in which the lambda mentions them, and no constants in calls that it evaluates.
func (s *source) mayReorder(k Kernel) bool {
	if len(k.captures) == 0 || len(k.parameters) < 2 {
		return false
	}
	list, rest, ok := s.lambdaAt(k.Location)
	if !ok {
		return true
	}
	mentioned := variablesIn(list + rest)
	var captures []string // without repetitions
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
		// The device compile may have removed the argument of a constant.
		len(k.parameters) > len(captures) && slices.ContainsFunc(mentioned, s.mayBeConstant)
}
