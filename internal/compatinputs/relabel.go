package compatinputs

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// A relabeler finds what a label of a baseline, a policy or a report of the base branch is
// called in the reports that are checked. These may be about the modules of another release
// of Python, or have labels that another version of compat made.
type relabeler struct {
	labels map[string]bool
	stable map[string][]string // labels by stable label
}

func newRelabeler(reports []*gate.Index) *relabeler {
	l := &relabeler{map[string]bool{}, map[string][]string{}}
	for _, x := range reports {
		for _, label := range x.Labels() {
			if !l.labels[label] {
				l.labels[label] = true
				key := StableLabel(label)
				l.stable[key] = append(l.stable[key], label)
			}
		}
	}
	return l
}

// current returns what a label is called now, except for labels that are taken: those belong
// to other targets of the same file. A label without a counterpart is only made stable.
func (l *relabeler) current(label string, taken map[string]bool) []string {
	if l.labels[label] {
		return []string{label}
	}
	stable := StableLabel(label)
	all := l.stable[stable]
	list := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return taken[name] })
	switch {
	case len(list) > 0:
		return list
	case len(all) > 0:
		return all[:1] // what it had is known of the target in its place
	}
	return []string{stable}
}

// baseline renames the targets of a baseline, which may be nil.
func (l *relabeler) baseline(b *gate.Baseline) {
	if b == nil {
		return
	}
	taken := map[string]bool{}
	for _, t := range b.Targets {
		taken[t.Label] = true
	}
	var targets []gate.BaselineTarget
	at := map[string]int{}
	for _, t := range b.Targets {
		for _, label := range l.current(t.Label, taken) {
			i, ok := at[label]
			if !ok {
				at[label] = len(targets)
				targets = append(targets, gate.BaselineTarget{Devices: t.Devices, Label: label})
				continue
			}
			devices := slices.Concat(targets[i].Devices, t.Devices)
			slices.Sort(devices)
			targets[i].Devices = slices.Compact(devices)
		}
	}
	b.Targets = targets
	var findings []gate.Entry
	seen := map[gate.Entry]int{}
	for _, e := range b.Findings {
		count := e.Count
		for _, label := range l.current(e.Target, taken) {
			e.Target, e.Count = label, 0
			if i, ok := seen[e]; ok { // of the module for another release of Python
				findings[i].Count = max(findings[i].Count, count)
				continue
			}
			seen[e] = len(findings)
			e.Count = count
			findings = append(findings, e)
		}
	}
	b.Findings = findings
}

// reports renames the targets of reports of the base branch.
func (l *relabeler) reports(list []*gate.Index) {
	taken := map[string]bool{}
	for _, x := range list {
		for _, label := range x.Labels() {
			taken[label] = true
		}
	}
	for _, x := range list {
		x.Relabel(func(label string) string { return l.current(label, taken)[0] })
	}
}

// policy adds the stable form of patterns that name a target by an older label.
func (l *relabeler) policy(p *gate.Policy) {
	if p == nil {
		return
	}
	p.Allow = slices.Clone(p.Allow)
	for i := range p.Allow {
		x := &p.Allow[i]
		for _, pattern := range x.Targets {
			for _, label := range l.current(pattern, nil) {
				if !slices.Contains(x.Targets, label) {
					x.Targets = append(x.Targets[:len(x.Targets):len(x.Targets)], label)
				}
			}
		}
	}
}

// Relabel renames the targets of a baseline to what the reports call them.
func Relabel(b *gate.Baseline, reports []*gate.Index) { newRelabeler(reports).baseline(b) }

// RelabelReports renames the targets of older reports to what newer ones call them.
func RelabelReports(old, now []*gate.Index) { newRelabeler(now).reports(old) }
