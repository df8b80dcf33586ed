package kernelname

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ShortNames returns the short forms of names by name, see [Shorten]. To limit memory use, it
// returns an empty map for more than 50,000 names.
func ShortNames(names []string) map[string]string {
	const most = 50_000
	short := map[string]string{}
	if len(names) <= most {
		for i, s := range Shorten(names) {
			short[names[i]] = s
		}
	}
	return short
}

// Shorten returns short forms of kernel names, as returned by [Display]. In a short form, "*"
// replaces long namespaces, long template arguments that all kernels of the same template share,
// parameters of functions that contain a kernel, and calls of lambdas that contain other lambdas.
// The differences between names remain, as in "*::gemm<*, double>".
//
// Used as a pattern, in which "*" matches any text, a short form matches its name. Different names
// have different short forms, which do not depend on the order of the names.
func Shorten(names []string) []string {
	values := slices.Clone(names)
	slices.Sort(values)
	s := shortenSet(slices.Compact(values), 0, inArguments(values))
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = s[name]
	}
	return out
}

const (
	longPart   = 10 // parts of names up to this many bytes are kept
	mostNested = 6  // levels of template arguments that are shortened
)

// A shape is a name split into parts: "head<args>tail", or only the head.
type shape struct {
	head string
	args []string // nil if there are none
	tail string
}

// inArguments returns the identifiers in template arguments of names. A pattern for the name of a
// template could match a name that has the template as an argument.
func inArguments(names []string) map[string]bool {
	found := map[string]bool{}
	for _, n := range names {
		for _, arg := range split(n).args {
			for identifier := range strings.FieldsFuncSeq(arg, func(r rune) bool { return !isPart(r) }) {
				found[identifier] = true
			}
		}
	}
	return found
}

// shortenSet returns the short forms of sorted, distinct names. It keeps the namespaces of the
// names in kept.
func shortenSet(names []string, depth int, kept map[string]bool) map[string]string {
	out := make(map[string]string, len(names))
	if depth > mostNested {
		for _, n := range names {
			out[n] = n
		}
		return out
	}
	shapes := make([]shape, len(names))
	groups := map[string][]int{}
	several := map[string]int{} // number of groups by head
	var order []string
	heads := map[string]map[string]bool{} // heads by their ends
	for i, n := range names {
		s := split(n)
		shapes[i] = s
		key := s.head + "\x00" + s.tail
		if s.args != nil {
			key += "\x00" + strconv.Itoa(len(s.args))
		}
		if groups[key] == nil {
			order = append(order, key)
			several[s.head]++
		}
		groups[key] = append(groups[key], i)
		for end := range ends(s.head) {
			if kept[end[strings.LastIndexByte(end, ':')+1:]] {
				break
			}
			if heads[end] == nil {
				heads[end] = map[string]bool{}
			}
			if len(heads[end]) < 2 {
				heads[end][s.head] = true
			}
		}
	}
	for _, key := range order {
		head := shapes[groups[key][0]].head
		shortenGroup(names, shapes, groups[key], group{cutHead(head, heads), several[head] == 1, depth}, out)
	}
	keepDistinct(names, out)
	return out
}

// cutHead returns a head without namespaces that are not needed to distinguish it from other heads.
func cutHead(head string, heads map[string]map[string]bool) string {
	for end := range ends(head) {
		if len(heads[end]) != 1 {
			continue
		}
		switch cut := len(head) - len(end); {
		case cut <= longPart:
			return head
		case end[0] == ')':
			return "(*" + end
		default:
			return "*" + end
		}
	}
	return head
}

// A group holds names that differ only in their arguments.
type group struct {
	head  string // shortened
	alone bool   // no other group has the same head
	depth int
}

// shortenGroup shortens the names of a group, given by their indexes.
func shortenGroup(names []string, shapes []shape, indexes []int, g group, out map[string]string) {
	first := &shapes[indexes[0]]
	if first.args == nil {
		for _, i := range indexes {
			out[names[i]] = withoutParameters(withoutCalls(g.head))
		}
		return
	}
	columns := make([]map[string]string, len(first.args))
	for c := range columns {
		columns[c] = shortenColumn(shapes, indexes, c, g)
	}
	tail := withoutParameters(withoutCalls(first.tail))
	var b strings.Builder
	for _, i := range indexes {
		b.Reset()
		b.WriteString(g.head + "<")
		cut := false
		for c, arg := range shapes[i].args {
			short := columns[c][arg]
			switch {
			case short == "*" && cut:
				continue
			case c > 0:
				b.WriteString(", ")
			}
			b.WriteString(short)
			cut = short == "*"
		}
		b.WriteString(">" + tail)
		out[names[i]] = b.String()
	}
}

