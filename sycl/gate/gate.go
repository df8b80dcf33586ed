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
	"fmt"
	"io"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// An Input is all that a decision depends on.
type Input struct {
	Reports   []*Index
	Base      []*Index  // of the base branch, nil when they are not known
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

const dateFormat = "2006-01-02"

// ParseDate reads a day such as 2027-03-31.
func ParseDate(s string) (time.Time, error) {
	t, err := time.Parse(dateFormat, s)
	if err != nil {
		return t, fmt.Errorf("%q is not a day such as 2027-03-31", s)
	}
	return t, nil
}
