// Package gate decides whether a change may pass. It compares compatibility reports
// with a policy, which says what is required of which devices, and with what was
// known before: a baseline file, or reports of the base branch.
//
// Not every kernel that does not run on a device is a defect: libraries have kernels
// for devices of all kinds. So a policy sorts devices into tiers, names families of
// kernels of which one is enough, and lists exceptions, which have a reason and an
// end. By default only new problems fail.
//
// [Evaluate] is a function of its [Input]: it uses no clock, no environment and no
// file but those of the [Workspace]. An [Index] is what it needs of a report. Package
// gate/render shows the [Result].
package gate

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// An Input is all that a decision depends on.
type Input struct {
	Reports   []*Index  // of the change
	Base      []*Index  // of the base branch, nil when they are not known
	Baseline  *Baseline // nil when there is none
	Policy    *Policy   // nil is DefaultPolicy
	Today     time.Time // exceptions end on days in UTC
	Generator report.Generator
	Category  string    // names the result when a change has several, such as one a configuration
	Update    string    // the command that makes a baseline of the same, "" when it is not known
	Workspace Workspace // nil when there are no source files to look at
	// Prefix is the directory that holds the workspace, relative to the repository, "" if it is the root. The
	// result has its paths from the repository on.
	Prefix string

	// Written is the policy as its file has it, when flags or inputs replace part of it.
	Written *Policy
	// What the base branch asks for, to show where the change asks for less. It is nil
	// when it is not known. A base branch without a policy has [DefaultPolicy], and one
	// without a baseline has an empty one.
	BasePolicy   *Policy
	BaseBaseline *Baseline
	// The same of the change, when the policy and the baseline are those of the base
	// branch.
	NextPolicy   *Policy
	NextBaseline *Baseline
	// BaseDevices are what the base branch says of devices, nil when it is not known.
	// Reports of the base branch say more: they have the data that it was built with.
	BaseDevices []report.Device
	// NextDevices are what the change will say of devices, when those of the base branch
	// are in the reports.
	NextDevices []report.Device
	// BaseDecides says that the policy and the baseline are those of the base branch. Then
	// reports fail whose data of a required device ask for less than the base branch does.
	BaseDecides bool
	// Commits are names of what is checked: a change and its merge. When there are some, a
	// report that says it is of another commit fails.
	Commits []string
	// NotCompared says why the policies or the baselines cannot be compared, and what to
	// do about it. This fails when the policy requires the comparison.
	NotCompared []string
}

// A Workspace has the source files. Paths are relative to it, with "/".
type Workspace interface {
	// HasFile reports whether there is a regular file.
	HasFile(path string) bool
	// Open opens a regular file.
	Open(path string) (io.ReadCloser, error)
	// Target returns where a target is declared.
	Target(label string) (path string, line int, ok bool)
}

// A prefixed workspace is in a directory of the repository. Paths are from the repository on.
type prefixed struct {
	Workspace
	prefix string
}

func (p prefixed) Open(name string) (io.ReadCloser, error) {
	return p.Workspace.Open(strings.TrimPrefix(name, p.prefix+"/"))
}

// fromRepository returns a path of the workspace from the repository on.
func (in *Input) fromRepository(name string) string {
	if in.Prefix == "" || name == "" || path.IsAbs(name) || filepath.IsAbs(name) {
		return name
	}
	return path.Join(in.Prefix, name)
}

const dateFormat = "2006-01-02"

// ParseDate reads a day such as 2027-03-31.
func ParseDate(s string) (time.Time, error) {
	t, err := time.Parse(dateFormat, s)
	if err != nil {
		return t, fmt.Errorf("invalid date %q; expected a date such as 2027-03-31", s)
	}
	return t, nil
}
