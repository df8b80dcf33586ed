package report

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/internal/glob"
)

// A Selection is a part of a report. A list that is empty selects everything.
type Selection struct {
	Devices  []string         // names, in which "*" stands for any text
	Kernels  []string         // the same: mangled names or as people write them
	Verdicts []compat.Verdict // kernels that have at least one of these verdicts
}

// Select returns the part of a report with the devices and kernels that are
// selected, and the names in the selection that nothing has.
func (r *Report) Select(s Selection) (part *Report, unmatched []string) {
	matched := map[string]bool{}
	is := func(patterns []string, names ...string) bool {
		found := len(patterns) == 0
		for _, p := range patterns {
			if slices.ContainsFunc(names, func(name string) bool { return glob.Match(p, name) }) {
				matched[p] = true
				found = true
			}
		}
		return found
	}
	out := *r
	out.Devices, out.Kernels, out.Cells, out.Images = []Device{}, []Kernel{}, []Cell{}, []Image{}
	devices, kernels, images := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range r.Devices {
		if is(s.Devices, d.ID, d.Name) {
			devices[d.ID] = true
			out.Devices = append(out.Devices, d)
		}
	}
	hasStatus := map[string]bool{}
	for _, c := range r.Cells {
		if devices[c.Device] && slices.Contains(s.Verdicts, c.Verdict) {
			hasStatus[c.Kernel] = true
		}
	}
	for _, k := range r.Kernels {
		if is(s.Kernels, k.ID, k.Name, k.DisplayName) && (len(s.Verdicts) == 0 || hasStatus[k.ID]) {
			kernels[k.ID] = true
			out.Kernels = append(out.Kernels, k)
			for _, i := range k.Images {
				images[i] = true
			}
		}
	}
	for _, c := range r.Cells {
		if devices[c.Device] && kernels[c.Kernel] {
			out.Cells = append(out.Cells, c)
			images[c.Image] = true
		}
	}
	for _, i := range r.Images {
		if images[i.ID] {
			out.Images = append(out.Images, i)
		}
	}
	out.Statistics = out.statistics()
	for _, p := range slices.Concat(s.Devices, s.Kernels) {
		if !matched[p] {
			unmatched = append(unmatched, p)
		}
	}
	return &out, unmatched
}