// shortenColumn returns the short forms of one argument of the names of a group. It does not
// compare names of different groups, because "*" could match a different number of arguments in
// them.
func shortenColumn(shapes []shape, indexes []int, column int, g group) map[string]string {
	var values []string
	for _, i := range indexes {
		values = append(values, shapes[i].args[column])
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) == 1 {
		short := values[0]
		if g.alone && len(short) > longPart {
			short = "*"
		}
		return map[string]string{values[0]: short}
	}
	return shortenSet(values, g.depth+1, nil)
}

// keepDistinct restores names whose short forms are not unique.
func keepDistinct(names []string, out map[string]string) {
	count := make(map[string]int, len(names))
	for _, n := range names {
		count[out[n]]++
	}
	again := false
	for _, n := range names {
		if out[n] != n && count[out[n]] > 1 {
			out[n], again = n, true
		}
	}
	if again {
		// A whole name may equal the short form of another one.
		keepDistinct(names, out)
	}
}

// split splits a name at its first template arguments.
func split(name string) shape {
	open := -1
	depth, start := 0, 0
	var args []string
	for i := 0; i < len(name); i++ {
		switch b := name[i]; {
		case open < 0 && b == '<':
			if i == 0 || strings.HasSuffix(name[:i], "operator") {
				return shape{head: name}
			}
			open, start, depth = i, i+1, 1
		case open < 0:
			if strings.IndexByte("({[ ", b) >= 0 {
				return shape{head: name} // a function or a lambda
			}
		case strings.IndexByte("<({[", b) >= 0:
			depth++
		case strings.IndexByte(">)}]", b) >= 0:
			if b == '>' && name[i-1] == '-' {
				continue
			}
			if depth--; depth == 0 {
				if b != '>' {
					return shape{head: name}
				}
				return shape{head: name[:open], args: append(args, name[start:i]), tail: name[i+1:]}
			}
		case depth == 1 && strings.HasPrefix(name[i:], ", "):
			args = append(args, name[start:i])
			start = i + 2
		}
	}
	return shape{head: name}
}

// withoutCalls removes the text after a lambda that contains another lambda, which is the name of
// the function that calls it.
func withoutCalls(name string) string {
	const call = "::operator()("
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(name, call)
		if !ok {
			return b.String() + name
		}
		end := closing(after)
		if end < 0 || !strings.HasSuffix(before, "}") {
			return b.String() + name
		}
		b.WriteString(before + "*")
		name = strings.TrimPrefix(after[end:], " const")
	}
}

// withoutParameters replaces the parameters of functions that contain another entity, such as a
// lambda, by "*" if they are long.
func withoutParameters(name string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(name, "(")
		if !ok {
			return b.String() + name
		}
		end := closing(after)
		if end < 0 {
			return b.String() + name
		}
		b.WriteString(before)
		isScope := strings.HasPrefix(strings.TrimPrefix(after[end:], " const"), "::")
		if isScope && end > longPart && !strings.HasSuffix(before, "operator") {
			b.WriteString("(*)")
		} else {
			b.WriteString("(" + after[:end])
		}
		name = after[end:]
	}
}

// closing returns the offset after the bracket that closes a bracket opened before the text, or -1
// if there is none.
func closing(text string) int {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// ends returns the ends to which the namespaces of a name can be shortened, shortest first:
// "::kernel" and "::detail::kernel" for a::detail::kernel. For an enumerator given as a number, the
// first end is the number alone: ")3" for (a::mode)3.
func ends(head string) iter.Seq[string] {
	return func(yield func(string) bool) {
		name := head
		if inner, number, ok := strings.Cut(head, ")"); ok && strings.HasPrefix(inner, "(") {
			name = inner[1:]
			if !isPlain(name) || !isPlain(number) || !yield(head[len(inner):]) {
				return
			}
		}
		if !isPlain(name) {
			return
		}
		for i := len(name); i > 0; {
			i = strings.LastIndex(name[:i], "::")
			if i < 0 || !yield(head[strings.Index(head, name)+i:]) {
				return
			}
		}
	}
}

// isPlain reports whether a name consists of identifiers and namespaces only.
func isPlain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r != ':' && !isPart(r) })
}

// isPart reports whether identifiers can contain the character.
func isPart(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
