package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// A reader reads the JSON of a report in one pass, straight into the types of this
// package. Nearly all of a large report are its cells, which say the same again and
// again: so a cell is first compared with the last ones, a text with what it probably
// is, and texts that occur often are one string. Decoders of any JSON take more than
// twice as long, and some accept members that two readers could understand differently.
//
// The methods that read return whether what they read was there. If not, fault says
// what is wrong and where.
type reader struct {
	source
	data     []byte
	i        int          // of the next byte in data
	depth    int          // objects and lists that are open
	elements int          // of all lists but the cells, up to now
	member   string       // whose value is read
	fault    *FormatError // the first
	unknown  *FormatError // the first member that no type has

	names   map[string]string // texts up to now
	texts   *texts            // of the report
	escapes bool              // whether a text up to now differs from its bytes

	last    *Cell
	devices []string // of the first kernel; other kernels have them in the same order
	column  int
	raw     []byte   // of the last reasons
	reasons []Reason // the last ones
	memory  Cells    // for cells

	known       [4]knownCell // the last cells that were not like one of these
	learned     int          // how many such cells there were
	afterDevice int          // offset of what follows the device of the last such cell
}

// A member is a member of an object that is read into a T.
type member[T any] struct {
	name   string
	read   func(*reader, *T) bool
	needed bool
}

// object reads an object. Each member may occur once, in any order. Members that are
// in the order of the list, as those that Encode writes, are found at once.
func object[T any](p *reader, to *T, members []member[T]) bool {
	if !p.open('{', "an object") {
		return false
	}
	var has uint64 // one bit for each member
	var unknown nameSet
	next := 0
	for more := !p.close('}'); more; more = p.more('}') {
		if !p.skip('"') {
			return p.unexpected("the name of a member")
		}
		start := p.i - 1
		n := findName(p, members, next)
		if n < 0 {
			name, ok := p.name()
			if !ok {
				return false
			}
			if n = slices.IndexFunc(members, func(m member[T]) bool { return m.name == name }); n < 0 {
				if !p.skipUnknown(start, name, &unknown) {
					return false
				}
				continue
			}
		}
		if has&(1<<n) != 0 {
			return p.fail(start, "member %q occurs twice", members[n].name)
		}
		has |= 1 << n
		next = n + 1
		if !p.skip(':') {
			return p.unexpected("a colon")
		}
		p.skipByte(' ') // as Encode writes
		p.member = members[n].name
		if !members[n].read(p, to) {
			return false
		}
	}
	return p.fault == nil && hasNeeded(p, members, has)
}

// hasNeeded checks that an object has the members that it needs.
func hasNeeded[T any](p *reader, members []member[T], has uint64) bool {
	for n := range members {
		if members[n].needed && has&(1<<n) == 0 {
			return p.fail(p.i-1, "member %q is missing", members[n].name)
		}
	}
	return true
}

// findName returns the index of the member whose name is next, and reads the name. It
// returns -1 when there is none or when the name has escapes.
func findName[T any](p *reader, members []member[T], next int) int {
	for n := next; n < len(members); n++ {
		if p.isName(members[n].name) {
			return n
		}
	}
	for n := range next {
		if p.isName(members[n].name) {
			return n
		}
	}
	return -1
}

// isName reads a name and the quotation mark after it, if they are next.
func (p *reader) isName(name string) bool {
	end := p.i + len(name)
	if end < len(p.data) && p.data[end] == '"' && string(p.data[p.i:end]) == name {
		p.i = end + 1
		return true
	}
	return false
}

// isNext reads these bytes, if they are next.
func (p *reader) isNext(b []byte) bool {
	if len(b) > 0 && bytes.HasPrefix(p.data[p.i:], b) {
		p.i += len(b)
		return true
	}
	return false
}

// name reads the rest of a name.
func (p *reader) name() (name string, ok bool) {
	raw, escapes, ok := p.rawText()
	if !ok {
		return "", false
	}
	if escapes {
		return p.unquote(raw)
	}
	return string(raw), true
}

