package gate

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A target holds the data of one build target.
type target struct {
	label    string
	reports  []string
	devices  []string // names in alphabetical order
	kernels  []*kernel
	byName   map[string]int
	statuses []compat.Status // by kernel and device
	problems []*problem
	known    map[problemKey]*problem
	last     *problem // the most recently added problem
	differ   int      // number of contradicting statuses
}

type kernel struct {
	name, display string
	location      srcloc.Location
	origins       []srcloc.Origin
	images        []report.Digest // sorted
	forms         []string        // mangled; older reports list forms as separate kernels
}

// names returns the mangled names of a kernel and its forms.
func (k *kernel) names() []string { return append([]string{k.name}, k.forms...) }

// matches reports whether a pattern matches the mangled or demangled name of the kernel or of one
// of its forms.
func (k *kernel) matches(patterns []string) bool {
	return kernelname.MatchAny(patterns, k.display, k.name) || slices.ContainsFunc(k.forms, func(form string) bool {
		return kernelname.MatchAny(patterns, form, kernelname.Display(form))
	})
}

// A problem is a reason why a kernel does not run on some devices.
type problem struct {
	problemKey
	on []affected
}

type problemKey struct {
	kernel         int // index, or -1 for problems without a kernel
	rule           RuleID
	cause          RuleID
	required, text string
	image          bool // the problem is in the device image
}

type affected struct{ device, available string }

// findKernel returns the kernel of a problem in the target, or nil if there is none.
func (t *target) findKernel(p *problem) *kernel {
	if p.kernel < 0 {
		return nil
	}
	return t.kernels[p.kernel]
}

// requirement returns the part of the fingerprint that identifies what is required.
func (p *problemKey) requirement() string {
	required := p.required
	if p.rule == compat.FixedTargetMismatch || p.cause == compat.FixedTargetMismatch {
		list := strings.Split(required, ",")
		slices.Sort(list)
		required = strings.Join(list, ",")
	}
	if p.cause != "" {
		return string(p.cause) + " " + required
	}
	return required
}

func newTarget(label string, devices []string) *target {
	return &target{label: label, devices: devices, byName: map[string]int{}, known: map[problemKey]*problem{}}
}

// addKernel returns the index of a kernel, which it adds if necessary. Kernels with equal names are
// the same. A form of another kernel is a separate kernel.
func (t *target) addKernel(k *kernel) int {
	i, ok := t.byName[k.name]
	if !ok || t.kernels[i].name != k.name {
		i = len(t.kernels)
		t.byName[k.name] = i
		t.kernels = append(t.kernels, k)
	}
	t.nameForms(i, k)
	return i
}

// nameForms makes the kernel at an index known by the names of its forms, except for forms that are
// also separate kernels.
func (t *target) nameForms(i int, k *kernel) {
	for _, form := range k.forms {
		if at, ok := t.byName[form]; !ok || t.kernels[at].name != form {
			t.byName[form] = i
		}
	}
}

// An outcome holds the part of a report's outcome that the gate needs.
type outcome struct {
	status compat.Status // NoStatus if no report has one
	why    []outcomeReason
}

type outcomeReason struct {
	key       problemKey // without a kernel
	available string
}

func newOutcome(c *report.Outcome) *outcome {
	if c.IsUnreported() {
		return new(outcome)
	}
	o := &outcome{status: c.Status}
	for i := range c.Reasons {
		r := &c.Reasons[i]
		if r.Rule == compat.NoImage && hasCause(c.Reasons) {
			continue // builds omit images that a device cannot run
		}
		key := problemKey{kernel: -1, rule: r.Rule, required: r.Required, image: c.Scope == report.ScopeImage}
		rule, ok := LookupRule(key.rule)
		switch {
		case r.Status == compat.Undetermined:
			key.rule, key.cause = Undetermined, r.Rule
		case !ok || !rule.Finding:
			key.rule, key.cause = UnknownReason, r.Rule
		}
		if key.rule == UnknownReason || key.cause != "" && !ok {
			key.text = r.Text
		}
		o.why = append(o.why, outcomeReason{key, r.Available})
	}
	return o
}

// hasCause reports whether there is a reason other than a missing image.
func hasCause(reasons []report.Reason) bool {
	return slices.ContainsFunc(reasons, func(r report.Reason) bool {
		return r.Status == compat.Incompatible && r.Rule != compat.NoImage
	})
}

func (t *target) setStatus(row, col int, v compat.Status) {
	known := &t.statuses[t.at(row, col)]
	if *known != compat.NoStatus && v != compat.NoStatus && *known != v {
		t.differ++
	}
	*known = max(*known, v)
}

func (t *target) addProblem(key problemKey, a affected) {
	p := t.last // several devices usually share a problem
	if p == nil || p.problemKey != key {
		p = t.known[key]
	}
	if p == nil {
		p = &problem{problemKey: key}
		t.known[key] = p
		t.problems = append(t.problems, p)
	}
	t.last = p
	if n := len(p.on); n > 0 && p.on[n-1] == a {
		return
	}
	p.on = append(p.on, a)
}

