package report

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/internal/glob"
)

// A Selection selects a part of a report. An empty list selects everything.
type Selection struct {
	Devices  []string         // names, in which "*" stands for any text
	Kernels  []string         // the same, mangled or demangled
	Verdicts []compat.Verdict // kernels that have at least one of these verdicts
}

// Select returns the part of a report with the selected devices and kernels. Unmatched
// are the names in the selection that no device or kernel has.
func (r *Report) Select(s Selection) (part *Report, unmatched []string) {
	matched := patternSet{}
	devices := map[string]bool{}
	for _, d := range r.Devices {
		devices[d.ID] = matched.has(s.Devices, d.ID, d.Name)
	}
	hasVerdict := map[string]bool{}
	for _, c := range r.Cells.All() {
		if devices[c.Device] && slices.Contains(s.Verdicts, c.Verdict) {
			hasVerdict[c.Kernel] = true
		}
	}
	kernels := map[string]bool{}
	for _, k := range r.Kernels {
		kernels[k.ID] = matched.has(s.Kernels, k.ID, k.Name, k.DisplayName) && (len(s.Verdicts) == 0 || hasVerdict[k.ID])
	}
	for _, p := range slices.Concat(s.Devices, s.Kernels) {
		if !matched[p] {
			unmatched = append(unmatched, p)
		}
	}
	return r.part(devices, kernels), unmatched
}

// A patternSet is the set of the patterns that have matched a name.
type patternSet map[string]bool

// has reports whether one of the names matches a pattern. If there are no patterns, every
// name does.
func (s patternSet) has(patterns []string, names ...string) bool {
	found := len(patterns) == 0
	for _, p := range patterns {
		if glob.MatchAny([]string{p}, names...) {
			s[p], found = true, true
		}
	}
	return found
}

// part returns the part of a report about these devices and kernels, given by id, and
// their images.
func (r *Report) part(devices, kernels map[string]bool) *Report {
	out := *r
	images := map[string]bool{}
	out.Devices = only(r.Devices, func(d *Device) bool { return devices[d.ID] })
	out.Kernels = only(r.Kernels, func(k *Kernel) bool { return kernels[k.ID] })
	out.Cells = Cells{}
	for _, c := range r.Cells.All() {
		if devices[c.Device] && kernels[c.Kernel] {
			out.Cells.Append(c)
			images[c.Image] = true
		}
	}
	for _, k := range out.Kernels {
		for _, i := range k.Images {
			images[i] = true
		}
	}
	out.Images = only(r.Images, func(i *Image) bool { return images[i.ID] })
	out.Statistics = out.statistics()
	return &out
}

// only returns the elements that are wanted.
func only[T any](list []T, want func(*T) bool) []T {
	out := []T{}
	for i := range list {
		if want(&list[i]) {
			out = append(out, list[i])
		}
	}
	return out
}
