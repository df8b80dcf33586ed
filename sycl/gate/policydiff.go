package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// weakened returns descriptions of how a policy is weaker than an older one. reported are the
// devices in the reports.
func weakened(old, now *Policy, reported []string) []string {
	w := policyDiff{old: old, now: now, reported: reported}
	w.devices()
	w.thresholds()
	w.rules()
	w.families()
	w.exceptions()
	w.limits()
	return w.list
}

// A policyDiff compares two policies.
type policyDiff struct {
	old, now *Policy
	reported []string
	list     []string
}

// addIf adds a sentence to the result if the policy is less strict.
func (w *policyDiff) addIf(less bool, format string, args ...any) {
	if less {
		w.list = append(w.list, fmt.Sprintf(format, args...))
	}
}

func (w *policyDiff) devices() {
	for _, p := range w.old.Required {
		switch {
		case p == "*" && len(w.now.Required) > 0 && !covers(w.now.Required, p):
			w.addIf(true, "devices other than %s are no longer required", strings.Join(w.now.Required, ", "))
		case !coversDevices(w.now.Required, p):
			w.addIf(true, "%s no longer required", devicesAre(p))
		// A report that lacks a device named in the policy is a failure, except for patterns that
		// other devices match.
		case p != "*" && !w.requiresReport(p) && !slices.ContainsFunc(w.reported, func(id string) bool { return matchDevice([]string{p}, id) }):
			w.addIf(true, "a missing report on %s no longer fails the check; the policy requires %s", p, strings.Join(w.now.Required, ", "))
		}
	}
	either := slices.Concat(w.now.Required, w.now.Supported)
	for _, p := range w.old.Supported {
		w.addIf(!coversDevices(either, p), "%s no longer supported", devicesAre(p))
	}
}

// devicesAre returns the subject and verb of a sentence about the devices that a pattern matches.
func devicesAre(pattern string) string {
	if strings.Contains(pattern, "*") {
		return fmt.Sprintf("devices %s are", pattern)
	}
	return fmt.Sprintf("device %s is", pattern)
}

// requiresReport reports whether the policy fails if no report has a device that a pattern matches.
func (w *policyDiff) requiresReport(p string) bool {
	return slices.ContainsFunc(w.now.Required, func(q string) bool { return q != "*" && coversDevices([]string{p}, q) })
}

// coversDevices reports whether the other patterns match each device that a pattern matches.
func coversDevices(others []string, pattern string) bool {
	return covers(others, pattern) || !strings.Contains(pattern, "*") && slices.ContainsFunc(others, func(q string) bool {
		return !strings.Contains(q, "*") && deviceconfig.Canonical(q) == deviceconfig.Canonical(pattern)
	})
}

// covers reports whether one of the patterns matches everything that another pattern matches: the
// other pattern's stars must be within text that a star of the pattern matches.
func covers(patterns []string, other string) bool { return kernelname.MatchAny(patterns, other) }

// coversAll is like covers for several patterns.
func coversAll(patterns, others []string) bool {
	return !slices.ContainsFunc(others, func(o string) bool { return !covers(patterns, o) })
}

func (w *policyDiff) thresholds() {
	old, now := w.old, w.now
	modes := []FailOn{FailOnNone, FailOnNew, FailOnAny} // each is stricter than the previous one
	w.addIf(slices.Index(modes, now.FailOn) < slices.Index(modes, old.FailOn), "fail-on is %q, not %q", now.FailOn, old.FailOn)
	w.addIf(now.FailOnSeverity > old.FailOnSeverity, "fail-on-severity is %q, not %q", now.FailOnSeverity, old.FailOnSeverity)
	w.addIf(now.Undetermined < old.Undetermined, "undetermined is %q, not %q", now.Undetermined, old.Undetermined)
	w.addIf(old.FailOnEmpty && !now.FailOnEmpty, "fail-on-empty is false")
	w.addIf(old.FailOnStale && !now.FailOnStale, "fail-on-stale is false")
	w.addIf(old.CompareWithBase && !now.CompareWithBase, `compare-with-base is "optional", not "required"`)
}

func (w *policyDiff) rules() {
	either := map[RuleID]Severity{}
	maps.Copy(either, w.old.Rules)
	maps.Copy(either, w.now.Rules)
	for _, id := range slices.Sorted(maps.Keys(either)) {
		old, now := w.old.level(id), w.now.level(id)
		w.addIf(now < old, "the rule %s is %q, not %q", id, now, old)
	}
}

