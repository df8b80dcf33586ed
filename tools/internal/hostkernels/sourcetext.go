package hostkernels

import (
	"regexp"
	"slices"
	"strings"
)

// A source is the text of a source file or header. Its methods do not parse C++. They search for
// patterns, and return true if in doubt.
type source struct {
	text         string              // the text, as returned by mask
	lines        []int               // offset of each line
	variables    map[string]bool     // all names that the text declares, possibly with others
	initializers map[string][]string // initializers of constants by name; may include other names
	constants    map[string]bool     // cached results of mayBeConstant

	copies    bool // whether it has lambdas with the default capture =
	reorders  bool // whether g++ may capture variables of a lambda in a different order
	templates bool // whether it has templates
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

	constantDeclaration = regexp.MustCompile(`\bconst(?:expr)?\b[^;(){}]*(?:[=({][^;]*)?;`)
	templateHead        = regexp.MustCompile(`\btemplate\s*<[^{};()]*>`)
	declaration         = regexp.MustCompile(`(` + letter + `+|[>&*\]])\s+[&*]*` + nameGroup + `\s*[=,;:){(\[]`)
	initialization      = regexp.MustCompile(`(?:(?:` + letter + `|>)\s|[&*,])\s*` + nameGroup + `\s*(?:\[[^\]]*\]\s*)*[={(;]`)
	sizeOfOperand       = regexp.MustCompile(`\bsizeof\b\s*(?:\.\.\.\s*)?\([^()]*\)`)

	// otherWord matches words that can precede a name without declaring a variable.
	otherWord = regexp.MustCompile(`^(?:return|throw|case|else|new|delete|goto|struct|class|union|enum|namespace|typename|using)$`)

	// defaultCapture matches the start of a lambda with the default capture =, or a macro for it.
	defaultCapture = regexp.MustCompile(`\[\s*=[^=]|\b[A-Z_]*LAMBDA\b`)

	// reordering matches text that changes the order of captures: "if constexpr", which may be in a
	// macro, parameter packs, and initializers after other captures in a list.
	reordering = regexp.MustCompile(`\bif\s+constexpr\b|\b\w*CONSTEXPR\w*\s*\(|\.\.\.|\[(?:[^\[\]]*,)?\s*&?\s*\w+\s*,[^\[\]]*\w\s*(?:=[^=]|\{)`)

	catchAll = regexp.MustCompile(`\bcatch\s*\(\s*\.\.\.`)

	// isTemplate matches templates and generic lambdas.
	isTemplate = regexp.MustCompile(`\btemplate\s*<|\]\s*<|[(,]\s*(?:const\s+)?auto\b`)
)

// sourceOf returns a source with the given text.
func sourceOf(text string) *source {
	s := &source{
		text:         mask(text),
		lines:        []int{0},
		variables:    make(map[string]bool),
		initializers: make(map[string][]string),
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
			s.initializers[name] = append(s.initializers[name], sizeOfOperand.ReplaceAllString(initializer, "0"))
		}
	}
	for _, m := range declaration.FindAllStringSubmatch(templateHead.ReplaceAllString(s.text, "template"), -1) {
		if !otherWord.MatchString(m[1]) {
			s.variables[m[2]] = true
		}
	}
	s.copies = defaultCapture.MatchString(s.text)
	s.reorders = reordering.MatchString(catchAll.ReplaceAllString(s.text, "catch"))
	s.templates = isTemplate.MatchString(s.text)
	return s
}

