package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// What becomes of devices that kernels cannot run on.
const (
	smallest = "smallest" // the candidate that loses the fewest statuses
	drop     = "drop"
	restrict = "restrict"
	keep     = "keep"
)

// A misfit is a device that some kernels of a target cannot run on.
type misfit struct {
	device   string
	findings []*gate.Finding // one for each kernel and rule
	fails    int             // kernels that do not run on the device, also those that a policy covers
	kernels  int             // of the target
}

// runs is how many kernels run on the device.
func (m *misfit) runs() int { return max(m.kernels-m.fails, 0) }

// wanting returns the kernels that findings are about, each once.
func (m *misfit) wanting() []string {
	var names []string
	for _, f := range m.findings {
		if !slices.Contains(names, f.Kernel) {
			names = append(names, f.Kernel)
		}
	}
	return names
}

// A candidate is one way to come to terms with a misfit.
type candidate struct {
	name string // an exception, drop or by hand
	lost int    // statuses that are no longer good or no longer required
	what string
}

const (
	exception = "exception"
	byHand    = "by hand"
)

// candidates returns what may be done about a misfit, the smallest first. Those by hand
// come last: they lose nothing, and somebody has to write code.
func (m *misfit) candidates(named bool) []candidate {
	list := []candidate{{exception, len(m.wanting()), "allow it in the policy: " + strings.Join(m.exceptions(), ", ")}}
	if named {
		list = append(list, candidate{drop, m.runs(), fmt.Sprintf("take %s out of sycl_targets and fixed_targets", m.device)})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.lost, b.lost) })
	return append(list, candidate{byHand, 0, m.remedy()})
}

// exceptions returns entries of a policy that allow the findings, one for each rule.
func (m *misfit) exceptions() []string {
	const most = 5 // kernels in an entry
	byRule := map[gate.RuleID][]string{}
	for _, f := range m.findings {
		byRule[f.Rule] = append(byRule[f.Rule], strconv.Quote(f.Kernel))
	}
	var list []string
	for _, rule := range slices.Sorted(maps.Keys(byRule)) {
		names := slices.Compact(slices.Sorted(slices.Values(byRule[rule])))
		more := ""
		if n := len(names) - most; n > 0 {
			names, more = names[:most], fmt.Sprintf(" (and %d more kernels)", n)
		}
		list = append(list, fmt.Sprintf("{rule: %s, kernels: [%s], devices: [%s], reason: ..., expires: ...}%s", rule, strings.Join(names, ", "), m.device, more))
	}
	return list
}

// remedy says what may be done in the source.
func (m *misfit) remedy() string {
	var list []string
	for _, f := range m.findings {
		if s := strings.ReplaceAll(nextStep(f), "`", "'"); s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return strings.Join(list, "; or ") + "; where a second kernel takes its place, name both as a family in the policy"
}

// String describes the misfit in a sentence.
func (m *misfit) String() string {
	names := m.wanting()
	const most = 3
	list := strings.Join(names[:min(len(names), most)], ", ")
	if n := len(names) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("kernels that do not run on %s: %d of %d: %s", m.device, m.fails, m.kernels, list)
}

// misfits returns the devices that kernels of a target cannot run on, by name.
func (e *edit) misfits() []*misfit {
	var list []*misfit
	c := e.counts[e.report]
	for _, d := range slices.Sorted(maps.Keys(e.wanted.out)) {
		list = append(list, &misfit{device: d, findings: e.wanted.out[d], fails: len(c.fails[d]), kernels: c.kernels})
	}
	return list
}

// choose returns the devices to take out, and explains each choice. A device is taken
// out when fewer kernels run on it than do not; never are all of the devices that the
// target names.
func (e *edit) choose() []string {
	if e.counts[e.report] == nil {
		e.note("%s: how many kernels %s has is not known, as the result is not about it: give its report", e.place, e.label)
		return nil
	}
	var out []string
	all := e.misfits()
	chosen := map[string]candidate{}
	for _, m := range all {
		_, named := e.find(syclTargets, m.device)
		_, fixed := e.find(fixedTargets, m.device)
		chosen[m.device] = m.candidates(named || fixed)[0]
		switch {
		case chosen[m.device].name == drop:
			out = append(out, m.device)
		case named || fixed:
			e.note("%s: no edit of %s is proposed for %s: an exception in the policy loses no more", e.place, e.label, m.device)
		default:
			e.noteUnnamed(m.device)
		}
	}
	if len(out) > 0 && e.leavesNoDevice(out) {
		e.note("%s: no edit is proposed for %s: the kernels that do not run on %s would leave it without a device; change these kernels", e.place, e.label, strings.Join(out, ", "))
		for _, d := range out {
			delete(chosen, d)
		}
		out = nil
	}
	for _, m := range all {
		e.explain(m, chosen[m.device].name)
	}
	return out
}

// explain says what the candidates for a device are, and which is chosen.
func (e *edit) explain(m *misfit, chosen string) {
	_, named := e.find(syclTargets, m.device)
	_, fixed := e.find(fixedTargets, m.device)
	lines := []string{fmt.Sprintf("%s: %s: %s", e.place, e.label, m)}
	for _, c := range m.candidates(named || fixed) {
		mark := ""
		if c.name == chosen {
			mark = " (proposed)"
		}
		lines = append(lines, fmt.Sprintf("  %s%s, statuses lost: %d: %s", c.name, mark, c.lost, c.what))
	}
	for _, l := range lines {
		e.plan = append(e.plan, safetext.Escape(l))
	}
}

// leavesNoDevice reports whether one of the lists would name no device any more. A target
// such as spir64 is for all devices and names none.
func (e *edit) leavesNoDevice(out []string) bool {
	if len(e.lists[fixedTargets]) > 0 && e.leavesNothing(fixedTargets, out) {
		return true
	}
	for _, name := range e.lists[syclTargets] {
		d, known := e.config.Lookup(name)
		if !slices.Contains(out, deviceconfig.Canonical(name)) && !(known && compat.IsGeneric(d)) {
			return false
		}
	}
	return true
}

// nextStep is what to do about a finding in the source.
func nextStep(f *gate.Finding) string {
	rule, _ := gate.LookupRule(f.Rule)
	return strings.ReplaceAll(rule.Next, "{required}", f.Required)
}
