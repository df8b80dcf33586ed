package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// A Change is what differs between two reports about a kernel, a device or both.
type Change struct {
	Device string         `json:"device,omitempty"` // "" for kernels that came or went
	Kernel string         `json:"kernel,omitempty"` // as people write it, "" for devices that came or went
	Kind   string         `json:"kind"`             // lost, won or changed for verdicts, removed or added else
	Name   string         `json:"name,omitempty"`   // mangled
	New    compat.Verdict `json:"new,omitzero"`
	Old    compat.Verdict `json:"old,omitzero"`
	Target string         `json:"target,omitempty"`
}

// Diff compares reports. Losses come first.
func Diff(old, now []*Facts) []Change {
	changes := []Change{}
	before, after := map[string]*target{}, map[string]*target{}
	labels := map[string]bool{}
	for _, t := range combine(old) {
		before[t.label], labels[t.label] = t, true
	}
	for _, t := range combine(now) {
		after[t.label], labels[t.label] = t, true
	}
	for label := range labels {
		a, b := before[label], after[label]
		if a == nil {
			a = newTarget(label, nil)
		}
		if b == nil {
			b = newTarget(label, nil)
		}
		changes = append(changes, diffTargets(a, b)...)
	}
	kinds := []string{"lost", "removed", "changed", "won", "added"}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), strings.Compare(a.Target, b.Target),
			strings.Compare(a.Kernel, b.Kernel), strings.Compare(a.Name, b.Name), strings.Compare(a.Device, b.Device))
	})
	return changes
}

func diffTargets(a, b *target) (changes []Change) {
	oneSided := func(a, b *target, kind string) {
		for _, d := range a.devices {
			if b.column(d) < 0 {
				changes = append(changes, Change{Device: d, Kind: kind, Target: a.label})
			}
		}
		for _, k := range a.kernels {
			if _, ok := b.byName[k.name]; !ok {
				changes = append(changes, Change{Kernel: cmp.Or(k.display, k.name), Kind: kind, Name: k.name, Target: a.label})
			}
		}
	}
	oneSided(a, b, "removed")
	oneSided(b, a, "added")
	for row, k := range a.kernels {
		now, ok := b.byName[k.name]
		if !ok {
			continue
		}
		for col, d := range a.devices {
			if b.column(d) < 0 {
				continue
			}
			was, is := a.verdict(row, col), b.verdict(now, b.column(d))
			if was == is {
				continue
			}
			c := Change{Device: d, Kernel: cmp.Or(k.display, k.name), Kind: "changed", Name: k.name, Old: was, New: is, Target: a.label}
			switch {
			case was == compat.Compatible:
				c.Kind = "lost"
			case is == compat.Compatible:
				c.Kind = "won"
			}
			changes = append(changes, c)
		}
	}
	return changes
}
