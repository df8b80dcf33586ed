package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Values of --unsupported: what to do with devices that kernels cannot run on.
const (
	smallest = "smallest" // the candidate that loses the fewest statuses
	drop     = "drop"
	restrict = "restrict"
	keep     = "keep"
)

// An unsupportedDevice is a device that some kernels of a target cannot run on.
type unsupportedDevice struct {
	device   string
	findings []*gate.Finding // one per kernel and rule
	fails    int             // number of kernels that do not run on the device, including allowed ones
	kernels  int             // number of kernels in the target
}

// runs returns the number of kernels that can run on the device.
func (m *unsupportedDevice) runs() int { return max(m.kernels-m.fails, 0) }

// failing returns the kernels of the findings, without duplicates.
func (m *unsupportedDevice) failing() []string {
	var names []string
	for _, f := range m.findings {
		if !slices.Contains(names, f.Kernel) {
			names = append(names, f.Kernel)
		}
	}
	return names
}

// A candidate is one way to deal with an unsupportedDevice.
type candidate struct {
	name string // an exception, drop or by hand
	lost int    // number of statuses that get worse or are no longer required
	what string
}

const (
	exception = "exception"
	byHand    = "by hand"
)

// candidates returns the ways to deal with an unsupportedDevice, smallest loss first. Manual
// changes come last: they lose no status, but require writing code.
func (m *unsupportedDevice) candidates(named bool) []candidate {
	list := []candidate{{exception, len(m.failing()), "allow it in the policy: " + strings.Join(m.exceptions(), ", ")}}
	if named {
		list = append(list, candidate{drop, m.runs(), fmt.Sprintf("remove %s from sycl_targets and fixed_targets", m.device)})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.lost, b.lost) })
	return append(list, candidate{byHand, 0, m.sourceFix()})
}

// exceptions returns policy entries that allow the findings, one per rule.
func (m *unsupportedDevice) exceptions() []string {
	const most = 5 // kernels per entry
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

// sourceFix describes how to fix the problem in the source code.
func (m *unsupportedDevice) sourceFix() string {
	var list []string
	for _, f := range m.findings {
		rule, _ := gate.LookupRule(f.Rule)
		s := strings.ReplaceAll(strings.ReplaceAll(rule.Next, "{required}", f.Required), "`", "'")
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return strings.Join(list, "; or ") + "; if you add a second kernel, list both as a family in the policy"
}

// String describes the device and its kernels in one line.
func (m *unsupportedDevice) String() string {
	return fmt.Sprintf("kernels that do not run on %s: %d of %d: %s", m.device, m.fails, m.kernels, safetext.JoinFirst(m.failing(), 3))
}

// choose returns the devices to remove, and explains each choice. A device is removed if fewer
// kernels run on it than do not. It never removes all devices that the target names.
func (e *edit) choose() []string {
	c := e.counts[e.report]
	if c == nil {
		e.note("%s: cannot count the kernels of %s, because the result does not cover it; pass its report", e.place, e.label)
		return nil
	}
	var out []string
	var all []*unsupportedDevice
	chosen := map[string]candidate{}
	for _, d := range slices.Sorted(maps.Keys(e.wanted.out)) {
		m := &unsupportedDevice{device: d, findings: e.wanted.out[d], fails: len(c.fails[d]), kernels: c.kernels}
		all = append(all, m)
		_, named := e.find(syclTargets, m.device)
		_, fixed := e.find(fixedTargets, m.device)
		chosen[m.device] = m.candidates(named || fixed)[0]
		switch {
		case chosen[m.device].name == drop:
			out = append(out, m.device)
		case named || fixed:
			e.note("%s: no edit of %s proposed for %s, because an exception in the policy loses no more statuses", e.place, e.label, m.device)
		default:
			e.noteUnnamed(m.device)
		}
	}
	if len(out) > 0 && e.leavesNoDevice(out) {
		e.note("%s: no edit proposed for %s, because it would have no device left without %s; change the kernels that do not run there", e.place, e.label, strings.Join(out, ", "))
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

// explain describes the candidates for a device, and the chosen one.
func (e *edit) explain(m *unsupportedDevice, chosen string) {
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

// leavesNoDevice reports whether the removal would leave one of the lists without any device. A
// target such as spir64 is for all devices, so it does not count as one.
func (e *edit) leavesNoDevice(out []string) bool {
	if len(e.lists[fixedTargets]) > 0 && e.leavesNothing(fixedTargets, out) {
		return true
	}
	for _, name := range e.lists[syclTargets] {
		d, known := e.config.Lookup(name)
		if !slices.Contains(out, deviceconfig.Canonical(name)) && !(known && d.IsGeneric()) {
			return false
		}
	}
	return true
}