// skipUnknown skips a member that no type has. A newer minor version may have it.
func (p *reader) skipUnknown(start int, name string, names *nameSet) bool {
	if !p.newName(start, name, false, names) {
		return false
	}
	if p.unknown == nil {
		p.unknown = &FormatError{Offset: p.passed + int64(start), Msg: fmt.Sprintf("unknown member %q", name)}
	}
	if !p.skip(':') {
		return p.unexpected("a colon")
	}
	return p.skipValue(false)
}

// newName reports whether an object may have a member of this name, and has none yet.
// Only inside of "extensions" may a name have capital letters or others than those of
// ASCII, but no two names may differ in nothing but case.
func (p *reader) newName(start int, name string, inExtensions bool, names *nameSet) bool {
	folded := strings.ToLower(name)
	switch {
	case !names.add(folded):
		return p.fail(start, "member %q occurs twice", name)
	case inExtensions:
		return true
	case folded != name:
		return p.fail(start, "member %q has capital letters", name)
	case strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }):
		return p.fail(start, "member %q has letters that are not in ASCII", name)
	}
	return true
}

// A nameSet has names of members of one object.
type nameSet struct {
	few  []string
	many map[string]bool
}

// add reports whether a name is new.
func (s *nameSet) add(name string) bool {
	const few = 16
	if s.many == nil && len(s.few) < few {
		if slices.Contains(s.few, name) {
			return false
		}
		s.few = append(s.few, name)
		return true
	}
	if s.many == nil {
		s.many = map[string]bool{}
		for _, n := range s.few {
			s.many[n] = true
		}
	}
	if s.many[name] {
		return false
	}
	s.many[name] = true
	return true
}

// list reads a list.
func list[T any](p *reader, to *[]T, read func(*reader, *T) bool) bool {
	if !p.open('[', "a list") {
		return false
	}
	*to = []T{}
	outer := p.depth == 2 // of the report itself
	for more := !p.close(']'); more; more = p.more(']') {
		if !p.count(len(*to) < maxListed) {
			return false
		}
		if outer {
			p.refill()
		}
		var zero T
		*to = append(*to, zero)
		if !read(p, &(*to)[len(*to)-1]) {
			return false
		}
	}
	return p.fault == nil
}

// longList reads a list of the report itself whose elements are kept in another way.
func (p *reader) longList(length func() int, read func() bool) bool {
	if !p.open('[', "a list") {
		return false
	}
	for more := !p.close(']'); more; more = p.more(']') {
		if !p.count(length() < maxListed) {
			return false
		}
		p.refill()
		if !read() {
			return false
		}
	}
	return p.fault == nil
}

// count counts an element of a list. Small elements take much more memory than room
// in the file.
func (p *reader) count(fits bool) bool {
	p.elements++
	if !fits || p.elements > maxElements {
		return p.fail(p.i, "a list has more than %d elements, or all lists more than %d", maxListed, maxElements)
	}
	return true
}

// open reads the bracket that begins an object or a list.
func (p *reader) open(bracket byte, what string) bool {
	if !p.skip(bracket) {
		return p.unexpected(what)
	}
	if p.depth == maxDepth {
		return p.fail(p.i-1, "more than %d levels of nesting", maxDepth)
	}
	p.depth++
	return true
}

// close reads the bracket that ends an object or a list, if it is next.
func (p *reader) close(bracket byte) bool {
	ok := p.skipIndented(bracket, p.depth-1)
	if ok {
		p.depth--
	}
	return ok
}

// more reads what follows a member or an element. It reports whether another one
// does.
func (p *reader) more(bracket byte) bool {
	if p.skipByte(',') {
		return true
	}
	return !p.close(bracket) && (p.skip(',') || p.unexpected("a comma or "+strconv.QuoteRune(rune(bracket))))
}

// skip skips white space and the byte, if that is next.
func (p *reader) skip(b byte) bool { return p.skipIndented(b, p.depth) }

// skipIndented is skip for a byte that is likely to have the indent of that depth.
func (p *reader) skipIndented(b byte, depth int) bool {
	if p.skipByte(b) {
		return true
	}
	n := 1 + 2*depth
	if end := p.i + n; end < len(p.data) && p.data[end] == b && p.data[p.i] == '\n' && string(p.data[p.i:end]) == indent[:n] {
		p.i = end + 1
		return true
	}
	p.space()
	return p.skipByte(b)
}

