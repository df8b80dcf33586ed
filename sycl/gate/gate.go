// Package gate decides whether a change may pass: it holds compatibility reports
// against a policy, which says what is required of which devices, and against
// what was known before, a baseline file or reports of the base branch.
//
// Not every kernel that does not run on a device is a defect: libraries have
// kernels for devices of all kinds. So policies sort devices into tiers, name
// families of kernels of which one is enough, and list exceptions that have a
// reason and an end; and by default only what is new fails.
//
// [Evaluate] is a function of its input: it reads no file, no clock and no
// environment. All renderings are made from its [Result], so that they agree.
// Everything in a report may have been written by an attacker: renderings make
// it visible and inert.
package gate

import (
	"encoding/json"
	"io"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// ResultSchema and ResultVersion say what the JSON of a result means.
const (
	ResultSchema  = "https://rules-sycl.github.io/schema/compat-result/v1"
	ResultVersion = "1.0"
)

// An Input is all that a decision depends on.
type Input struct {
	Reports   []*Facts
	Base      []*Facts  // of the base branch, nil when they are not known
	Baseline  *Baseline // nil when there is none
	Policy    *Policy   // nil is DefaultPolicy
	Today     time.Time // exceptions end on days in UTC
	Generator report.Generator
	Category  string    // tells results of one change apart, such as those of several configurations
	Workspace Workspace // nil when there are no source files to look at

	// What the base branch has, to tell when a change asks for less. May be nil.
	BasePolicy   *Policy
	BaseBaseline *Baseline
}

// A Workspace knows the source files. Paths are relative to it, with "/".
type Workspace interface {
	// HasFile reports whether there is a regular file.
	HasFile(path string) bool
	// Open opens a regular file.
	Open(path string) (io.ReadCloser, error)
	// Target returns where a target is declared.
	Target(label string) (path string, line int, ok bool)
}

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

	items   []*item
	targets []*target
	digests map[string]string // of devices
	absent  []Entry           // of the baseline
	sources Workspace         // nil when there are none
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
	Updated           int `json:"updated"` // known problems of lambdas that have other names now
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

// Severity returns what problems of devices in the tier are at most.
func (t Tier) Severity() Severity {
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
	Cause       RuleID           `json:"cause,omitempty"` // rule of the report, when Rule is another
	Class       Class            `json:"class,omitempty"`
	Devices     []DeviceFinding  `json:"devices"` // none for findings about targets and kernels as such
	Expired     bool             `json:"expired,omitempty"`
	Fails       bool             `json:"fails"`
	Family      string           `json:"family,omitempty"`
	Fingerprint string           `json:"fingerprint"`
	Image       bool             `json:"image,omitempty"`  // it is the image of the kernel that has the problem
	Kernel      string           `json:"kernel,omitempty"` // as people write it
	Line        int              `json:"line,omitempty"`
	Name        string           `json:"name,omitempty"` // mangled
	Origins     []string         `json:"origins,omitempty"`
	Path        string           `json:"path,omitempty"` // relative to the workspace, "" when no place is known
	Required    string           `json:"required,omitempty"`
	Rule        RuleID           `json:"rule"`
	Severity    Severity         `json:"severity"`
	State       State            `json:"state"`
	Suppression *SuppressionNote `json:"suppression,omitempty"`
	Target      string           `json:"target,omitempty"`
	Text        string           `json:"text,omitempty"` // of findings that Rule and Required do not explain
}

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

// SuppressionNote says why a finding does not count.
type SuppressionNote struct {
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
