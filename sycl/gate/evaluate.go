package gate

import (
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// Evaluate decides whether the change passes. The result does not depend on the order of the
// reports.
func Evaluate(in Input) *Result {
	if in.Policy == nil {
		in.Policy = DefaultPolicy()
	}
	p := in.Policy
	e := evaluator{Input: in, today: in.Today.UTC().Format(dateFormat), tiers: map[string]Tier{},
		exceptionUsed: make([]bool, len(p.Allow)), familyUsed: make([]bool, len(p.Families)),
		result: &Result{Category: in.Category, Conclusion: Success, Devices: []DeviceTier{}, Findings: []Finding{}, Notices: []Notice{},
			Generator: in.Generator, Schema: resultFormat.schema, SchemaVersion: resultFormat.version, Targets: []TargetSummary{},
			Compared: in.Baseline != nil || in.Base != nil, Update: in.Update, Workspace: in.Workspace, old: in.Base, now: in.Reports,
			Policy: PolicySummary{FailOn: p.FailOn, FailOnSeverity: p.FailOnSeverity, File: p.File, Undetermined: p.Undetermined}}}
	e.result.Today = e.today
	if in.Prefix != "" && in.Workspace != nil {
		e.result.Workspace = prefixed{in.Workspace, in.Prefix}
	}
	e.collect()
	e.compare()
	e.checkCoverage()
	e.decide()
	e.summarize()
	return e.result
}

// An evaluator computes the result for an input in several steps.
type evaluator struct {
	Input
	today         string
	result        *Result
	tiers         map[string]Tier
	exceptionUsed []bool // by index in the policy
	familyUsed    []bool
}

// An item is a problem of a kernel on a device.
type item struct {
	target      *target
	problem     *problem
	device      affected
	otherLabels []string // labels of further targets with the same item
	disposition
}

// A disposition holds how the policy and the comparison treat an item.
type disposition struct {
	severity  Severity
	state     State
	class     Class
	exception *Exception
	family    string
	expired   bool
	// renamedFrom is the kernel's name at the time the problem became known.
	renamedFrom string
	fails       bool
}

// isCovered reports whether the policy allows an item.
func (i *item) isCovered() bool { return i.exception != nil || i.family != "" }

func (i *item) kernel() *kernel { return i.target.findKernel(i.problem) }

func (i *item) kernelName() string {
	if k := i.kernel(); k != nil {
		return k.name
	}
	return ""
}

// kernelNames returns the names under which the kernel of an item may be known: its own name and
// the names of its forms.
func (i *item) kernelNames() []string {
	if k := i.kernel(); k != nil {
		return k.names()
	}
	return []string{""}
}

// file returns the source file of the kernel.
func (i *item) file() string {
	if k := i.kernel(); k != nil && !k.location.IsZero() {
		return k.location.Path
	}
	return ""
}

func (i *item) entry() Entry {
	e := Entry{Count: 1, Device: i.device.device, File: i.file(), Kernel: i.kernelName(), Required: i.problem.requirement(), Rule: i.problem.rule, Target: i.target.label}
	e.Fingerprint = e.fingerprint()
	return e
}

// collect collects the problems in the reports.
func (e *evaluator) collect() {
	r := e.result
	r.targets = combine(e.Reports)
	var differ []string
	r.digests, differ = digests(e.Reports)
	for _, id := range differ {
		e.addProblem(&target{}, ReportInvalid, id, e.tier(id).severity(), "two reports describe the device differently; make all reports with the same device configuration")
	}
	r.generic = map[string]bool{}
	for _, x := range e.Reports {
		for id, d := range x.data {
			r.generic[id] = d.IsGeneric()
		}
	}
	r.repeats = findRepetitions(r.targets)
	r.items = append(r.items, r.repeats.withoutRepeated(e.items(r.targets, true))...)
}

// digests returns the digests of all devices, and the devices that two reports describe
// differently.
func digests(list []*Index) (all map[string]string, differ []string) {
	all = map[string]string{}
	several := map[string]bool{}
	for _, x := range list {
		for id, digest := range x.devices {
			if old, ok := all[id]; ok && old != digest {
				several[id] = true
				digest = min(old, digest)
			}
			all[id] = digest
		}
	}
	return all, slices.Sorted(maps.Keys(several))
}

// tier returns the tier of a device, based on the first list that matches it.
func (e *evaluator) tier(device string) Tier {
	t, ok := e.tiers[device]
	if !ok {
		switch {
		case matchDevice(e.Policy.Required, device):
			t = Required
		case matchDevice(e.Policy.Supported, device):
			t = Supported
		default:
			t = Informative
		}
		e.tiers[device] = t
	}
	return t
}

// matchDevice reports whether a pattern matches a device. Patterns may be aliases of the device.
func matchDevice(patterns []string, id string) bool {
	for _, p := range patterns {
		if kernelname.Match(p, id) || !strings.Contains(p, "*") && deviceconfig.Canonical(p) == deviceconfig.Canonical(id) {
			return true
		}
	}
	return false
}

// items returns the problems of targets that have a severity, with their dispositions. own is set
// for the reports to check, as opposed to base reports.
func (e *evaluator) items(targets []*target, own bool) []*item {
	var out []*item
	for _, t := range targets {
		families := e.families(t, own)
		for _, p := range t.problems {
			level := e.Policy.level(p.rule)
			if level == Off {
				continue
			}
			exceptions := e.exceptions(t, p)
			list := make([]item, len(p.on)) // one allocation for all devices
			for i, a := range p.on {
				it := &list[i]
				*it = item{target: t, problem: p, device: a, disposition: disposition{severity: min(e.tier(a.device).severity(), level), state: StateNew}}
				it.family = familyForDevice(families[p.kernel], t.column(a.device))
				e.applyException(it, exceptions, own)
				out = append(out, it)
			}
		}
	}
	return out
}

// addProblem adds an item for a problem without a kernel. Its text is part of the fingerprint, so
// problems with different texts are different findings.
func (e *evaluator) addProblem(t *target, rule RuleID, device string, severity Severity, text string) {
	p := &problem{problemKey: problemKey{kernel: -1, rule: rule, text: text}}
	if device != "" {
		p.on = []affected{{device: device}}
	}
	e.addItem(t, p, severity)
}

// addItem adds an item that does not come from a report. severity is the severity of the devices.
func (e *evaluator) addItem(t *target, p *problem, severity Severity) {
	severity = min(severity, e.Policy.level(p.rule))
	if severity == Off {
		return
	}
	i := &item{target: t, problem: p, disposition: disposition{severity: severity, state: StateNew}}
	if len(p.on) > 0 {
		i.device = p.on[0]
	}
	e.applyException(i, e.exceptions(t, p), true)
	e.result.items = append(e.result.items, i)
}

// exceptions returns the indexes of the exceptions that match a problem on any device.
func (e *evaluator) exceptions(t *target, p *problem) (list []int) {
	for i := range e.Policy.Allow {
		if e.Policy.Allow[i].covers(t, p) {
			list = append(list, i)
		}
	}
	return list
}

// covers reports whether an exception matches a problem on any device.
func (x *Exception) covers(t *target, p *problem) bool {
	if x.Rule != p.rule || len(x.Targets) > 0 && !kernelname.MatchAny(x.Targets, t.label) || x.Detail != "" && !kernelname.Match(x.Detail, p.detail()) {
		return false
	}
	if k := t.findKernel(p); k != nil {
		return k.matches(x.Kernels)
	}
	return kernelname.MatchAny(x.Kernels, "")
}

// detail returns the text that "detail" of exceptions is compared with.
func (p *problem) detail() string {
	if p.rule == Undetermined {
		return p.requirement()
	}
	return p.required
}

// applyException applies the first exception that has not expired to an item.
func (e *evaluator) applyException(it *item, exceptions []int, own bool) {
	for _, n := range exceptions {
		x := &e.Policy.Allow[n]
		if len(x.Devices) > 0 && (it.device.device == "" || !matchDevice(x.Devices, it.device.device)) {
			continue
		}
		if own {
			e.exceptionUsed[n] = true
		}
		if x.Expires != "" && x.Expires < e.today {
			it.expired = it.exception == nil
			continue
		}
		if it.exception == nil {
			it.exception, it.expired = x, false
		}
	}
}

// A member is a family in a target, with the columns of devices that at least one of its kernels
// runs on.
type member struct {
	name string
	runs map[int]bool
}

// familyForDevice returns the first family with a kernel that runs on a device, or "" if there is
// none.
func familyForDevice(families []*member, column int) string {
	for _, m := range families {
		if m.runs[column] {
			return m.name
		}
	}
	return ""
}

// families returns the families of a target's kernels.
func (e *evaluator) families(t *target, own bool) map[int][]*member {
	var out map[int][]*member
	for n, f := range e.Policy.Families {
		m := &member{f.Name, map[int]bool{}}
		for row, k := range t.kernels {
			if !k.matches(f.Kernels) {
				continue
			}
			if out == nil {
				out = map[int][]*member{}
			}
			out[row] = append(out[row], m)
			if own {
				e.familyUsed[n] = true
			}
			for col := range t.devices {
				if t.status(row, col) == compat.Compatible {
					m.runs[col] = true
				}
			}
		}
	}
	return out
}

// addNotice adds a notice.
func (e *evaluator) addNotice(n Notice) {
	if n.Fails {
		e.result.Counts.Failing++
	}
	e.result.Notices = append(e.result.Notices, n)
}
