package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// Limits on a report that is read.
const (
	maxBytes    = 8 << 30
	maxDepth    = 32
	maxCells    = 20_000_000
	maxListed   = 1_000_000 // in every other list
	maxText     = 1 << 20   // in bytes
	maxElements = 5_000_000 // of all lists but the cells
)

// Decode reads a report. The name is for errors. Decode refuses what could be understood
// in two ways:
//   - members that occur twice or that differ only in case
//   - text that is not UTF-8
//   - anything after the report
//   - unknown members outside of "extensions", unless the minor version is newer than
//     [SchemaVersion]
//   - what the schema does not allow: members that are missing, empty names, other words
//   - cells that do not fit the lists of kernels and devices
//   - wrong counts
func Decode(name string, in io.Reader) (*Report, error) {
	return new(Decoder).Decode(name, in)
}

// A Decoder reads one report after the other into the same memory. A report is valid
// until the next one is read. The zero Decoder is ready to use.
type Decoder struct {
	data  bytes.Buffer
	cells Cells
	names map[string]string // texts of reports, each once
}

// Decode reads a report like the function [Decode].
func (d *Decoder) Decode(name string, in io.Reader) (*Report, error) {
	data, err := d.readAll(in)
	switch {
	case err == errTooLarge:
		return nil, &FormatError{name, 0, fmt.Sprintf("the report has more than %d MiB", maxBytes>>20)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case !utf8.Valid(data):
		return nil, &FormatError{name, int64(invalidUTF8(data)), "not valid UTF-8"}
	}
	r, fault := d.decode(data)
	if fault != nil {
		if len(bytes.TrimSpace(data)) == 0 || strings.ContainsAny(fault.Msg, `"'`) && !isReport(data) {
			fault = &FormatError{Msg: notReport}
		}
		fault.File = name
		return nil, fault
	}
	if err := r.check(); err != nil {
		return nil, &FormatError{name, 0, err.Error()}
	}
	return r, nil
}

var errTooLarge = errors.New("too large")

// readAll reads a report whole, unless it is too large.
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

// decode reads a report without the checks of its content.
func (d *Decoder) decode(data []byte) (*Report, *FormatError) {
	if d.names == nil || len(d.names) >= maxNames {
		d.names = map[string]string{}
	}
	r := new(Report)
	p := reader{data: data, names: d.names, memory: d.cells}
	p.report(r)
	d.cells = p.memory
	schema, version := r.Schema, r.SchemaVersion
	if p.fault != nil {
		// The fault may be something that another version allows.
		var ok bool
		if schema, version, ok = readVersion(data); !ok {
			return nil, p.fault
		}
	}
	if schema == "" || version == "" {
		return nil, &FormatError{Msg: notReport}
	}
	newer, err := checkVersion(schema, version)
	switch {
	case err != nil:
		return nil, &FormatError{Msg: err.Error()}
	case p.unknown != nil && !newer && (p.fault == nil || p.unknown.Offset < p.fault.Offset):
		return nil, p.unknown
	case p.fault != nil:
		return nil, p.fault
	}
	return r, nil
}

const notReport = `not a compatibility report: "schema" and "schema-version" are needed`

// isReport reports whether data are a report, perhaps one with a fault. Errors about
// other files do not quote them: their text may be secret.
func isReport(data []byte) bool {
	schema, _, _ := strings.Cut(Schema, "/v")
	return bytes.Contains(data, []byte(schema))
}

// readVersion returns the two members that say the version of a report. It fails if data
// are not JSON.
func readVersion(data []byte) (schema, version string, ok bool) {
	p := reader{data: data}
	ok = p.eachMember(true, func(name string) bool {
		switch name {
		case "schema":
			return p.rareText(&schema)
		case "schema-version":
			return p.rareText(&version)
		}
		return p.skipValue(true)
	})
	return schema, version, ok
}

// checkVersion reports whether a report is of a newer minor version: its additions are
// ignored.
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
