package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Facts is what the gate has to know of a report, which is much less than the
// report.
type Facts struct {
	name    string
	devices map[string]string // digests of what is known of them, by id
	targets []*target         // several for a merged report
}

// NewFacts takes the facts from a report; name says where it is from. The report
// is not needed any more.
func NewFacts(name string, r *report.Report) *Facts {
	f := &Facts{name: name, devices: map[string]string{}}
	ids := make([]string, len(r.Devices))
	for i := range r.Devices {
		ids[i] = r.Devices[i].ID
		f.devices[ids[i]] = deviceDigest(&r.Devices[i])
	}
	slices.Sort(ids)
	column := make([]int, len(r.Devices)) // of the devices in the order of the report
	columns := map[string]int{}
	for i := range r.Devices {
		column[i], _ = slices.BinarySearch(ids, r.Devices[i].ID)
		columns[r.Devices[i].ID] = column[i]
	}
	byLabel := map[string]*target{}
	type place struct {
		*target
		row int
	}
	rows := make([]place, len(r.Kernels))
	byID := make(map[string]int, len(r.Kernels))
	for i := range r.Kernels {
		k := &r.Kernels[i]
		label := cmp.Or(report.KernelTarget(k), r.Target.Label)
		t := byLabel[label]
		if t == nil {
			t = newTarget(label, ids)
			t.reports = []string{name}
			byLabel[label] = t
			f.targets = append(f.targets, t)
		}
		rows[i] = place{t, t.addKernel(k)}
		byID[k.ID] = i
	}
	if len(r.Kernels) == 0 { // the target is reported all the same
		t := newTarget(r.Target.Label, ids)
		t.reports = []string{name}
		f.targets = append(f.targets, t)
	}
	for _, t := range f.targets {
		t.verdicts = make([]compat.Verdict, len(t.kernels)*len(ids))
	}
	row, d := 0, -1
	for i := range r.Cells {
		c := &r.Cells[i]
		// Reports have their cells in the order of kernels and devices.
		if d++; d == len(ids) {
			row, d = row+1, 0
		}
		k := row
		if k >= len(rows) || r.Kernels[k].ID != c.Kernel {
			k = byID[c.Kernel]
		}
		col := column[d]
		if r.Devices[d].ID != c.Device {
			col = columns[c.Device]
		}
		rows[k].add(rows[k].row, col, c)
	}
	for _, t := range f.targets {
		t.sort()
	}
	return f
}

// deviceDigest returns a digest of what is known of a device. The numbers of aspects in
// it are those of before 2026, as in the first baselines, so that these hold.
func deviceDigest(d *report.Device) string {
	numbered := *d
	numbered.Aspects = slices.Clone(d.Aspects)
	for i, a := range numbered.Aspects {
		if n, ok := release.Before2026().Number(aspect.Aspect(a.Value)); ok {
			numbered.Aspects[i].Value = n
		}
	}
	data, _ := json.Marshal(&numbered) // strings and numbers always can be
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// target is what is known of one build target.
type target struct {
	label    string
	reports  []string
	devices  []string // ids in alphabetical order
	kernels  []*kernel
	byName   map[string]int
	verdicts []compat.Verdict // by kernel and device
	problems []*problem
	known    map[problemKey]*problem
	last     *problem // that was added to
	differ   int      // verdicts that contradict another one
}

type kernel struct {
	name, display string
	location      srcloc.Location
	origins       []srcloc.Origin
}

// verdictOf returns the verdict of a cell, none for one that stands for a report that
// is missing.
func verdictOf(c *report.Cell) compat.Verdict {
	if c.Verdict == compat.NotApplicable && len(c.Reasons) == 1 && c.Reasons[0].Rule == report.NotReported {
		return compat.NoVerdict
	}
	return c.Verdict
}

// problem is something that a kernel has with devices.
type problem struct {
	problemKey
	on []affected
}

type problemKey struct {
	kernel                int // index, -1 for problems of no kernel
	rule                  RuleID
	cause, required, text string
	image                 bool // it is the image that has the problem
}

type affected struct{ device, available string }

// requirement is what the fingerprint takes for what is needed.
func (p *problemKey) requirement() string {
	required := p.required
	if p.rule == "fixed-target-mismatch" || p.cause == "fixed-target-mismatch" {
		list := strings.Split(required, ",")
		slices.Sort(list)
		required = strings.Join(list, ",")
	}
	if p.cause != "" {
		return p.cause + " " + required
	}
	return required
}

func newTarget(label string, devices []string) *target {
	return &target{label: label, devices: devices, byName: map[string]int{}, known: map[problemKey]*problem{}}
}

// addKernel returns the index of a kernel. Kernels of the same name are one.
func (t *target) addKernel(k *report.Kernel) int {
	i, ok := t.byName[k.Name]
	if !ok {
		i = len(t.kernels)
		t.byName[k.Name] = i
		t.kernels = append(t.kernels, &kernel{k.Name, k.DisplayName, k.Location, k.Origins})
	}
	return i
}

// add adds a verdict and its reasons.
func (t *target) add(row, col int, c *report.Cell) {
	t.setVerdict(row, col, verdictOf(c))
	if len(c.Reasons) == 0 || verdictOf(c) == compat.NoVerdict {
		return
	}
	for i := range c.Reasons {
		r := &c.Reasons[i]
		if r.Rule == string(compat.NoImage) && hasCause(c.Reasons) {
			continue // builds leave out what a device cannot run
		}
		key := problemKey{kernel: row, rule: RuleID(r.Rule), required: r.Required, image: c.Scope == report.ScopeImage}
		rule, ok := LookupRule(key.rule)
		switch {
		case r.Verdict == compat.Undetermined:
			key.rule, key.cause = Undetermined, r.Rule
		case !ok || !rule.Finding:
			key.rule, key.cause = UnknownReason, r.Rule
		}
		if key.rule == UnknownReason || key.cause != "" && !ok {
			key.text = r.Text
		}
		t.addProblem(key, affected{t.devices[col], r.Available})
	}
}

// hasCause reports whether something else than a missing image keeps a kernel
// from running.
func hasCause(reasons []report.Reason) bool {
	return slices.ContainsFunc(reasons, func(r report.Reason) bool {
		return r.Verdict == compat.Incompatible && r.Rule != string(compat.NoImage)
	})
}

func (t *target) setVerdict(row, col int, v compat.Verdict) {
	known := &t.verdicts[row*len(t.devices)+col]
	if *known != compat.NoVerdict && v != compat.NoVerdict && *known != v {
		t.differ++
	}
	*known = max(*known, v)
}

func (t *target) addProblem(key problemKey, a affected) {
	p := t.last // mostly several devices have the same problem
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

// sort makes the order of everything independent of that of the input.
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
		place := make([]int, len(order))
		kernels := make([]*kernel, len(order))
		verdicts := make([]compat.Verdict, 0, len(t.verdicts))
		for to, from := range order {
			place[from], kernels[to] = to, t.kernels[from]
			t.byName[kernels[to].name] = to
			verdicts = append(verdicts, t.verdicts[from*len(t.devices):(from+1)*len(t.devices)]...)
		}
		t.kernels, t.verdicts = kernels, verdicts
		for _, p := range t.problems {
			p.kernel = place[p.kernel]
		}
	}
	for _, p := range t.problems {
		slices.SortFunc(p.on, compareAffected)
		// A device that two reports describe differently counts once.
		p.on = slices.CompactFunc(p.on, func(a, b affected) bool { return a.device == b.device })
	}
	slices.SortFunc(t.problems, func(a, b *problem) int { return compareKeys(&a.problemKey, &b.problemKey) })
	t.known, t.last = nil, nil
	slices.Sort(t.reports)
	t.reports = slices.Compact(t.reports)
}

