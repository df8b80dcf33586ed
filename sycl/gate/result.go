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

// Fields of the following types are in the alphabetical order of their JSON
// names, which makes the members of the output so.

// A Result is a decision and what it is made of.
type Result struct {
	Category      string           `json:"category,omitempty"`
	Compared      bool             `json:"compared"` // whether there was a baseline or base reports
	Conclusion    Conclusion       `json:"conclusion"`
	Counts        Counts           `json:"counts"`
	Devices       []DeviceTier     `json:"devices"`
	Findings      []Finding        `json:"findings"` // the gravest first
	Generator     report.Generator `json:"generator"`
	Notices       []Notice         `json:"notices"`
	Policy        PolicySummary    `json:"policy"`
	Schema        string           `json:"schema"`
	SchemaVersion string           `json:"schema-version"`
	Targets       []TargetSummary  `json:"targets"`
	Today         string           `json:"today"`
	Update        string           `json:"-"` // as in the Input
	Workspace     Workspace        `json:"-"` // as in the Input

	old, now   []*Index    // what is compared
	difference *Difference // of them, once it was asked for
	items      []*item
	targets    []*target
	repeats    repetitions       // of the targets
	digests    map[string]string // of devices
	absent     []Entry           // of the baseline
	solved     []Entry           // of the baseline, else of the reports of the base branch
	generic    map[string]bool   // devices that stand for others
}

// A KernelStatus says whether a kernel runs on a device.
type KernelStatus struct {
	Kernel string // as people write it
	Name   string // mangled
	Target string
	Status compat.Status // NoStatus when no report has one
}

// Statuses returns whether kernels run on a device: all of the targets with the
// device, by target and kernel. A status that several targets have is one. A result that was read from a file has none.
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

// A Solved problem was known, and is gone.
type Solved struct {
	Entry
	Kernel string // demangled
	Gone   bool   // the kernel is in no report
}

// Solved returns the known problems that are gone.
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

// OnlyGeneric reports whether all devices that were checked are generic targets such as
// spir64, which stand for devices that are known only when the program runs.
func (r *Result) OnlyGeneric() bool {
	return len(r.Devices) > 0 && !slices.ContainsFunc(r.Devices, func(d DeviceTier) bool { return !r.generic[d.ID] })
}

// A Conclusion is what a gate comes to.
type Conclusion string

const (
	Success Conclusion = "success"
	Failure Conclusion = "failure"
)

// Counts are numbers of kernels on devices, and of problems of these.
type Counts struct {
	Absent            int `json:"absent"`  // known problems that are no more
	Allowed           int `json:"allowed"` // problems that the policy allows
	Cells             int `json:"cells"`
	Compatible        int `json:"compatible"`
	DeviceDataChanged int `json:"device-data-changed"` // problems that are new because more is known of devices
	Devices           int `json:"devices"`
	Errors            int `json:"errors"`  // problems that nothing covers
	Expired           int `json:"expired"` // problems whose exception has ended
	Failing           int `json:"failing"` // problems that make the gate fail
	Family            int `json:"family"`  // problems of kernels that have an alternative
	Incompatible      int `json:"incompatible"`
	Kernels           int `json:"kernels"`
	New               int `json:"new"`
	NotApplicable     int `json:"not-applicable"`
	NotReported       int `json:"not-reported"`
	Notes             int `json:"notes"`
	Stale             int `json:"stale"`     // entries of the policy and the baseline that match nothing
	Unchanged         int `json:"unchanged"` // known problems
	Undetermined      int `json:"undetermined"`
	Updated           int `json:"updated"` // known problems of kernels that have other names now
	Warnings          int `json:"warnings"`
}

// DeviceTier says how much a device matters: its problems are of this severity.
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

// severity returns what problems of devices in the tier are at most.
func (t Tier) severity() Severity {
	switch t {
	case Required:
		return Error
	case Supported:
		return Warning
	}
	return Note
}

