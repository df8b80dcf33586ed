package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// GroupBy selects which kernels are shown together.
type GroupBy string

const (
	ByKernel GroupBy = "kernel" // no grouping: one row per kernel
	ByReason GroupBy = "reason" // requirements that a device lacks
	ByName   GroupBy = "name"   // name up to template arguments and parameters
	BySource GroupBy = "source" // source file
	ByFile   GroupBy = "file"   // file that contains the device image
)

// Groupings are all values of GroupBy.
var Groupings = []GroupBy{ByReason, ByName, BySource, ByFile, ByKernel}

// worstStatus returns the worst status in the cells of a pattern. It ignores cells that no report
// covers.
func (t *table) worstStatus(pattern int32) compat.Status {
	worst := compat.NoStatus
	for _, n := range t.Rows[pattern] {
		if k := &t.kinds[n]; !k.IsUnreported() {
			worst = max(worst, k.Status)
		}
	}
	return worst
}

// A tally counts kernels by their worst status.
type tally struct {
	all      int
	problems int // do not run on at least one device
	open     int // undetermined until run time
}

// add adds a number of kernels with the same worst status.
func (n *tally) add(standing compat.Status, kernels int) {
	n.all += kernels
	switch standing {
	case compat.Incompatible:
		n.problems += kernels
	case compat.Undetermined:
		n.open += kernels
	}
}

// compare compares tallies; more problems sort first.
func (n tally) compare(o tally) int {
	return cmp.Or(cmp.Compare(o.problems, n.problems), cmp.Compare(o.open, n.open))
}

// deviceText returns the number of kernels that run on a device, as text.
func (n *tally) deviceText() string {
	good := n.all - n.problems - n.open
	if good == n.all {
		return "runs " + safetext.Plural(n.all, "the kernel", fmt.Sprintf("all %d kernels", n.all))
	}
	s := fmt.Sprintf("runs %d of %s", good, safetext.Count(n.all, "kernel"))
	if n.open > 0 {
		s += fmt.Sprintf(" and perhaps %d more", n.open)
	}
	if n.problems > 0 {
		s += fmt.Sprintf("; %d %s not run", n.problems, safetext.Plural(n.problems, "does", "do"))
	}
	return s
}

// groupText returns the number of kernels in a group, and how many of them have a problem, as text.
func (n *tally) groupText() string {
	s := safetext.Count(n.all, "kernel")
	if n.problems > 0 {
		s += fmt.Sprintf(", %d with problems", n.problems)
	}
	if n.open > 0 {
		s += fmt.Sprintf(", %d known only when the program runs", n.open)
	}
	return s
}

// reasonGroups returns one entry per rule and requirement: incompatible first, then undetermined,
// each sorted by the number of kernels.
func (t *table) reasonGroups() []*entry {
	list := t.entries(func(f *entryFinder, r report.Reason, _ *report.Device) (*entry, string) {
		return f.entry(r, string(r.Rule), r.Required), ""
	})
	slices.SortStableFunc(list, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.Status, a.Status), cmp.Compare(len(b.kernels), len(a.kernels)))
	})
	return list
}

// sentence returns a sentence that states the number of kernels and the devices that a problem
// affects.
func (g *entry) sentence(t *table, quote quoter) string {
	devices := show.ListOf(quote.all(t.deviceNames(g.devices[:min(len(g.devices), show.MostListed+1)])), len(g.devices), "devices")
	required := quote(safetext.Escape(g.Required))
	kernels := func(one, many string) string {
		return safetext.Count(len(g.kernels), "kernel") + " " + safetext.Plural(len(g.kernels), one, many)
	}
	its := func(one, many string) string { return safetext.Plural(len(g.devices), one, many) }
	if g.Status == compat.Undetermined && g.Rule == compat.CompileTargetMismatch {
		return fmt.Sprintf("%s compiled ahead of time for %s, which may not include %s: this is known only when the program runs", kernels("was", "were"), required, devices)
	}
	if g.Status == compat.Undetermined {
		have := "support"
		if g.Rule == compat.MissingAspect {
			have = "have"
		}
		return fmt.Sprintf("%s %s, which %s may not %s: this is known only when the program runs", kernels("needs", "need"), quote(need(g.Reason)), devices, have)
	}
	switch g.Rule {
	case compat.MissingAspect:
		return fmt.Sprintf("%s %s, which %s not have", kernels("needs", "need"), quote(need(g.Reason)), devices+its(" does", " do"))
	case compat.NoImage:
		return fmt.Sprintf("%s neither native code for %s nor code that can be compiled for %s", kernels("has", "have"), devices, its("it", "them"))
	case compat.FixedTargetMismatch:
		return fmt.Sprintf("%s only for the targets %s, and %s none of them", kernels("is", "are"), required, devices+its(" is", " are"))
	case compat.CompileTargetMismatch:
		return fmt.Sprintf("%s compiled ahead of time for %s, which %s not", kernels("was", "were"), required, devices+its(" is", " are"))
	case report.NotReported:
		return fmt.Sprintf("%s not compared with %s", kernels("was", "were"), devices)
	}
	return fmt.Sprintf("%s %s, which %s not support", kernels("needs", "need"), quote(need(g.Reason)), devices+its(" does", " do"))
}

