package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxResultFile bounds the memory that a file can take.
const maxResultFile = 256 << 20

// ReadResult reads a result that Encode has written; name is used in errors. It
// cannot be rendered again with all that a new one has, such as what a baseline
// would be. It is as strict as the reader of reports.
func ReadResult(name string, r io.Reader) (*Result, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxResultFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	fault := func(offset int, format string, args ...any) (*Result, error) {
		return nil, &ResultError{name, offset, fmt.Sprintf(format, args...)}
	}
	if len(data) > maxResultFile {
		return fault(0, "the result has more than %d MiB", maxResultFile>>20)
	}
	if !utf8.Valid(data) {
		return fault(0, "not valid UTF-8")
	}
	// Nothing of a file that is no result is for the eyes of those who read errors.
	if !bytes.Contains(data, []byte(ResultSchema)) {
		return fault(0, "not a result: \"schema\" must be %q", ResultSchema)
	}
	if offset, err := checkMembers(data); err != nil {
		return fault(offset, "%v", err)
	}
	out := new(Result)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return fault(int(d.InputOffset()), "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	switch {
	case out.Schema != ResultSchema:
		return fault(0, "not a result: \"schema\" must be %q", ResultSchema)
	case out.SchemaVersion != ResultVersion:
		return fault(0, "only version %s can be read; use a newer tool", ResultVersion)
	}
	for i, f := range out.Findings {
		rule, ok := LookupRule(f.Rule)
		switch {
		case !ok || !rule.Finding:
			return fault(0, "finding %d has the rule %q, which this version does not know", i+1, f.Rule)
		case len(f.Devices) == 0 && f.Rule != CoverageLost && f.Rule != ReportInvalid && f.Rule != KernelLost:
			return fault(0, "finding %d is on no device", i+1)
		}
	}
	return out, nil
}

// A ResultError is a fault of a result and its place.
type ResultError struct {
	File   string
	Offset int // 0 when the fault is not in one place
	Msg    string
}

func (e *ResultError) Error() string {
	if e.Offset > 0 {
		return fmt.Sprintf("%s: offset %d: %s", e.File, e.Offset, e.Msg)
	}
	return fmt.Sprintf("%s: %s", e.File, e.Msg)
}

// BadInput marks the error as caused by an input file.
func (*ResultError) BadInput() {}
