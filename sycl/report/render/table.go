// Package render presents reports as text on a terminal, as an HTML page, as Markdown and as
// spreadsheet rows. All formats use the same words.
//
// Reports may come from untrusted builds. Therefore text from a report never becomes markup, a
// command or a formula in any format, and all of its characters are visible.
package render

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// A table is a report with the descriptions of its outcomes, for all formats.
type table struct {
	*report.Report
	kinds []kind // of the report's outcomes, by number

	whole *report.Report    // the whole report if this is a part, or nil
	short map[string]string // by kernel name, see shortName
}

// A kind is an outcome with its description.
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

// row returns the outcome numbers of a kernel.
func (t *table) row(kernel int) []int32 { return t.Rows[t.Kernels[kernel].Row] }

// A column is a table column, which several devices may share.
type column struct {
	devices []int
}

// columns returns one column per device or, if group is true, per set of devices whose cells have
// the same text in the rows of all patterns.
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

// groupName returns the name of the n-th unnamed group: A, B, … and then A2.
func groupName(n int) string {
	name := string(rune('A' + n%26))
	if round := n / 26; round > 0 {
		name += fmt.Sprint(round + 1)
	}
	return name
}

// mostNames is the maximum number of device names in a column header.
const mostNames = 4

// deviceNames returns the names of devices.
func (t *table) deviceNames(list []int) []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = safetext.Escape(t.Devices[d].Name)
	}
	return names
}

// gpus returns the legend of the GPUs in a report.
func (t *table) gpus(quote quoter) string {
	names := make([]string, len(t.Devices))
	for i := range t.Devices {
		names[i] = t.Devices[i].Name
	}
	return show.GPUs(names, quote)
}

// kernelName returns the name of a kernel in renderings.
func kernelName(k *report.Kernel) string {
	return cmp.Or(safetext.Escape(k.DisplayName), safetext.Escape(k.Name))
}

// shortName returns the name of a kernel for long lists. It is a pattern that selects the kernel,
// in which "*" replaces the part that kernels of a template have in common.
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

// nameSuffix returns the text that a row adds to the name of a kernel: the number of kernels
// generated from it, and the location of a lambda. It does not mention the second kernel for
// rounded ranges, because most kernels have one.
func nameSuffix(k *report.Kernel) string {
	s := ""
	if k.Forms != nil && len(k.Forms.Reduction) > 0 {
		s = fmt.Sprintf(" (%s)", safetext.Count(1+len(k.FormNames()), "form"))
	}
	return s + lambdaPlace(k)
}

// lambdaPlace returns the location of a kernel that is a lambda, such as
// main::{lambda(sycl::id<1>)#1}, which a row adds to the name.
func lambdaPlace(k *report.Kernel) string {
	if k.Location.IsZero() || !strings.Contains(k.DisplayName, "{lambda(") {
		return ""
	}
	return " at " + show.Place(k.Location)
}

// title returns the subject of a report.
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
	return safetext.Count(len(targets), "target")
}
