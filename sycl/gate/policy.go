package gate

import (
	"fmt"
	"strings"
)

// A Policy defines what fails the gate. Its patterns match whole names; "*" matches any text.
// docs/check/policies.md describes the file.
type Policy struct {
	File string // as given to ReadPolicy

	Required    []string // device patterns; problems are errors
	Supported   []string // device patterns; problems are warnings
	Informative []string // device patterns; problems are notes, as for unlisted devices

	FailOn         FailOn
	FailOnSeverity Severity // the lowest failing severity
	FailOnEmpty    bool     // fail if there is no status at all
	FailOnStale    bool     // fail on entries that match nothing or have expired
	Undetermined   Severity // severity of the rule "undetermined"
	Rules          map[RuleID]Severity

	Families []Family
	Allow    []Exception

	// CompareWithBase makes the gate fail if the policy and the baseline cannot be compared with
	// the base branch's.
	CompareWithBase bool

	MaxAllow    int  // limit on exceptions
	MaxBaseline int  // limit on baseline entries
	NeverEnds   bool // exceptions need not expire

	locations map[string]policyLocation // of devices, in the file
}

// A policyLocation is the location of a device name in the policy.
type policyLocation struct {
	key  string
	line int
}

// A FailOn selects the problems that count.
type FailOn string

const (
	FailOnNew  FailOn = "new"  // problems in neither the baseline nor the base reports
	FailOnAny  FailOn = "any"  // all problems
	FailOnNone FailOn = "none" // no problems: a dry run
)

// ParseFailOn parses a value of "fail-on".
func ParseFailOn(s string) (FailOn, error) {
	switch f := FailOn(s); f {
	case FailOnNew, FailOnAny, FailOnNone:
		return f, nil
	}
	return "", fmt.Errorf("expected new, any or none, got %q", s)
}

// ParseCompareWithBase parses a value of "compare-with-base".
func ParseCompareWithBase(s string) (required bool, err error) {
	if s != "required" && s != "optional" {
		return false, fmt.Errorf("expected required or optional, got %q", s)
	}
	return s == "required", nil
}

// A Family is a set of kernels. For each device, one of them is enough.
type Family struct {
	Name    string
	Kernels []string // patterns
	Line    int
}

// An Exception allows problems of a rule, for a reason and until a date.
type Exception struct {
	Rule    RuleID
	Kernels []string // patterns of demangled or mangled names
	Devices []string // patterns; empty for all devices
	Targets []string // label patterns; empty for all targets
	Detail  string   // pattern of the requirement; empty for all
	Reason  string
	Owner   string
	Issue   string
	Expires string // last valid date, as 2027-03-31; "" if it never expires
	Line    int
}

// name returns a description of an exception for use in a sentence.
func (x *Exception) name() string {
	return fmt.Sprintf("the exception from %s for %s", x.Rule, strings.Join(x.Kernels, ", "))
}

// DefaultPolicy returns the policy that applies if there is no file: every device is required.
func DefaultPolicy() *Policy {
	return &Policy{Required: []string{"*"}, FailOn: FailOnNew, FailOnSeverity: Error, FailOnEmpty: true, Undetermined: Warning,
		Rules: map[RuleID]Severity{}, MaxAllow: 50, MaxBaseline: 500}
}

// level returns the maximum severity of a rule.
func (p *Policy) level(id RuleID) Severity {
	if id == Undetermined {
		return p.Undetermined
	}
	if s, ok := p.Rules[id]; ok {
		return s
	}
	r, _ := LookupRule(id)
	return r.Level
}
