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
	maxBytes    = 4 << 30
	maxWhole    = 512 << 20 // of what cannot be read twice
	maxDepth    = 32
	maxCells    = 5_000_000
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
	window []byte
	cells  Cells
	names  map[string]string // texts of reports, each once
}

// Decode reads a report like the function [Decode].
func (d *Decoder) Decode(name string, in io.Reader) (*Report, error) {
	if f, ok := in.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > maxBytes {
			return nil, tooLarge(name)
		}
	}
	file, err := again(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r, fault, err := d.decode(file)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, tooLarge(name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case fault != nil:
		fault.File = name
		return nil, fault
	}
	if err := r.check(); err != nil {
		return nil, &FormatError{name, 0, err.Error()}
	}
	return r, nil
}

var errTooLarge = errors.New("too large")

func tooLarge(name string) error {
	return &FormatError{name, 0, fmt.Sprintf("the report has more than %d MiB", maxBytes>>20)}
}

// again returns what is read as something that can be read again. Only an error makes
// that necessary, so a file is not read into memory.
func again(in io.Reader) (io.ReadSeeker, error) {
	if file, ok := in.(io.ReadSeeker); ok {
		if _, err := file.Seek(0, io.SeekCurrent); err == nil {
			return file, nil
		}
	}
	data, err := io.ReadAll(io.LimitReader(in, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = fmt.Errorf("more than %d MiB that cannot be read twice: write them to a file", maxWhole>>20)
	}
	return bytes.NewReader(data), err
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
func (d *Decoder) decode(file io.ReadSeeker) (*Report, *FormatError, error) {
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, nil, err
	}
	if d.names == nil || len(d.names) >= maxNames {
		d.names = map[string]string{}
	}
	if d.window == nil {
		d.window = make([]byte, 0, windowBytes)
	}
	r := new(Report)
	p := reader{names: d.names, texts: new(texts), memory: d.cells}
	p.readFrom(file, d.window)
	p.report(r)
	d.cells, d.window = p.memory, p.data
	p.texts.forget()
	if p.err != nil {
		return nil, nil, p.err
	}
	newer, fault := false, p.fault
	schema, version := r.Schema, r.SchemaVersion
	if fault != nil {
		// The fault may be something that another version allows.
		if schema, version, err = readVersion(file, start); err != nil {
			return nil, nil, err
		}
	}
	if fault == nil || version != "" {
		if newer, err = checkVersion(schema, version); err != nil {
			fault = &FormatError{Msg: err.Error()}
		}
	}
	if u := p.unknown; u != nil && !newer && (fault == nil || version != "" && fault == p.fault && u.Offset < fault.Offset) {
		fault = u
	}
	if fault == nil {
		return r, nil, nil
	}
	if fault, err = withoutSecrets(fault, file, start); err != nil {
		return nil, nil, err
	}
	return nil, fault, nil
}

const notReport = `not a compatibility report: "schema" and "schema-version" are needed`

// withoutSecrets returns the fault of a file, or another one if the file is no report and
// the fault quotes it: its text may be secret.
func withoutSecrets(fault *FormatError, file io.ReadSeeker, start int64) (*FormatError, error) {
	if !strings.ContainsAny(fault.Msg, `"'`) && fault.Msg != endsEarly {
		return fault, nil
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	schema, _, _ := strings.Cut(Schema, "/v")
	isReport, isBlank := false, true
	var last []byte // the end of what was read before
	for buffer := make([]byte, windowBytes); !isReport; {
		n, err := file.Read(buffer)
		isBlank = isBlank && len(bytes.TrimSpace(buffer[:n])) == 0
		joined := append(last, buffer[:n]...)
		isReport = bytes.Contains(joined, []byte(schema))
		last = bytes.Clone(joined[max(0, len(joined)-len(schema)):])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if isBlank || !isReport && fault.Msg != endsEarly {
		return &FormatError{Msg: notReport}, nil
	}
	return fault, nil
}

// readVersion reads a file again and returns the two members that say the version of a
// report. They are "" if the file is not JSON.
func readVersion(file io.ReadSeeker, start int64) (schema, version string, err error) {
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return "", "", err
	}
	var p reader
	p.readFrom(file, make([]byte, 0, windowBytes))
	ok := p.eachMember(true, func(name string) bool {
		switch name {
		case "schema":
			return p.rareText(&schema)
		case "schema-version":
			return p.rareText(&version)
		}
		return p.skipValue(true)
	})
	if !ok {
		return "", "", p.err
	}
	return schema, version, nil
}

// checkVersion reports whether a report is of a newer minor version: its additions are
// ignored.
func checkVersion(schema, version string) (newer bool, err error) {
	var major, minor, ownMajor, ownMinor uint32
	fmt.Sscanf(SchemaVersion, "%d.%d", &ownMajor, &ownMinor)
	if schema == "" || version == "" {
		return false, errors.New(notReport)
	}
	if n, err := fmt.Sscanf(version, "%d.%d", &major, &minor); n != 2 || err != nil || fmt.Sprintf("%d.%d", major, minor) != version {
		return false, fmt.Errorf("schema version %q is not of the form 1.0", version)
	}
	if schema != Schema || major != ownMajor {
		return false, fmt.Errorf("schema %q, version %s: only %q, version %d, can be read; use a newer tool", schema, version, Schema, ownMajor)
	}
	return minor > ownMinor, nil
}
