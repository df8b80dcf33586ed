package gate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Change is a difference between two reports in a kernel, a device or both.
type Change struct {
	Counts     map[compat.Status]int `json:"counts,omitempty"` // kernels of an added or removed device
	Device     string                `json:"device,omitempty"` // "" for added or removed kernels
	Kernel     string                `json:"kernel,omitempty"` // demangled; "" for added or removed devices
	Kind       string                `json:"kind"`             // lost, gained or changed for statuses; otherwise removed, added or renamed
	Name       string                `json:"name,omitempty"`   // mangled
	New        compat.Status         `json:"new,omitzero"`
	NewReasons []ChangeReason        `json:"new-reasons,omitempty"` // of the new status
	Old        compat.Status         `json:"old,omitzero"`
	OldKernel  string                `json:"old-kernel,omitempty"`  // previous name of a renamed kernel
	OldName    string                `json:"old-name,omitempty"`    // previous mangled name of a renamed kernel
	OldReasons []ChangeReason        `json:"old-reasons,omitempty"` // of the old status
	OldTarget  string                `json:"old-target,omitempty"`  // previous target of a renamed kernel, if different
	Target     string                `json:"target,omitempty"`
	Statuses   []DeviceStatus        `json:"statuses,omitempty"` // of an added or removed kernel
}

// A ChangeReason is the reason why a kernel does not run on a device. Its members have the same
// meaning as in a [Finding].
type ChangeReason struct {
	Available string `json:"available,omitempty"`
	Cause     RuleID `json:"cause,omitempty"`
	Image     bool   `json:"image,omitempty"`
	Required  string `json:"required,omitempty"`
	Rule      RuleID `json:"rule"`
	Text      string `json:"text,omitempty"`
}

// A DeviceStatus is a status on a device.
type DeviceStatus struct {
	Device string        `json:"device"`
	Status compat.Status `json:"status"`
}

// DiffSchema is the value of "schema" in the JSON of differences.
const DiffSchema = "https://rules-sycl.github.io/schema/compat-diff/v1"

// A Difference holds the differences between two sets of reports.
type Difference struct {
	Changes       []Change       `json:"changes"` // added or removed devices first, then losses
	Devices       []DeviceChange `json:"devices"` // of both sides, removed and added ones first
	Renames       []Renaming     `json:"renames"` // renamed kernels, largest groups first
	Schema        string         `json:"schema"`
	SchemaVersion string         `json:"schema-version"`
	Unpaired      [2]int         `json:"-"` // removed and added kernels
}

// A DeviceChange holds the numbers of kernels on a device before and after. The numbers are nil for
// a side without the device.
type DeviceChange struct {
	Device string                `json:"device"`
	Gained int                   `json:"gained"`
	Lost   int                   `json:"lost"` // kernels that no longer run on it
	New    map[compat.Status]int `json:"new,omitempty"`
	Old    map[compat.Status]int `json:"old,omitempty"`
}

// Lost reports whether a kernel no longer runs on a device, or a kernel or a device was removed.
func (d *Difference) Lost() bool {
	return slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Kind == "lost" || c.Kind == "removed" })
}

// Diff compares reports. It pairs a renamed kernel with its old name only if the match is certain,
// see [Renaming].
func Diff(old, now []*Index) *Difference {
	before, after := targetsByLabel(combine(old)), targetsByLabel(combine(now))
	pairs, renamed, removed, added := pairTargets(before, after)
	d := &Difference{Renames: renamings(renamed), Schema: DiffSchema, SchemaVersion: "1.0", Unpaired: [2]int{len(removed), len(added)}}
	d.Changes = slices.Concat([]Change{}, deviceChanges(before, after, "removed"), deviceChanges(after, before, "added"),
		diffStatuses(slices.Concat(pairs, renamed)), onlyIn(removed, "removed"), onlyIn(added, "added"))
	for _, p := range renamed {
		is := p.now.kernels[p.now.index]
		c := Change{Kernel: cmp.Or(is.display, is.name), Kind: "renamed", Name: is.name, Target: p.now.label}
		c.setOldNames(p)
		d.Changes = append(d.Changes, c)
	}
	d.Devices = devicesOf(before, after, d.Changes)
	kinds := []string{"lost", "removed", "changed", "gained", "added", "renamed"}
	rank := func(c *Change) int { // devices first
		n := slices.Index(kinds, c.Kind)
		if c.Kernel == "" {
			n -= len(kinds)
		}
		return n
	}
	slices.SortFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), strings.Compare(a.Target, b.Target),
			strings.Compare(a.Kernel, b.Kernel), strings.Compare(a.Name, b.Name), strings.Compare(a.Device, b.Device))
	})
	return d
}

// Difference returns the differences from the reports of the base branch, or nil if there are none
// to compare with. It computes them once.
func (r *Result) Difference() *Difference {
	if r.difference == nil && r.old != nil {
		r.difference = Diff(r.old, r.now)
	}
	return r.difference
}

// sorted returns targets sorted by label.
func sorted(byLabel map[string]*target) (list []*target) {
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		list = append(list, byLabel[label])
	}
	return list
}

// find is like row for a target that may be nil.
func (t *target) find(kernel string) int {
	if t == nil {
		return -1
	}
	return t.row(kernel)
}

