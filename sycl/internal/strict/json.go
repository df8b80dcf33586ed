// Package strict reads untrusted JSON and YAML files, and rejects input that two readers could
// interpret differently.
package strict

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits on the input.
const (
	maxDepth = 32
	maxText  = 1 << 20 // bytes of a text or a number
)

// PointerStart is the start of a Git LFS pointer file, and PointerFault and PointerFix are the error
// for one.
const (
	PointerStart = "version https://git-lfs.github.com/spec/"
	PointerFault = "this is a Git LFS pointer instead of the file"
	PointerFix   = "run 'git lfs pull' to fetch the file"

	pointerText = PointerFault + "; " + PointerFix
)

// An Error is an error in a file, with its location.
type Error struct {
	Offset int64 // in bytes, of the end of the invalid text
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

// QuotesFile reports whether the message may quote the file, which must not happen for a file of an
// unknown format because it may contain secrets.
func (e *Error) QuotesFile() bool { return e.Msg != pointerText && strings.ContainsAny(e.Msg, `"'`) }

// JSON reads a JSON object into a struct, in one pass and without holding the file in memory. It
// rejects text that is not UTF-8, unknown or duplicate members, deep nesting, null and data after
// the end. Members are required, except those that encoding/json omits when they are empty: such a
// member must not be present with the omitted value, so that each value has one encoding. Names of
// members are in lower case. Errors in the file are of type [Error].
func JSON(in io.Reader, to any) error {
	d := &decoder{in: in, buf: make([]byte, 0, 64<<10), types: map[reflect.Type]*object{}}
	if err := d.file(reflect.ValueOf(to).Elem()); err != nil {
		if d.err != nil {
			return d.err
		}
		return err
	}
	return nil
}

// A decoder reads a file in pieces.
type decoder struct {
	in     io.Reader
	buf    []byte // the part of the file that was read and is still needed
	i      int    // of the next byte in buf
	start  int64  // offset of buf in the file
	end    bool   // nothing follows buf
	err    error  // of in
	depth  int
	member string // name of the member that was read last
	types  map[reflect.Type]*object
	texts  [256]string // recently read strings, by hash, because many repeat
}

// An object describes a struct.
type object struct {
	members []member
	index   map[string]int
}

type member struct {
	name   string
	field  int
	absent func(reflect.Value) bool // reports whether a value is omitted; nil for a required member
}

func (d *decoder) file(to reflect.Value) error {
	c, ok := d.peek()
	switch {
	case !ok && d.err == nil:
		return &Error{0, "the file is empty"}
	case ok && c == '[', ok && c == '"', ok && (c == '-' || '0' <= c && c <= '9'):
		return &Error{0, "not a JSON object"}
	}
	if err := d.value(to); err != nil {
		return err
	}
	if _, ok := d.peek(); ok {
		return d.errorf("unexpected data after the end")
	}
	return d.err
}

func (d *decoder) offset() int64 { return d.start + int64(d.i) }

func (d *decoder) errorf(format string, args ...any) error {
	return &Error{d.offset(), fmt.Sprintf(format, args...)}
}

// more reads more of the file into buf, and discards the part before the next byte.
func (d *decoder) more() bool {
	if d.end {
		return false
	}
	if d.i > 0 {
		d.start += int64(d.i)
		d.buf = d.buf[:copy(d.buf, d.buf[d.i:])]
		d.i = 0
	}
	if len(d.buf) == cap(d.buf) {
		d.buf = append(d.buf, 0)[:len(d.buf)]
	}
	for range 100 {
		n, err := d.in.Read(d.buf[len(d.buf):cap(d.buf)])
		d.buf = d.buf[:len(d.buf)+n]
		if err != nil {
			d.end = true
			if err != io.EOF {
				d.err = err
			}
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	d.end, d.err = true, io.ErrNoProgress
	return false
}

// peek returns the next byte that is not white space.
func (d *decoder) peek() (byte, bool) {
	for {
		for ; d.i < len(d.buf); d.i++ {
			switch c := d.buf[d.i]; c {
			case ' ', '\t', '\r', '\n':
			default:
				return c, true
			}
		}
		if !d.more() {
			return 0, false
		}
	}
}

// expect reads one of a few characters.
func (d *decoder) expect(chars string) (byte, error) {
	c, ok := d.peek()
	switch {
	case !ok:
		return 0, d.errorf("unexpected end of JSON: the file is truncated")
	case strings.IndexByte(chars, c) < 0:
		return 0, d.invalid()
	}
	d.i++
	return c, nil
}

// invalid returns the error for an unexpected byte.
func (d *decoder) invalid() error {
	for len(d.buf)-d.i < len(PointerStart) && d.more() {
	}
	r, n := utf8.DecodeRune(d.buf[d.i:])
	switch isStart := d.start+int64(d.i) == 0; {
	case isStart && isUTF16(d.buf): // PowerShell writes redirected output as UTF-16
		return d.errorf("%s", utf16Text)
	case isStart && r == '\ufeff':
		return d.errorf("the file starts with a byte order mark; save it as UTF-8 without one")
	case isStart && bytes.HasPrefix(d.buf, []byte(PointerStart)):
		return d.errorf("%s", pointerText)
	case r == utf8.RuneError && n < 2:
		return d.errorf("not valid UTF-8")
	}
	return d.errorf("not JSON: invalid character %q", r)
}

// value reads a value.
func (d *decoder) value(to reflect.Value) error {
	c, ok := d.peek()
	if !ok {
		_, err := d.expect("")
		return err
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	switch {
	case c == '{' || c == '[':
		return d.nested(c, to)
	case c == '"':
		return d.textValue(to)
	case c == '-' || '0' <= c && c <= '9':
		return d.number(to)
	}
	return d.literal(to)
}

func (d *decoder) mismatch(what string) error {
	return d.errorf("%q must not be %s", d.member, what)
}

// nested reads an object or a list.
func (d *decoder) nested(open byte, to reflect.Value) (err error) {
	d.i++
	if d.depth++; d.depth > maxDepth {
		return d.errorf("too many levels of nesting (limit %d)", maxDepth)
	}
	switch kind := to.Kind(); {
	case open == '{' && kind == reflect.Struct:
		err = d.object(to)
	case open == '[' && kind == reflect.Slice:
		err = d.list(to)
	case open == '{':
		return d.mismatch("an object")
	default:
		return d.mismatch("a list")
	}
	d.depth--
	return err
}

func (d *decoder) list(to reflect.Value) error {
	to.Set(reflect.MakeSlice(to.Type(), 0, 0))
	for n := 0; ; n++ {
		if c, _ := d.peek(); c == ']' && n == 0 {
			d.i++
			return nil
		}
		if n == to.Cap() {
			to.Grow(1)
		}
		to.SetLen(n + 1)
		to.Index(n).SetZero()
		if err := d.value(to.Index(n)); err != nil {
			return err
		}
		if c, err := d.expect(",]"); err != nil || c == ']' {
			return err
		}
	}
}

func (d *decoder) object(to reflect.Value) error {
	o := d.members(to.Type())
	var seen uint64 // bits by index; no struct has more than 64 members
	for n := 0; ; n++ {
		c, err := d.expect("\"}")
		if err != nil {
			return err
		}
		if c == '}' && n == 0 {
			break
		}
		if c == '}' {
			d.i--
			return d.invalid()
		}
		d.i--
		i, err := d.name(o, seen)
		if err != nil {
			return err
		}
		seen |= 1 << i
		m, field := &o.members[i], to.Field(o.members[i].field)
		d.member = m.name
		if err := d.value(field); err != nil {
			return err
		}
		if m.absent != nil && m.absent(field) {
			return d.errorf("%q must not be empty; remove it", m.name)
		}
		if c, err = d.expect(",}"); err != nil {
			return err
		}
		if c == '}' {
			break
		}
	}
	for i, m := range o.members {
		if m.absent == nil && seen&(1<<i) == 0 {
			return d.errorf("%q is missing", m.name)
		}
	}
	return nil
}

// name reads the name of a member and the colon after it, and returns its index. It rejects
// duplicates of seen members.
func (d *decoder) name(o *object, seen uint64) (int, error) {
	name, err := d.text()
	if err != nil {
		return 0, err
	}
	i, known := o.index[name]
	switch {
	case known && seen&(1<<i) != 0:
		return 0, d.errorf("duplicate member %q", name)
	case !known && strings.ContainsFunc(name, func(r rune) bool { return 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf }):
		return 0, d.errorf("member %q must contain only the letters a to z", name)
	case !known:
		return 0, d.errorf("unknown member %q", name)
	}
	_, err = d.expect(":")
	return i, err
}

// members returns the members of the objects that are read into a struct.
func (d *decoder) members(typ reflect.Type) *object {
	if o := d.types[typ]; o != nil {
		return o
	}
	o := &object{index: map[string]int{}}
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		m := member{name: name, field: i}
		switch options {
		case "omitempty":
			m.absent = func(v reflect.Value) bool {
				return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 || v.Kind() == reflect.Pointer && v.Elem().IsZero()
			}
		case "omitzero":
			m.absent = reflect.Value.IsZero
		}
		o.index[name] = len(o.members)
		o.members = append(o.members, m)
	}
	d.types[typ] = o
	return o
}

func (d *decoder) textValue(to reflect.Value) error {
	text, err := d.text()
	if err != nil {
		return err
	}
	if u, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return d.errorf("%q: %v", d.member, err)
		}
		return nil
	}
	if to.Kind() != reflect.String {
		return d.mismatch("a string")
	}
	to.SetString(text)
	return nil
}

// text reads a string.
func (d *decoder) text() (string, error) {
	end, plain := 1, true
	for ; ; end++ {
		for d.i+end >= len(d.buf) {
			if !d.more() {
				d.i = len(d.buf)
				_, err := d.expect("")
				return "", err
			}
		}
		c := d.buf[d.i+end]
		if c == '"' {
			break
		}
		if c == '\\' {
			end++
		}
		plain = plain && c >= ' ' && c < utf8.RuneSelf && c != '\\'
		if end > maxText {
			return "", d.errorf("string too long (limit %d bytes)", maxText)
		}
	}
	raw := d.buf[d.i : d.i+end+1]
	if plain {
		d.i += len(raw)
		return d.shared(raw[1:end]), nil
	}
	for n := 0; n < len(raw); {
		r, size := utf8.DecodeRune(raw[n:])
		if r == utf8.RuneError && size == 1 {
			d.i += n
			return "", d.errorf("not valid UTF-8")
		}
		n += size
	}
	d.i += len(raw)
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", d.errorf("not JSON: %v", err)
	}
	return text, nil
}

