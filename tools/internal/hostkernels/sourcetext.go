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
	text         string              // the text, as returned by bare
	lines        []int               // offset of each line
	variables    map[string]bool     // all names that the text declares, possibly with others
	initializers map[string][]string // initializers of constants by name; may include other names
	lambdas      map[string][]int    // offsets of lambdas by the name that they initialize
	constants    map[string]bool     // cached results of mayBeConstant
}

// Parts of regular expressions.
const (
	letter    = `[\w$\x{80}-\x{10FFFF}]`
	nameGroup = `((?:\b[A-Za-z_]|[$\x{80}-\x{10FFFF}])` + letter + `*)`
)

var (
	skipped = regexp.MustCompile(`R"|//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'`)

	// names matches a name, and the operator before it if it is the name of a member.
	names = regexp.MustCompile(`(?:(\.|->|::)\s*)?` + nameGroup)

	constantDeclaration = regexp.MustCompile(`\bconst(?:expr)?\b[^;(){}]*` + letter + `\s*[=({][^;]*;`)
	declaration         = regexp.MustCompile(`(` + letter + `+|[>&*\]])\s+[&*]*` + nameGroup + `\s*[=,;:){(\[]`)
	initialization      = regexp.MustCompile(`(?:(?:` + letter + `|>)\s|[&*,])\s*` + nameGroup + `\s*[={(]`)
	lambdaDeclaration   = regexp.MustCompile(nameGroup + `\s*[={(]\s*\[`)
	calls               = regexp.MustCompile(nameGroup + `\s*\(`)

	// constantCall matches functions and types that can initialize constants.
	constantCall = regexp.MustCompile(`^(?:sizeof|alignof|min|max|gcd|lcm|int|unsigned|short|long|char|bool|\w+_t|\w+_cast)$`)
)

// sourceOf returns a source with the given text.
func sourceOf(text string) *source {
	s := &source{
		text:         bare(text),
		lines:        []int{0},
		variables:    make(map[string]bool),
		initializers: make(map[string][]string),
		lambdas:      make(map[string][]int),
		constants:    make(map[string]bool),
	}
	for i := range len(s.text) {
		if s.text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	for _, constant := range constantDeclaration.FindAllString(s.text, -1) {
		for _, m := range initialization.FindAllStringSubmatchIndex(constant, -1) {
			name := constant[m[2]:m[3]]
			initializer, _, _ := strings.Cut(constant[m[1]:], ";")
			s.initializers[name] = append(s.initializers[name], initializer)
		}
	}
	for _, m := range lambdaDeclaration.FindAllStringSubmatchIndex(s.text, -1) {
		name := s.text[m[2]:m[3]]
		s.lambdas[name] = append(s.lambdas[name], m[1]-1)
	}
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

// foldWithValue matches the middle of a fold with an initial value, as in (v + ... + n).
var foldWithValue = regexp.MustCompile(`[-+*/%^&|=<>,]\s*\.\.\.\s*[-+*/%^&|=<>,]`)

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

// mentionedBefore returns how many members the lambda at a location mentions before a parameter
// pack. It returns -1 if this is unknown, or if the device compile may capture them in a different
// order: it captures the initial value of a fold, as in (v + ... + n), first, and in (f(v, n), ...)
// it captures n after one element of v.
func (s *source) mentionedBefore(pack string, members []*member, at srcloc.Location) int {
	list, rest, ok := s.lambdaAt(at)
	if !ok || foldWithValue.MatchString(rest) {
		return -1
	}
	text := list + rest
	mentioned, before, elements := variablesIn(text), 0, 0
	own := slices.Index(mentioned, pack)
	for _, m := range members {
		name, _, isElement := strings.Cut(m.name, "#")
		at := slices.Index(mentioned, name)
		switch {
		case at < 0 || isElement && name != pack:
			return -1
		case isElement:
			elements++
		case at < own:
			before++
		}
	}
	first := regexp.MustCompile(`\b` + regexp.QuoteMeta(pack) + `\b`).FindStringIndex(text)
	if first == nil {
		return -1
	}
	statement, _, _ := strings.Cut(text[first[0]:], ";")
	if elements > 1 && slices.ContainsFunc(variablesIn(statement), func(name string) bool {
		return slices.Index(mentioned, name) > own && slices.ContainsFunc(members, func(m *member) bool { return m.name == name })
	}) {
		return -1
	}
	return before
}

// mayBeConstant reports whether a name may be a constant expression: it is declared as a constant,
// and its initializer contains no variable that the text declares and no call to an unknown
// function.
func (s *source) mayBeConstant(name string) bool {
	if result, ok := s.constants[name]; ok {
		return result
	}
	s.constants[name] = false // the value while its initializer is examined
	for _, initializer := range s.initializers[name] {
		variable := slices.ContainsFunc(variablesIn(initializer), func(used string) bool { return s.variables[used] && !s.mayBeConstant(used) })
		call := slices.ContainsFunc(calls.FindAllStringSubmatch(initializer, -1), func(called []string) bool {
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
	return slices.ContainsFunc(s.lambdas[name], func(at int) bool {
		list, rest, _ := lambdaIn(s.text[at:])
		return slices.ContainsFunc(variablesIn(list+rest), s.mayBeConstant)
	})
}
