package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// summarize sets the fields of the result that are shown.
func (e *evaluator) summarize() {
	r := e.result
	for _, id := range slices.Sorted(maps.Keys(r.digests)) {
		r.Devices = append(r.Devices, DeviceTier{id, e.tier(id)})
	}
	r.Counts.Devices = len(r.Devices)
	for _, t := range r.targets {
		files := make([]string, len(t.reports))
		for i, name := range t.reports {
			files[i] = e.fromRepository(name)
		}
		r.Targets = append(r.Targets, TargetSummary{Devices: t.devices, Kernels: len(t.kernels), Label: t.label, Reports: files})
		r.Counts.addTarget(t, r.repeats.byTarget[t])
	}
	for _, i := range r.items {
		r.Counts.addItem(i)
	}
	e.group()
	for i := range r.Notices {
		r.Notices[i].File = e.fromRepository(r.Notices[i].File)
	}
	slices.SortStableFunc(r.Notices, func(a, b Notice) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), strings.Compare(string(a.Rule), string(b.Rule)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
}

func (c *Counts) addTarget(t *target, repeated *repeated) {
	for row := range t.kernels {
		if !repeated.counts(t, row) {
			continue
		}
		c.Kernels++
		for col := range t.devices {
			if !repeated.has(t.at(row, col)) {
				c.addStatus(t.status(row, col))
			}
		}
	}
}

func (c *Counts) addStatus(v compat.Status) {
	c.Cells++
	switch v {
	case compat.Compatible:
		c.Compatible++
	case compat.Incompatible:
		c.Incompatible++
	case compat.Undetermined:
		c.Undetermined++
	case compat.NotApplicable:
		c.NotApplicable++
	default:
		c.NotReported++
	}
}

func (c *Counts) addItem(i *item) {
	switch {
	case i.exception != nil:
		c.Allowed++
		return
	case i.family != "":
		c.Family++
		return
	case i.class == ClassDeviceData:
		c.DeviceDataChanged++
	case i.state == StateNew:
		c.New++
	case i.state == StateUnchanged:
		c.Unchanged++
	case i.state == StateUpdated:
		c.Updated++
	}
	if i.expired {
		c.Expired++
	}
	switch i.severity {
	case Error:
		c.Errors++
	case Warning:
		c.Warnings++
	case Note:
		c.Notes++
	}
}

// group merges the items that differ only in the device into findings.
func (e *evaluator) group() {
	r := e.result
	locate := locator{e.Workspace, map[string]bool{}, map[string]srcloc.Location{}}
	// Items of a problem are adjacent, and most of them are equal.
	var last *problem
	var dispositions []disposition // of the last problem's findings, which are at the end of the list
	for _, i := range r.items {
		if i.problem != last {
			last, dispositions = i.problem, dispositions[:0]
		}
		at := slices.Index(dispositions, i.disposition)
		if at < 0 {
			at = len(dispositions)
			dispositions = append(dispositions, i.disposition)
			f := e.finding(i, &locate)
			f.Devices = make([]DeviceFinding, 0, len(i.problem.on))
			r.Findings = append(r.Findings, f)
		}
		f := &r.Findings[len(r.Findings)-len(dispositions)+at]
		f.Also = append(f.Also, i.otherLabels...)
		if i.device.device != "" {
			f.Devices = append(f.Devices, DeviceFinding{Available: i.device.available, ID: i.device.device, Tier: e.tier(i.device.device)})
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		slices.Sort(f.Also)
		f.Also = slices.Compact(f.Also)
	}
	sortFindings(r.Findings)
	setFingerprints(r.Findings)
}

// setFingerprints sets the fingerprints of findings. Findings that are parts of one problem,
// because its devices have different tiers or exceptions, are numbered.
func setFingerprints(list []Finding) {
	seen := make(map[string]int, len(list))
	for i := range list {
		f := &list[i]
		f.Fingerprint = fingerprint(string(f.Rule), f.Name, f.Target, string(f.Cause), f.Required, f.Text)
		if n := seen[f.Fingerprint]; n > 0 {
			seen[f.Fingerprint]++
			f.Fingerprint = fingerprint(f.Fingerprint, fmt.Sprint(n))
		}
		seen[f.Fingerprint]++
	}
}

func (e *evaluator) finding(i *item, locate *locator) Finding {
	p := i.problem
	f := Finding{Cause: p.cause, Class: i.class, Expired: i.expired, Fails: i.fails, Family: i.family, Image: p.image, RenamedFrom: i.renamedFrom,
		Required: p.required, Rule: p.rule, Severity: i.severity, State: i.state, Target: i.target.label, Text: p.text}
	k := i.kernel()
	if k != nil {
		f.Kernel, f.Name = cmp.Or(k.display, k.name), k.name
	}
	if x := i.exception; x != nil {
		f.Suppression = &Suppression{Expires: x.Expires, Issue: x.Issue, Line: x.Line, Owner: x.Owner, Reason: x.Reason}
	}
	at, functions := locate.find(i.target.label, k, p)
	if at.IsZero() && p.rule == CoverageLost {
		at = e.requiredBy(i)
	}
	f.Path, f.Line, f.Column, f.Origins = e.fromRepository(at.Path), int(at.Line), int(at.Column), functions
	return f
}

// requiredBy returns the location of the requirement for a missing check: the policy's line with
// the device, or the baseline with the target.
func (e *evaluator) requiredBy(i *item) srcloc.Location {
	isTarget := func(t BaselineTarget) bool { return t.Label == i.target.label }
	switch {
	case i.target.label == "" && safetext.IsPath(e.fromRepository(e.Policy.File)):
		return srcloc.Location{Path: e.Policy.File, Line: uint32(e.Policy.locations[i.device.device].line)}
	case len(i.target.reports) == 0 && e.Baseline != nil && safetext.IsPath(e.fromRepository(e.Baseline.File)) && slices.ContainsFunc(e.Baseline.Targets, isTarget):
		return srcloc.Location{Path: e.Baseline.File}
	}
	return srcloc.Location{}
}

// sortFindings sorts a list in place. Findings are large, so it sorts their indexes first.
func sortFindings(list []Finding) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(compareFindings(&list[a], &list[b]), cmp.Compare(a, b)) })
	sorted := make([]Finding, len(list))
	for to, from := range order {
		sorted[to] = list[from]
	}
	copy(list, sorted)
}

// compareFindings sorts findings that fail first, then findings that count, then by severity.
func compareFindings(a, b *Finding) int {
	rank := func(f *Finding) int {
		switch {
		case f.Fails:
			return 0
		case f.Suppression == nil && f.Family == "" && f.State == StateNew && f.Class == "":
			return 1
		case f.Suppression == nil && f.Family == "":
			return 2
		}
		return 3
	}
	device := func(f *Finding) string {
		if len(f.Devices) > 0 {
			return f.Devices[0].ID
		}
		return ""
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Severity, a.Severity), strings.Compare(a.Target, b.Target),
		strings.Compare(a.Kernel, b.Kernel), strings.Compare(a.Name, b.Name), strings.Compare(string(a.Rule), string(b.Rule)),
		strings.Compare(string(a.Cause), string(b.Cause)), strings.Compare(a.Required, b.Required), strings.Compare(a.Text, b.Text), strings.Compare(device(a), device(b)))
}
