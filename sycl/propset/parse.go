package propset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A SyntaxError describes an error in property set text, or a value that its key does not allow,
// with the location.
type SyntaxError struct {
	File string // the name given to Parse, may be ""
	Line int    // from 1, 0 for a value that was not read from text
	Set  string // "" before the first title
	Key  string // "" if no key was read
	Msg  string
}

func (e *SyntaxError) Error() string { return place(e.File, e.Line, e.Set, e.Key) + e.Msg }

// BadInput marks the error as caused by an input file.
func (*SyntaxError) BadInput() {}

// place formats "file:12: [set] key: ", omitting unknown parts.
func place(file string, line int, set, key string) string {
	var b strings.Builder
	switch {
	case file != "" && line > 0:
		fmt.Fprintf(&b, "%s:%d: ", file, line)
	case file != "":
		fmt.Fprintf(&b, "%s: ", file)
	case line > 0:
		fmt.Fprintf(&b, "line %d: ", line)
	}
	if set != "" {
		fmt.Fprintf(&b, "[%s]", safetext.Printable(set))
		if key != "" {
			fmt.Fprintf(&b, " %s", safetext.Printable(key))
		}
		b.WriteString(": ")
	}
	return b.String()
}

// Parse parses the text of a registry. Errors contain name and are of type *SyntaxError. Lines may
// end in CRLF, blank lines are skipped, a repeated title continues its set, and the last value of a
// repeated key wins. An empty text is an empty registry.
func Parse(name string, data []byte) (*Registry, error) {
	p := parser{file: name}
	return p.parse(data)
}

// ParseLax is like Parse, but also accepts deviations that other readers safely ignore: bytes and
// bits after the payload of a byte array, leading zeros, and text after a title. Each of these, and
// each repeated key, produces a warning. If there are many, the last warning states the number of
// the others. Writing the registry repairs all of them.
func ParseLax(name string, data []byte) (*Registry, []*SyntaxError, error) {
	p := parser{file: name, lax: true}
	r, err := p.parse(data)
	if p.more > 0 {
		p.warnings = append(p.warnings, &SyntaxError{File: name, Msg: fmt.Sprintf("%d more errors like this", p.more)})
	}
	return r, p.warnings, err
}

// maxWarnings limits the number of warnings kept for one text.
const maxWarnings = 1000

type parser struct {
	file     string
	lax      bool
	warnings []*SyntaxError
	more     int // warnings that were not kept

	reg  *Registry
	sets map[string]*Set // used if there are many sets
	line int
	set  *Set
	key  string
}

func (p *parser) errorf(format string, args ...any) *SyntaxError {
	e := &SyntaxError{File: p.file, Line: p.line, Key: p.key, Msg: fmt.Sprintf(format, args...)}
	if p.set != nil {
		e.Set = p.set.Name
	}
	return e
}

// surplus adds a warning about something that a lenient reader repairs or, unless called for
// ParseLax, returns an error.
func (p *parser) surplus(format string, args ...any) error {
	if !p.lax {
		return p.errorf(format, args...)
	}
	p.warn(format, args...)
	return nil
}

func (p *parser) warn(format string, args ...any) {
	if len(p.warnings) == maxWarnings {
		p.more++
		return
	}
	p.warnings = append(p.warnings, p.errorf(format, args...))
}

