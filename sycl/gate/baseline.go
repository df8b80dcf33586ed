package gate

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

var baselineFormat = jsonFormat{noun: "baseline", schema: "https://rules-sycl.github.io/schema/compat-baseline/v1", version: "1.0", most: 64}

// A Baseline lists known problems that do not fail the gate. It is generated; exceptions written by
// hand belong in the policy. It also records what was checked, so that the gate detects reduced
// coverage.
type Baseline struct {
	File     string // as given to ReadBaseline
	Devices  []BaselineDevice
	Findings []Entry
	Targets  []BaselineTarget
}

// A BaselineDevice is a device with a digest of its data.
type BaselineDevice struct {
	Digest string `json:"digest"`
	ID     string `json:"id"`
}

// A BaselineTarget is a target with the devices it was checked for.
type BaselineTarget struct {
	Devices []string `json:"devices"`
	Label   string   `json:"label"`
}

// An Entry is a known problem.
type Entry struct {
	Count       int    `json:"count"`
	Device      string `json:"device"`
	File        string `json:"file,omitempty"` // with the kernel
	Fingerprint string `json:"fingerprint"`
	Kernel      string `json:"kernel"` // mangled name
	Required    string `json:"required"`
	Rule        RuleID `json:"rule"`
	Target      string `json:"target"`
}

// fingerprint identifies a problem by kernel and device, regardless of its source location and
// target.
func (e *Entry) fingerprint() string {
	return fingerprint(string(e.Rule), e.Kernel, e.Device, e.Required)
}

