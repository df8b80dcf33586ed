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

// mayHaveLambdas reports whether the lambda at a location in a text may contain lambdas. It
// returns true if the text there is not a lambda.
func mayHaveLambdas(text string, at srcloc.Location) bool {
	captures, rest, ok := lambdaAt(text, at)
	return !ok || strings.Contains(rest, `R"`) || introducer.MatchString(captures[1:]) || introducer.MatchString(rest) || macroCall.MatchString(rest)
}

// lambdaAt returns the lambda at a location in a text without comments and literals: its captures
// in brackets and the rest. It reports whether there is a lambda.
func lambdaAt(text string, at srcloc.Location) (captures, rest string, ok bool) {
	for line := at.Line; line > 1; line-- {
		if _, text, ok = strings.Cut(text, "\n"); !ok {
			return "", "", false
		}
	}
	column := int(at.Column)
	if column < 1 || column > len(text) || text[column-1] != '[' {
		return "", "", false
	}
	return lambdaIn(bare(text[column-1:]))
}

// lambdaIn returns the lambda at the start of a text without comments and literals.
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

// A name of the source, and what makes it the name of a member or of a namespace's member.
var names = regexp.MustCompile(`(?:(\.|->|::)\s*)?\b([A-Za-z_]\w*)`)

// mayReorder reports whether the host code may lay out the captures of a lambda differently from
// the device compile, although their total size is the same. DPC++ captures a constant that the
// lambda binds to a reference at the end of the full expression. g++ captures variables in the
// order in which the lambda mentions them, and no constants in calls that it evaluates.
func mayReorder(k Kernel, texts map[string]string) bool {
	if len(k.captures) == 0 || len(k.parameters) < 2 {
		return false
	}
	text := texts[k.Location.Path]
	list, rest, ok := lambdaAt(text, k.Location)
	if !ok {
		return true
	}
	var mentioned, captures []string
	for _, m := range names.FindAllStringSubmatch(list+rest, -1) {
		if m[1] == "" && !slices.Contains(mentioned, m[2]) {
			mentioned = append(mentioned, m[2])
		}
	}
	for _, name := range k.captures {
		if name != "this" {
			captures = append(captures, name)
		}
	}
	c := constantsOf(text)
	inOrder := slices.DeleteFunc(slices.Clone(mentioned), func(name string) bool { return !slices.Contains(captures, name) })
	return !slices.Equal(inOrder, captures) || slices.ContainsFunc(captures, c.mayBind) ||
		// The device compile may have removed the argument of a constant.
		len(k.parameters) > len(k.captures) && slices.ContainsFunc(mentioned, c.mayInclude)
}

// constants are the constants that a text declares.
type constants struct {
	text         string          // without comments and literals
	declarations []string        // of constants, perhaps with others
	variables    map[string]bool // all names that the text declares, and perhaps others
	known        map[string]bool // results of mayInclude
}

var (
	constantDeclaration = regexp.MustCompile(`\bconst(?:expr)?\b[^;(){}]*[=({][^;]*;`)
	calls               = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\(`)
	constantCall        = regexp.MustCompile(`^(?:sizeof|alignof|min|max|gcd|lcm|int|unsigned|short|long|char|bool|\w+_t|\w+_cast)$`)
	declaration         = regexp.MustCompile(`(\w+|[>&*\]])\s+[&*]*([A-Za-z_]\w*)\s*[=,;:){(\[]`)
)

func constantsOf(text string) *constants {
	c := &constants{text: bare(text), variables: make(map[string]bool), known: make(map[string]bool)}
	c.declarations = constantDeclaration.FindAllString(c.text, -1)
	for _, m := range declaration.FindAllStringSubmatch(c.text, -1) {
		if !slices.Contains([]string{"return", "throw", "case", "else"}, m[1]) {
			c.variables[m[2]] = true
		}
	}
	return c
}

// mayInclude reports whether a name may be a constant expression: it is declared as a constant, and
// its initializer has no variable of the text and no call of an unknown function.
func (c *constants) mayInclude(name string) bool {
	if result, ok := c.known[name]; ok {
		return result
	}
	c.known[name] = false // while its initializer is examined
	initializer := regexp.MustCompile(`(?:[\w>]\s|[&*,])\s*` + name + `\s*[={(]([^;]*)`)
	for _, declaration := range c.declarations {
		m := initializer.FindStringSubmatch(declaration)
		if m == nil {
			continue
		}
		variable := slices.ContainsFunc(names.FindAllStringSubmatch(m[1], -1), func(used []string) bool {
			return used[1] == "" && c.variables[used[2]] && !c.mayInclude(used[2])
		})
		call := slices.ContainsFunc(calls.FindAllStringSubmatch(m[1], -1), func(called []string) bool {
			return !constantCall.MatchString(called[1]) && !c.mayInclude(called[1])
		})
		if !variable && !call {
			c.known[name] = true
			break
		}
	}
	return c.known[name]
}

// mayBind reports whether a name may be a constant expression, or a lambda that uses one.
func (c *constants) mayBind(name string) bool {
	if c.mayInclude(name) {
		return true
	}
	for _, at := range regexp.MustCompile(`\b`+name+`\s*[={(]\s*\[`).FindAllStringIndex(c.text, -1) {
		list, rest, ok := lambdaIn(c.text[at[1]-1:])
		for _, m := range names.FindAllStringSubmatch(list+rest, -1) {
			if ok && m[1] == "" && c.mayInclude(m[2]) {
				return true
			}
		}
	}
	return false
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
