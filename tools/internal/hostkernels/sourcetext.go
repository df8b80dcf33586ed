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
	reorders     bool                // whether a lambda may capture variables in a different order with g++
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
	s.reorders = reorders(s.text)
	return s
}

// reorders reports whether a lambda with the default capture = has a parameter pack or "if
// constexpr" in it. g++ and DPC++ may then capture variables in different orders. The text is as
// returned by bare.
func reorders(text string) bool {
	if !defaultCapture.MatchString(text) || !hazard.MatchString(text) {
		return false
	}
	hazards := hazard.FindAllStringIndex(text, -1)
	type scope struct{ parentheses, braces int }
	var at, begins scope // begins is where the body of a lambda begins, if isPending
	var bodies []int     // values of at.braces in the bodies of such lambdas
	isPending := false
	lambdas := defaultCapture.FindAllStringIndex(text, -1)
	for i := range len(text) {
		for len(lambdas) > 0 && lambdas[0][0] <= i {
			begins, isPending, lambdas = at, true, lambdas[1:]
		}
		for len(hazards) > 0 && hazards[0][0] <= i {
			if hazards = hazards[1:]; len(bodies) > 0 {
				return true
			}
		}
		switch text[i] {
		case '(':
			at.parentheses++
		case ')':
			at.parentheses--
		case '{':
			if at.braces++; isPending && at.parentheses <= begins.parentheses {
				bodies, isPending = append(bodies, at.braces), false
			}
		case '}':
			if len(bodies) > 0 && bodies[len(bodies)-1] >= at.braces {
				bodies = bodies[:len(bodies)-1]
			}
			at.braces--
		}
	}
	return false
}

var (
	// defaultCapture matches the start of a lambda with the default capture =, or a macro for it.
	defaultCapture = regexp.MustCompile(`\[\s*=[^=]|\b[A-Z_]*LAMBDA\b`)

	// hazard matches what changes the order of captures: "if constexpr", which may be in a macro, and
	// uses of parameter packs.
	hazard = regexp.MustCompile(`\bif\s+constexpr\b|\b\w*CONSTEXPR\w*\s*\(|\.\.\.`)

	constexprIf = regexp.MustCompile(`\bif\s+constexpr\b|\b\w*CONSTEXPR\w*\s*\(`)
)

// mayReorderIn reports whether a lambda in any of the sources may capture variables in a different
// order with g++.
func mayReorderIn(sources map[string]*source) bool {
	for _, s := range sources {
		if s.reorders {
			return true
		}
	}
	return false
}

// offsetOf returns the offset of a line and a column, or false if the text is too short.
func (s *source) offsetOf(line, column int64) (at int, ok bool) {
	if line < 1 || line > int64(len(s.lines)) || column < 1 || column > int64(len(s.text)) {
		return 0, false
	}
	at = s.lines[line-1] + int(column) - 1
	return at, at < len(s.text)
}

// isEllipsis reports whether "..." is at a line and a column. g++ locates the elements of a parameter
// pack there if a capture list mentions the pack.
func (s *source) isEllipsis(line, column int64) bool {
	at, ok := s.offsetOf(line, column)
	return ok && strings.HasPrefix(s.text[at:], "...")
}

// branchesOf returns the offset of the first "if constexpr" in the body of the lambda at a location,
// or -1 if there is none. The location is in the capture list of the lambda, or of a macro for it.
func (s *source) branchesOf(line, column int64) int {
	at, ok := s.offsetOf(line, column)
	if !ok {
		return -1
	}
	if s.text[at] == '[' {
		at += len(block(s.text[at:], '[', ']'))
	}
	begin, parentheses := at, 0
	for ; begin < len(s.text) && (s.text[begin] != '{' || parentheses > 0); begin++ {
		switch s.text[begin] {
		case '(':
			parentheses++
		case ')':
			parentheses--
		case ';':
			if parentheses <= 0 {
				return -1 // not a lambda
			}
		}
	}
	body := block(s.text[begin:], '{', '}')
	if found := constexprIf.FindStringIndex(body); found != nil {
		return begin + found[0]
	}
	return -1
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
	listed := make(map[string]bool)
	for _, m := range names.FindAllStringSubmatch(text, -1) {
		if m[1] == "" && !listed[m[2]] {
			listed[m[2]] = true
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
	for _, m := range names.FindAllStringSubmatchIndex(rest, -1) {
		if m[2] < 0 && rest[m[4]:m[5]] == pack {
			before, expanded := expansion(rest[m[5]:])
			before = strings.TrimSpace(before)
			return expanded && before != "" && strings.ContainsAny(before[len(before)-1:], "+-*/%^&|=<>,"), true
		}
	}
	return false, false
}

// expansion returns the text up to the "..." that expands a pack, whose use the text follows, or
// false if a left fold expands it.
func expansion(text string) (before string, ok bool) {
	depth, least := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
			least = min(least, depth)
		case ';':
			if depth == least {
				return "", false
			}
		case '.':
			if depth == least && strings.HasPrefix(text[i:], "...") {
				return text[:i], true
			}
		}
	}
	return "", false
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
