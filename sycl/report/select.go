package report

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/internal/glob"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Selection selects a part of a report. An empty list selects everything. In texts, "*"
// stands for any text.
type Selection struct {
	Devices []string // names
	Kernels []string // names, mangled or demangled, as they are or as [safetext.Escape] shows them
	Sources []string // paths of the source files of kernels
	Files   []string // that hold device images of kernels

	// Kernels that have one of the verdicts, rules and needs on a selected device. If
	// there are rules or needs, they and the verdict are those of one reason.
	Verdicts []compat.Verdict
	Rules    []string
	Needs    []string // what is required
}

// Select returns the part of a report with the selected devices and kernels. Unmatched
// are the texts in the selection that nothing in the report has.
func (r *Report) Select(s Selection) (part *Report, unmatched []string) {
	if s.isEmpty() {
		return r, nil
	}
	matched := patternSet{}
	devices := map[string]bool{}
	for _, d := range r.Devices {
		devices[d.ID] = matched.has(s.Devices, d.ID, d.Name, safetext.Escape(d.Name))
	}
	problem := map[string]bool{} // kernels
	if s.byProblem() {
		for _, c := range r.Cells.All() {
			if devices[c.Device] && s.hasProblem(c, matched) {
				problem[c.Kernel] = true
			}
		}
	}
	inFile := map[string]bool{} // images
	for i := range r.Images.Len() {
		for _, name := range r.Images.Files(i) {
			if matched.has(s.Files, name, safetext.Escape(name)) {
				inFile[r.Images.ID(i)] = true
			}
		}
	}
	kernels := map[string]bool{}
	for _, k := range r.Kernels.All() {
		held := len(s.Files) == 0 || slices.ContainsFunc(k.Images, func(id string) bool { return inFile[id] })
		named := matched.has(s.Kernels, k.selectable()...)
		inSource := matched.has(s.Sources, k.Location.Path, safetext.Escape(k.Location.Path))
		kernels[k.ID] = named && inSource && held && (!s.byProblem() || problem[k.ID])
	}
	for _, p := range slices.Concat(s.Devices, s.Kernels, s.Sources, s.Files, s.Rules, s.Needs) {
		if !matched[p] {
			unmatched = append(unmatched, p)
		}
	}
	return r.part(devices, kernels), unmatched
}

// selectable returns the names by which a kernel is selected: its own, mangled and
// demangled, and those of its forms.
func (k *Kernel) selectable() []string {
	names := []string{k.ID, k.Name, k.DisplayName, safetext.Escape(k.DisplayName)}
	for _, f := range k.Forms {
		names = append(names, f.Name, kernelname.Display(f.Name))
	}
	return names
}

func (s *Selection) isEmpty() bool {
	return len(s.Devices)+len(s.Kernels)+len(s.Sources)+len(s.Files) == 0 && !s.byProblem()
}

// byProblem reports whether kernels are selected by what their cells say.
func (s *Selection) byProblem() bool { return len(s.Verdicts)+len(s.Rules)+len(s.Needs) > 0 }

// hasProblem reports whether a cell has the verdict and a reason that are selected.
func (s *Selection) hasProblem(c *Cell, matched patternSet) bool {
	if len(s.Rules)+len(s.Needs) == 0 {
		return slices.Contains(s.Verdicts, c.Verdict)
	}
	found := false
	for i := range c.Reasons {
		reason := &c.Reasons[i]
		rule, need := matched.has(s.Rules, reason.Rule, safetext.Escape(reason.Rule)), matched.has(s.Needs, reason.Required, safetext.Escape(reason.Required))
		found = found || rule && need && (len(s.Verdicts) == 0 || slices.Contains(s.Verdicts, reason.Verdict))
	}
	return found
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
	out.Devices = slices.DeleteFunc(slices.Clone(r.Devices), func(d Device) bool { return !devices[d.ID] })
	out.Kernels = r.Kernels.chosen(only(r.Kernels.Len(), func(i int) bool { return kernels[r.Kernels.ID(i)] }))
	out.Cells = Cells{texts: r.Cells.texts}
	for _, c := range r.Cells.All() {
		if devices[c.Device] && kernels[c.Kernel] {
			out.Cells.Append(c)
			images[c.Image] = true
		}
	}
	for _, k := range out.Kernels.All() {
		for _, i := range k.Images {
			images[i] = true
		}
	}
	out.Images = r.Images.chosen(only(r.Images.Len(), func(i int) bool { return images[r.Images.ID(i)] }))
	out.Statistics = out.statistics()
	return &out
}

// only returns the indexes of the elements of a list that are wanted.
func only(n int, want func(int) bool) (indexes []uint32) {
	for i := range n {
		if want(i) {
			indexes = append(indexes, uint32(i))
		}
	}
	return indexes
}
