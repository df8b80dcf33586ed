package render

import (
	"cmp"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Problem describes a requirement of kernels that devices lack. Names are escaped.
type Problem struct {
	Status         compat.Status
	Rule, Required string
	Name, Text     string // a short form, and a sentence
	Kernels        int
	Devices        []string
}

// Problems returns the problems of a report: incompatible first, then undetermined, each sorted by
// the number of kernels.
func Problems(r *report.Report) (list []Problem) {
	t := newTable(r)
	for _, g := range t.reasonGroups() {
		if g.Status != compat.Incompatible && g.Status != compat.Undetermined || g.Rule == report.NotReported {
			continue
		}
		list = append(list, Problem{Status: g.Status, Rule: safetext.Escape(string(g.Rule)), Required: safetext.Escape(g.Required), Name: brief(g.Reason),
			Text: g.sentence(t, plain), Kernels: len(g.kernels), Devices: t.deviceNames(g.devices)})
	}
	return list
}

// A Row holds the name of a kernel and its row number.
type Row struct {
	Name string
	Row  int32
}

// Cells returns the style class and the text of each outcome of a report, by number.
func Cells(r *report.Report) (list [][2]string) {
	for i := range r.Outcomes {
		class, words := pageCell(&r.Outcomes[i])
		list = append(list, [2]string{class, words})
	}
	return list
}

// Rows returns the kernels of a report, worst statuses first.
func Rows(r *report.Report) (list []Row) {
	t := newTable(r)
	for i := range r.Kernels {
		list = append(list, Row{kernelName(&r.Kernels[i]), r.Kernels[i].Row})
	}
	rank := make([]int, len(r.Rows))
	for i := range r.Rows {
		switch t.worstStatus(int32(i)) {
		case compat.Incompatible:
			rank[i] = 0
		case compat.Undetermined:
			rank[i] = 1
		default:
			rank[i] = 2
		}
	}
	slices.SortStableFunc(list, func(a, b Row) int { return cmp.Compare(rank[a.Row], rank[b.Row]) })
	return list
}
