package gate

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// checkCoverage finds targets, devices and kernels that should be checked, or were checked before,
// but are not.
func (e *evaluator) checkCoverage() {
	c := coverage{evaluator: e, devices: slices.Sorted(maps.Keys(e.result.digests)), byLabel: targetsByLabel(e.result.targets), seen: map[lostCheck]bool{}}
	c.reports()
	for _, pattern := range e.Policy.Required {
		c.required(pattern)
	}
	for _, pattern := range e.Policy.Supported {
		c.supported(pattern)
	}
	if e.Baseline != nil {
		var was []string
		for _, t := range e.Baseline.Targets {
			was = append(was, t.Label)
		}
		c.pairLabels(was)
		for i := range e.Baseline.Targets {
			c.baseline(&e.Baseline.Targets[i])
		}
	}
	if e.Base != nil {
		base := combine(e.Base)
		c.pairLabels(slices.Collect(maps.Keys(targetsByLabel(base))))
		repeats := findRepetitions(base)
		for _, was := range base {
			c.base(was, repeats.byTarget[was])
		}
	}
}

// A coverage holds the data for coverage checks.
type coverage struct {
	*evaluator
	devices []string           // of all reports
	byLabel map[string]*target // of all reports
	renamed map[string]string  // current labels of renamed libraries, by label in the baseline or the base branch
	seen    map[lostCheck]bool
}

// pairLabels pairs libraries with previously checked libraries by name only, because a different
// library with the same kernels does not replace a checked one.
func (c *coverage) pairLabels(labels []string) {
	of := func(labels []string) (list []library) {
		for _, label := range labels {
			list = append(list, library{label: label})
		}
		return list
	}
	c.renamed, _ = pairLibraries(of(slices.Sorted(slices.Values(labels))), of(slices.Sorted(maps.Keys(c.byLabel))))
}

// A lostCheck is a target, a device or a combination of both that is not checked.
type lostCheck struct{ label, device string }

// addLoss adds a problem, unless there already is one about the same target and device.
func (c *coverage) addLoss(t *target, device string, severity Severity, text string) {
	if at := (lostCheck{t.label, device}); !c.seen[at] {
		c.seen[at] = true
		c.addProblem(t, CoverageLost, device, severity, text)
	}
}

// addKernelLoss is like addLoss for some kernels of a target.
func (c *coverage) addKernelLoss(t *target, device string, severity Severity, n int, why string) {
	c.addLoss(t, device, severity, fmt.Sprintf("%d of %d kernels are not checked for the device, and %s", n, len(t.kernels), why))
}

// reports checks that the reports are not empty and do not contradict each other.
func (c *coverage) reports() {
	statuses := 0
	for _, t := range c.result.targets {
		statuses += len(t.statuses)
		if t.differ > 0 {
			c.addProblem(t, ReportInvalid, "", Error, fmt.Sprintf("the reports contradict each other in %d statuses; create them from the same build, or give different targets different labels", t.differ))
		}
	}
	c.commits()
	if statuses == 0 && c.Policy.FailOnEmpty {
		c.addProblem(&target{}, ReportInvalid, "", Error, "no report contains a status")
	}
}

// commits finds reports on a commit that is not checked, and base reports on the checked commit,
// for which no problem would be new.
func (c *coverage) commits() {
	if len(c.Commits) == 0 {
		return
	}
	is := func(commit string) bool {
		return slices.ContainsFunc(c.Commits, func(full string) bool { return strings.HasPrefix(full, strings.ToLower(commit)) })
	}
	for _, x := range c.Reports {
		if commitName.MatchString(x.commit) && !is(x.commit) {
			c.addProblem(&target{}, ReportInvalid, "", Error, fmt.Sprintf("%s is a report on commit %s, but commit %.12s is being checked; rebuild the reports", x.name, x.commit, c.Commits[0]))
		}
	}
	for _, x := range c.Base {
		if commitName.MatchString(x.commit) && is(x.commit) {
			c.addProblem(&target{}, ReportInvalid, "", Error, fmt.Sprintf("%s is passed as a report on the base branch, but was built from the commit being checked, %s", x.name, x.commit))
		}
	}
}

var commitName = regexp.MustCompile(`^[0-9A-Fa-f]{7,64}$`)

// required checks that the reports include a device that the policy requires, or at least one
// device that a pattern matches.
func (c *coverage) required(pattern string) {
	if strings.Contains(pattern, "*") {
		if pattern != "*" && !c.reported(pattern) {
			text := "no report covers a device that matches this pattern, and the policy requires one; "
			if c.isKnown(pattern) {
				text += "name devices in the policy, or in --devices or the input devices when the report is made"
			} else {
				text += c.suggest(pattern)
			}
			c.addLoss(&target{}, pattern, Error, text)
		}
		return
	}
	i := slices.IndexFunc(c.devices, func(id string) bool { return matchDevice([]string{pattern}, id) })
	if i < 0 {
		text := "no report covers the device, which the policy requires"
		if !c.isKnown(pattern) { // if it is known, the name is valid and the report is missing
			text += "; " + c.suggest(pattern)
		}
		c.addLoss(&target{}, pattern, Error, text)
		return
	}
	for _, t := range c.result.targets {
		if n := c.unreported(t, c.devices[i]); n > 0 {
			c.addKernelLoss(t, c.devices[i], Error, n, "the policy requires this device")
		}
	}
}

