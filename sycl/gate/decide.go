package gate

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/internal/plural"
)

// decide says what fails.
func (e *evaluator) decide() {
	r, p := e.result, e.Policy
	for _, i := range r.items {
		i.fails = p.FailOn != FailOnNone && !i.covered() && i.severity >= p.FailOnSeverity &&
			(p.FailOn == FailOnAny || i.state == StateNew && i.class == "")
		if i.fails {
			r.Counts.Failing++
		}
	}
	stale := p.FailOnStale && p.FailOn != FailOnNone
	e.checkExceptions(stale)
	e.checkFamilies(stale)
	e.checkBaseline(stale)
	e.checkWeakened()
	if r.Counts.Failing > 0 {
		r.Conclusion = Failure
	}
}

// checkExceptions finds exceptions that have ended, soon will or are not needed.
func (e *evaluator) checkExceptions(fails bool) {
	const daysBefore = 14
	soon := e.Today.UTC().AddDate(0, 0, daysBefore).Format(dateFormat)
	for i := range e.Policy.Allow {
		x := &e.Policy.Allow[i]
		n := Notice{Rule: SuppressionExpired, Severity: Warning, Fails: fails, File: e.Policy.File, Line: x.Line}
		switch {
		case x.Expires != "" && x.Expires < e.today:
			n.Text = fmt.Sprintf("%s expired on %s: solve the problem or agree on a later day", x.name(), x.Expires)
		case !e.exceptionUsed[i]:
			e.result.Counts.Stale++
			n.Rule = SuppressionStale
			n.Text = fmt.Sprintf("%s matches nothing: remove it", x.name())
		case x.Expires != "" && x.Expires <= soon:
			n.Severity, n.Fails = Note, false
			n.Text = fmt.Sprintf("%s expires on %s", x.name(), x.Expires)
		default:
			continue
		}
		e.note(n)
	}
}

// checkFamilies finds families without a kernel.
func (e *evaluator) checkFamilies(fails bool) {
	for i, f := range e.Policy.Families {
		if !e.familyUsed[i] {
			e.result.Counts.Stale++
			e.note(Notice{Rule: SuppressionStale, Severity: Warning, Fails: fails, File: e.Policy.File, Line: f.Line, Text: fmt.Sprintf("the family %s has no kernel", f.Name)})
		}
	}
}

// checkBaseline counts the entries whose problems are solved.
func (e *evaluator) checkBaseline(fails bool) {
	if e.Baseline == nil {
		return
	}
	c := &e.result.Counts
	n := sum(e.result.absent)
	c.Absent += n
	c.Stale += n
	if n == 0 {
		return
	}
	severity := Note
	if fails {
		severity = Warning
	}
	e.note(Notice{Rule: SuppressionStale, Severity: severity, Fails: fails, File: e.Baseline.File, Text: fmt.Sprintf("%d known %s solved: run 'compat baseline prune'", n, plural.Of(n, "problem is", "problems are"))})
}

// checkWeakened finds what the change itself makes the gate ask less for.
func (e *evaluator) checkWeakened() {
	if e.BasePolicy != nil {
		for _, text := range Weakened(e.BasePolicy, e.Policy) {
			e.note(Notice{Rule: PolicyWeakened, Severity: Note, File: e.Policy.File, Text: text})
		}
	}
	if e.BaseBaseline != nil && e.Baseline != nil {
		if n := sum(Missing(e.BaseBaseline, e.Baseline)); n > 0 {
			e.note(Notice{Rule: PolicyWeakened, Severity: Note, File: e.Baseline.File, Text: fmt.Sprintf("%d %s not in the baseline of the base branch", n, plural.Of(n, "entry is", "entries are"))})
		}
	}
}

// sum returns how many problems entries stand for.
func sum(list []Entry) (n int) {
	for _, e := range list {
		n += e.Count
	}
	return n
}