// A family holds the kernels of a group that have the same name, without template arguments and
// parameters.
type family struct {
	kernels int    // in the group
	first   int    // index of the first kernel
	stem    string // common start of the names
}

// stem returns a kernel's name up to its template arguments or parameters, including their opening
// bracket.
func stem(name string) string {
	s, arguments := kernelname.Stem(name)
	return s + arguments[:min(len(arguments), 1)]
}

// stemPattern returns the pattern that matches names with a stem.
func stemPattern(stem string) string {
	if strings.HasSuffix(stem, "<") || strings.HasSuffix(stem, "(") {
		return stem + "*"
	}
	return stem
}

// families returns the families of kernels, largest first.
func (t *table) families(kernels []int) []family {
	var list []family
	of := func(k int) string { return stem(t.Kernels[k].DisplayName) }
	for _, g := range show.Group(kernels, of) {
		list = append(list, family{len(g), g[0], of(g[0])})
	}
	slices.SortStableFunc(list, func(a, b family) int { return cmp.Compare(b.kernels, a.kernels) })
	return list
}

// A group holds kernels that are in the same file or have the same name.
type group struct {
	title   string
	value   string // the value that selects the group
	kernels []int
	tally
}

// groupings returns the values of GroupBy that divide the kernels into groups.
func (t *table) groupings() []GroupBy {
	list := slices.Clone(Groupings)
	if !slices.ContainsFunc(t.Kernels, func(k report.Kernel) bool { return !k.Location.IsZero() }) {
		list = slices.DeleteFunc(list, func(g GroupBy) bool { return g == BySource })
	}
	if len(t.Files) == 0 {
		list = slices.DeleteFunc(list, func(g GroupBy) bool { return g == ByFile })
	}
	return list
}

// files returns a function that returns the files that contain images of a kernel.
func (t *table) files() func(*report.Kernel) []string {
	return t.collectFromImages(func(k *report.ImageKind) (list []string) {
		for _, n := range k.Files {
			list = append(list, t.Files[n].Name)
		}
		return list
	})
}

// groups returns the groups, most problems first. A kernel in several files is in several groups.
func (t *table) groups(by GroupBy) []*group {
	var list []*group
	known := map[string]*group{}
	add := func(value string, kernel int) {
		g := known[value]
		if g == nil {
			g = &group{value: value}
			known[value] = g
			list = append(list, g)
		}
		g.kernels = append(g.kernels, kernel)
		g.tally.add(t.worstStatus(t.Kernels[kernel].Row), 1)
	}
	files := t.files()
	for k := range t.Kernels {
		kernel := &t.Kernels[k]
		switch by {
		case BySource:
			add(kernel.Location.Path, k)
		case ByName:
			add(stem(kernel.DisplayName), k)
		case ByFile:
			names := files(kernel)
			for _, name := range names {
				add(name, k)
			}
			if len(names) == 0 {
				add("", k)
			}
		}
	}
	for _, g := range list {
		g.title = safetext.Escape(g.value)
		if by == ByName {
			g.title = safetext.Escape(stemPattern(g.value))
		}
		if g.value == "" {
			g.title = string(by) + " not known"
		}
	}
	slices.SortStableFunc(list, func(a, b *group) int {
		return cmp.Or(a.compare(b.tally), cmp.Compare(len(b.kernels), len(a.kernels)), strings.Compare(a.value, b.value))
	})
	return list
}
