package hostkernels

import (
	"regexp"
	"strings"
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

// mayHaveLambdas reports whether the lambda at a line and column of a text may contain lambdas. It
// returns true if the text there is not a lambda.
func mayHaveLambdas(text string, line, column int) bool {
	for ; line > 1; line-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return true
		}
		text = rest
	}
	if column < 1 || column > len(text) || text[column-1] != '[' {
		return true
	}
	text = bare(text[column-1:])
	captures := block(text, '[', ']')
	rest := text[len(captures):]
	begin := strings.IndexByte(rest, '{')
	if captures == "" || begin < 0 {
		return true
	}
	body := block(rest[begin:], '{', '}')
	return body == "" || strings.Contains(body, `R"`) || introducer.MatchString(captures[1:]) || introducer.MatchString(rest[:begin]+body) || macroCall.MatchString(body)
}

// block returns the start of a text up to the bracket that closes its first one, or "" if there is
// none.
func block(text string, open, closed byte) string {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case closed:
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return ""
}

var skipped = regexp.MustCompile(`R"|//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'`)

// bare returns a text without comments and literals, except for the start of raw strings.
func bare(text string) string {
	return skipped.ReplaceAllStringFunc(text, func(found string) string {
		if found == `R"` {
			return found
		}
		return "0"
	})
}
