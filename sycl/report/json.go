package report

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// Limits of a report that is read.
const (
	maxBytes    = 512 << 20
	maxDepth    = 32
	maxCells    = 2_000_000
	maxListed   = 200_000   // in every other list
	maxText     = 1 << 20   // in bytes
	maxElements = 5_000_000 // of all lists but the cells
)

// Encode writes the report as JSON, two spaces deep, with a final line break.
//
// It writes what encoding/json would. A large report is nearly all cells, and
// these repeat each other, so each text and each list of reasons is encoded once.
func (r *Report) Encode(w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	rest := *r
	rest.Cells = []Cell{}
	var head bytes.Buffer
	e := json.NewEncoder(&head)
	e.SetIndent("", "  ")
	if err := e.Encode(&rest); err != nil {
		return err
	}
	before, after, ok := bytes.Cut(head.Bytes(), []byte("[]"))
	if !ok || len(r.Cells) == 0 {
		b.Write(head.Bytes())
		return b.Flush()
	}
	b.Write(before)
	b.WriteString("[")
	c := cellEncoder{w: b, texts: map[string][]byte{}, reasons: map[string][]byte{}}
	for i := range r.Cells {
		if i > 0 {
			b.WriteString(",")
		}
		if err := c.encode(&r.Cells[i]); err != nil {
			return err
		}
	}
	b.WriteString("\n  ]")
	b.Write(after)
	return b.Flush()
}

type cellEncoder struct {
	w       *bufio.Writer
	texts   map[string][]byte
	reasons map[string][]byte
	key     []byte
	err     error
}

func (e *cellEncoder) encode(c *Cell) error {
	e.member("\n    {\n      \"device\": ", c.Device)
	e.member(",\n      \"holds\": ", string(c.Holds))
	if c.Image != "" {
		e.member(",\n      \"image\": ", c.Image)
	}
	e.member(",\n      \"kernel\": ", c.Kernel)
	if len(c.Reasons) > 0 {
		e.w.WriteString(",\n      \"reasons\": ")
		e.encodeReasons(c.Reasons)
	}
	e.member(",\n      \"scope\": ", string(c.Scope))
	e.member(",\n      \"status\": ", c.Verdict.String())
	e.w.WriteString("\n    }")
	return e.err
}

func (e *cellEncoder) member(name, text string) {
	encoded, ok := e.texts[text]
	if !ok {
		encoded, _ = json.Marshal(text) // texts always can be
		e.texts[text] = encoded
	}
	e.w.WriteString(name)
	e.w.Write(encoded)
}

func (e *cellEncoder) encodeReasons(list []Reason) {
	e.key = e.key[:0]
	for _, r := range list {
		for _, s := range []string{r.Available, r.Property, r.Required, r.Rule, r.Verdict.String(), r.Text} {
			e.key = append(binary.AppendUvarint(e.key, uint64(len(s))), s...)
		}
	}
	encoded, ok := e.reasons[string(e.key)]
	if !ok {
		var err error
		if encoded, err = json.MarshalIndent(list, "      ", "  "); err != nil {
			e.err = err
			return
		}
		e.reasons[string(e.key)] = encoded
	}
	e.w.Write(encoded)
}

// Decode reads a report; name is used in errors. It refuses what could be
// understood in two ways: members that occur twice or that differ only in case,
// text that is not UTF-8, anything after the report, unknown members outside of
// "extensions" unless the minor version is newer than this package's, cells that
// do not fit the lists of kernels and devices, and counts that are wrong.
func Decode(name string, in io.Reader) (*Report, error) {
	return new(Decoder).Decode(name, in)
}

// A Decoder reads one report after the other, in the same memory: a report holds
// until the next one is read. The zero value is one.
type Decoder struct {
	data  bytes.Buffer
	cells []Cell
	names map[string]string // texts of reports, each once
}

