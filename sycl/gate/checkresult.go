package gate

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
)

// maxCount is the largest valid number in the files of this package.
const maxCount = math.MaxInt32

// digest matches digests and fingerprints.
var digest = regexp.MustCompile(`^[0-9a-f]{32}$`)

// whyInvalid returns why a result that was read from a file is invalid, or "". It checks what the
// published schema requires.
func (r *Result) whyInvalid() string {
	var c firstError
	oneOf(&c, "conclusion", r.Conclusion, Success, Failure)
	counts := reflect.ValueOf(r.Counts)
	for i := range counts.NumField() {
		c.number(counts.Type().Field(i).Tag.Get("json"), int(counts.Field(i).Int()))
	}
	for _, d := range r.Devices {
		c.tier(d.Tier)
	}
	oneOf(&c, "fail-on", r.Policy.FailOn, FailOnNew, FailOnAny, FailOnNone)
	c.severity(r.Policy.FailOnSeverity)
	for _, t := range r.Targets {
		c.number("kernels", t.Kernels)
	}
	if _, err := ParseDate(r.Today); err != nil {
		c.add("today: %v", err)
	}
	for i := range r.Findings {
		c.finding(i+1, &r.Findings[i])
	}
	for _, n := range r.Notices {
		c.number("line", n.Line)
		c.severity(n.Severity)
		if rule, ok := LookupRule(n.Rule); !ok || rule.Finding {
			c.add("a notice has the unknown rule %q", n.Rule)
		}
	}
	return c.first
}

// firstError records the first error.
type firstError struct{ first string }

func (c *firstError) add(format string, args ...any) {
	if c.first == "" {
		c.first = fmt.Sprintf(format, args...)
	}
}

func (c *firstError) number(name string, n int) {
	if n < 0 || n > maxCount {
		c.add("%s is out of range (0 to %d)", name, maxCount)
	}
}

// oneOf checks that text is one of the given values.
func oneOf[T ~string](c *firstError, name string, v T, values ...T) {
	if !slices.Contains(values, v) {
		c.add("unknown %s %q; expected one of %q", name, v, values)
	}
}

func (c *firstError) severity(s Severity) {
	if s == Off {
		c.add("a severity has the invalid value off")
	}
}

func (c *firstError) tier(t Tier) { oneOf(c, "tier", t, Required, Supported, Informative) }

func (c *firstError) finding(number int, f *Finding) {
	var own firstError
	rule, ok := LookupRule(f.Rule)
	if !ok || !rule.Finding {
		own.add("has the unknown rule %q", f.Rule)
	}
	if len(f.Devices) == 0 && canBeBaselined(f.Rule) {
		own.add("has no device")
	}
	own.number("line", f.Line)
	own.number("column", f.Column)
	own.severity(f.Severity)
	oneOf(&own, "state", f.State, StateNew, StateUnchanged, StateUpdated)
	oneOf(&own, "class", f.Class, "", ClassDeviceData)
	if !digest.MatchString(f.Fingerprint) {
		own.add("has the invalid fingerprint %q", f.Fingerprint)
	}
	if f.Suppression != nil {
		own.number("line", f.Suppression.Line)
	}
	for _, d := range f.Devices {
		own.tier(d.Tier)
	}
	if own.first != "" {
		c.add("finding %d %s", number, own.first)
	}
}