func (p *reader) skipByte(b byte) bool {
	if (p.i < len(p.data) || p.fill()) && p.data[p.i] == b {
		p.i++
		return true
	}
	return false
}

// indent is what Encode writes between a line and the next.
var indent = "\n" + strings.Repeat("  ", maxDepth)

// space skips white space.
func (p *reader) space() {
	for p.i < len(p.data) || p.fill() {
		switch p.data[p.i] {
		case ' ', '\n', '\r', '\t':
			p.i++
		default:
			return
		}
	}
}

// text reads a text. Likely is one that it may well be.
func (p *reader) text(to *string, likely string) bool {
	if !p.skip('"') {
		return p.unexpected("a text")
	}
	if !p.escapes && p.isName(likely) {
		*to = likely
		return true
	}
	raw, escapes, ok := p.rawText()
	switch {
	case !ok:
		return false
	case escapes:
		p.escapes = true
		*to, ok = p.unquote(raw)
		return ok
	}
	if s, ok := p.names[string(raw)]; ok {
		*to = s
		return true
	}
	*to = string(raw)
	if len(p.names) < maxNames {
		p.names[*to] = *to
	}
	return true
}

func (p *reader) anyText(to *string) bool { return p.text(to, "") }

// maxNames is how many texts are kept to be the same string when they occur again.
const maxNames = 1 << 16

// rareText reads a text that does not occur again.
func (p *reader) rareText(to *string) (ok bool) {
	if !p.skip('"') {
		return p.unexpected("a text")
	}
	*to, ok = p.name()
	return ok
}

// rawText reads the rest of a text. It returns its bytes up to the quotation mark, and
// whether there are escapes in them.
func (p *reader) rawText() (raw []byte, escapes, ok bool) {
	start := p.i
	for i := start; i < len(p.data) || p.has(i-p.i+1); i++ {
		switch b := p.data[i]; {
		case b == '"':
			if i-start > maxText {
				return nil, false, p.fail(start-1, "a text has more than %d bytes", maxText)
			}
			p.i = i + 1
			return p.data[start:i], escapes, true
		case b == '\\':
			escapes = true
			i++
		case b < ' ':
			return nil, false, p.fail(i, "invalid character %q in a text", b)
		}
	}
	p.i = len(p.data)
	return nil, false, p.unexpected("")
}

// unquote returns the text of these bytes, which have escapes.
func (p *reader) unquote(raw []byte) (text string, ok bool) {
	quoted := p.data[p.i-len(raw)-2 : p.i]
	if json.Unmarshal(quoted, &text) != nil {
		return "", p.fail(p.i-len(quoted), "a text has an invalid escape")
	}
	return text, true
}

// number reads a whole number.
func (p *reader) number(to *uint64, most uint64) bool {
	p.space()
	start := p.i
	if !p.has(1) || !isNumber(p.data[p.i]) {
		return p.unexpected("a number")
	}
	for p.has(1) && isNumber(p.data[p.i]) {
		p.i++
	}
	digits := string(p.data[start:p.i])
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > most || digits[0] == '0' && len(digits) > 1 {
		return p.fail(start, "%q must be a whole number up to %d", p.member, most)
	}
	*to = n
	return true
}

// isNumber reports whether a number may have a character.
func isNumber(b byte) bool {
	return '0' <= b && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'e' || b == 'E'
}

// integer reads a whole number into a type that has numbers up to most.
func integer[T int | int64 | uint32 | uint64](most uint64) func(*reader, *T) bool {
	return func(p *reader, to *T) bool {
		var n uint64
		ok := p.number(&n, most)
		*to = T(n)
		return ok
	}
}

func (p *reader) boolean(to *bool) bool {
	p.space()
	*to = p.word("true")
	return *to || p.word("false") || p.unexpected("true or false")
}

// word reads a word, if it is next.
func (p *reader) word(s string) bool {
	if p.has(len(s)) && string(p.data[p.i:p.i+len(s)]) == s {
		p.i += len(s)
		return true
	}
	return false
}

