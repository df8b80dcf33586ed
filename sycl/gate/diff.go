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
	Device string         `json:"device,omitempty"` // "" for kernels that came or went
	Kernel string         `json:"kernel,omitempty"` // as people write it, "" for devices that came or went
	Kind   string         `json:"kind"`             // lost, won or changed for verdicts, removed or added else
	Name   string         `json:"name,omitempty"`   // mangled
	New    compat.Verdict `json:"new,omitzero"`
	Old    compat.Verdict `json:"old,omitzero"`
	Target string         `json:"target,omitempty"`
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
	changes := slices.Concat(onlyIn(old, now, "removed"), onlyIn(now, old, "added"))
	for row, k := range old.kernels {
		nowRow := now.row(k.name)
		if nowRow < 0 {
			continue
		}
		for col, d := range old.devices {
			nowCol := now.column(d)
			was, is := old.verdict(row, col), now.verdict(nowRow, nowCol)
			if nowCol < 0 || was == is {
				continue
			}
			changes = append(changes, Change{Device: d, Kernel: cmp.Or(k.display, k.name), Kind: kindOf(was, is), Name: k.name, Old: was, New: is, Target: old.label})
		}
	}
	return changes
}

// onlyIn returns the devices and kernels that one target has and another has not.
func onlyIn(t, other *target, kind string) (changes []Change) {
	for _, d := range t.devices {
		if other.column(d) < 0 {
			changes = append(changes, Change{Device: d, Kind: kind, Target: t.label})
		}
	}
	for _, k := range t.kernels {
		if other.row(k.name) < 0 {
			changes = append(changes, Change{Kernel: cmp.Or(k.display, k.name), Kind: kind, Name: k.name, Target: t.label})
		}
	}
	return changes
}

// kindOf returns the kind of a change of a verdict.
func kindOf(was, is compat.Verdict) string {
	switch {
	case was == compat.Compatible:
		return "lost"
	case is == compat.Compatible:
		return "won"
	}
	return "changed"
}