// mask replaces comments with spaces and literals with the number 0, except for the start of raw
// strings. The length of the text stays the same.
func mask(text string) string {
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

// lambdaAt returns the capture list and the rest of the lambda at a line and a column, or false if
// there is no lambda. g++ 16 locates lambdas at the end of the capture list, others at its start.
func (s *source) lambdaAt(line, column int64) (captures, rest string, ok bool) {
	if line < 1 || line > int64(len(s.lines)) || column < 1 || column > int64(len(s.text)) {
		return "", "", false
	}
	begin := s.lines[line-1] + int(column) - 1
	if begin < len(s.text) && s.text[begin] == ']' {
		_, begin = outside(s.text, begin, -1)
	}
	if begin < 0 || begin >= len(s.text) || s.text[begin] != '[' {
		return "", "", false
	}
	text := s.text[begin:]
	captures = block(text, '[', ']')
	rest = text[len(captures):]
	body := strings.IndexByte(rest, '{')
	if captures == "" || body < 0 {
		return "", "", false
	}
	end := body + len(block(rest[body:], '{', '}'))
	return captures, rest[:end], end > body
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

// reverses reports whether the lambda at a line and a column captures the elements of a parameter
// pack from last to first in the device code. It does if it first uses the pack in a right fold,
// as in (f(v), ...). It returns ok = false if the text does not show the order.
func (s *source) reverses(pack string, line, column int64) (reversed, ok bool) {
	list, rest, ok := s.lambdaAt(line, column)
	if !ok || slices.Contains(variablesIn(strings.ReplaceAll(list, "...", " ")), pack) {
		return false, ok
	}
	if unclear.MatchString(rest) || slices.ContainsFunc(declaration.FindAllStringSubmatch(rest, -1), func(m []string) bool {
		return m[2] == pack && !otherWord.MatchString(m[1])
	}) {
		return false, false
	}
	used := false
	for _, m := range names.FindAllStringSubmatchIndex(rest, -1) {
		if m[2] >= 0 || rest[m[4]:m[5]] != pack {
			continue
		}
		right, isUse := inRightFold(rest, m[4], m[5])
		switch {
		case !isUse:
			continue
		case !used:
			reversed, used = right, true
		case right != reversed && mayBeLater.MatchString(rest):
			return false, false
		}
	}
	return reversed, used
}

var (
	// unclear matches text that can hide uses of a pack: directives, macros, declarations of other
	// names, and operands that are not evaluated.
	unclear = regexp.MustCompile(`#|\b[A-Z][A-Z0-9_]+\s*\(|\b(?:struct|class|union|enum|using|typedef|decltype|typeid|requires)\b|\bnoexcept\s*\(`)

	// mayBeLater matches text that can delay the first use: a branch, which the compiler may
	// discard, or a generic lambda.
	mayBeLater = regexp.MustCompile(`\bif\s+constexpr\b|\bauto\b`)

	sizeOf = regexp.MustCompile(`\bsizeof\s*(?:\.\.\.)?\s*$`)
)

// inRightFold reports whether a right fold expands the pack that is mentioned in a part of text, or
// false if the mention is not evaluated.
func inRightFold(text string, begin, end int) (right, isUse bool) {
	for found := false; begin > 0 && end < len(text); {
		left, open := outside(text, begin, -1)
		after, closed := outside(text, end, 1)
		if open < 0 || closed < 0 {
			break
		}
		if sizeOf.MatchString(text[:open]) {
			return false, false
		}
		if !found {
			right, found = expansion(left, after)
		}
		begin, end = open, closed+1
	}
	return right, true
}

// expansion reports whether a right fold expands a pack, given the text before and after the pack
// in the same brackets. It returns false if the pack is not expanded there.
func expansion(left, after string) (right, found bool) {
	// "..." at the start or after an operator is a fold, and after an operand an expansion.
	isFold := func(before string) bool {
		before = strings.TrimSpace(before)
		return before == "" || isOperator(before[len(before)-1])
	}
	operands := strings.Split(left, "...")
	if slices.ContainsFunc(operands[:len(operands)-1], isFold) {
		return false, true
	}
	before, _, expands := strings.Cut(after, "...")
	right = strings.TrimSpace(before) != "" && isFold(before)
	return right, expands && (right || !strings.ContainsAny(before, ",;"))
}

func isOperator(c byte) bool { return strings.IndexByte("+-*/%^&|=<>,", c) >= 0 }

// outside returns the text before or after an offset, depending on the sign of step, up to the
// enclosing bracket and without the contents of other brackets. It also returns the offset of the
// enclosing bracket, or -1.
func outside(text string, at, step int) (outer string, bracket int) {
	var b []byte
	depth := 0
	if step < 0 {
		at--
	}
	for ; at >= 0 && at < len(text); at += step {
		c := text[at]
		opens, closes := strings.IndexByte("([{", c) >= 0, strings.IndexByte(")]}", c) >= 0
		if step < 0 {
			opens, closes = closes, opens
		}
		switch {
		case closes && depth == 0:
			if step < 0 {
				slices.Reverse(b)
			}
			return string(b), at
		case closes:
			depth--
		case opens:
			depth++
		}
		if depth == 0 {
			b = append(b, c)
		}
	}
	return "", -1
}

// mayBeConstant reports whether a name may be a constant that g++ does not capture as DPC++ does:
// it is declared as a constant, and its initializer contains no variable that the text declares. In
// templates, g++ treats constants with variables in their initializers differently, too.
func (s *source) mayBeConstant(name string) bool {
	if result, ok := s.constants[name]; ok {
		return result
	}
	s.constants[name] = false // the value while its initializer is examined
	s.constants[name] = slices.ContainsFunc(s.initializers[name], func(initializer string) bool {
		return s.templates || !slices.ContainsFunc(variablesIn(initializer), func(used string) bool { return s.variables[used] && !s.mayBeConstant(used) })
	})
	return s.constants[name]
}

// hasConstants reports whether the source declares a name that may be a constant.
func (s *source) hasConstants() bool {
	for name := range s.initializers {
		if s.mayBeConstant(name) {
			return true
		}
	}
	return false
}

// mayBeConstantIn reports whether a name may be a constant in one of the sources. If none of them
// declares it, the name may be in a macro, or be libsycl's in a kernel of libsycl.
func mayBeConstantIn(sources []*source, name string, ofLibrary bool) bool {
	return slices.ContainsFunc(sources, func(s *source) bool { return s.mayBeConstant(name) }) ||
		!ofLibrary && !slices.ContainsFunc(sources, func(s *source) bool { return s.variables[name] })
}
