package gate

import (
	"fmt"
	"strings"
)

// A Policy says what fails the gate. Its patterns match whole names; "*" stands
// for any text. The page docs/check/policies.md describes the file.
type Policy struct {
	File string // as given to ReadPolicy

	Required    []string // patterns of devices: problems are errors
	Supported   []string // warnings
	Informative []string // notes, as problems of devices that no list has

	FailOn         FailOn
	FailOnSeverity Severity // the least that fails
	FailOnEmpty    bool     // no status at all is a failure
	FailOnStale    bool     // entries that match nothing or have expired are failures
	Undetermined   Severity // level of the rule of that name
	Rules          map[RuleID]Severity

	Families []Family
	Allow    []Exception

	// CompareWithBase makes it a failure that the policy and the baseline cannot be
	// compared with those of the base branch.
	CompareWithBase bool

	MaxAllow    int  // exceptions
	MaxBaseline int  // entries of the baseline
	NeverEnds   bool // exceptions may be without an end

	locations map[string]policyLocation // of devices in the file
}

// A policyLocation is where a policy names a device.
type policyLocation struct {
	key  string
	line int
}

// FailOn says which problems count.
type FailOn string

const (
	FailOnNew  FailOn = "new"  // those that neither baseline nor base reports have
	FailOnAny  FailOn = "any"  // all
	FailOnNone FailOn = "none" // none: a dry run
)

// ParseFailOn reads a value of "fail-on".
func ParseFailOn(s string) (FailOn, error) {
	switch f := FailOn(s); f {
	case FailOnNew, FailOnAny, FailOnNone:
		return f, nil
	}
	return "", fmt.Errorf("expected new, any or none, not %q", s)
}

// ParseCompareWithBase reads a value of "compare-with-base".
func ParseCompareWithBase(s string) (required bool, err error) {
	if s != "required" && s != "optional" {
		return false, fmt.Errorf("expected required or optional, not %q", s)
	}
	return s == "required", nil
}

// A Family is a set of kernels of which one that runs on a device is enough.
type Family struct {
	Name    string
	Kernels []string // patterns
	Line    int
}

// An Exception lets problems of a rule pass, for a reason and until a day.
type Exception struct {
	Rule    RuleID
	Kernels []string // patterns of names as people write them or mangled
	Devices []string // patterns, any when empty
	Targets []string // patterns of labels, any when empty
	Detail  string   // pattern of what is required, any when empty
	Reason  string
	Owner   string
	Issue   string
	Expires string // last day that it holds, as 2027-03-31; "" when never
	Line    int
}

// name names an exception in a sentence.
func (x *Exception) name() string {
	return fmt.Sprintf("the exception from %s for %s", x.Rule, strings.Join(x.Kernels, ", "))
}

// DefaultPolicy is the policy when there is no file: every device is required.
func DefaultPolicy() *Policy {
	return &Policy{Required: []string{"*"}, FailOn: FailOnNew, FailOnSeverity: Error, FailOnEmpty: true, Undetermined: Warning,
		Rules: map[RuleID]Severity{}, MaxAllow: 50, MaxBaseline: 500}
}

// level returns what a rule amounts to at most.
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
