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
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// table is a report for all renderings: cells by row and column, with their words. Many
// cells are alike and so are many rows: a cell is the number of a kind, and a row is the
// number of a pattern.
type table struct {
	*report.Report
	kinds    []kind
	patterns [][]uint32 // indexes of kinds, by device
	rows     []uint32   // indexes of patterns, by kernel

	whole *report.Report    // that this is a part of, or nil
	short map[string]string // by names of kernels, see shortName
}

// kind is what cells that say the same share. A table of millions of cells has few kinds.
type kind struct {
	report.Cell // its kernel, device and image are those of the first one
	words       string
}

func newTable(r *report.Report) *table {
	t := &table{Report: r, patterns: [][]uint32{}, rows: make([]uint32, r.Kernels.Len())}
	// The kind of cells that are missing. Build and Decode do not allow any.
	t.kinds = append(t.kinds, kind{Cell: report.Cell{Verdict: compat.NotApplicable, Code: report.NoCode}, words: "-"})
	at := r.CellIndex()
	kindOf := make([]uint32, r.Cells.Outcomes()) // by outcome, 0 when it is not known
	kinds, patterns := map[string]uint32{}, map[string]uint32{}
	row := make([]uint32, len(r.Devices))
	var key []byte
	for k := range r.Kernels.Len() {
		for d := range row {
			i := at(k, d)
			if i < 0 {
				row[d] = 0
				continue
			}
			n := &kindOf[r.Cells.Outcome(i)]
			if *n == 0 {
				c := r.Cells.At(i)
				key = appendKey(key[:0], &c)
				if *n = kinds[string(key)]; *n == 0 {
					*n = uint32(len(t.kinds))
					kinds[string(key)] = *n
					t.kinds = append(t.kinds, kind{Cell: c, words: cellWords(&c)})
				}
			}
			row[d] = *n
		}
		key = key[:0]
		for _, n := range row {
			key = binary.LittleEndian.AppendUint32(key, n)
		}
		p, ok := patterns[string(key)]
		if !ok {
			p = uint32(len(t.patterns))
			patterns[string(key)] = p
			t.patterns = append(t.patterns, slices.Clone(row))
		}
		t.rows[k] = p
	}
	return t
}

// appendKey appends what cells of one kind share.
func appendKey(key []byte, c *report.Cell) []byte {
	add := func(s string) {
		key = binary.AppendUvarint(key, uint64(len(s)))
		key = append(key, s...)
	}
	add(c.Verdict.String())
	add(string(c.Code))
	add(string(c.Scope))
	for i := range c.Reasons {
		r := &c.Reasons[i]
		add(r.Rule)
		add(r.Required)
		add(r.Available)
		add(r.Verdict.String())
		if compat.Rule(r.Rule) != compat.NoImage { // its text has the name of the kernel
			add(r.Text)
		}
	}
	return key
}

func (t *table) kernel(k uint32) *report.Kernel {
	kernel := t.Kernels.At(int(k))
	return &kernel
}

// row returns the cells of a kernel.
func (t *table) row(kernel int) []uint32 { return t.patterns[t.rows[kernel]] }

func (t *table) cell(kernel, device int) *kind { return &t.kinds[t.row(kernel)[device]] }

// column is devices that share a column of a table.
type column struct {
	devices []int
}

// columns returns a column for each device or, in groups, for each set of
// devices whose cells have the same words in rows of all these patterns.
func (t *table) columns(group bool, patterns [][]uint32) []column {
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
	place := map[string]int{}
	var key []byte
	for d := range t.Devices {
		if group {
			key = key[:0]
			for _, row := range patterns {
				key = binary.LittleEndian.AppendUint32(key, ids[row[d]])
			}
			if i, ok := place[string(key)]; ok {
				list[i].devices = append(list[i].devices, d)
				continue
			}
			place[string(key)] = len(list)
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
	return cmp.Or(safetext.Escape(k.DisplayName), safetext.Escape(k.Name), safetext.Escape(k.ID))
}

// shortName returns the name of a kernel for long lists. It is a pattern that selects the
// kernel, in which "*" stands for what kernels of a template have in common.
func (t *table) shortName(k uint32) string {
	whole := cmp.Or(t.whole, t.Report)
	if whole.Kernels.Len() > kernelname.MostShortened {
		return kernelName(t.kernel(k))
	}
	if t.short == nil {
		names := make([]string, whole.Kernels.Len())
		for i, k := range whole.Kernels.All() {
			names[i] = kernelName(k)
		}
		t.short = make(map[string]string, len(names))
		for i, short := range kernelname.Shorten(names) {
			t.short[names[i]] = short
		}
	}
	name := kernelName(t.kernel(k))
	return cmp.Or(t.short[name], name)
}

// addition returns what a row adds to the name of a kernel: how many kernels were made of
// it, and the place of a lambda. That a kernel has a second one for rounded ranges is the
// rule, and is not said.
func addition(k *report.Kernel) string {
	s := ""
	if slices.ContainsFunc(k.Forms, func(f report.KernelForm) bool { return f.Kind != report.RoundedRange }) {
		s = fmt.Sprintf(" (%s)", count(1+len(k.Forms), "form"))
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
	if t.Target.Label != "" {
		return safetext.Escape(t.Target.Label)
	}
	targets := map[string]bool{}
	for _, k := range t.Kernels.All() {
		targets[report.KernelTarget(k)] = true
	}
	if len(targets) > 1 {
		return count(len(targets), "target")
	}
	return ""
}
