package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/glob"
	"github.com/rules-sycl/rules_sycl/sycl/internal/plural"
	"github.com/rules-sycl/rules_sycl/sycl/internal/spell"
)

// Evaluate decides. The order of the reports does not matter.
func Evaluate(in Input) *Result {
	if in.Policy == nil {
		in.Policy = DefaultPolicy()
	}
	e := evaluator{Input: in, today: in.Today.UTC().Format(dateFormat), tiers: map[string]Tier{}, reasonsUsed: map[int]bool{}, familyUsed: map[int]bool{}}
	r := &Result{Category: in.Category, Conclusion: Success, Devices: []DeviceTier{}, Findings: []Finding{}, Notices: []Notice{},
		Generator: in.Generator, Schema: ResultSchema, SchemaVersion: resultFormat.version, Targets: []TargetSummary{}, Today: e.today,
		Compared: in.Baseline != nil || in.Base != nil, Workspace: in.Workspace,
		Policy: PolicySummary{FailOn: in.Policy.FailOn, FailOnSeverity: in.Policy.FailOnSeverity, File: in.Policy.File, Undetermined: in.Policy.Undetermined}}
	e.result = r
	r.targets = combine(in.Reports)
	r.digests = e.digests(in.Reports, true)
	r.items = slices.Concat(r.items, e.items(r.targets, true))
	e.compare()
	e.coverage()
	e.decide()
	e.summarize()
	return r
}

type evaluator struct {
	Input
	today       string
	result      *Result
	tiers       map[string]Tier
	reasonsUsed map[int]bool // indexes of the allow list
	familyUsed  map[int]bool
	notices     []Notice
}

// item is a problem of a kernel and a device.
type item struct {
	target  *target
	problem *problem
	device  affected
	fate
}

// fate is what the policy and the comparison make of an item.
type fate struct {
	severity Severity
	state    State
	class    Class
	allow    *Allow
	family   string
	expired  bool
	fails    bool
}

// covered reports whether the policy lets an item pass.
func (i *item) covered() bool { return i.allow != nil || i.family != "" }

func (i *item) kernel() *kernel {
	if i.problem.kernel < 0 {
		return nil
	}
	return i.target.kernels[i.problem.kernel]
}