// setOldNames sets the old names of a renamed kernel.
func (c *Change) setOldNames(p pair) {
	if p.What == "" {
		return
	}
	was := p.old.kernels[p.old.index]
	c.OldKernel, c.OldName = cmp.Or(was.display, was.name), was.name
	if p.old.label != p.now.label {
		c.OldTarget = p.old.label
	}
}

// diffStatuses returns the changed statuses, with the old and the new reasons.
func diffStatuses(pairs []pair) []Change {
	type status struct {
		row
		device string
	}
	var changes []Change
	index := map[status][]int{}    // indexes in changes; a status has several if libraries were merged
	byTarget := map[*target]bool{} // whether the target is an old one
	for _, p := range pairs {
		k := p.now.kernels[p.now.index]
		for col, d := range p.old.devices {
			nowCol := p.now.column(d)
			was, is := p.old.status(p.old.index, col), p.now.status(p.now.index, nowCol)
			if nowCol < 0 || was == is {
				continue
			}
			for _, at := range []status{{p.old, d}, {p.now, d}} {
				index[at] = append(index[at], len(changes))
			}
			byTarget[p.old.target], byTarget[p.now.target] = true, false
			c := Change{Device: d, Kernel: cmp.Or(k.display, k.name), Kind: kindOf(was, is), Name: k.name, Old: was, New: is, Target: p.now.label}
			c.setOldNames(p)
			changes = append(changes, c)
		}
	}
	for t, isOld := range byTarget {
		for _, p := range t.problems { // in a deterministic order; each kernel belongs to one target
			for _, a := range p.on {
				for _, i := range index[status{row{t, p.kernel}, a.device}] {
					reasons := &changes[i].NewReasons
					if isOld {
						reasons = &changes[i].OldReasons
					}
					*reasons = append(*reasons, ChangeReason{Available: a.available, Cause: p.cause, Image: p.image, Required: p.required, Rule: p.rule, Text: p.text})
				}
			}
		}
	}
	return changes
}

// deviceChanges returns the devices that targets have but others lack. It compares a target with the
// other target of the same label or, if there is none, with all other targets.
func deviceChanges(targets, others map[string]*target, kind string) (changes []Change) {
	everywhere := map[string]bool{}
	for _, t := range others {
		for _, d := range t.devices {
			everywhere[d] = true
		}
	}
	for _, t := range sorted(targets) {
		for col, d := range t.devices {
			if other := others[t.label]; other != nil && other.column(d) >= 0 || other == nil && everywhere[d] {
				continue
			}
			c := Change{Counts: map[compat.Status]int{}, Device: d, Kind: kind, Target: t.label}
			t.countStatuses(col, c.Counts)
			changes = append(changes, c)
		}
	}
	return changes
}

// onlyIn returns changes for added or removed kernels, with their statuses and their problems on
// any device.
func onlyIn(rows []row, kind string) (changes []Change) {
	byTarget := map[*target][][]*problem{}
	for _, r := range rows {
		k := r.kernels[r.index]
		c := Change{Kernel: cmp.Or(k.display, k.name), Kind: kind, Name: k.name, Target: r.label}
		for col, d := range r.devices {
			if v := r.status(r.index, col); v != compat.NoStatus {
				c.Statuses = append(c.Statuses, DeviceStatus{d, v})
			}
		}
		reasons := &c.NewReasons
		if kind == "removed" {
			reasons = &c.OldReasons
		}
		for _, p := range problemsByRow(r.target, byTarget)[r.index] {
			*reasons = append(*reasons, ChangeReason{Cause: p.cause, Image: p.image, Required: p.required, Rule: p.rule, Text: p.text})
		}
		changes = append(changes, c)
	}
	return changes
}

// devicesOf returns the numbers of kernels by device, before and after.
func devicesOf(before, after map[string]*target, changes []Change) []DeviceChange {
	byName := map[string]*DeviceChange{}
	of := func(name string) *DeviceChange {
		if byName[name] == nil {
			byName[name] = &DeviceChange{Device: name}
		}
		return byName[name]
	}
	for name, counts := range statusCounts(before) {
		of(name).Old = counts
	}
	for name, counts := range statusCounts(after) {
		of(name).New = counts
	}
	for i := range changes {
		switch c := &changes[i]; {
		case c.Kernel == "":
		case c.Kind == "lost":
			of(c.Device).Lost++
		case c.Kind == "gained":
			of(c.Device).Gained++
		}
	}
	list := []DeviceChange{}
	for _, d := range byName {
		list = append(list, *d)
	}
	rank := func(d *DeviceChange) int {
		switch {
		case d.New == nil:
			return 0
		case d.Old == nil:
			return 1
		}
		return 2
	}
	slices.SortFunc(list, func(a, b DeviceChange) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), safetext.CompareNatural(a.Device, b.Device))
	})
	return list
}

// statusCounts counts the statuses of targets by device.
func statusCounts(targets map[string]*target) map[string]map[compat.Status]int {
	counts := map[string]map[compat.Status]int{}
	for _, t := range targets {
		for col, name := range t.devices {
			if counts[name] == nil {
				counts[name] = map[compat.Status]int{}
			}
			t.countStatuses(col, counts[name])
		}
	}
	return counts
}

// kindOf returns the kind of a status change.
func kindOf(was, is compat.Status) string {
	switch {
	case was == compat.Compatible:
		return "lost"
	case is == compat.Compatible:
		return "gained"
	}
	return "changed"
}