func (w *policyDiff) families() {
	for _, f := range w.now.Families {
		switch {
		case slices.ContainsFunc(w.old.Families, func(o Family) bool { return coversAll(o.Kernels, f.Kernels) }):
		case slices.ContainsFunc(w.old.Families, func(o Family) bool { return o.Name == f.Name }):
			w.addIf(true, "the family %s has more kernels", f.Name)
		default:
			w.addIf(true, "the family %s is new", f.Name)
		}
	}
}

func (w *policyDiff) exceptions() {
	for i := range w.now.Allow {
		x := &w.now.Allow[i]
		within := func(o Exception) bool { return o.includes(x) }
		switch {
		case slices.ContainsFunc(w.old.Allow, func(o Exception) bool { return o.includes(x) && !x.outlives(&o) }):
		case slices.ContainsFunc(w.old.Allow, within):
			w.addIf(true, "%s expires later", x.name())
		case slices.ContainsFunc(w.old.Allow, func(o Exception) bool { return x.includes(&o) }):
			w.addIf(true, "%s is broader", x.name())
		default:
			w.addIf(true, "%s is new", x.name())
		}
	}
}

// includes reports whether an exception covers everything that o covers.
func (x *Exception) includes(o *Exception) bool {
	// An empty list covers everything.
	all := func(patterns, others []string) bool {
		return len(patterns) == 0 || len(others) > 0 && coversAll(patterns, others)
	}
	return x.Rule == o.Rule && coversAll(x.Kernels, o.Kernels) && all(x.Targets, o.Targets) &&
		(len(x.Devices) == 0 || len(o.Devices) > 0 && !slices.ContainsFunc(o.Devices, func(d string) bool { return !coversDevices(x.Devices, d) })) &&
		(x.Detail == "" || o.Detail != "" && kernelname.Match(x.Detail, o.Detail))
}

// outlives reports whether an exception expires later than another one.
func (x *Exception) outlives(o *Exception) bool {
	return o.Expires != "" && (x.Expires == "" || x.Expires > o.Expires)
}

func (w *policyDiff) limits() {
	old, now := w.old, w.now
	w.addIf(now.MaxAllow > old.MaxAllow, "limits.max-allow is %d, not %d", now.MaxAllow, old.MaxAllow)
	w.addIf(now.MaxBaseline > old.MaxBaseline, "limits.max-baseline is %d, not %d", now.MaxBaseline, old.MaxBaseline)
	w.addIf(now.NeverEnds && !old.NeverEnds, "exceptions no longer need an expiry date")
}

// weakenedBaseline returns descriptions of how a baseline is weaker than an older one. Either may
// be nil.
func (e *evaluator) weakenedBaseline(old, now *Baseline) (list []string) {
	old, now = cmp.Or(old, &Baseline{}), cmp.Or(now, &Baseline{})
	more := Missing(old, now)
	if e.Base != nil {
		more = subtract(more, e.openProblems(combine(e.Base))) // problems of the base branch are not new
	}
	if n := totalCount(more); n > 0 {
		list = append(list, fmt.Sprintf("%d %s not in the baseline of the base branch", n, safetext.Plural(n, "known problem is", "known problems are")))
	}
	// If the older baseline has a target or device that the reports lack, coverage is lost, but
	// this does not fail if the newer baseline lacks it, too.
	if gone := unlisted(old, now); gone != nil {
		list = append(list, fmt.Sprintf("the baseline no longer lists %s, so nothing fails if these are not checked", safetext.JoinFirst(gone, mostNamed)))
	}
	was := old.digests()
	for _, d := range now.Devices {
		if current := e.result.digests[d.ID]; current != "" && d.Digest != current && d.Digest != was[d.ID] {
			list = append(list, fmt.Sprintf("the baseline's data of the device %s match neither the reports nor the base branch, so new problems on this device do not fail the check", d.ID))
		}
	}
	return list
}

// unlisted returns the targets, and the devices of targets, that a newer baseline lacks.
func unlisted(old, now *Baseline) (list []string) {
	devices := map[string][]string{}
	for _, t := range now.Targets {
		devices[t.Label] = append(devices[t.Label], t.Devices...)
	}
	for _, t := range old.Targets {
		left, ok := devices[t.Label]
		if !ok {
			list = append(list, "the target "+cmp.Or(t.Label, "without a label"))
			continue
		}
		for _, d := range t.Devices {
			if !slices.Contains(left, d) {
				list = append(list, fmt.Sprintf("the device %s of %s", d, cmp.Or(t.Label, "the target without a label")))
			}
		}
	}
	return list
}
