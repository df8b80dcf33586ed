package gate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// A Change is what differs between two reports about a kernel, a device or both.
type Change struct {
	Counts     map[compat.Status]int `json:"counts,omitempty"` // kernels of a device that came or went
	Device     string                `json:"device,omitempty"` // "" for kernels that came or went
	Kernel     string                `json:"kernel,omitempty"` // as people write it, "" for devices that came or went
	Kind       string                `json:"kind"`             // lost, won or changed for statuses, removed or added else
	Name       string                `json:"name,omitempty"`   // mangled
	New        compat.Status         `json:"new,omitzero"`
	NewReasons []ChangeReason        `json:"new-reasons,omitempty"` // of the new status
	Old        compat.Status         `json:"old,omitzero"`
	OldReasons []ChangeReason        `json:"old-reasons,omitempty"` // of the old status
	Target     string                `json:"target,omitempty"`
	Statuses   []DeviceStatus        `json:"statuses,omitempty"` // of a kernel that came or went
}

// A ChangeReason is why a kernel does not run on a device. Its members are those of a
// [Finding].
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

// Diff compares reports. Losses come first.
func Diff(old, now []*Index) []Change {
	before, after := targetsByLabel(combine(old)), targetsByLabel(combine(now))
	labels := maps.Clone(before)
	maps.Copy(labels, after)
	changes := []Change{} // [] and not null in JSON
	for label := range labels {
		nothing := newTarget(label, nil)
		changes = append(changes, diffTargets(cmp.Or(before[label], nothing), cmp.Or(after[label], nothing))...)
	}
	kinds := []string{"lost", "removed", "changed", "won", "added"}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), strings.Compare(a.Target, b.Target),
			strings.Compare(a.Kernel, b.Kernel), strings.Compare(a.Name, b.Name), strings.Compare(a.Device, b.Device))
	})
	return changes
}

func diffTargets(old, now *target) []Change {
	changes := diffStatuses(old, now)
	changes = append(changes, onlyIn(old, now, "removed")...)
	return append(changes, onlyIn(now, old, "added")...)
}

// diffStatuses returns the statuses that differ, with the reasons of both.
func diffStatuses(old, now *target) []Change {
	var changes []Change
	index := map[outcomeName]int{} // in changes
	for row, k := range old.kernels {
		nowRow := now.row(k.name)
		if nowRow < 0 {
			continue
		}
		for col, d := range old.devices {
			nowCol := now.column(d)
			was, is := old.status(row, col), now.status(nowRow, nowCol)
			if nowCol < 0 || was == is {
				continue
			}
			index[outcomeName{k.name, d}] = len(changes)
			changes = append(changes, Change{Device: d, Kernel: cmp.Or(k.display, k.name), Kind: kindOf(was, is), Name: k.name, Old: was, New: is, Target: old.label})
		}
	}
	if len(changes) > 0 {
		old.eachReason(func(c outcomeName, r ChangeReason) {
			if i, ok := index[c]; ok {
				changes[i].OldReasons = append(changes[i].OldReasons, r)
			}
		})
		now.eachReason(func(c outcomeName, r ChangeReason) {
			if i, ok := index[c]; ok {
				changes[i].NewReasons = append(changes[i].NewReasons, r)
			}
		})
	}
	return changes
}

// outcomeName is a kernel, by its mangled name, and a device.
type outcomeName struct{ kernel, device string }

// eachReason calls a function with each reason of the statuses of a target.
func (t *target) eachReason(f func(outcomeName, ChangeReason)) {
	for _, p := range t.problems {
		k := t.kernelOf(p)
		if k == nil {
			continue
		}
		for _, a := range p.on {
			f(outcomeName{k.name, a.device}, ChangeReason{Available: a.available, Cause: RuleID(p.cause), Image: p.image, Required: p.required, Rule: p.rule, Text: p.text})
		}
	}
}

// onlyIn returns the devices and kernels that one target has and another has not, with
// their statuses.
func onlyIn(t, other *target, kind string) (changes []Change) {
	for col, d := range t.devices {
		if other.column(d) >= 0 {
			continue
		}
		c := Change{Counts: map[compat.Status]int{}, Device: d, Kind: kind, Target: t.label}
		for row := range t.kernels {
			if v := t.status(row, col); v != compat.NoStatus {
				c.Counts[v]++
			}
		}
		changes = append(changes, c)
	}
	for row, k := range t.kernels {
		if other.row(k.name) >= 0 {
			continue
		}
		c := Change{Kernel: cmp.Or(k.display, k.name), Kind: kind, Name: k.name, Target: t.label}
		for col, d := range t.devices {
			if v := t.status(row, col); v != compat.NoStatus {
				c.Statuses = append(c.Statuses, DeviceStatus{d, v})
			}
		}
		changes = append(changes, c)
	}
	return changes
}

// kindOf returns the kind of a change of a status.
func kindOf(was, is compat.Status) string {
	switch {
	case was == compat.Compatible:
		return "lost"
	case is == compat.Compatible:
		return "won"
	}
	return "changed"
}