// Decode is as the function of this name.
func (d *Decoder) Decode(name string, in io.Reader) (*Report, error) {
	data, err := d.readAll(in)
	switch {
	case err == errTooLarge:
		return nil, &FormatError{name, 0, fmt.Sprintf("the report has more than %d MiB", maxBytes>>20)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case !utf8.Valid(data):
		return nil, &FormatError{name, int64(invalidUTF8(data)) + 1, "not valid UTF-8"}
	}
	r, ok := d.decodeFast(data)
	if !ok {
		var fault *FormatError
		if r, fault = decode(data); fault != nil {
			fault.File = name
			return nil, fault
		}
	}
	if err := r.check(); err != nil {
		return nil, &FormatError{name, 0, err.Error()}
	}
	return r, nil
}

var errTooLarge = errors.New("too large")

// readAll reads all of a report that is not too large.
func (d *Decoder) readAll(in io.Reader) ([]byte, error) {
	d.data.Reset()
	if f, ok := in.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if info.Size() > maxBytes {
				return nil, errTooLarge
			}
			d.data.Grow(int(max(info.Size(), 0)) + bytes.MinRead)
		}
	}
	_, err := d.data.ReadFrom(io.LimitReader(in, maxBytes+1))
	if err == nil && d.data.Len() > maxBytes {
		err = errTooLarge
	}
	return d.data.Bytes(), err
}

// decodeFast reads the long lists by itself and the rest with decode.
func (d *Decoder) decodeFast(data []byte) (*Report, bool) {
	const most = 1 << 16
	if d.names == nil || len(d.names) >= most {
		d.names = map[string]string{}
	}
	long := Report{Cells: d.cells}
	p := reader{data: data, names: d.names}
	rest, ok := p.lists(&long)
	if !ok {
		return nil, false
	}
	d.cells = long.Cells
	r, fault := decode(rest)
	if fault != nil {
		return nil, false
	}
	r.Cells, r.Images, r.Kernels = long.Cells, long.Images, long.Kernels
	return r, true
}

// isReport tells a report that has a fault from any other file: nothing that
// stands in one of those is for the eyes of those who read errors.
func isReport(data []byte) bool {
	schema, _, _ := strings.Cut(Schema, "/v")
	return bytes.Contains(data, []byte(schema))
}

// decode reads a report that has not been checked yet.
func decode(data []byte) (*Report, *FormatError) {
	r, fault := decodeSlowly(data)
	if fault != nil && strings.ContainsAny(fault.Msg, `"'`) && !isReport(data) {
		*fault = FormatError{Msg: `not a compatibility report: "schema" and "schema-version" are needed`}
	}
	return r, fault
}