// sort sorts all lists, so that their order does not depend on the input order.
func (t *target) sort() {
	order := make([]int, len(t.kernels))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		return cmp.Or(strings.Compare(t.kernels[a].display, t.kernels[b].display), strings.Compare(t.kernels[a].name, t.kernels[b].name))
	}
	if !slices.IsSortedFunc(order, compare) {
		slices.SortFunc(order, compare)
		newIndex := make([]int, len(order))
		kernels := make([]*kernel, len(order))
		statuses := make([]compat.Status, 0, len(t.statuses))
		for to, from := range order {
			newIndex[from], kernels[to] = to, t.kernels[from]
			t.byName[kernels[to].name] = to
			statuses = append(statuses, t.statuses[from*len(t.devices):(from+1)*len(t.devices)]...)
		}
		t.kernels, t.statuses = kernels, statuses
		for i, k := range kernels {
			t.nameForms(i, k)
		}
		for _, p := range t.problems {
			p.kernel = newIndex[p.kernel]
		}
	}
	for _, p := range t.problems {
		slices.SortFunc(p.on, func(a, b affected) int {
			return cmp.Or(strings.Compare(a.device, b.device), strings.Compare(a.available, b.available))
		})
		// A device that two reports describe differently counts once.
		p.on = slices.CompactFunc(p.on, func(a, b affected) bool { return a.device == b.device })
	}
	slices.SortFunc(t.problems, func(a, b *problem) int { return compareKeys(&a.problemKey, &b.problemKey) })
	t.known, t.last = nil, nil
	slices.Sort(t.reports)
	t.reports = slices.Compact(t.reports)
}

func compareKeys(a, b *problemKey) int {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.kernel, b.kernel), cmp.Compare(a.rule, b.rule), cmp.Compare(a.cause, b.cause),
		strings.Compare(a.required, b.required), strings.Compare(a.text, b.text), cmp.Compare(number(a.image), number(b.image)))
}

// combine joins the data of reports on the same targets. If statuses differ, the worst counts.
func combine(list []*Index) []*target {
	byLabel := map[string][]*target{}
	for _, x := range list {
		for _, t := range x.targets {
			byLabel[t.label] = append(byLabel[t.label], t)
		}
	}
	var out []*target
	for label, list := range byLabel {
		if len(list) == 1 {
			out = append(out, list[0])
		} else {
			out = append(out, join(label, list))
		}
	}
	slices.SortFunc(out, func(a, b *target) int { return strings.Compare(a.label, b.label) })
	return out
}

func join(label string, list []*target) *target {
	var devices []string
	for _, t := range list {
		devices = append(devices, t.devices...)
	}
	slices.Sort(devices)
	out := newTarget(label, slices.Compact(devices))
	rows := make([][]int, len(list)) // kernel rows by index
	for i, t := range list {
		for _, k := range t.kernels {
			rows[i] = append(rows[i], out.joinKernel(k))
		}
	}
	out.statuses = make([]compat.Status, len(out.kernels)*len(out.devices))
	for i, t := range list {
		out.joinStatuses(t, rows[i])
	}
	out.sort()
	return out
}

// joinKernel adds a kernel, which may already exist with a different demangled name or location.
// The name and location that it keeps do not depend on the order of the reports.
func (t *target) joinKernel(k *kernel) int {
	own := *k
	row := t.addKernel(&own)
	known := t.kernels[row]
	known.display = min(known.display, k.display)
	if !k.location.IsZero() && (known.location.IsZero() || k.location.Compare(known.location) < 0) {
		known.location = k.location
	}
	if compareOrigins(k.origins, known.origins) > 0 {
		known.origins = k.origins
	}
	known.forms = slices.Concat(known.forms, k.forms)
	slices.Sort(known.forms)
	known.forms = slices.Compact(known.forms)
	if !slices.Equal(known.images, k.images) {
		known.images = slices.Concat(known.images, k.images)
		slices.SortFunc(known.images, report.Digest.Compare)
		known.images = slices.Compact(known.images)
	}
	return row
}

// joinStatuses adds the statuses and problems of another target. rows are the rows of its kernels.
func (t *target) joinStatuses(o *target, rows []int) {
	t.reports = append(t.reports, o.reports...)
	t.differ += o.differ
	columns := make([]int, len(o.devices))
	for i, id := range o.devices {
		columns[i] = t.column(id)
	}
	for i, row := range rows {
		for j, col := range columns {
			t.setStatus(row, col, o.status(i, j))
		}
	}
	for _, p := range o.problems {
		key := p.problemKey
		key.kernel = rows[p.kernel]
		for _, a := range p.on {
			t.addProblem(key, a)
		}
	}
}

// compareOrigins orders shorter lists first.
func compareOrigins(a, b []srcloc.Origin) int {
	text := func(o []srcloc.Origin) string {
		data, _ := json.Marshal(o)
		return string(data)
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(text(a), text(b)))
}

// row returns the index of a kernel, or -1 if there is none.
func (t *target) row(kernel string) int {
	if i, ok := t.byName[kernel]; ok {
		return i
	}
	return -1
}

// column returns the index of a device, or -1 if there is none.
func (t *target) column(device string) int {
	if i, ok := slices.BinarySearch(t.devices, device); ok {
		return i
	}
	return -1
}

// at returns the index of a status.
func (t *target) at(row, col int) int { return row*len(t.devices) + col }

// status returns the status of a kernel on a device; col may be -1.
func (t *target) status(row, col int) compat.Status {
	if col < 0 {
		return compat.NoStatus
	}
	return t.statuses[t.at(row, col)]
}

// has reports whether there is a status of a kernel on a device. A nil target has none.
func (t *target) has(kernel, device string) bool {
	if t == nil {
		return false
	}
	row := t.row(kernel)
	return row >= 0 && t.status(row, t.column(device)) != compat.NoStatus
}

// reported returns the number of kernels with a status on a device.
func (t *target) reported(device string) int {
	col, n := t.column(device), 0
	for row := range t.kernels {
		if t.status(row, col) != compat.NoStatus {
			n++
		}
	}
	return n
}