func (p *parser) parse(data []byte) (*Registry, error) {
	p.reg = new(Registry)
	for text := range strings.Lines(string(data)) {
		p.line++
		p.key = ""
		line := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		var err error
		switch {
		case line == "":
		case line[0] == '[':
			err = p.begin(line)
		default:
			err = p.property(line)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.reg, nil
}

// begin makes the set with the title in a line the current set.
func (p *parser) begin(line string) error {
	name, err := p.title(line)
	if err != nil {
		return err
	}
	if p.set = p.find(name); p.set != nil {
		return nil
	}
	p.set = &Set{Name: name, Line: p.line}
	p.reg.sets = append(p.reg.sets, p.set)
	if p.sets != nil {
		p.sets[name] = p.set
	}
	return nil
}

// find returns the set with a name, or nil if there is none yet.
func (p *parser) find(name string) *Set {
	if len(p.reg.sets) <= small {
		return p.reg.Set(name)
	}
	if p.sets == nil {
		p.sets = make(map[string]*Set)
		for _, s := range p.reg.sets {
			p.sets[s.Name] = s
		}
	}
	return p.sets[name]
}

func (p *parser) title(line string) (string, error) {
	p.set = nil // an error in this line is not about the previous set
	end := strings.LastIndexByte(line, ']')
	if end < 0 {
		return "", p.errorf("the title %s has no closing bracket", safetext.Quote(line))
	}
	name := line[1:end]
	if msg := nameProblem(name); msg != "" {
		return "", p.errorf("the name in the title %s %s", safetext.Quote(line), msg)
	}
	if rest := line[end+1:]; rest != "" {
		if err := p.surplus("%s follows the title [%s]", safetext.Quote(rest), safetext.Printable(name)); err != nil {
			return "", err
		}
	}
	return name, nil
}

func (p *parser) property(line string) error {
	key, rest, found := strings.Cut(line, "=")
	switch {
	case p.set == nil:
		return p.errorf("the property %s comes before the first [set] title", safetext.Quote(line))
	case !found:
		return p.errorf(`%s is neither a [set] title nor key=type|value: it has no "="`, safetext.Quote(line))
	case key == "":
		return p.errorf(`the property %s has no key before "="`, safetext.Quote(line))
	}
	p.key = key
	if msg := keyProblem(key); msg != "" {
		return p.errorf("the key %s", msg)
	}
	typ, text, found := strings.Cut(rest, "|")
	switch {
	case rest == "":
		return p.errorf(`nothing follows "="; expected type|value`)
	case !found:
		return p.errorf(`the value %s has no "|" between type and value`, safetext.Quote(rest))
	case typ == "":
		return p.errorf(`the value %s has no type before "|"; expected 1 or 2`, safetext.Quote(rest))
	case text == "":
		return p.errorf(`no value follows "%s|"`, safetext.Printable(typ))
	}
	t, err := p.valueType(typ)
	if err != nil {
		return err
	}
	var v Value
	if t == Uint32 {
		v, err = p.number(text)
	} else {
		v, err = p.byteArray(text)
	}
	if err != nil {
		return err
	}
	if old, replaced := p.set.put(Property{Key: key, Value: v, Line: p.line}); replaced && p.lax {
		p.warn("the key is repeated: this value replaces %s of line %d", safetext.Quote(old.Value.String()), old.Line)
	}
	return nil
}

func (p *parser) valueType(text string) (Type, error) {
	switch text {
	case "1":
		return Uint32, nil
	case "2":
		return ByteArray, nil
	}
	switch n, err := parseUint32(text); {
	case err == nil && (n == 1 || n == 2):
		return Type(n), p.surplus("the value type %q has leading zeros", text)
	case err == nil && n == 0:
		return 0, p.errorf("invalid value type 0; expected 1 (32-bit number) or 2 (byte array)")
	case err == errNotANumber:
		return 0, p.errorf("value type %s is not a number; expected 1 (32-bit number) or 2 (byte array)", safetext.Quote(text))
	}
	return 0, p.errorf("value type %s is not 1 (32-bit number) or 2 (byte array)", safetext.Quote(text))
}

func (p *parser) number(text string) (Value, error) {
	n, err := parseUint32(text)
	switch {
	case err == errTooLarge:
		return Value{}, p.errorf("%s does not fit in 32 bits: the largest value of type 1 is 4294967295", safetext.Quote(text))
	case err != nil:
		return Value{}, p.errorf("%s is not an unsigned decimal number, as required by type 1", safetext.Quote(text))
	}
	if text[0] == '0' && len(text) > 1 {
		err = p.surplus("the number %s has leading zeros", safetext.Quote(text))
	}
	return Uint(n), err
}

func (p *parser) byteArray(text string) (Value, error) {
	raw, leftover, err := decode(text)
	if err != nil {
		return Value{}, p.errorf("%v%s", err, otherEncoding(text))
	}
	payload, bits, surplus, err := splitByteArray(raw)
	if err != nil {
		return Value{}, p.errorf("%v%s", err, otherEncoding(text))
	}
	var problems []string
	if surplus > 0 {
		problems = append(problems, fmt.Sprintf("%d surplus bytes follow the %d bits of the byte array", surplus, bits))
	}
	if unusedBits(payload, bits) != 0 {
		problems = append(problems, fmt.Sprintf("the byte array has bits set beyond its %d bits", bits))
	}
	if leftover {
		problems = append(problems, fmt.Sprintf("the last character %q of the byte array has bits set beyond its last byte", text[len(text)-1]))
	}
	for _, problem := range problems {
		if other := otherEncoding(text); other != "" { // then the error is not harmless
			return Value{}, p.errorf("%s%s", problem, other)
		}
		if err := p.surplus("%s", problem); err != nil {
			return Value{}, err
		}
	}
	return Bits(payload, bits), nil
}

type numberError string

func (e numberError) Error() string { return string(e) }

const (
	errNotANumber numberError = "not a number"
	errTooLarge   numberError = "too large"
)

// parseUint32 parses decimal digits. It does not accept a sign or underscores.
func parseUint32(text string) (uint32, error) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, errNotANumber
		}
	}
	if text == "" {
		return 0, errNotANumber
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, errTooLarge
	}
	return uint32(n), nil
}