// shared returns a text, reusing the string if it was read recently.
func (d *decoder) shared(text []byte) string {
	const long = 128
	if len(text) > long {
		return string(text)
	}
	hash := uint32(2166136261) // FNV-1a
	for _, c := range text {
		hash = (hash ^ uint32(c)) * 16777619
	}
	known := &d.texts[(hash^hash>>16)%uint32(len(d.texts))]
	if *known != string(text) {
		*known = string(text)
	}
	return *known
}

// word reads a run of the given characters.
func (d *decoder) word(isPart func(byte) bool) string {
	n := 0
	for n < maxText && (d.i+n < len(d.buf) || d.more()) && isPart(d.buf[d.i+n]) {
		n++
	}
	word := string(d.buf[d.i : d.i+n])
	d.i += n
	return word
}

func (d *decoder) number(to reflect.Value) error {
	word := d.word(func(c byte) bool { return '0' <= c && c <= '9' || strings.IndexByte("+-.eE", c) >= 0 })
	if !json.Valid([]byte(word)) {
		return d.errorf("not JSON: %q is not a number", word)
	}
	var err error
	_, isText := to.Addr().Interface().(encoding.TextUnmarshaler)
	switch {
	case isText:
		return d.mismatch("a number")
	case to.CanInt():
		var n int64
		n, err = strconv.ParseInt(word, 10, to.Type().Bits())
		to.SetInt(n)
	case to.CanUint():
		var n uint64
		n, err = strconv.ParseUint(word, 10, to.Type().Bits())
		to.SetUint(n)
	default:
		return d.mismatch("a number")
	}
	if err != nil {
		return d.mismatch("the number " + word)
	}
	return nil
}

func (d *decoder) literal(to reflect.Value) error {
	switch word := d.word(func(c byte) bool { return 'a' <= c && c <= 'z' }); {
	case word == "null":
		return d.mismatch("null")
	case word != "true" && word != "false":
		d.i -= len(word)
		return d.invalid()
	case to.Kind() != reflect.Bool:
		return d.mismatch("true or false")
	default:
		to.SetBool(word == "true")
	}
	return nil
}
