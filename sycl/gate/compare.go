package gate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// compare determines which problems the baseline or the base branch already has.
func (e *evaluator) compare() {
	r := e.result
	if !r.Compared {
		return
	}
	var open []*item
	for _, i := range r.items {
		if !i.isCovered() && canBeBaselined(i.problem.rule) {
			open = append(open, i)
		}
	}
	var base []*target
	if e.Base != nil {
		base = combine(e.Base)
	}
	if e.Baseline != nil {
		// Items covered by an exception or a family are not open, so their baseline entries remain
		// unmatched.
		m := matcher{slices.Clone(e.Baseline.Findings)}
		r.absent = m.match(open, func() map[*kernel]*kernel {
			if base != nil {
				return formerKernels(base, r.targets)
			}
			return e.formerInBaseline(open)
		})
		r.solved = r.absent
	}
	if base != nil {
		m := matcher{e.openProblems(base)}
		// A problem that exists on the base branch is not new, but the expiry of its exception can be.
		open := slices.DeleteFunc(slices.Clone(open), func(i *item) bool { return i.expired })
		left := m.match(open, func() map[*kernel]*kernel { return formerKernels(base, r.targets) })
		if e.Baseline == nil {
			r.solved = left
			r.Counts.Absent += totalCount(left)
		}
	}
	e.compareDevices(open, base)
}

// formerKernels maps kernels to their counterparts with different names on the base branch, see
// [Renaming].
func formerKernels(base, now []*target) map[*kernel]*kernel {
	_, renamed, _, _ := pairTargets(targetsByLabel(base), targetsByLabel(now))
	return former(renamed)
}

func former(renamed []pair) map[*kernel]*kernel {
	out := map[*kernel]*kernel{}
	for _, p := range renamed {
		out[p.now.kernels[p.now.index]] = p.old.kernels[p.old.index]
	}
	return out
}

// formerInBaseline is like formerKernels for the baseline, which lists problems of kernels, but no
// source lines. A kernel that it does not list may or may not be new, and can prevent a pairing.
func (e *evaluator) formerInBaseline(open []*item) map[*kernel]*kernel {
	skip := func(name string) bool {
		_, unnamed := withoutNumbers(name)
		return unnamed || name == ""
	}
	exists := map[string]bool{}
	for _, t := range e.result.targets {
		for name := range t.byName {
			exists[name] = true
		}
	}
	byLabel, known := map[string]*target{}, map[string]bool{}
	for i := range e.Baseline.Findings {
		f := &e.Baseline.Findings[i]
		known[f.Kernel] = true
		if skip(f.Kernel) || exists[f.Kernel] {
			continue
		}
		t := byLabel[f.Target]
		if t == nil {
			t = newTarget(f.Target, nil)
			byLabel[f.Target] = t
		}
		n := t.row(f.Kernel)
		if n < 0 {
			n = t.addKernel(&kernel{name: f.Kernel, display: kernelname.Display(f.Kernel), location: srcloc.Location{Path: f.File}})
		}
		t.addProblem(problemKey{kernel: n, rule: f.Rule, required: f.Required}, affected{device: f.Device})
	}
	needs := map[*kernel][]string{}
	for _, i := range open {
		if k := i.kernel(); k != nil && i.severity >= leastKnown(e.Policy.FailOnSeverity) {
			needs[k] = append(needs[k], i.problem.need())
		}
	}
	var old, now []row
	for _, t := range sorted(byLabel) {
		for _, p := range t.problems {
			needs[t.kernels[p.kernel]] = append(needs[t.kernels[p.kernel]], p.need())
		}
		for n := range t.kernels {
			old = append(old, row{t, n})
		}
	}
	for _, t := range e.result.targets {
		for n, k := range t.kernels {
			if !slices.ContainsFunc(k.names(), func(name string) bool { return skip(name) || known[name] }) {
				now = append(now, row{t, n})
			}
		}
	}
	renamed := pairRenamed(old, now, func(r row) []string { return needs[r.kernels[r.index]] })
	return former(renamed)
}

// openProblems returns the problems of the base branch that the policy does not cover.
func (e *evaluator) openProblems(base []*target) []Entry {
	var list []Entry
	repeats := findRepetitions(base)
	for _, i := range repeats.withoutRepeated(e.items(base, false)) {
		if !i.isCovered() {
			list = append(list, i.entry())
		}
	}
	return mergeEqual(list)
}

// compareDevices marks items that are new because the device data has changed.
func (e *evaluator) compareDevices(open []*item, base []*target) {
	was, _ := digests(e.Base)
	inBaseline, inBase := e.changed(e.Baseline.digests()), e.changed(was)
	byLabel := targetsByLabel(base)
	for _, i := range open {
		if i.state != StateNew || i.expired {
			continue
		}
		id := i.device.device
		// Unlike a baseline, base reports show whether the kernel itself is new.
		if old := e.baseDevice(id); e.BaseDecides && (old == nil || deviceDigest(old) != e.result.digests[id]) {
			continue // the change itself modifies the data, or may do so
		}
		if e.Base == nil && inBaseline[id] || inBase[id] && byLabel[i.target.label].has(i.kernelName(), id) {
			i.class = ClassDeviceData
		}
	}
	maps.Copy(inBaseline, inBase)
	for _, id := range slices.Sorted(maps.Keys(inBaseline)) {
		e.addNotice(Notice{Rule: DeviceDataChanged, Severity: Warning, Text: fmt.Sprintf("the data of the device %s have changed; check its findings, and update the baseline", id)})
	}
}

// changed returns the devices whose digest has changed.
func (e *evaluator) changed(was map[string]string) map[string]bool {
	out := map[string]bool{}
	for id, digest := range was {
		if now, ok := e.result.digests[id]; ok && now != digest {
			out[id] = true
		}
	}
	return out
}

func targetsByLabel(list []*target) map[string]*target {
	out := map[string]*target{}
	for _, t := range list {
		out[t.label] = t
	}
	return out
}
