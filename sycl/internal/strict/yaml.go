package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A YAMLError reports that a file is not a valid YAML document, with the location.
type YAMLError struct {
	Line int // from 1, 0 if unknown
	Msg  string
}

func (f *YAMLError) Error() string {
	if f.Line > 0 {
		return fmt.Sprintf("line %d: %s", f.Line, f.Msg)
	}
	return f.Msg
}

// BadInput marks the error as caused by an input file.
func (*YAMLError) BadInput() {}

// YAML returns the root of the single document in r, or nil if r has none. It returns a [YAMLError]
// if the file is malformed or longer than max bytes; other errors come from r.
func YAML(r io.Reader, max int64) (*yaml.Node, error) {
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > max {
		return nil, &YAMLError{Msg: fmt.Sprintf("file too large (limit %d bytes)", max)}
	}
	if bytes.HasPrefix(data, []byte(PointerStart)) {
		return nil, &YAMLError{Msg: pointerText}
	}
	if line := ConflictLine(data); line > 0 {
		return nil, &YAMLError{Line: line, Msg: "merge conflict marker; resolve the conflict"}
	}
	if err := checkText(data); err != nil {
		return nil, err
	}
	text := string(data)
	d := yaml.NewDecoder(strings.NewReader(text))
	var doc, second yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, newYAMLError(err, text)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, &YAMLError{Line: second.Line, Msg: "the file contains more than one YAML document; keep one"}
	case !errors.Is(err, io.EOF):
		return nil, newYAMLError(err, text)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

const utf16Text = "the file is UTF-16; save it as UTF-8"

// isUTF16 reports whether a file starts with a byte order mark of UTF-16.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// checkText rejects text that is not UTF-8, and text that YAML reads differently from how editors and
// reviews show it: UTF-16, which they treat as binary, and line breaks other than LF and CRLF,
// which end a comment.
func checkText(data []byte) error {
	if isUTF16(data) {
		return &YAMLError{Line: 1, Msg: utf16Text}
	}
	valid := utf8.Valid(data) // much faster than the loop below
	for at := 0; at < len(data) && !valid; {
		char, size := utf8.DecodeRune(data[at:])
		if char == utf8.RuneError && size == 1 {
			return &YAMLError{Line: 1 + bytes.Count(data[:at], []byte("\n")), Msg: "the file is not UTF-8; save it as UTF-8"}
		}
		at += size
	}
	if !bytes.ContainsAny(data, "\r\u0085\u2028\u2029") { // much faster than the search below
		return nil
	}
	at := hiddenBreak.FindIndex(data)
	if at == nil {
		return nil
	}
	char, _ := utf8.DecodeRune(data[at[0]:])
	return &YAMLError{Line: 1 + bytes.Count(data[:at[0]], []byte("\n")), Msg: fmt.Sprintf("line break %U, which editors may not show; use LF or CRLF", char)}
}

var hiddenBreak = regexp.MustCompile(`[\x{85}\x{2028}\x{2029}]|\r(?:[^\n]|$)`)

var conflict = regexp.MustCompile(`(?m)^(<{7}|>{7})( .*)?\r?$`)

// ConflictLine returns the line of the first merge conflict marker, or 0 if there is none. No valid
// line of JSON or YAML starts like one.
func ConflictLine(data []byte) int {
	if !bytes.Contains(data, []byte("<<<<<<<")) && !bytes.Contains(data, []byte(">>>>>>>")) {
		return 0 // much faster than the search below
	}
	at := conflict.FindIndex(data)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(data[:at[0]], []byte("\n"))
}

// yamlLine finds the line in messages of the YAML package.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func newYAMLError(err error, text string) *YAMLError {
	f, prefix := &YAMLError{}, "yaml: "
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
		prefix = m[0]
	}
	problem, fix := strings.TrimPrefix(err.Error(), prefix), "correct the syntax"
	switch lines := strings.Split(text, "\n"); {
	case strings.Contains(problem, "cannot start any token"):
		fix = "quote text that begins with @ or `"
		if f.Line > 0 && f.Line <= len(lines) && strings.Contains(lines[f.Line-1], "\t") {
			fix = "indent with spaces instead of tabs"
		}
	case strings.Contains(problem, "expected alphabetic or numeric character"):
		fix = `quote text that begins with *, as in "*"`
	case strings.Contains(problem, "incompatible YAML document"):
		fix = "remove the line that begins with %YAML"
	}
	f.Msg = "not YAML: " + problem + "; " + fix
	return f
}

// IsNull reports whether a node has no value.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }
