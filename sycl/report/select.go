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
	var devices []int
	for d := range r.Devices {
		if name := r.Devices[d].Name; matched.has(s.Devices, name, safetext.Escape(name)) {
			devices = append(devices, d)
		}
	}
	inFile := map[int32]bool{} // image kinds
	for i := range r.ImageKinds {
		for _, f := range r.ImageKinds[i].Files {
			if name := r.Files[f].Name; matched.has(s.Files, name, safetext.Escape(name)) {
				inFile[int32(i)] = true
			}
		}
	}
	problem := s.problems(r, devices, matched)
	var kernels []int
	for i := range r.Kernels {
		k := &r.Kernels[i]
		held := len(s.Files) == 0 || slices.ContainsFunc(k.Images, func(n int32) bool { return inFile[r.Images[n].Kind] })
		named := matched.has(s.Kernels, r.selectable(k)...)
		inSource := matched.has(s.Sources, k.Location.Path, safetext.Escape(k.Location.Path))
		if named && inSource && held && (!s.byProblem() || problem[k.Row]) {
			kernels = append(kernels, i)
		}
	}
	for _, p := range slices.Concat(s.Devices, s.Kernels, s.Sources, s.Files, s.Rules, s.Needs) {
		if !matched[p] {
			unmatched = append(unmatched, p)
		}
	}
	return r.part(devices, kernels), unmatched
}

// selectable returns the names by which a kernel is selected: its own, mangled and
// demangled, with the label of its target where there are several, and those of its forms.
func (r *Report) selectable(k *Kernel) []string {
	names := []string{k.Name, k.DisplayName, safetext.Escape(k.DisplayName)}
	if label := r.Target(k); label != "" {
		names = append(names, label+"#"+k.Name)
	}
	for _, f := range k.FormNames() {
		names = append(names, f, kernelname.Display(f))
	}
	return names
}

func (s *Selection) isEmpty() bool {
	return len(s.Devices)+len(s.Kernels)+len(s.Sources)+len(s.Files) == 0 && !s.byProblem()
}

// byProblem reports whether kernels are selected by what their rows say.
func (s *Selection) byProblem() bool { return len(s.Verdicts)+len(s.Rules)+len(s.Needs) > 0 }

// problems returns the rows that have what is selected on one of the devices.
func (s *Selection) problems(r *Report, devices []int, matched patternSet) []bool {
	outcomes := make([]bool, len(r.Outcomes))
	for i := range r.Outcomes {
		outcomes[i] = s.hasProblem(&r.Outcomes[i], matched)
	}
	rows := make([]bool, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = slices.ContainsFunc(devices, func(d int) bool { return outcomes[row[d]] })
	}
	return rows
}

// hasProblem reports whether an outcome has the verdict and a reason that are selected.
func (s *Selection) hasProblem(o *Outcome, matched patternSet) bool {
	if len(s.Rules)+len(s.Needs) == 0 {
		return slices.Contains(s.Verdicts, o.Verdict)
	}
	found := false
	for i := range o.Reasons {
		reason := &o.Reasons[i]
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

// part returns the part of a report about these devices and kernels, and their images.
func (r *Report) part(devices, kernels []int) *Report {
	out := *r
	out.Devices, out.Kernels, out.Images = []Device{}, []Kernel{}, []Image{}
	for _, d := range devices {
		out.Devices = append(out.Devices, r.Devices[d])
	}
	images := make([]int32, len(r.Images)) // their numbers in the part plus 1
	for _, i := range kernels {
		for _, n := range r.Kernels[i].Images {
			images[n] = 1
		}
	}
	for i := range images {
		if images[i] > 0 {
			out.Images = append(out.Images, r.Images[i])
			images[i] = int32(len(out.Images))
		}
	}
	rows := newTable(&out)
	row := make([]int32, len(devices))
	for _, i := range kernels {
		k := r.Kernels[i]
		for at, d := range devices {
			row[at] = rows.outcome(r.Outcome(i, d))
		}
		k.Row = rows.row(row)
		k.Images = make([]int32, len(k.Images))
		for at, n := range r.Kernels[i].Images {
			k.Images[at] = images[n] - 1
		}
		out.Kernels = append(out.Kernels, k)
	}
	out.Statistics = out.statistics()
	return &out
}