// supported adds a problem for a device or pattern under "supported" that is probably misspelled,
// because neither a report nor the device data has it. Supported devices do not need a report.
func (c *coverage) supported(pattern string) {
	if !c.reported(pattern) && !c.isKnown(pattern) {
		c.addLoss(&target{}, pattern, Warning, "unknown device, which the policy supports; "+c.suggest(pattern))
	}
}

// reported reports whether the reports contain a device, or one that a pattern matches.
func (c *coverage) reported(pattern string) bool {
	return slices.ContainsFunc(c.devices, func(id string) bool { return matchDevice([]string{pattern}, id) })
}

// isKnown reports whether the device data contains a device, or one that a pattern matches.
func (c *coverage) isKnown(pattern string) bool {
	return isKnown(deviceconfig.Default(), pattern) || slices.ContainsFunc(slices.Concat(c.BaseDevices, c.NextDevices), func(d report.Device) bool {
		return matchDevice([]string{pattern}, d.Name)
	})
}

// suggest returns the devices that an unknown name may stand for, and where to find them all.
func (c *coverage) suggest(pattern string) string {
	if near := deviceconfig.NearestOf(strings.Trim(pattern, "*_"), slices.Values(c.devices), 1); near != nil {
		return "did you mean " + near[0] + "?"
	}
	return suggestDevice(deviceconfig.Default(), pattern)
}

// unreported returns the number of kernels of a target for which no report on the same device code
// has a status on a device.
func (c *coverage) unreported(t *target, device string) (n int) {
	col, repeats := t.column(device), &c.result.repeats
	for row := range t.kernels {
		if t.status(row, col) == compat.NoStatus && repeats.byTarget[t].counts(t, row) && !repeats.isElsewhere(t, row, device) {
			n++
		}
	}
	return n
}

// baseline checks a target of the baseline. The baseline does not record the kernels, so only a
// device without any status is a loss.
func (c *coverage) baseline(was *BaselineTarget) {
	t := c.byLabel[cmp.Or(c.renamed[was.Label], was.Label)]
	if t == nil {
		c.addLoss(&target{label: was.Label}, "", Error, "no report covers the target, which is in the baseline")
		return
	}
	for _, d := range was.Devices {
		if n := len(t.kernels); n > 0 && t.reported(d) == 0 {
			c.addKernelLoss(t, d, c.tier(d).severity(), n, "the baseline includes this device")
		}
	}
}

// base checks a target of the base branch.
func (c *coverage) base(was *target, repeated *repeated) {
	t := c.byLabel[cmp.Or(c.renamed[was.label], was.label)]
	if t == nil {
		if len(was.kernels) > 0 {
			c.addLoss(&target{label: was.label}, "", Error, "no report covers the target, which exists on the base branch")
		}
		return
	}
	c.lostKernels(t, was, repeated)
	rows := make([]int, len(was.kernels)) // in t, or -1 for removed kernels
	for i, k := range was.kernels {
		rows[i] = t.row(k.name)
	}
	for col, d := range was.devices {
		now, n := t.column(d), 0
		for i, row := range rows {
			if row >= 0 && !repeated.has(was.at(i, col)) && was.status(i, col) != compat.NoStatus && t.status(row, now) == compat.NoStatus {
				n++
			}
		}
		if n > 0 {
			c.addKernelLoss(t, d, c.tier(d).severity(), n, "the base branch has statuses for them")
		}
	}
}

// lostKernels returns the kernels that a target no longer has under any name. For unnamed lambdas,
// it only compares their number.
func (c *coverage) lostKernels(t, was *target, repeated *repeated) {
	now := map[string]int{}
	for _, k := range t.kernels {
		for _, name := range k.names() {
			plain, _ := withoutNumbers(name)
			now[plain]++
		}
	}
	renamed := renamedRows(was, t)
	for row, k := range was.kernels {
		plain, unnamed := withoutNumbers(k.name)
		if !unnamed && (renamed[row] || slices.ContainsFunc(k.names(), func(name string) bool { return t.row(name) >= 0 })) {
			continue
		}
		if now[plain]--; now[plain] >= 0 || !repeated.counts(was, row) {
			continue
		}
		lost := &target{label: t.label, kernels: []*kernel{k}}
		c.addItem(lost, &problem{problemKey: problemKey{rule: KernelLost}}, c.maxSeverity(was, row))
	}
}

// renamedRows returns the rows of renamed kernels, see [Renaming].
func renamedRows(was, now *target) map[int]bool {
	without := func(t, other *target) (list []row) {
		for i, k := range t.kernels {
			if other.row(k.name) < 0 {
				list = append(list, row{t, i})
			}
		}
		return list
	}
	pairs := pairRenamed(without(was, now), without(now, was), reportedNeeds())
	rows := map[int]bool{}
	for _, p := range pairs {
		rows[p.old.index] = true
	}
	return rows
}

// maxSeverity returns the highest severity of the devices with a status.
func (c *coverage) maxSeverity(t *target, row int) Severity {
	severity := Off
	for col, d := range t.devices {
		if t.status(row, col) != compat.NoStatus {
			severity = max(severity, c.tier(d).severity())
		}
	}
	return severity
}
