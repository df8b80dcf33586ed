package gate

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

// compare finds out which problems are known: those that the baseline has, or the
// base branch.
func (e *evaluator) compare() {
	r := e.result
	if !r.Compared {
		return
	}
	var open []*item
	for _, i := range r.items {
		if !i.covered() && baselined(i.problem.rule) {
			open = append(open, i)
		}
	}
	if e.Baseline != nil {
		// What an exception or a family covers is not open: its entries are left.
		m := matcher{slices.Clone(e.Baseline.Findings)}
		m.match(open)
		r.absent = m.left()
	}
	var base []*target
	if e.Base != nil {
		base = combine(e.Base)
		m := matcher{e.known(base)}
		// That a problem is in the base branch is no news, but that its exception
		// has ended is.
		m.match(slices.DeleteFunc(slices.Clone(open), func(i *item) bool { return i.expired }))
		if e.Baseline == nil {
			for _, entry := range m.left() {
				r.Counts.Absent += entry.Count
			}
		}
	}
	e.compareDevices(open, base)
}

// known returns the problems of the base branch that the policy does not cover.
func (e *evaluator) known(base []*target) []Entry {
	var list []Entry
	repeats := findRepetitions(base)
	for _, i := range repeats.once(e.items(base, false)) {
		if !i.covered() {
			list = append(list, i.entry())
		}
	}
	return count(list)
}

// compareDevices finds items that are new because what is known of a device is.
func (e *evaluator) compareDevices(open []*item, base []*target) {
	inBaseline, inBase := map[string]bool{}, map[string]bool{}
	if e.Baseline != nil {
		inBaseline = e.changed(e.Baseline.digests())
	}
	if e.Base != nil {
		was, _ := digests(e.Base)
		inBase = e.changed(maps.All(was))
	}
	byLabel := targetsByLabel(base)
	for _, i := range open {
		if i.state != StateNew || i.expired {
			continue
		}
		id := i.device.device
		// Base reports say whether the kernel itself is new, and baselines do not.
		if e.BaseDecides && e.differsFromBase(id) {
			continue // it is the change that makes the data others
		}
		if e.Base == nil && inBaseline[id] || inBase[id] && byLabel[i.target.label].has(i.kernelName(), id) {
			i.class = ClassDeviceData
		}
	}
	maps.Copy(inBaseline, inBase)
	for _, id := range slices.Sorted(maps.Keys(inBaseline)) {
		e.note(Notice{Rule: DeviceDataChanged, Severity: Warning, Text: fmt.Sprintf("the data of device %s has changed: check its findings and refresh the baseline", id)})
	}
}

// changed returns the devices that had another digest.
func (e *evaluator) changed(was iter.Seq2[string, string]) map[string]bool {
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