func (i *item) kernelName() string {
	if k := i.kernel(); k != nil {
		return k.name
	}
	return ""
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

// matchDevice reports whether a device is one of the patterns, which may be
// other names of it.
func matchDevice(patterns []string, id string) bool {
	for _, p := range patterns {
		if glob.Match(p, id) || !strings.Contains(p, "*") && deviceconfig.Canonical(p) == deviceconfig.Canonical(id) {
			return true
		}
	}
	return false
}

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

// digests returns what the reports say of devices. When check is set, it makes a
// finding of devices that two reports describe differently.
func (e *evaluator) digests(facts []*Facts, check bool) map[string]string {
	all := map[string]string{}
	differ := map[string]bool{}
	for _, f := range facts {
		for id, digest := range f.devices {
			if old, ok := all[id]; ok && old != digest {
				differ[id] = true
				digest = min(old, digest)
			}
			all[id] = digest
		}
	}
	if check {
		for _, id := range slices.Sorted(maps.Keys(differ)) {
			e.found(&target{}, ReportInvalid, id, e.tier(id).Severity(), "two reports describe the device differently: make all with the same device configuration")
		}
	}
	return all
}

// found adds a finding about a target as such.
func (e *evaluator) found(t *target, rule RuleID, device string, severity Severity, text string) {
	severity = min(severity, e.Policy.level(rule))
	if severity == Off {
		return
	}
	p := &problem{problemKey: problemKey{kernel: -1, rule: rule, text: text}}
	i := &item{target: t, problem: p, fate: fate{severity: severity, state: StateNew}}
	if device != "" {
		i.device.device = device
		p.on = []affected{i.device}
	}
	e.except(i)
	e.result.items = append(e.result.items, i)
}

// items returns the problems of targets that have a severity, with what the
// policy makes of them. Own is set for the reports that are checked.
func (e *evaluator) items(targets []*target, own bool) []*item {
	var out []*item
	for _, t := range targets {
		members := e.families(t, own)
		for _, p := range t.problems {
			level := e.Policy.level(p.rule)
			if level == Off {
				continue
			}
			k := t.kernels[p.kernel]
			var allowed []int
			for i := range e.Policy.Allow {
				if e.Policy.Allow[i].covers(t, p, k) {
					allowed = append(allowed, i)
				}
			}
			// One allocation for all devices.
			list := make([]item, len(p.on))
			for i, a := range p.on {
				it := &list[i]
				*it = item{target: t, problem: p, device: a, fate: fate{severity: min(e.tier(a.device).Severity(), level), state: StateNew}}
				for _, f := range members[p.kernel] {
					if f.runs[t.column(a.device)] {
						it.family = f.name
						break
					}
				}
				e.allow(it, allowed, own)
				out = append(out, it)
			}
		}
	}
	return out
}

// covers reports whether an exception is about a problem, on any device.
func (a *Allow) covers(t *target, p *problem, k *kernel) bool {
	return a.Rule == p.rule && (len(a.Targets) == 0 || glob.MatchAny(a.Targets, t.label)) &&
		(a.Detail == "" || glob.Match(a.Detail, p.detail())) &&
		(k == nil && glob.MatchAny(a.Kernels, "") || k != nil && glob.MatchAny(a.Kernels, k.display, k.name))
}

// detail is what "detail" of exceptions is compared with.
func (p *problem) detail() string {
	if p.rule == Undetermined {
		return p.requirement()
	}
	return p.required
}

// except finds an exception for a finding about no kernel.
func (e *evaluator) except(i *item) {
	var allowed []int
	for n := range e.Policy.Allow {
		if e.Policy.Allow[n].covers(i.target, i.problem, nil) {
			allowed = append(allowed, n)
		}
	}
	e.allow(i, allowed, true)
}

// allow gives an item the first exception that holds today.
func (e *evaluator) allow(it *item, candidates []int, own bool) {
	for _, n := range candidates {
		a := &e.Policy.Allow[n]
		if len(a.Devices) > 0 && (it.device.device == "" || !matchDevice(a.Devices, it.device.device)) {
			continue
		}
		if own {
			e.reasonsUsed[n] = true
		}
		if a.Expires != "" && a.Expires < e.today {
			it.expired = it.allow == nil
			continue
		}
		if it.allow == nil {
			it.allow, it.expired = a, false
		}
	}
}

// member is a family of a target and the columns of devices that one of its
// kernels runs on.
type member struct {
	name string
	runs map[int]bool
}

// families returns the families of the kernels of a target.
func (e *evaluator) families(t *target, own bool) map[int][]*member {
	var out map[int][]*member
	for n, f := range e.Policy.Families {
		m := &member{f.Name, map[int]bool{}}
		for row, k := range t.kernels {
			if !glob.MatchAny(f.Kernels, k.display, k.name) {
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
				if t.verdict(row, col) == compat.Compatible {
					m.runs[col] = true
				}
			}
		}
	}
	return out
}

// compare tells new items from known ones.
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
		m := matcher{slices.Clone(e.Baseline.Findings)}
		m.match(open)
		// Exceptions and families cover what entries may have been for, too.
		for _, entry := range m.entries {
			if entry.Count > 0 {
				r.absent = append(r.absent, entry)
			}
		}
	}
	var baseTargets []*target
	if e.Base != nil {
		baseTargets = combine(e.Base)
		m := matcher{}
		for _, i := range e.items(baseTargets, false) {
			if !i.covered() {
				m.entries = append(m.entries, i.entry())
			}
		}
		m.entries = count(m.entries)
		// That a problem is in the base branch is no news, but that its exception
		// has ended is.
		m.match(slices.DeleteFunc(slices.Clone(open), func(i *item) bool { return i.expired }))
		if e.Baseline == nil {
			for _, entry := range m.entries {
				r.Counts.Absent += max(0, entry.Count)
			}
		}
	}
	e.compareDevices(open, baseTargets)
}

