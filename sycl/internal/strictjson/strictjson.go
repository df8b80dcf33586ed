// Package strictjson reads small JSON files that may be hostile. It is
// encoding/json without what that lets pass.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
// members that are unknown or occur twice, deep nesting and data after the end.
// Names of members are in lower case: encoding/json takes no notice of the case, so
// that two names could mean the same member. All errors are an [Error].
func Unmarshal(data []byte, to any) error {
	if !utf8.Valid(data) {
		return &Error{Msg: "not valid UTF-8"}
	}
	if err := check(data); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
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

// check reports what is wrong with a file, whatever struct it is for.
func check(data []byte) error {
	text := bytes.TrimLeft(data, " \t\r\n")
	if len(text) == 0 {
		return &Error{Msg: "the file is empty"}
	}
	w := walker{Decoder: json.NewDecoder(bytes.NewReader(data))}
	w.UseNumber()
	if err := w.value(); err != nil {
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
	depth int
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

func (w *walker) value() error {
	t, err := w.token()
	if err != nil {
		return err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	if w.depth++; w.depth > maxDepth {
		return w.errorf("more than %d levels of nesting", maxDepth)
	}
	names := map[string]bool{}
	for w.More() {
		if open == '{' {
			if err := w.name(names); err != nil {
				return err
			}
		}
		if err := w.value(); err != nil {
			return err
		}
	}
	w.depth--
	_, err = w.token() // the bracket that closes it
	return err
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
	names[name] = true
	return nil
}
