// Package gate decides whether a change may pass. It compares compatibility reports with a policy,
// which states the requirements for each device, and with known problems from a baseline file or
// reports on the base branch.
//
// A kernel that does not run on a device is not always a defect: libraries have kernels for many
// kinds of devices. Therefore, a policy sorts devices into tiers, names families of kernels where
// one suffices, and lists exceptions, which have a reason and an expiry date. By default, only new
// problems fail the check.
//
// [Evaluate] is a function of its [Input]: it uses no clock and no environment, and reads only files
// of the [Workspace]. An [Index] holds the data that it needs from a report. Package
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

// An Input holds everything that a decision depends on.
type Input struct {
	Reports   []*Index  // of the change
	Base      []*Index  // of the base branch, or nil if unknown
	Baseline  *Baseline // nil if there is none
	Policy    *Policy   // nil for DefaultPolicy
	Today     time.Time // exceptions expire on dates in UTC
	Generator report.Generator
	Category  string    // distinguishes the results of a change if there are several, for example one per configuration
	Update    string    // the command that updates the baseline, or "" if unknown
	Workspace Workspace // nil if there are no source files
	// Prefix is the workspace's directory relative to the repository, or "" if it is the root.
	// Paths in the result are relative to the repository.
	Prefix string
	// Root is the absolute path of the workspace, or "" if unknown. Paths below it become relative.
	Root string

	// Written is the policy as written in its file, if flags or inputs override part of it.
	Written *Policy
	// BasePolicy and BaseBaseline come from the base branch, to show how the change weakens them. They
	// are nil if unknown. A base branch without a policy has [DefaultPolicy], and one without a
	// baseline has an empty one.
	BasePolicy   *Policy
	BaseBaseline *Baseline
	// NextPolicy and NextBaseline come from the change, if the base branch's policy and baseline
	// apply.
	NextPolicy   *Policy
	NextBaseline *Baseline
	// BaseDevices are the device data of the base branch, or nil if unknown. If there are base
	// reports, their data takes precedence, because they were built with it.
	BaseDevices []report.Device
	// NextDevices are the device data of the change, if the reports use the data of the base branch.
	NextDevices []report.Device
	// BaseDecides is set if the policy and the baseline of the base branch apply. Reports then fail
	// if their data of a required device is weaker than on the base branch.
	BaseDecides bool
	// Commits are the names of the checked commits: a change and its merge. If set, a report that
	// names a different commit fails.
	Commits []string
	// NotCompared explains why the policies or the baselines cannot be compared, and how to fix it. If
	// the policy requires the comparison, the gate then fails.
	NotCompared []string
}

// A Workspace provides source files. Paths are relative to it, with "/".
type Workspace interface {
	// HasFile reports whether path is a regular file.
	HasFile(path string) bool
	// Open opens a regular file.
	Open(path string) (io.ReadCloser, error)
	// Target returns the location where a target is declared.
	Target(label string) (path string, line int, ok bool)
}

// A prefixed workspace is in a subdirectory of the repository. Its methods use paths relative to
// the repository.
type prefixed struct {
	Workspace
	prefix string
}

func (p prefixed) Open(name string) (io.ReadCloser, error) {
	return p.Workspace.Open(strings.TrimPrefix(name, p.prefix+"/"))
}

// fromRepository converts a path relative to the workspace, or below its root, to one relative to
// the repository.
func (in *Input) fromRepository(name string) string {
	if below, err := filepath.Rel(in.Root, name); in.Root != "" && err == nil && filepath.IsAbs(name) && filepath.IsLocal(below) {
		name = below
	}
	if name == "" || path.IsAbs(name) || filepath.IsAbs(name) {
		return name
	}
	return path.Join(in.Prefix, filepath.ToSlash(name))
}

const dateFormat = "2006-01-02"

// ParseDate parses a date such as 2027-03-31.
func ParseDate(s string) (time.Time, error) {
	t, err := time.Parse(dateFormat, s)
	if err != nil {
		return t, fmt.Errorf("invalid date %q; expected a date such as 2027-03-31", s)
	}
	return t, nil
}