// verdict reads the name of a verdict.
func (p *reader) verdict(to *compat.Verdict) bool {
	if !p.skip('"') {
		return p.unexpected("a text")
	}
	for _, v := range compat.Verdicts {
		if p.isName(v.String()) {
			*to = v
			return true
		}
	}
	start := p.i - 1
	name, ok := p.name()
	if !ok {
		return false
	}
	var err error
	if *to, err = compat.ParseVerdict(name); err != nil {
		return p.fail(start, "%v", err)
	}
	return true
}

// extensions reads the members of other tools, whose names may be any.
func (p *reader) extensions(to *map[string]json.RawMessage) bool {
	*to = map[string]json.RawMessage{}
	return p.eachMember(true, func(name string) bool {
		p.space()
		start := p.i
		if !p.skipValue(true) {
			return false
		}
		(*to)[name] = bytes.Clone(p.data[start:p.i])
		return true
	})
}

// eachMember reads an object whose members can have any names.
func (p *reader) eachMember(inExtensions bool, read func(name string) bool) bool {
	if !p.open('{', "an object") {
		return false
	}
	var names nameSet
	for more := !p.close('}'); more; more = p.more('}') {
		if !p.skip('"') {
			return p.unexpected("the name of a member")
		}
		start := p.i - 1
		name, ok := p.name()
		if !ok || !p.newName(start, name, inExtensions, &names) {
			return false
		}
		if !p.skip(':') {
			return p.unexpected("a colon")
		}
		if !read(name) {
			return false
		}
	}
	return p.fault == nil
}

// skipValue skips a value of any kind.
func (p *reader) skipValue(inExtensions bool) bool {
	p.space()
	if !p.has(1) {
		return p.unexpected("")
	}
	switch b := p.data[p.i]; {
	case b == '{':
		return p.eachMember(inExtensions, func(string) bool { return p.skipValue(inExtensions) })
	case b == '[':
		return p.skipList(inExtensions)
	case b == '"':
		p.i++
		_, ok := p.name()
		return ok
	case isNumber(b):
		return p.skipNumber()
	}
	return p.word("true") || p.word("false") || p.word("null") || p.unexpected("a value")
}

func (p *reader) skipList(inExtensions bool) bool {
	p.open('[', "")
	n, outer := 0, p.depth == 2
	for more := p.fault == nil && !p.close(']'); more; more = p.more(']') {
		if outer {
			p.refill()
		}
		if !p.count(n < maxListed || inExtensions) || !p.skipValue(inExtensions) {
			return false
		}
		n++
	}
	return p.fault == nil
}

func (p *reader) skipNumber() bool {
	start := p.i
	for p.has(1) && isNumber(p.data[p.i]) {
		p.i++
	}
	if !json.Valid(p.data[start:p.i]) {
		return p.fail(start, "invalid number")
	}
	return true
}

const endsEarly = "the file ends in the middle of the report"

// unexpected says that something else is next than what should be.
func (p *reader) unexpected(want string) bool {
	if p.fault != nil {
		return false
	}
	p.space()
	p.has(len("false"))
	if p.i >= len(p.data) {
		return p.fail(len(p.data), endsEarly)
	}
	r, _ := utf8.DecodeRune(p.data[p.i:])
	kind := ""
	switch b := p.data[p.i]; {
	case b == '{':
		kind = "an object"
	case b == '[':
		kind = "a list"
	case b == '"':
		kind = "a text"
	case '0' <= b && b <= '9' || b == '-':
		kind = "a number"
	case bytes.HasPrefix(p.data[p.i:], []byte("true")), bytes.HasPrefix(p.data[p.i:], []byte("false")):
		kind = "a truth value"
	case bytes.HasPrefix(p.data[p.i:], []byte("null")):
		kind = "null"
	}
	switch {
	case kind == "":
		return p.fail(p.i, "invalid character %q where %s should be", r, want)
	case p.depth == 0:
		return p.fail(p.i, "not a JSON object")
	}
	return p.fail(p.i, "in %q: %s where %s should be", p.member, kind, want)
}

// fail says what is wrong, unless something was wrong before.
func (p *reader) fail(offset int, format string, args ...any) bool {
	if p.fault == nil {
		p.fault = &FormatError{Offset: p.passed + int64(offset), Msg: fmt.Sprintf(format, args...)}
	}
	return false
}
