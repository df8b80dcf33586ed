package gate

import (
	"cmp"
	"encoding/json"
	"io"
	"iter"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// ResultSchema is the member "schema" of the JSON of results.
const ResultSchema = "https://rules-sycl.github.io/schema/compat-result/v1"

// The fields of the following types are sorted by JSON name, because this is the order of the
// members in the output.

// A Result is a decision with all the data it is based on.
type Result struct {
	Category      string           `json:"category,omitempty"`
	Compared      bool             `json:"compared"` // whether there was a baseline or base reports
	Conclusion    Conclusion       `json:"conclusion"`
	Counts        Counts           `json:"counts"`
	Devices       []DeviceTier     `json:"devices"`
	Findings      []Finding        `json:"findings"` // most severe first
	Generator     report.Generator `json:"generator"`
	Notices       []Notice         `json:"notices"`
	Policy        PolicySummary    `json:"policy"`
	Schema        string           `json:"schema"`
	SchemaVersion string           `json:"schema-version"`
	Targets       []TargetSummary  `json:"targets"`
	Today         string           `json:"today"`
	Update        string           `json:"-"` // as in the Input
	Workspace     Workspace        `json:"-"` // as in the Input

	old, now   []*Index    // compared reports
	difference *Difference // between old and now, computed on first use
	items      []*item
	targets    []*target
	repeats    repetitions       // of the targets
	digests    map[string]string // of devices
	absent     []Entry           // of the baseline
	solved     []Entry           // of the baseline, or else of the base reports
	generic    map[string]bool   // generic devices, which represent several devices
}

// A KernelStatus is a kernel's status on a device.
type KernelStatus struct {
	Kernel string // demangled
	Name   string // mangled
	Target string
	Status compat.Status // NoStatus if no report has one
}

// Statuses returns the statuses of kernels on a device, by target and kernel, for all targets with
// the device. It returns a status that several targets share once. A result read from a file has no
// statuses.
func (r *Result) Statuses(device string) iter.Seq[KernelStatus] {
	return func(yield func(KernelStatus) bool) {
		for _, t := range r.targets {
			col, repeated := t.column(device), r.repeats.byTarget[t]
			if col < 0 {
				continue
			}
			for row, k := range t.kernels {
				if repeated.has(t.at(row, col)) || !repeated.counts(t, row) {
					continue
				}
				if !yield(KernelStatus{Kernel: k.display, Name: k.name, Target: t.label, Status: t.status(row, col)}) {
					return
				}
			}
		}
	}
}

// A Solved is a known problem that no longer exists.
type Solved struct {
	Entry
	Kernel string // demangled
	Gone   bool   // no report includes the kernel
}

// Solved returns the known problems that no longer exist.
func (r *Result) Solved() (list []Solved) {
	display := map[string]string{}
	for _, t := range r.targets {
		for _, k := range t.kernels {
			for _, name := range k.names() {
				display[name] = cmp.Or(k.display, k.name)
			}
		}
	}
	for _, e := range r.solved {
		name, ok := display[e.Kernel]
		if !ok {
			name = kernelname.Display(e.Kernel)
		}
		list = append(list, Solved{Entry: e, Kernel: name, Gone: !ok})
	}
	return list
}

// OnlyGeneric reports whether all checked devices are generic targets such as spir64, for which the
// actual devices are known only at run time.
func (r *Result) OnlyGeneric() bool {
	return len(r.Devices) > 0 && !slices.ContainsFunc(r.Devices, func(d DeviceTier) bool { return !r.generic[d.ID] })
}

// A Conclusion is the decision of a gate.
type Conclusion string

const (
	Success Conclusion = "success"
	Failure Conclusion = "failure"
)

// Counts are the numbers of kernel-device pairs, and of their problems.
type Counts struct {
	Absent            int `json:"absent"`  // known problems that no longer exist
	Allowed           int `json:"allowed"` // problems that the policy allows
	Cells             int `json:"cells"`
	Compatible        int `json:"compatible"`
	DeviceDataChanged int `json:"device-data-changed"` // problems that are new because of more device data
	Devices           int `json:"devices"`
	Errors            int `json:"errors"`  // errors that nothing covers
	Expired           int `json:"expired"` // problems whose exception has expired
	Failing           int `json:"failing"` // problems that make the gate fail
	Family            int `json:"family"`  // problems of kernels that have an alternative
	Incompatible      int `json:"incompatible"`
	Kernels           int `json:"kernels"`
	New               int `json:"new"`
	NotApplicable     int `json:"not-applicable"`
	NotReported       int `json:"not-reported"`
	Notes             int `json:"notes"`
	Stale             int `json:"stale"`     // entries of the policy and the baseline without a match
	Unchanged         int `json:"unchanged"` // known problems
	Undetermined      int `json:"undetermined"`
	Updated           int `json:"updated"` // known problems of renamed kernels
	Warnings          int `json:"warnings"`
}

// A DeviceTier states the importance of a device as the severity of its problems.
type DeviceTier struct {
	ID   string `json:"id"`
	Tier Tier   `json:"tier"`
}

// A Tier is a list of devices in a policy.
type Tier string

const (
	Required    Tier = "required"
	Supported   Tier = "supported"
	Informative Tier = "informative"
)

// severity returns the maximum severity of problems on devices in the tier.
func (t Tier) severity() Severity {
	switch t {
	case Required:
		return Error
	case Supported:
		return Warning
	}
	return Note
}

// A Finding is a problem of a kernel, with the devices that share it.
type Finding struct {
	Also        []string        `json:"also,omitempty"`  // further targets with the same device code and problem
	Cause       RuleID          `json:"cause,omitempty"` // rule in the report, if different from Rule
	Class       Class           `json:"class,omitempty"`
	Column      int             `json:"column,omitempty"` // 0 if unknown
	Devices     []DeviceFinding `json:"devices"`          // empty for findings about targets and kernels in general
	Expired     bool            `json:"expired,omitempty"`
	Fails       bool            `json:"fails"`
	Family      string          `json:"family,omitempty"`
	Fingerprint string          `json:"fingerprint"`
	Image       bool            `json:"image,omitempty"`  // the problem is in the kernel's device image
	Kernel      string          `json:"kernel,omitempty"` // demangled
	Line        int             `json:"line,omitempty"`
	Name        string          `json:"name,omitempty"` // mangled
	Origins     []string        `json:"origins,omitempty"`
	Path        string          `json:"path,omitempty"`         // relative to the workspace, or "" if unknown
	RenamedFrom string          `json:"renamed-from,omitempty"` // the kernel's name at the time the problem became known
	Required    string          `json:"required,omitempty"`
	Rule        RuleID          `json:"rule"`
	Severity    Severity        `json:"severity"`
	State       State           `json:"state"`
	Suppression *Suppression    `json:"suppression,omitempty"`
	Target      string          `json:"target,omitempty"`
	Text        string          `json:"text,omitempty"` // for findings that Rule and Required do not explain
}

// IsCovered reports whether the policy allows the finding.
func (f *Finding) IsCovered() bool { return f.Suppression != nil || f.Family != "" }

// A DeviceFinding is a device with a problem.
type DeviceFinding struct {
	Available string `json:"available,omitempty"` // what the device has instead
	ID        string `json:"id"`
	Tier      Tier   `json:"tier"`
}

// A Class explains the state of a finding.
type Class string

// ClassDeviceData is the class of findings that are new because device data has changed.
const ClassDeviceData Class = "device-data-changed"

// A State specifies whether a finding is new or known. Its values are values of baselineState in SARIF.
type State string

const (
	StateNew       State = "new"
	StateUnchanged State = "unchanged"
	StateUpdated   State = "updated" // known under a different kernel name
)

// A Suppression is the reason why a finding does not count.
type Suppression struct {
	Expires string `json:"expires,omitempty"`
	Issue   string `json:"issue,omitempty"`
	Line    int    `json:"line"` // in the policy
	Owner   string `json:"owner,omitempty"`
	Reason  string `json:"reason"`
}

// A Notice is a message about the policy, the baseline or the devices.
type Notice struct {
	Fails    bool     `json:"fails"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Rule     RuleID   `json:"rule"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
}

// A PolicySummary holds the decisive parts of a policy.
type PolicySummary struct {
	FailOn         FailOn   `json:"fail-on"`
	FailOnSeverity Severity `json:"fail-on-severity"`
	File           string   `json:"file,omitempty"`
	Undetermined   Severity `json:"undetermined"`
}

// A TargetSummary describes what was checked for a target.
type TargetSummary struct {
	Devices []string `json:"devices"`
	Kernels int      `json:"kernels"`
	Label   string   `json:"label"`
	Reports []string `json:"reports"` // files
}

// Encode writes the result as JSON, indented by two spaces, with a final line break.
func (r *Result) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

var resultFormat = jsonFormat{noun: "result", schema: ResultSchema, version: "1.0", most: 256}

func (r *Result) head() (schema, version string) { return r.Schema, r.SchemaVersion }

// ReadResult reads a result written by Encode; name is used in errors. It rejects unknown and
// duplicate members. A file lacks some of the data that [Evaluate] returns: for kernels without a
// finding, it only has the counts of their statuses.
func ReadResult(name string, r io.Reader) (*Result, error) {
	out := new(Result)
	if _, err := resultFormat.read(name, r, out); err != nil {
		return nil, err
	}
	if why := out.whyInvalid(); why != "" {
		return nil, &SyntaxError{File: name, Msg: why}
	}
	return out, nil
}
