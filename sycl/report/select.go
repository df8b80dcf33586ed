package report

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Selection selects a part of a report. An empty list selects everything. "*" in a text matches
// any text.
type Selection struct {
	Devices []string // names
	Kernels []string // mangled or demangled names, either plain or as shown by [safetext.Escape]
	Sources []string // paths of the source files of kernels
	Files   []string // files that contain device images of kernels

	// Statuses, Rules and Needs select kernels with one of the values on a selected device. If Rules
	// or Needs are given, a single reason must match each of the three lists.
	Statuses []compat.Status
	Rules    []string
	Needs    []string // requirements
}

// Select returns the part of the report with the selected devices and kernels. unmatched holds the
// texts in the selection that did not match anything.
func (r *Report) Select(s Selection) (part *Report, unmatched []string) {
	if len(s.Devices)+len(s.Kernels)+len(s.Sources)+len(s.Files) == 0 && !s.byProblem() {
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

// WithoutRepeatedLibraries returns the report with each kernel of a library only once, even if the
// report covers builds of the library for several platforms or Python versions, see [LibraryName].
// It keeps the kernel of the target whose label is last in sort order.
func (r *Report) WithoutRepeatedLibraries() *Report {
	type kernel struct{ library, name string }
	last := map[kernel]string{} // label
	for i := range r.Kernels {
		k := &r.Kernels[i]
		label := r.Target(k)
		at := kernel{LibraryName(label), k.Name}
		if known, ok := last[at]; !ok || safetext.CompareNatural(known, label) < 0 {
			last[at] = label
		}
	}
	if len(last) == len(r.Kernels) {
		return r
	}
	var devices, kernels []int
	for i := range r.Devices {
		devices = append(devices, i)
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if label := r.Target(k); last[kernel{LibraryName(label), k.Name}] == label {
			kernels = append(kernels, i)
		}
	}
	return r.part(devices, kernels)
}

// selectable returns the names that select a kernel: its mangled and demangled names, with the
// label of its target if there are several, and the names of its forms.
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

// byProblem reports whether the selection selects kernels by their outcomes.
func (s *Selection) byProblem() bool { return len(s.Statuses)+len(s.Rules)+len(s.Needs) > 0 }

// problems returns the rows with a selected problem on one of the devices.
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

// hasProblem reports whether an outcome has a selected status and reason.
func (s *Selection) hasProblem(o *Outcome, matched patternSet) bool {
	if len(s.Rules)+len(s.Needs) == 0 {
		return slices.Contains(s.Statuses, o.Status)
	}
	found := false
	for i := range o.Reasons {
		reason := &o.Reasons[i]
		rule, need := matched.has(s.Rules, string(reason.Rule), safetext.Escape(string(reason.Rule))), matched.has(s.Needs, reason.Required, safetext.Escape(reason.Required))
		found = found || rule && need && (len(s.Statuses) == 0 || slices.Contains(s.Statuses, reason.Status))
	}
	return found
}

// A patternSet is the set of patterns that have matched a name.
type patternSet map[string]bool

// has reports whether a pattern matches one of the names. If there are no patterns, it returns
// true.
func (s patternSet) has(patterns []string, names ...string) bool {
	found := len(patterns) == 0
	for _, p := range patterns {
		if kernelname.MatchAny([]string{p}, names...) {
			s[p], found = true, true
		}
	}
	return found
}

// part returns the part of a report on the given devices and kernels, with their images.
func (r *Report) part(devices, kernels []int) *Report {
	out := *r
	out.Devices, out.Kernels = []Device{}, []Kernel{}
	for _, d := range devices {
		out.Devices = append(out.Devices, r.Devices[d])
	}
	images, kinds, files := newChoice(r.Images), newChoice(r.ImageKinds), newChoice(r.Files)
	for _, i := range kernels {
		images.add(r.Kernels[i].Images)
	}
	out.Images = images.chosen()
	for _, image := range out.Images {
		kinds.add([]int32{image.Kind})
	}
	out.ImageKinds = kinds.chosen()
	for i := range out.Images {
		out.Images[i].Kind = kinds.numbers[out.Images[i].Kind]
	}
	for _, k := range out.ImageKinds {
		files.add(k.Files)
	}
	if out.Files = files.chosen(); len(out.Files) == 0 {
		out.Files = nil
	}
	for i := range out.ImageKinds {
		out.ImageKinds[i].Files = files.renumber(out.ImageKinds[i].Files)
	}
	rows := newTable(&out)
	row := make([]int32, len(devices))
	for _, i := range kernels {
		k := r.Kernels[i]
		for at, d := range devices {
			row[at] = rows.outcome(r.Outcome(i, d))
		}
		k.Row, k.Images = rows.row(row), images.renumber(k.Images)
		out.Kernels = append(out.Kernels, k)
	}
	out.Statistics = out.statistics()
	return &out
}

// A choice selects elements of a list and renumbers them.
type choice[T any] struct {
	list    []T
	numbers []int32 // -1 for elements that are not selected
}

func newChoice[T any](list []T) choice[T] {
	return choice[T]{list, slices.Repeat([]int32{-1}, len(list))}
}

// add selects elements, given by number.
func (c *choice[T]) add(numbers []int32) {
	for _, n := range numbers {
		c.numbers[n] = 0
	}
}

// chosen returns the selected elements and assigns their new numbers.
func (c *choice[T]) chosen() []T {
	list := []T{}
	for i := range c.list {
		if c.numbers[i] == 0 {
			c.numbers[i] = int32(len(list))
			list = append(list, c.list[i])
		}
	}
	return list
}

// renumber maps the numbers of selected elements to their new numbers.
func (c *choice[T]) renumber(numbers []int32) []int32 {
	if len(numbers) == 0 {
		return numbers
	}
	list := make([]int32, len(numbers))
	for i, n := range numbers {
		list[i] = c.numbers[n]
	}
	return list
}
