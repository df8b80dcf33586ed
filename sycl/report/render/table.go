// Package render shows reports to people: as text on a terminal, as a page of HTML, as
// Markdown and as rows of a spreadsheet. All of them use the same words.
//
// Reports come from builds that may not be trusted. So no text of a report becomes markup,
// a command or a formula in any rendering, and all of its characters are visible.
package render

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// table is a report for all renderings, with the words of its outcomes.
type table struct {
	*report.Report
	kinds []kind // of the outcomes of the report, by number

	whole *report.Report    // that this is a part of, or nil
	short map[string]string // by names of kernels, see shortName
}

// kind is an outcome with its words.
type kind struct {
	*report.Outcome
	words string
}

func newTable(r *report.Report) *table {
	t := &table{Report: r}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		t.kinds = append(t.kinds, kind{o, cellWords(o)})
	}
	return t
}

func (t *table) kernel(k int) *report.Kernel { return &t.Kernels[k] }

// row returns the numbers of the outcomes of a kernel.
func (t *table) row(kernel int) []int32 { return t.Rows[t.Kernels[kernel].Row] }

// column is devices that share a column of a table.
type column struct {
	devices []int
}

// columns returns a column for each device or, in groups, for each set of
// devices whose cells have the same words in rows of all these patterns.
func (t *table) columns(group bool, patterns [][]int32) []column {
	words := map[string]uint32{}
	ids := make([]uint32, len(t.kinds))
	for i, k := range t.kinds {
		id, ok := words[k.words]
		if !ok {
			id = uint32(len(words))
			words[k.words] = id
		}
		ids[i] = id
	}
	var list []column
	index := map[string]int{}
	var key []byte
	for d := range t.Devices {
		if group {
			key = key[:0]
			for _, row := range patterns {
				key = binary.LittleEndian.AppendUint32(key, ids[row[d]])
			}
			if i, ok := index[string(key)]; ok {
				list[i].devices = append(list[i].devices, d)
				continue
			}
			index[string(key)] = len(list)
		}
		list = append(list, column{devices: []int{d}})
	}
	return list
}

// groupName names the n-th group that has no other name.
func groupName(n int) string {
	name := string(rune('A' + n%26))
	if round := n / 26; round > 0 {
		name += fmt.Sprint(round + 1)
	}
	return name
}

// mostNames is how many names of devices the head of a column has at most.
const mostNames = 4

// deviceNames returns the names of devices.
func (t *table) deviceNames(list []int) []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = safetext.Escape(t.Devices[d].Name)
	}
	return names
}

// kernelName returns the name of a kernel in renderings.
func kernelName(k *report.Kernel) string {
	return cmp.Or(safetext.Escape(k.DisplayName), safetext.Escape(k.Name))
}

// shortName returns the name of a kernel for long lists. It is a pattern that selects the
// kernel, in which "*" stands for what kernels of a template have in common.
func (t *table) shortName(k int) string {
	if t.short == nil {
		whole := cmp.Or(t.whole, t.Report)
		names := make([]string, len(whole.Kernels))
		for i := range whole.Kernels {
			names[i] = kernelName(&whole.Kernels[i])
		}
		t.short = kernelname.ShortNames(names)
	}
	name := kernelName(t.kernel(k))
	return cmp.Or(t.short[name], name)
}

// addition returns what a row adds to the name of a kernel: how many kernels were made of
// it, and the place of a lambda. That a kernel has a second one for rounded ranges is the
// rule, and is not said.
func addition(k *report.Kernel) string {
	s := ""
	if k.Forms != nil && len(k.Forms.Reduction) > 0 {
		s = fmt.Sprintf(" (%s)", count(1+len(k.FormNames()), "form"))
	}
	return s + lambdaPlace(k)
}

// lambdaPlace returns what a row adds to the name of a kernel that is a lambda, such as
// main::{lambda(sycl::id<1>)#1}: its place.
func lambdaPlace(k *report.Kernel) string {
	if k.Location.IsZero() || !strings.Contains(k.DisplayName, "{lambda(") {
		return ""
	}
	return " at " + place(k.Location)
}

// title returns what a report is about.
func (t *table) title() string {
	wheels := safetext.Escape(t.Title())
	if len(t.Targets) == 1 {
		label := safetext.Escape(t.Targets[0])
		if wheels == "" || label == "" {
			return cmp.Or(wheels, label)
		}
		return wheels + ": " + label
	}
	if wheels != "" {
		return wheels
	}
	targets := map[int32]bool{}
	for i := range t.Kernels {
		targets[t.Kernels[i].Target] = true
	}
	if len(targets) < 2 {
		return ""
	}
	return count(len(targets), "target")
}
