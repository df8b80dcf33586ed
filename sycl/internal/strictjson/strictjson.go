// Package strictjson reads small JSON files that may be hostile. It is
// encoding/json without what that lets pass.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

const maxDepth = 32

// An Error is a fault of a file, and its place.
type Error struct {
	Offset int64 // in bytes, of the end of what is wrong; 0 when it is not known
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

// Unmarshal reads a JSON object into a struct. It refuses text that is not UTF-8,
// members that are unknown or occur twice, deep nesting, null and data after the end.
// Members are needed, but for those that encoding/json omits when they are empty.
// Names of members are in lower case: encoding/json takes no notice of the case, so
// that two names could mean the same member. All errors are an [Error].
func Unmarshal(data []byte, to any) error {
	if !utf8.Valid(data) {
		return &Error{Msg: "not valid UTF-8"}
	}
	if err := check(data, reflect.TypeOf(to)); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(to)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return &Error{kind.Offset, fmt.Sprintf("%q must not be a %s", kind.Field, kind.Value)}
	case err != nil:
		return &Error{Msg: strings.TrimPrefix(err.Error(), "json: ")}
	}
	return nil
}

// check reports what is wrong with a file for a value of a type.
func check(data []byte, typ reflect.Type) error {
	text := bytes.TrimLeft(data, " \t\r\n")
	if len(text) == 0 {
		return &Error{Msg: "the file is empty"}
	}
	w := walker{Decoder: json.NewDecoder(bytes.NewReader(data))}
	w.UseNumber()
	if err := w.value(typ); err != nil {
		return err
	}
	if text[0] != '{' {
		return &Error{Msg: "not a JSON object"}
	}
	if rest := bytes.TrimLeft(data[w.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return w.errorf("there is data after the end")
	}
	return nil
}

// walker goes through the tokens of a file.
type walker struct {
	*json.Decoder
	depth  int
	member string // that was read last
}

// member is one of a struct.
type member struct {
	name   string
	typ    reflect.Type
	needed bool
}

// members returns the members of the objects that are read into a type, nil when these
// may be any.
func members(typ reflect.Type) (list []member) {
	if typ == nil || typ.Kind() != reflect.Struct || reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			list = append(list, member{name, typ.Field(i).Type, !strings.Contains(options, "omit")})
		}
	}
	return list
}

// element returns the type of what is in a value of a type, nil when that may be any.
func element(typ reflect.Type) reflect.Type {
	for typ != nil && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ == nil || typ.Kind() != reflect.Slice && typ.Kind() != reflect.Map {
		return nil
	}
	return typ.Elem()
}

func (w *walker) errorf(format string, args ...any) error {
	return &Error{w.InputOffset(), fmt.Sprintf(format, args...)}
}

// token returns the next token, of which there has to be one.
func (w *walker) token() (json.Token, error) {
	t, err := w.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, w.errorf("not JSON: %v", err)
	}
	return t, nil
}

// value reads a value that is to be of a type, which is nil when it may be any.
func (w *walker) value(typ reflect.Type) error {
	t, err := w.token()
	switch {
	case err != nil:
		return err
	case t == nil && typ != nil && w.depth > 0:
		return w.errorf("%q must not be null", w.member)
	}
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	if w.depth++; w.depth > maxDepth {
		return w.errorf("more than %d levels of nesting", maxDepth)
	}
	if open == '{' {
		err = w.object(typ)
	} else {
		for err == nil && w.More() {
			err = w.value(element(typ))
		}
	}
	if err != nil {
		return err
	}
	w.depth--
	_, err = w.token() // the bracket that closes it
	return err
}

// object reads the members of an object.
func (w *walker) object(typ reflect.Type) error {
	for typ != nil && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	known := members(typ)
	names := map[string]bool{}
	for w.More() {
		if err := w.name(names); err != nil {
			return err
		}
		of := element(typ)
		if known != nil {
			i := slices.IndexFunc(known, func(m member) bool { return m.name == w.member })
			if i < 0 {
				return w.errorf("unknown member %q", w.member)
			}
			of = known[i].typ
		}
		if err := w.value(of); err != nil {
			return err
		}
	}
	for _, m := range known {
		if m.needed && !names[m.name] {
			return w.errorf("%q is missing", m.name)
		}
	}
	return nil
}

// name reads the name of a member. Those before it are in names.
func (w *walker) name(names map[string]bool) error {
	t, err := w.token()
	if err != nil {
		return err
	}
	name, _ := t.(string) // the decoder takes nothing else
	switch {
	case names[name]:
		return w.errorf("member %q occurs twice", name)
	case strings.ContainsFunc(name, func(r rune) bool { return 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf }):
		return w.errorf("member %q has letters other than a to z", name)
	}
	names[name], w.member = true, name
	return nil
}