func fingerprint(parts ...string) string {
	data := []byte("1\x00")
	for _, p := range parts {
		data = binary.AppendUvarint(data, uint64(len(p)))
		data = append(data, p...)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func compareEntries(a, b Entry) int {
	return cmp.Or(strings.Compare(a.Target, b.Target), strings.Compare(a.Kernel, b.Kernel), strings.Compare(string(a.Rule), string(b.Rule)),
		strings.Compare(a.Required, b.Required), strings.Compare(a.Device, b.Device), strings.Compare(a.File, b.File))
}

// Encode writes the baseline as JSON with one entry per line, because version control merges that
// best.
func (b *Baseline) Encode(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "{\n  \"devices\": [")
	writeLines(out, b.Devices)
	fmt.Fprint(out, "],\n  \"findings\": [")
	writeLines(out, b.Findings)
	fmt.Fprintf(out, "],\n  \"schema\": %q,\n  \"schema-version\": %q,\n  \"targets\": [", baselineFormat.schema, baselineFormat.version)
	writeLines(out, b.Targets)
	fmt.Fprint(out, "]\n}\n")
	return out.Flush()
}

func writeLines[T any](w *bufio.Writer, list []T) {
	for i, v := range list {
		data, _ := json.Marshal(v) // encoding strings and numbers cannot fail
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString("\n    ")
		w.Write(data)
	}
	if len(list) > 0 {
		w.WriteString("\n  ")
	}
}

// baselineFile is the JSON of a baseline.
type baselineFile struct {
	Devices       []BaselineDevice `json:"devices"`
	Findings      []Entry          `json:"findings"`
	Schema        string           `json:"schema"`
	SchemaVersion string           `json:"schema-version"`
	Targets       []BaselineTarget `json:"targets"`
}

func (f *baselineFile) head() (schema, version string) { return f.Schema, f.SchemaVersion }

// ReadBaseline reads a baseline; name is used in errors. It rejects unknown and duplicate members
// and recomputes the fingerprints.
func ReadBaseline(name string, r io.Reader) (*Baseline, error) {
	var file baselineFile
	data, err := baselineFormat.read(name, r, &file)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Devices {
		if !digest.MatchString(d.Digest) {
			at := max(0, bytes.Index(data, []byte(d.Digest)))
			return nil, &SyntaxError{File: name, Line: lineAt(data, at), Msg: fmt.Sprintf("invalid device digest %q; run 'compat baseline update'", d.Digest)}
		}
	}
	for _, e := range file.Findings {
		if why := e.whyInvalid(); why != "" {
			at := max(0, bytes.Index(data, []byte(e.Fingerprint)))
			return nil, &SyntaxError{File: name, Line: lineAt(data, at), Msg: why}
		}
	}
	return &Baseline{File: name, Devices: file.Devices, Findings: file.Findings, Targets: file.Targets}, nil
}

// whyInvalid returns why an entry of a file is invalid, or "".
func (e *Entry) whyInvalid() string {
	if want := e.fingerprint(); e.Fingerprint != want {
		return fmt.Sprintf("the fingerprint %q does not match its entry, which has %s; run 'compat baseline update'", e.Fingerprint, want)
	}
	if e.Count < 1 || e.Count > maxCount {
		return fmt.Sprintf("count %d is out of range (1 to %d)", e.Count, maxCount)
	}
	if r, ok := LookupRule(e.Rule); !ok || !r.Finding || !canBeBaselined(e.Rule) {
		return fmt.Sprintf("findings of the rule %q cannot be in a baseline", e.Rule)
	}
	return ""
}

// canBeBaselined reports whether findings of a rule can be in a baseline. Lost coverage cannot, because
// a change could otherwise pass the gate by checking less.
func canBeBaselined(id RuleID) bool {
	return id != CoverageLost && id != KernelLost && id != ReportInvalid
}

// NewBaseline returns a baseline with the findings of a result that no exception covers. It omits
// notes unless they fail the gate.
func NewBaseline(r *Result) *Baseline {
	b := &Baseline{Devices: []BaselineDevice{}, Findings: []Entry{}, Targets: []BaselineTarget{}} // [] instead of null in JSON
	for id, digest := range r.digests {
		b.Devices = append(b.Devices, BaselineDevice{digest, id})
	}
	slices.SortFunc(b.Devices, func(a, b BaselineDevice) int { return strings.Compare(a.ID, b.ID) })
	for _, t := range r.targets {
		b.Targets = append(b.Targets, BaselineTarget{append([]string{}, t.devices...), t.label})
	}
	least := leastKnown(r.Policy.FailOnSeverity)
	for _, i := range r.items {
		if !i.isCovered() && canBeBaselined(i.problem.rule) && i.severity >= least {
			b.Findings = append(b.Findings, i.entry())
		}
	}
	b.Findings = mergeEqual(b.Findings)
	return b
}

// leastKnown returns the lowest severity of findings in a baseline.
func leastKnown(fails Severity) Severity { return min(fails, Warning) }

// digests returns the device digests by device name. The baseline may be nil.
func (b *Baseline) digests() map[string]string {
	all := map[string]string{}
	if b != nil {
		for _, d := range b.Devices {
			all[d.ID] = d.Digest
		}
	}
	return all
}

// mergeEqual sorts entries and merges equal ones.
func mergeEqual(list []Entry) []Entry {
	slices.SortFunc(list, compareEntries)
	out := list[:0]
	for _, e := range list {
		if n := len(out); n > 0 && compareEntries(out[n-1], e) == 0 {
			out[n-1].Count += e.Count
		} else {
			out = append(out, e)
		}
	}
	return out
}

// Prune returns the baseline without the entries that a result does not contain. It adds no entries
// and keeps the record of what was checked.
func Prune(b *Baseline, r *Result) *Baseline {
	out := *b
	out.Findings = append([]Entry{}, subtract(b.Findings, r.absent)...) // [] instead of null in JSON
	return &out
}

// Missing returns the entries of want that have does not contain. The count of an entry is the
// number of missing occurrences.
func Missing(have, want *Baseline) []Entry { return subtract(want.Findings, have.Findings) }

// subtract returns the entries of list with the counts in other subtracted, without entries whose
// count is then 0.
func subtract(list, other []Entry) (left []Entry) {
	gone := map[Entry]int{}
	for _, e := range other {
		n := e.Count
		e.Count = 0
		gone[e] += n
	}
	for _, e := range list {
		key := e
		key.Count = 0
		less := min(gone[key], e.Count)
		gone[key] -= less
		if e.Count -= less; e.Count > 0 {
			left = append(left, e)
		}
	}
	return left
}