// compareDevices finds items that are new because what is known of a device is.
func (e *evaluator) compareDevices(open []*item, base []*target) {
	r := e.result
	listed, based := map[string]bool{}, map[string]bool{} // devices whose data changed
	if e.Baseline != nil {
		for _, d := range e.Baseline.Devices {
			if digest, ok := r.digests[d.ID]; ok && digest != d.Digest {
				listed[d.ID] = true
			}
		}
	}
	if e.Base != nil {
		for id, digest := range e.digests(e.Base, false) {
			if now, ok := r.digests[id]; ok && now != digest {
				based[id] = true
			}
		}
	}
	byLabel := map[string]*target{}
	for _, t := range base {
		byLabel[t.label] = t
	}
	for _, i := range open {
		if i.state != StateNew || i.expired {
			continue
		}
		id := i.device.device
		switch {
		case e.Base == nil && listed[id]:
			i.class = ClassDeviceData
		case based[id]:
			// With the base reports it is known whether the kernel itself is new.
			if t := byLabel[i.target.label]; t != nil {
				if row, ok := t.byName[i.kernelName()]; ok && t.verdict(row, t.column(id)) != compat.NoVerdict {
					i.class = ClassDeviceData
				}
			}
		}
	}
	maps.Copy(listed, based)
	for _, id := range slices.Sorted(maps.Keys(listed)) {
		e.notice(DeviceDataChanged, Warning, false, "", 0, fmt.Sprintf("what is known of device %s has changed: look at its findings and refresh the baseline", id))
	}
}

func (e *evaluator) notice(rule RuleID, severity Severity, fails bool, file string, line int, text string) {
	e.notices = append(e.notices, Notice{Fails: fails, File: file, Line: line, Rule: rule, Severity: severity, Text: text})
}

// coverage finds what is not checked, though it should be or was.
func (e *evaluator) coverage() {
	r := e.result
	type lost struct{ label, device string }
	seen := map[lost]bool{}
	loss := func(t *target, label, device string, severity Severity, text string) {
		if at := (lost{label, device}); !seen[at] {
			seen[at] = true
			e.found(t, CoverageLost, device, severity, text)
		}
	}
	cells := 0
	byLabel := map[string]*target{}
	for _, t := range r.targets {
		byLabel[t.label] = t
		cells += len(t.verdicts)
		if t.differ > 0 {
			e.found(t, ReportInvalid, "", Error, fmt.Sprintf("the reports contradict each other in %d verdicts: make them from the same build, or give targets that differ labels that differ", t.differ))
		}
	}
	if cells == 0 && e.Policy.FailOnEmpty {
		e.found(&target{}, ReportInvalid, "", Error, "no report has a verdict")
	}
	devices := slices.Sorted(maps.Keys(r.digests))
	for _, pattern := range e.Policy.Required {
		if strings.Contains(pattern, "*") {
			if pattern != "*" && !slices.ContainsFunc(devices, func(id string) bool { return glob.Match(pattern, id) }) {
				loss(&target{}, "", pattern, Error, "no report is about such a device, which the policy requires")
			}
			continue
		}
		is := func(id string) bool { return matchDevice([]string{pattern}, id) }
		i := slices.IndexFunc(devices, is)
		if i < 0 {
			text := "no report is about the device, which the policy requires"
			if near := spell.Nearest(pattern, slices.Values(devices), 1); near != nil {
				text += "; did you mean " + near[0] + "?"
			}
			loss(&target{}, "", pattern, Error, text)
			continue
		}
		for _, t := range r.targets {
			if n := len(t.kernels) - t.reported(devices[i]); n > 0 {
				loss(t, t.label, devices[i], Error, notReportedText(n, len(t.kernels), "the policy requires it"))
			}
		}
	}
	if e.Baseline != nil {
		for _, was := range e.Baseline.Targets {
			t := byLabel[was.Label]
			if t == nil {
				loss(&target{label: was.Label}, was.Label, "", Error, "no report is about the target, which is in the baseline")
				continue
			}
			for _, d := range was.Devices {
				if n := len(t.kernels) - t.reported(d); n > 0 && n == len(t.kernels) {
					loss(t, t.label, d, e.tier(d).Severity(), notReportedText(n, len(t.kernels), "the baseline has it"))
				}
			}
		}
	}
	if e.Base == nil {
		return
	}
	for _, was := range combine(e.Base) {
		t := byLabel[was.label]
		if t == nil {
			if len(was.kernels) > 0 {
				loss(&target{label: was.label}, was.label, "", Error, "no report is about the target, which the base branch has")
			}
			continue
		}
		e.lostKernels(t, was)
		for _, d := range was.devices {
			n := 0
			for row, k := range was.kernels {
				now, ok := t.byName[k.name]
				if ok && was.verdict(row, was.column(d)) != compat.NoVerdict && t.verdict(now, t.column(d)) == compat.NoVerdict {
					n++
				}
			}
			if n > 0 {
				loss(t, t.label, d, e.tier(d).Severity(), notReportedText(n, len(t.kernels), "the base branch has them"))
			}
		}
	}
}