func compareAffected(a, b affected) int {
	return cmp.Or(strings.Compare(a.device, b.device), strings.Compare(a.available, b.available))
}

func compareKeys(a, b *problemKey) int {
	image := 0
	if a.image != b.image {
		image = 1
		if b.image {
			image = -1
		}
	}
	return cmp.Or(cmp.Compare(a.kernel, b.kernel), strings.Compare(string(a.rule), string(b.rule)), strings.Compare(a.cause, b.cause),
		strings.Compare(a.required, b.required), strings.Compare(a.text, b.text), image)
}

// combine joins what reports say about the same targets. Of verdicts that differ
// the worst counts.
func combine(facts []*Facts) []*target {
	byLabel := map[string][]*target{}
	for _, f := range facts {
		for _, t := range f.targets {
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
	rows := make([][]int, len(list))
	for i, t := range list {
		for _, k := range t.kernels {
			row := out.addKernel(&report.Kernel{Name: k.name, DisplayName: k.display, Location: k.location, Origins: k.origins})
			rows[i] = append(rows[i], row)
			// Where the kernel is and what it is called may differ, too.
			known := out.kernels[row]
			known.display = min(known.display, k.display)
			if !k.location.IsZero() && (known.location.IsZero() || k.location.Compare(known.location) < 0) {
				known.location = k.location
			}
			if compareOrigins(k.origins, known.origins) > 0 {
				known.origins = k.origins
			}
		}
	}
	out.verdicts = make([]compat.Verdict, len(out.kernels)*len(out.devices))
	for i, t := range list {
		out.reports = append(out.reports, t.reports...)
		out.differ += t.differ
		for k := range t.kernels {
			for d, id := range t.devices {
				col, _ := slices.BinarySearch(out.devices, id)
				out.setVerdict(rows[i][k], col, t.verdicts[k*len(t.devices)+d])
			}
		}
		for _, p := range t.problems {
			key := p.problemKey
			key.kernel = rows[i][p.kernel]
			for _, a := range p.on {
				out.addProblem(key, a)
			}
		}
	}
	out.sort()
	return out
}

// compareOrigins puts longer lists last.
func compareOrigins(a, b []srcloc.Origin) int {
	text := func(o []srcloc.Origin) string {
		data, _ := json.Marshal(o)
		return string(data)
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(text(a), text(b)))
}

// column returns the index of a device, -1 when there is none.
func (t *target) column(device string) int {
	if i, ok := slices.BinarySearch(t.devices, device); ok {
		return i
	}
	return -1
}

// verdict returns what is known of a kernel and a device; col may be -1.
func (t *target) verdict(row, col int) compat.Verdict {
	if col < 0 {
		return compat.NoVerdict
	}
	return t.verdicts[row*len(t.devices)+col]
}

// reported counts the kernels with a verdict on a device.
func (t *target) reported(device string) int {
	col, n := t.column(device), 0
	for row := range t.kernels {
		if t.verdict(row, col) != compat.NoVerdict {
			n++
		}
	}
	return n
}
