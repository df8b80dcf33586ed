package hostkernels

import (
	"regexp"
	"strings"
)

// A classForm is the form of a kernel's class, as rules/dpcpp/host/sycl/detail/kernel_launch_helper.hpp has it.
type classForm int

const (
	unknownForm classForm = iota
	ownLambda             // a lambda of a function that is neither a template nor in a lambda
	ownClass              // a class without lambdas, whose members the source declares
)

var (
	// What begins a lambda, and no index into an array.
	introducer = regexp.MustCompile(`(?:^|[^\w\s)\]>]|\breturn|\bcase)\s*\[|\[\s*(?:[&=\]]|this\b|\*\s*this\b)`)

	// A macro may be anything.
	macroCall = regexp.MustCompile(`\b[A-Z][A-Z0-9_]{2,}\s*\(`)
)

// mayHaveLambdas reports whether the lambda at a line and column of a text may have lambdas in it. It
// does where the text is not that of a lambda.
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

// block returns the beginning of a text up to the bracket that closes its first one, "" when there is none.
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

// bare returns a text without comments and literals, but for the begin of raw strings.
func bare(text string) string {
	return skipped.ReplaceAllStringFunc(text, func(found string) string {
		if found == `R"` {
			return found
		}
		return "0"
	})
}