func notReportedText(n, of int, why string) string {
	return fmt.Sprintf("%d of %d kernels are not checked for the device, and %s", n, of, why)
}

// lostKernels finds kernels that a target had. Of lambdas without a name only
// how many there are is compared.
func (e *evaluator) lostKernels(t, was *target) {
	now := map[string]int{}
	for _, k := range t.kernels {
		plain, _ := withoutNumbers(k.name)
		now[plain]++
	}
	for row, k := range was.kernels {
		plain, unnamed := withoutNumbers(k.name)
		if _, ok := t.byName[k.name]; ok && !unnamed {
			continue
		}
		if now[plain]--; now[plain] >= 0 {
			continue
		}
		severity := Off
		for col, d := range was.devices {
			if was.verdict(row, col) != compat.NoVerdict {
				severity = max(severity, e.tier(d).Severity())
			}
		}
		lost := &target{label: t.label, kernels: []*kernel{k}}
		severity = min(severity, e.Policy.level(KernelLost))
		if severity == Off {
			continue
		}
		it := &item{target: lost, problem: &problem{problemKey: problemKey{rule: KernelLost}}, fate: fate{severity: severity, state: StateNew}}
		var allowed []int
		for n := range e.Policy.Allow {
			if e.Policy.Allow[n].covers(lost, it.problem, k) {
				allowed = append(allowed, n)
			}
		}
		e.allow(it, allowed, true)
		e.result.items = append(e.result.items, it)
	}
}

// decide says what fails.
func (e *evaluator) decide() {
	r, p := e.result, e.Policy
	for _, i := range r.items {
		i.fails = p.FailOn != FailOnNone && !i.covered() && i.severity >= p.FailOnSeverity &&
			(p.FailOn == FailOnAny || i.state == StateNew && i.class == "")
		if i.fails {
			r.Counts.Failing++
		}
	}
	stale := p.FailOnStale && p.FailOn != FailOnNone
	soon := e.Today.UTC().AddDate(0, 0, 14).Format(dateFormat)
	for n, a := range p.Allow {
		what := fmt.Sprintf("the exception from %s for %s", a.Rule, strings.Join(a.Kernels, ", "))
		switch {
		case a.Expires != "" && a.Expires < e.today:
			e.notice(SuppressionExpired, Warning, stale, p.File, a.Line, fmt.Sprintf("%s expired on %s: solve the problem or agree on a later day", what, a.Expires))
			if stale {
				r.Counts.Failing++
			}
		case !e.reasonsUsed[n]:
			r.Counts.Stale++
			e.notice(SuppressionStale, Warning, stale, p.File, a.Line, what+" matches nothing: remove it")
			if stale {
				r.Counts.Failing++
			}
		case a.Expires != "" && a.Expires <= soon:
			e.notice(SuppressionExpired, Note, false, p.File, a.Line, fmt.Sprintf("%s expires on %s", what, a.Expires))
		}
	}
	for n, f := range p.Families {
		if !e.familyUsed[n] {
			r.Counts.Stale++
			e.notice(SuppressionStale, Warning, stale, p.File, f.Line, fmt.Sprintf("the family %s has no kernel", f.Name))
			if stale {
				r.Counts.Failing++
			}
		}
	}
	if e.Baseline != nil {
		for _, entry := range r.absent {
			r.Counts.Absent += entry.Count
		}
		if n := r.Counts.Absent; n > 0 {
			r.Counts.Stale += n
			e.notice(SuppressionStale, Note, stale, e.Baseline.File, 0, fmt.Sprintf("%d known %s solved: run 'compat baseline prune'", n, plural.Of(n, "problem is", "problems are")))
			if stale {
				r.Counts.Failing++
				e.notices[len(e.notices)-1].Severity = Warning
			}
		}
	}
	if e.BasePolicy != nil {
		for _, text := range Weakened(e.BasePolicy, p) {
			e.notice(PolicyWeakened, Note, false, p.File, 0, text)
		}
	}
	if e.BaseBaseline != nil && e.Baseline != nil {
		n := 0
		for _, entry := range Missing(e.BaseBaseline, e.Baseline) {
			n += entry.Count
		}
		if n > 0 {
			e.notice(PolicyWeakened, Note, false, e.Baseline.File, 0, fmt.Sprintf("%d %s not in the baseline of the base branch", n, plural.Of(n, "entry is", "entries are")))
		}
	}
	if r.Counts.Failing > 0 {
		r.Conclusion = Failure
	}
}

