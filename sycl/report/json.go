package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of a report that is read.
const (
	maxBytes = 256 << 20
	maxDepth = 32
)

// Encode writes the report as JSON, two spaces deep, with a final line break.
func (r *Report) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Decode reads a report; name is used in errors. It refuses what could be
// understood in two ways: members that occur twice or that differ only in case,
// text that is not UTF-8, anything after the report, unknown members outside of
// "extensions" unless the minor version is newer than this package's, cells that
// do not fit the lists of kernels and devices, and counts that are wrong.
func Decode(name string, in io.Reader) (*Report, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	fault := func(offset int64, format string, args ...any) error {
		return &FormatError{name, offset, fmt.Sprintf(format, args...)}
	}
	if len(data) > maxBytes {
		return nil, fault(0, "the report has more than %d MiB", maxBytes>>20)
	}
	if i := invalidUTF8(data); i >= 0 {
		return nil, fault(int64(i)+1, "not valid UTF-8")
	}
	if offset, err := checkMembers(data); err != nil {
		return nil, fault(offset, "%v", err)
	}
	var head struct {
		Schema        *string `json:"schema"`
		SchemaVersion *string `json:"schema-version"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Schema == nil || head.SchemaVersion == nil {
		return nil, fault(0, `not a compatibility report: "schema" and "schema-version" are needed`)
	}
	newer, err := checkVersion(*head.Schema, *head.SchemaVersion)
	if err != nil {
		return nil, fault(0, "%v", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if !newer {
		d.DisallowUnknownFields()
	}
	r := new(Report)
	if err := d.Decode(r); err != nil {
		var syntax *json.UnmarshalTypeError
		if errors.As(err, &syntax) {
			return nil, fault(syntax.Offset, "%q must not be a %s", syntax.Field, syntax.Value)
		}
		return nil, fault(0, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if err := r.check(); err != nil {
		return nil, fault(0, "%v", err)
	}
	return r, nil
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// checkVersion reports whether a report is of a newer minor version, whose
// additions are ignored.
func checkVersion(schema, version string) (newer bool, err error) {
	var major, minor, ownMajor, ownMinor uint32
	fmt.Sscanf(SchemaVersion, "%d.%d", &ownMajor, &ownMinor)
	if n, err := fmt.Sscanf(version, "%d.%d", &major, &minor); n != 2 || err != nil || fmt.Sprintf("%d.%d", major, minor) != version {
		return false, fmt.Errorf("schema version %q is not of the form 1.0", version)
	}
	if schema != Schema || major != ownMajor {
		return false, fmt.Errorf("schema %q, version %s: only %q, version %d, can be read; use a newer tool", schema, version, Schema, ownMajor)
	}
	return minor > ownMinor, nil
}

// checkMembers walks over the JSON and reports what encoding/json would let
// pass: names of members that are not distinct whatever their case or that have
// capitals, which it would match with fields, and data after the end.
func checkMembers(data []byte) (offset int64, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	type level struct {
		seen  map[string]bool // nil in an array
		isKey bool
		free  bool // inside of "extensions"
	}
	var stack []level
	free := false
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return 0, nil
		}
		if err != nil {
			if err == io.ErrUnexpectedEOF || strings.Contains(err.Error(), "unexpected end") {
				err = errors.New("the file ends in the middle of the report")
			}
			return d.InputOffset(), err
		}
		delim, isDelim := tok.(json.Delim)
		if len(stack) > 0 && stack[len(stack)-1].seen != nil && stack[len(stack)-1].isKey && delim != '}' {
			top := &stack[len(stack)-1]
			key := tok.(string)
			folded := strings.ToLower(key)
			if top.seen[folded] {
				return d.InputOffset(), fmt.Errorf("member %q occurs twice", key)
			}
			if folded != key && !top.free {
				return d.InputOffset(), fmt.Errorf("member %q has capital letters", key)
			}
			top.seen[folded] = true
			top.isKey = false
			free = top.free || len(stack) == 1 && key == "extensions"
			continue
		}
		switch {
		case isDelim && (delim == '{' || delim == '['):
			if len(stack) == 0 && delim != '{' {
				return d.InputOffset(), errors.New("not a JSON object")
			}
			if len(stack) == maxDepth {
				return d.InputOffset(), fmt.Errorf("more than %d levels of nesting", maxDepth)
			}
			l := level{free: free}
			if delim == '{' {
				l.seen, l.isKey = map[string]bool{}, true
			}
			stack = append(stack, l)
			continue
		case isDelim:
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			if !isDelim {
				return d.InputOffset(), errors.New("not a JSON object")
			}
			rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")
			if len(rest) > 0 {
				return d.InputOffset(), errors.New("there is data after the end of the report")
			}
			return 0, nil
		}
		if top := &stack[len(stack)-1]; top.seen != nil {
			top.isKey = true
			free = top.free
		}
	}
}

// check reports contradictions within a report.
func (r *Report) check() error {
	devices, kernels, images := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range r.Devices {
		if d.ID == "" || devices[d.ID] {
			return fmt.Errorf("device id %q is empty or occurs twice", d.ID)
		}
		devices[d.ID] = true
	}
	for _, i := range r.Images {
		if i.ID == "" || images[i.ID] {
			return fmt.Errorf("image id %q is empty or occurs twice", i.ID)
		}
		images[i.ID] = true
	}
	for _, k := range r.Kernels {
		if k.ID == "" || kernels[k.ID] {
			return fmt.Errorf("kernel id %q is empty or occurs twice", k.ID)
		}
		kernels[k.ID] = true
		for _, id := range k.Images {
			if !images[id] {
				return fmt.Errorf("kernel %q is in image %q, which is not listed", k.ID, id)
			}
		}
	}
	type pair struct{ kernel, device string }
	cells := map[pair]bool{}
	for _, c := range r.Cells {
		p := pair{c.Kernel, c.Device}
		switch {
		case !kernels[c.Kernel]:
			return fmt.Errorf("a cell is about kernel %q, which is not listed", c.Kernel)
		case !devices[c.Device]:
			return fmt.Errorf("a cell is about device %q, which is not listed", c.Device)
		case c.Image != "" && !images[c.Image]:
			return fmt.Errorf("a cell is about image %q, which is not listed", c.Image)
		case cells[p]:
			return fmt.Errorf("two cells are about kernel %q and device %q", c.Kernel, c.Device)
		}
		cells[p] = true
		switch c.Holds {
		case Native, IR, Nothing:
		default:
			return fmt.Errorf("%q is not what a file can hold for a device", c.Holds)
		}
		switch c.Scope {
		case ScopeImage, ScopeKernel:
		default:
			return fmt.Errorf("%q is not a scope", c.Scope)
		}
		worst := Compatible
		for _, reason := range c.Reasons {
			if rank(reason.Status) == 0 {
				return fmt.Errorf("a reason has the status %q", reason.Status)
			}
			if rank(reason.Status) > rank(worst) {
				worst = reason.Status
			}
		}
		if c.Status != worst {
			return fmt.Errorf("kernel %q on device %q is %q, but its reasons make it %q", c.Kernel, c.Device, c.Status, worst)
		}
	}
	if want := len(kernels) * len(devices); len(cells) != want {
		return fmt.Errorf("%d cells for %d kernels and %d devices", len(cells), len(kernels), len(devices))
	}
	if s := r.statistics(); s != r.Statistics {
		return fmt.Errorf("the statistics do not fit the cells: they say %+v, the cells %+v", r.Statistics, s)
	}
	return nil
}

// rank orders verdicts from good to bad, 0 for a reason that is none.
func rank(s Status) int {
	switch s {
	case NotApplicable:
		return 1
	case Undetermined:
		return 2
	case Incompatible:
		return 3
	}
	return 0
}
