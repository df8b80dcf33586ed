package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/strict"
)

// Encode writes the report as JSON, with one list element per line.
func (r *Report) Encode(w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false) // C++ names are full of < and >
	write := func(before string, v reflect.Value) error {
		line.Reset()
		err := e.Encode(v.Addr().Interface())
		b.WriteString(before)
		b.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
		return err
	}
	separator := "{\n"
	for field, v := range reflect.ValueOf(r).Elem().Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if options != "" && v.IsZero() {
			continue
		}
		fmt.Fprintf(b, "%s%q: ", separator, name)
		separator = ",\n"
		if v.Kind() != reflect.Slice {
			if err := write("", v); err != nil {
				return err
			}
			continue
		}
		for n := range v.Len() {
			before := ",\n"
			if n == 0 {
				before = "[\n"
			}
			if err := write(before, v.Index(n)); err != nil {
				return err
			}
		}
		if v.Len() == 0 {
			b.WriteByte('[')
		}
		b.WriteByte(']')
	}
	b.WriteString("\n}\n")
	return b.Flush()
}

const (
	maxBytes  = 1 << 30
	headBytes = 64 << 10 // must contain the schema of a report
)

// Decode reads a report; name is used in errors. It rejects ambiguous JSON, see package strict, and
// contradictions.
func Decode(name string, in io.Reader) (*Report, error) {
	b := bufio.NewReaderSize(&limitedReader{in, maxBytes}, headBytes)
	head, err := b.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	formatError := func(offset int64, format string, args ...any) error {
		return &FormatError{name, offset, fmt.Sprintf(format, args...)}
	}
	_, rest, isReport := bytes.Cut(head, []byte(anySchema))
	version := rest[:max(0, bytes.IndexByte(rest, '"'))]
	switch n, err := strconv.ParseUint(string(version), 10, 16); {
	case err == nil && n < schemaVersion:
		return nil, formatError(0, "unsupported compatibility report version %d; recreate it with 'compat report', or rebuild its target", n)
	case err == nil && n > schemaVersion:
		return nil, formatError(0, "unsupported compatibility report version %d; this tool supports version %d; use a newer tool", n, schemaVersion)
	}
	r := new(Report)
	if err := strict.JSON(b, r); err != nil {
		wrong, ok := errors.AsType[*strict.Error](err)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: %w", name, err)
		case !isReport && wrong.QuotesFile():
			return nil, formatError(0, "%s", notReport)
		}
		return nil, formatError(wrong.Offset, "%s", wrong.Msg)
	}
	if r.Schema != Schema {
		return nil, formatError(0, "%s", notReport)
	}
	if err := r.check(); err != nil {
		return nil, formatError(0, "%v", err)
	}
	return r, nil
}

const notReport = "not a compatibility report: its \"schema\" must be \"" + Schema + `"; for a program, library or wheel, use 'compat report' or 'compat check --binary'`

// A limitedReader fails after a number of bytes.
type limitedReader struct {
	io.Reader
	left int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("report too large (limit %d MiB)", maxBytes>>20)
	}
	return n, err
}
