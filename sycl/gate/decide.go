package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// decide determines which findings and notices fail.
func (e *evaluator) decide() {
	r, p := e.result, e.Policy
	for _, i := range r.items {
		i.fails = p.FailOn != FailOnNone && !i.isCovered() && i.severity >= p.FailOnSeverity &&
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

// checkExceptions adds notices about exceptions that have expired, will soon expire or are not
// needed.
func (e *evaluator) checkExceptions(fails bool) {
	const daysBefore = 14
	soon := e.Today.UTC().AddDate(0, 0, daysBefore).Format(dateFormat)
	for i := range e.Policy.Allow {
		x := &e.Policy.Allow[i]
		n := Notice{Rule: SuppressionExpired, Severity: Warning, Fails: fails, File: e.Policy.File, Line: x.Line}
		switch {
		case x.Expires != "" && x.Expires < e.today:
			n.Text = fmt.Sprintf("%s expired on %s; fix the problem, or agree on a later date", x.name(), x.Expires)
		case !e.exceptionUsed[i]:
			e.result.Counts.Stale++
			n.Rule = SuppressionStale
			n.Text = fmt.Sprintf("%s matches nothing; %s", x.name(), cmp.Or(e.suggestFor(x), "remove it"))
		case x.Expires != "" && x.Expires <= soon:
			n.Severity, n.Fails = Note, false
			n.Text = fmt.Sprintf("%s expires on %s", x.name(), x.Expires)
		default:
			continue
		}
		e.addNotice(n)
	}
}

// suggestFor returns a suggestion for a misspelled device of an exception, or "".
func (e *evaluator) suggestFor(x *Exception) string {
	for _, name := range x.Devices {
		isReported := false
		for id := range e.result.digests {
			isReported = isReported || matchDevice([]string{name}, id)
		}
		if config := deviceconfig.Default(); !isReported && !isKnown(config, name) {
			if near := suggestDevice(config, name); strings.HasPrefix(near, "did you mean") {
				return fmt.Sprintf("unknown device %q; %s", name, near)
			}
		}
	}
	return ""
}

// checkFamilies adds notices about families without kernels.
func (e *evaluator) checkFamilies(fails bool) {
	for i, f := range e.Policy.Families {
		if !e.familyUsed[i] {
			e.result.Counts.Stale++
			e.addNotice(Notice{Rule: SuppressionStale, Severity: Warning, Fails: fails, File: e.Policy.File, Line: f.Line, Text: fmt.Sprintf("no kernel matches the family %s", f.Name)})
		}
	}
}

// checkBaseline counts the entries whose problems no longer exist.
func (e *evaluator) checkBaseline(fails bool) {
	if e.Baseline == nil {
		return
	}
	c := &e.result.Counts
	n := totalCount(e.result.absent)
	c.Absent += n
	c.Stale += n
	if n == 0 {
		return
	}
	severity := Note
	if fails {
		severity = Warning
	}
	e.addNotice(Notice{Rule: SuppressionStale, Severity: severity, Fails: fails, File: e.Baseline.File, Text: fmt.Sprintf("%d known %s solved; run 'compat baseline prune'", n, safetext.Plural(n, "problem is", "problems are"))})
}

// checkWeakened adds notices about how the change weakens the gate, or that this is unknown.
func (e *evaluator) checkWeakened() {
	reported := slices.Sorted(maps.Keys(e.result.digests))
	written := cmp.Or(e.Written, e.Policy)
	note := func(file, prefix string, list []string) {
		for _, text := range list {
			e.addNotice(Notice{Rule: PolicyWeakened, Severity: Note, File: file, Text: prefix + text})
		}
	}
	if e.Written != nil {
		flags := *e.Policy
		if flags.FailOn == FailOnNone { // the summary states that it is a dry run
			flags.FailOn = written.FailOn
		}
		note(e.Policy.File, "a flag or an input overrides the policy: ", weakened(written, &flags, reported))
	}
	if e.BasePolicy != nil {
		note(cmp.Or(written.File, e.BasePolicy.File), "", weakened(e.BasePolicy, written, reported))
	}
	if e.BaseBaseline != nil {
		note(fileOf(e.Baseline, e.BaseBaseline), "", e.weakenedBaseline(e.BaseBaseline, e.Baseline))
	}
	e.checkDevices()
	const once = "merging this change weakens the check: "
	for i := range e.NextDevices {
		now := &e.NextDevices[i]
		if old := e.baseDevice(now.Name); old != nil && e.tier(now.Name) == Required {
			if more := addedCapabilities(old, now); more != nil {
				note("", once, []string{fmt.Sprintf("the data of the required device %s now allow more: %s", now.Name, safetext.JoinFirst(more, mostNamed))})
			}
		}
	}
	if e.NextPolicy != nil {
		note(cmp.Or(e.NextPolicy.File, written.File), once, weakened(written, e.NextPolicy, reported))
	}
	if e.NextBaseline != nil {
		note(fileOf(e.NextBaseline, e.Baseline), once, e.weakenedBaseline(e.Baseline, e.NextBaseline))
	}
	for _, text := range e.NotCompared {
		n := Notice{Rule: NotCompared, Severity: Warning, File: written.File, Text: text}
		if e.Policy.CompareWithBase {
			n.Severity, n.Fails = Error, true
		}
		e.addNotice(n)
	}
}

// checkDevices adds notices about required devices whose data lets more kernels pass than the data
// on the base branch, or cannot be compared with it.
func (e *evaluator) checkDevices() {
	widened := e.weakenedDevices()
	for _, id := range slices.Sorted(maps.Keys(widened)) {
		n := Notice{Rule: PolicyWeakened, Severity: Note, Text: widened[id]}
		if e.BaseDecides && e.Policy.FailOn != FailOnNone {
			n.Severity, n.Fails = Error, true
		}
		e.addNotice(n)
	}
}

// fileOf returns the file name of the first baseline that has one. Baselines may be nil.
func fileOf(list ...*Baseline) string {
	for _, b := range list {
		if b != nil && b.File != "" {
			return b.File
		}
	}
	return ""
}

// totalCount returns the number of problems that entries represent.
func totalCount(list []Entry) (n int) {
	for _, e := range list {
		n += e.Count
	}
	return n
}