// A Finding is a problem of a kernel, with the devices it is the same for.
type Finding struct {
	Also        []string        `json:"also,omitempty"`  // other targets with the same device code, and the same problem
	Cause       RuleID          `json:"cause,omitempty"` // rule of the report, when Rule is another
	Class       Class           `json:"class,omitempty"`
	Column      int             `json:"column,omitempty"` // 0 when it is not known
	Devices     []DeviceFinding `json:"devices"`          // none for findings about targets and kernels as such
	Expired     bool            `json:"expired,omitempty"`
	Fails       bool            `json:"fails"`
	Family      string          `json:"family,omitempty"`
	Fingerprint string          `json:"fingerprint"`
	Image       bool            `json:"image,omitempty"`  // it is the image of the kernel that has the problem
	Kernel      string          `json:"kernel,omitempty"` // as people write it
	Line        int             `json:"line,omitempty"`
	Name        string          `json:"name,omitempty"` // mangled
	Origins     []string        `json:"origins,omitempty"`
	Path        string          `json:"path,omitempty"`         // relative to the workspace, "" when no place is known
	RenamedFrom string          `json:"renamed-from,omitempty"` // what the kernel was called when the problem became known
	Required    string          `json:"required,omitempty"`
	Rule        RuleID          `json:"rule"`
	Severity    Severity        `json:"severity"`
	State       State           `json:"state"`
	Suppression *Suppression    `json:"suppression,omitempty"`
	Target      string          `json:"target,omitempty"`
	Text        string          `json:"text,omitempty"` // of findings that Rule and Required do not explain
}

// Covered reports whether the policy lets the finding pass.
func (f *Finding) Covered() bool { return f.Suppression != nil || f.Family != "" }

// DeviceFinding is a device with a problem.
type DeviceFinding struct {
	Available string `json:"available,omitempty"` // what it has instead
	ID        string `json:"id"`
	Tier      Tier   `json:"tier"`
}

// A Class says more about the state of a finding.
type Class string

// ClassDeviceData is a finding that is new because data of devices changed.
const ClassDeviceData Class = "device-data-changed"

// A State says whether a finding was known. Its values are those of
// baselineState in SARIF.
type State string

const (
	StateNew       State = "new"
	StateUnchanged State = "unchanged"
	StateUpdated   State = "updated" // known by another name of the kernel
)

// Suppression says why a finding does not count.
type Suppression struct {
	Expires string `json:"expires,omitempty"`
	Issue   string `json:"issue,omitempty"`
	Line    int    `json:"line"` // in the policy
	Owner   string `json:"owner,omitempty"`
	Reason  string `json:"reason"`
}

// A Notice is about the policy, the baseline or the devices.
type Notice struct {
	Fails    bool     `json:"fails"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Rule     RuleID   `json:"rule"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
}

// PolicySummary is what of a policy decides.
type PolicySummary struct {
	FailOn         FailOn   `json:"fail-on"`
	FailOnSeverity Severity `json:"fail-on-severity"`
	File           string   `json:"file,omitempty"`
	Undetermined   Severity `json:"undetermined"`
}

// TargetSummary is what was checked.
type TargetSummary struct {
	Devices []string `json:"devices"`
	Kernels int      `json:"kernels"`
	Label   string   `json:"label"`
	Reports []string `json:"reports"` // files
}

// Encode writes the result as JSON, two spaces deep, with a final line break.
func (r *Result) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

var resultFormat = jsonFormat{noun: "result", schema: ResultSchema, version: "1.0", most: 256}

func (r *Result) head() (schema, version string) { return r.Schema, r.SchemaVersion }

// ReadResult reads a result that Encode has written; name is used in errors. It
// refuses what it does not know and what occurs twice. A file does not have all that
// [Evaluate] returns: of the statuses on kernels without a finding only the counts.
func ReadResult(name string, r io.Reader) (*Result, error) {
	out := new(Result)
	if _, err := resultFormat.read(name, r, out); err != nil {
		return nil, err
	}
	if fault := out.fault(); fault != "" {
		return nil, &SyntaxError{File: name, Msg: fault}
	}
	return out, nil
}