func decodeSlowly(data []byte) (*Report, *FormatError) {
	fault := func(offset int64, format string, args ...any) (*Report, *FormatError) {
		return nil, &FormatError{"", offset, fmt.Sprintf(format, args...)}
	}
	if offset, err := checkMembers(data); err != nil {
		return fault(offset, "%v", err)
	}
	r := new(Report)
	err := decodeInto(r, data, true)
	newer := false
	if err != nil || r.Schema != Schema || r.SchemaVersion != SchemaVersion {
		var head struct {
			Schema        *string `json:"schema"`
			SchemaVersion *string `json:"schema-version"`
		}
		var syntax *json.SyntaxError
		headErr := json.Unmarshal(data, &head)
		if errors.As(headErr, &syntax) && len(bytes.TrimSpace(data)) > 0 {
			if strings.Contains(headErr.Error(), "unexpected end") {
				return fault(syntax.Offset, "the file ends in the middle of the report")
			}
			return fault(syntax.Offset, "%v", headErr)
		}
		if headErr != nil || head.Schema == nil || head.SchemaVersion == nil {
			return fault(0, `not a compatibility report: "schema" and "schema-version" are needed`)
		}
		var versionErr error
		if newer, versionErr = checkVersion(*head.Schema, *head.SchemaVersion); versionErr != nil {
			return fault(0, "%v", versionErr)
		}
	}
	if newer {
		*r = Report{}
		err = decodeInto(r, data, false)
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fault(kind.Offset, "%q must not be a %s", kind.Field, kind.Value)
	case err != nil:
		return fault(0, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return r, nil
}

func decodeInto(r *Report, data []byte, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if strict {
		d.DisallowUnknownFields()
	}
	return d.Decode(r)
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

// check reports contradictions within a report.
func (r *Report) check() error {
	devices, kernels, images := map[string]int{}, map[string]int{}, map[string]bool{}
	for i, d := range r.Devices {
		if _, twice := devices[d.ID]; d.ID == "" || twice {
			return fmt.Errorf("device id %q is empty or occurs twice", d.ID)
		}
		devices[d.ID] = i
	}
	for _, i := range r.Images {
		if i.ID == "" || images[i.ID] {
			return fmt.Errorf("image id %q is empty or occurs twice", i.ID)
		}
		images[i.ID] = true
	}
	for i, k := range r.Kernels {
		if _, twice := kernels[k.ID]; k.ID == "" || twice {
			return fmt.Errorf("kernel id %q is empty or occurs twice", k.ID)
		}
		kernels[k.ID] = i
		for _, id := range k.Images {
			if !images[id] {
				return fmt.Errorf("kernel %q is in image %q, which is not listed", k.ID, id)
			}
		}
	}
	// Lists of kernels and devices are as long as a file can make them, so there
	// is a place for each pair only if there are as many cells.
	if want := len(kernels) * len(devices); len(r.Cells) != want {
		return fmt.Errorf("%d cells for %d kernels and %d devices", len(r.Cells), len(kernels), len(devices))
	}
	seen := make([]bool, len(r.Cells))
	nextKernel, nextDevice := 0, -1
	for i := range r.Cells {
		c := &r.Cells[i]
		// Cells are mostly in the order of the lists.
		if nextDevice++; nextDevice == len(r.Devices) {
			nextKernel, nextDevice = nextKernel+1, 0
		}
		kernel, device := nextKernel, nextDevice
		hasKernel, hasDevice := r.Kernels[kernel].ID == c.Kernel, r.Devices[device].ID == c.Device
		if !hasKernel {
			kernel, hasKernel = kernels[c.Kernel]
		}
		if !hasDevice {
			device, hasDevice = devices[c.Device]
		}
		place := kernel*len(devices) + device
		switch {
		case !hasKernel:
			return fmt.Errorf("a cell is about kernel %q, which is not listed", c.Kernel)
		case !hasDevice:
			return fmt.Errorf("a cell is about device %q, which is not listed", c.Device)
		case c.Image != "" && (i == 0 || c.Image != r.Cells[i-1].Image) && !images[c.Image]:
			return fmt.Errorf("a cell is about image %q, which is not listed", c.Image)
		case seen[place]:
			return fmt.Errorf("two cells are about kernel %q and device %q", c.Kernel, c.Device)
		}
		seen[place] = true
		switch c.Holds {
		case Native, IR, NativeOrIR, Nothing:
		default:
			return fmt.Errorf("%q is not what a file can hold for a device", c.Holds)
		}
		switch c.Scope {
		case ScopeImage, ScopeKernel:
		default:
			return fmt.Errorf("%q is not a scope", c.Scope)
		}
		worst := compat.Compatible
		for _, reason := range c.Reasons {
			if reason.Verdict <= compat.Compatible {
				return fmt.Errorf("a reason has the status %q", reason.Verdict)
			}
			if reason.Verdict > worst {
				worst = reason.Verdict
			}
		}
		if c.Verdict != worst {
			return fmt.Errorf("kernel %q on device %q is %q, but its reasons make it %q", c.Kernel, c.Device, c.Verdict, worst)
		}
	}
	if s := r.statistics(); s != r.Statistics {
		return fmt.Errorf("the statistics do not fit the cells: they say %+v, the cells %+v", r.Statistics, s)
	}
	return nil
}