// summarize fills in what is shown.
func (e *evaluator) summarize() {
	r := e.result
	c := &r.Counts
	for _, id := range slices.Sorted(maps.Keys(r.digests)) {
		r.Devices = append(r.Devices, DeviceTier{id, e.tier(id)})
	}
	c.Devices = len(r.Devices)
	for _, t := range r.targets {
		c.Kernels += len(t.kernels)
		c.Cells += len(t.verdicts)
		r.Targets = append(r.Targets, TargetSummary{Devices: t.devices, Kernels: len(t.kernels), Label: t.label, Reports: t.reports})
		for _, v := range t.verdicts {
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
	}
	for _, i := range r.items {
		switch {
		case i.allow != nil:
			c.Allowed++
			continue
		case i.family != "":
			c.Family++
			continue
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
	e.group()
	slices.SortStableFunc(e.notices, func(a, b Notice) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), strings.Compare(string(a.Rule), string(b.Rule)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
	})
	r.Notices = append(r.Notices, e.notices...)
}

// group makes a finding of the items that differ in nothing but the device.
func (e *evaluator) group() {
	r := e.result
	type key struct {
		problem *problem
		fate    fate
	}
	locate := locator{Workspace: e.Workspace}
	// Items of a problem stand together, and few of them differ.
	var places []int // of the findings of the last problem
	var keys []key
	for _, i := range r.items {
		k := key{i.problem, i.fate}
		if len(keys) > 0 && keys[0].problem != k.problem {
			places, keys = places[:0], keys[:0]
		}
		at := slices.Index(keys, k)
		if at < 0 {
			at = len(keys)
			keys, places = append(keys, k), append(places, len(r.Findings))
			f := e.finding(i, &locate)
			f.Devices = make([]DeviceFinding, 0, len(i.problem.on))
			r.Findings = append(r.Findings, f)
		}
		n := places[at]
		if i.device.device != "" {
			r.Findings[n].Devices = append(r.Findings[n].Devices, DeviceFinding{Available: i.device.available, ID: i.device.device, Tier: e.tier(i.device.device)})
		}
	}
	sortFindings(r.Findings)
	seen := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Fingerprint = fingerprint(string(f.Rule), f.Name, f.Target, string(f.Cause), f.Required, f.Text)
		// Parts of one problem have a number of their own.
		if n := seen[f.Fingerprint]; n > 0 {
			seen[f.Fingerprint]++
			f.Fingerprint = fingerprint(f.Fingerprint, fmt.Sprint(n))
		}
		seen[f.Fingerprint]++
	}
}

func (e *evaluator) finding(i *item, locate *locator) Finding {
	p := i.problem
	f := Finding{Cause: RuleID(p.cause), Class: i.class, Expired: i.expired, Fails: i.fails, Family: i.family, Image: p.image,
		Required: p.required, Rule: p.rule, Severity: i.severity, State: i.state, Target: i.target.label, Text: p.text}
	k := i.kernel()
	if k != nil {
		f.Kernel, f.Name = cmp.Or(k.display, k.name), k.name
	}
	if a := i.allow; a != nil {
		f.Suppression = &SuppressionNote{Expires: a.Expires, Issue: a.Issue, Line: a.Line, Owner: a.Owner, Reason: a.Reason}
	}
	f.Path, f.Line, f.Origins = locate.find(i.target.label, k, p)
	return f
}

// sortFindings sorts a list in place. Findings are large, so that what moves while
// they are compared is their indexes.
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

// compareFindings puts first what fails, then what counts, then what is grave.
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

// ParseDate reads a day such as 2027-03-31.
func ParseDate(s string) (time.Time, error) {
	t, err := time.Parse(dateFormat, s)
	if err != nil {
		return t, fmt.Errorf("%q is not a day such as 2027-03-31", s)
	}
	return t, nil
}
