package hostkernels

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A source is the text of a source file or header. Its methods do not parse C++. They search for
// patterns, and return true if in doubt.
type source struct {
	text         string          // the text, as returned by bare
	lines        []int           // offset of each line
	declarations []string        // declarations of constants; may include other declarations
	variables    map[string]bool // all names that the text declares, possibly with others
	constants    map[string]bool // cached results of mayBeConstant
}

var (
	skipped = regexp.MustCompile(`R"|//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'`)

	// names matches a name, and the operator before it if it is the name of a member.
	names = regexp.MustCompile(`(?:(\.|->|::)\s*)?\b([A-Za-z_]\w*)`)

	constantDeclaration = regexp.MustCompile(`\bconst(?:expr)?\b[^;(){}]*\w\s*[=({][^;]*;`)
	declaration         = regexp.MustCompile(`(\w+|[>&*\]])\s+[&*]*([A-Za-z_]\w*)\s*[=,;:){(\[]`)
	calls               = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\(`)

	// constantCall matches functions and types that can initialize constants.
	constantCall = regexp.MustCompile(`^(?:sizeof|alignof|min|max|gcd|lcm|int|unsigned|short|long|char|bool|\w+_t|\w+_cast)$`)
)

// sourceOf returns a source with the given text.
func sourceOf(text string) *source {
	s := &source{text: bare(text), lines: []int{0}, variables: make(map[string]bool), constants: make(map[string]bool)}
	for i := range len(s.text) {
		if s.text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	s.declarations = constantDeclaration.FindAllString(s.text, -1)
	for _, m := range declaration.FindAllStringSubmatch(s.text, -1) {
		if !slices.Contains([]string{"return", "throw", "case", "else"}, m[1]) {
			s.variables[m[2]] = true
		}
	}
	return s
}

// bare replaces comments with spaces and literals with the number 0, except for the start of raw
// strings. The length of the text stays the same.
func bare(text string) string {
	return skipped.ReplaceAllStringFunc(text, func(found string) string {
		if found == `R"` {
			return found
		}
		blank := []byte(found)
		for i := range blank {
			if blank[i] != '\n' {
				blank[i] = ' '
			}
		}
		if found[0] != '/' {
			blank[0] = '0'
		}
		return string(blank)
	})
}

// lambdaAt returns the capture list and the rest of the lambda at a location, or false if there is
// no lambda.
func (s *source) lambdaAt(at srcloc.Location) (captures, rest string, ok bool) {
	if s == nil || at.Line < 1 || int(at.Line) > len(s.lines) || at.Column < 1 {
		return "", "", false
	}
	begin := s.lines[at.Line-1] + int(at.Column) - 1
	if begin >= len(s.text) || s.text[begin] != '[' {
		return "", "", false
	}
	return lambdaIn(s.text[begin:])
}

// lambdaIn returns the capture list and the rest of the lambda at the start of text.
func lambdaIn(text string) (captures, rest string, ok bool) {
	captures = block(text, '[', ']')
	rest = text[len(captures):]
	begin := strings.IndexByte(rest, '{')
	if captures == "" || begin < 0 {
		return "", "", false
	}
	body := block(rest[begin:], '{', '}')
	return captures, rest[:begin+len(body)], body != ""
}

// block returns the start of text up to the bracket that closes the first open bracket, or "".
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

// variablesIn returns the names in text that are not members, in the order of their first mention.
func variablesIn(text string) (list []string) {
	for _, m := range names.FindAllStringSubmatch(text, -1) {
		if m[1] == "" && !slices.Contains(list, m[2]) {
			list = append(list, m[2])
		}
	}
	return list
}

// reverses reports whether the device compile captures the elements of a parameter pack from last
// to first. It does if the lambda first uses the pack in a right fold, as in (f(v), ...).
func (s *source) reverses(pack string, at srcloc.Location) (reversed, ok bool) {
	list, rest, ok := s.lambdaAt(at)
	if !ok || slices.Contains(variablesIn(list), pack) {
		return false, ok
	}
	uses := names.FindAllStringSubmatchIndex(rest, -1)
	for _, m := range uses {
		if m[2] < 0 && rest[m[4]:m[5]] == pack {
			before, _, expanded := strings.Cut(rest[m[5]:], "...")
			before = strings.TrimSpace(before)
			return expanded && before != "" && strings.ContainsAny(before[len(before)-1:], "+-*/%^&|=<>,"), true
		}
	}
	return false, false
}

// mayBeConstant reports whether a name may be a constant expression: it is declared as a constant,
// and its initializer contains no variable that the text declares and no call to an unknown
// function.
func (s *source) mayBeConstant(name string) bool {
	if result, ok := s.constants[name]; ok {
		return result
	}
	s.constants[name] = false // the value while its initializer is examined
	initializer := regexp.MustCompile(`(?:[\w>]\s|[&*,])\s*` + regexp.QuoteMeta(name) + `\s*[={(]([^;]*)`)
	for _, declaration := range s.declarations {
		m := initializer.FindStringSubmatch(declaration)
		if m == nil {
			continue
		}
		variable := slices.ContainsFunc(variablesIn(m[1]), func(used string) bool { return s.variables[used] && !s.mayBeConstant(used) })
		call := slices.ContainsFunc(calls.FindAllStringSubmatch(m[1], -1), func(called []string) bool {
			return !constantCall.MatchString(called[1]) && !s.mayBeConstant(called[1])
		})
		if !variable && !call {
			s.constants[name] = true
			break
		}
	}
	return s.constants[name]
}

// mayBindConstant reports whether a name may be a constant expression or a lambda that uses one.
func (s *source) mayBindConstant(name string) bool {
	if s.mayBeConstant(name) {
		return true
	}
	lambda := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*[={(]\s*\[`)
	return slices.ContainsFunc(lambda.FindAllStringIndex(s.text, -1), func(at []int) bool {
		list, rest, _ := lambdaIn(s.text[at[1]-1:])
		return slices.ContainsFunc(variablesIn(list+rest), s.mayBeConstant)
	})
}
