package render

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// entry is a reason with the kernels and devices that it is about.
type entry struct {
	report.Reason
	brief, text string
	generic     bool     // about a generic target, see report.Device.IsGeneric
	devices     []int    // none if generic
	kernels     []uint32 // indexes

	number   int // in the order in which the entries were found
	onDevice []bool
}

// use is an entry that rows of a pattern have.
type use struct {
	entry *entry
	brief string // what the kernel needs, if the kernels of the entry differ in that
	image bool   // the verdict is about the device image
}

// reasonList is what the cells of a table have as reasons.
type reasonList struct {
	entries []*entry // the worst first
	uses    [][]use  // by pattern
}

// reasons returns each distinct reason once. All that is undetermined on a generic target
// is one entry.
func (t *table) reasons() *reasonList {
	f := entryFinder{table: t, known: map[entryKey]*entry{}}
	for i := range t.kinds {
		f.counted = append(f.counted, t.kinds[i].counted())
	}
	l := &reasonList{uses: make([][]use, len(t.patterns))}
	for p, row := range t.patterns {
		l.uses[p] = f.uses(row)
	}
	l.entries = f.list
	l.listKernels(t)
	for _, e := range l.entries {
		for d, is := range e.onDevice {
			if is {
				e.devices = append(e.devices, d)
			}
		}
	}
	slices.SortStableFunc(l.entries, func(a, b *entry) int { return cmp.Compare(b.Verdict, a.Verdict) })
	return l
}

// listKernels gives each entry its kernels. The lists share memory.
func (l *reasonList) listKernels(t *table) {
	counts := make([]int, len(l.entries))
	all := 0
	for _, p := range t.rows {
		for _, u := range l.uses[p] {
			counts[u.entry.number]++
			all++
		}
	}
	memory := make([]uint32, all)
	for i, e := range l.entries {
		e.kernels, memory = memory[:0:counts[i]], memory[counts[i]:]
	}
	for k, p := range t.rows {
		for _, u := range l.uses[p] {
			u.entry.kernels = append(u.entry.kernels, uint32(k))
		}
	}
}

// of returns the use of an entry by a kernel.
func (l *reasonList) of(t *table, e *entry, kernel uint32) *use {
	list := l.uses[t.rows[kernel]]
	return &list[slices.IndexFunc(list, func(u use) bool { return u.entry == e })]
}

// An entryFinder finds the entries of a table, once for each pattern of its rows.
type entryFinder struct {
	*table
	list    []*entry
	known   map[entryKey]*entry
	counted [][]report.Reason // by kind
}

// An entryKey is what reasons of one entry have in common.
type entryKey struct {
	verdict     compat.Verdict
	brief, text string
}

// uses returns the entries of a row.
func (f *entryFinder) uses(row []uint32) []use {
	var list []use
	for d, kind := range row {
		for _, r := range f.counted[kind] {
			e, about := f.of(r, &f.Devices[d])
			if !e.generic {
				e.onDevice[d] = true
			}
			i := slices.IndexFunc(list, func(u use) bool { return u.entry == e })
			switch {
			case i < 0:
				i = len(list)
				list = append(list, use{entry: e, brief: about})
			case about != "" && !slices.Contains(strings.Split(list[i].brief, ", "), about):
				list[i].brief += ", " + about
			}
			list[i].image = list[i].image || f.kinds[kind].Scope == report.ScopeImage
		}
	}
	return list
}

// of returns the entry of a reason and, if its kernels differ in what they need, the need.
func (f *entryFinder) of(r report.Reason, d *report.Device) (e *entry, about string) {
	if r.Verdict == compat.Undetermined && d.IsGeneric() {
		e := f.entry(r, "", fmt.Sprintf("%s stands for devices that are known only when the program runs", safetext.Escape(d.Name)))
		e.generic = true
		return e, brief(r)
	}
	return f.entry(r, brief(r), sentence(r)), ""
}

// entry returns the entry of a reason with these words.
func (f *entryFinder) entry(r report.Reason, brief, text string) *entry {
	key := entryKey{r.Verdict, brief, text}
	e := f.known[key]
	if e == nil {
		e = &entry{Reason: r, brief: brief, text: text, number: len(f.list), onDevice: make([]bool, len(f.Devices))}
		f.known[key] = e
		f.list = append(f.list, e)
	}
	return e
}

// counted returns the reasons of a cell that are shown. That there is no image for the
// device follows from any other reason.
func (k *kind) counted() []report.Reason {
	if len(k.Reasons) < 2 {
		return k.Reasons
	}
	return slices.DeleteFunc(slices.Clone(k.Reasons), func(r report.Reason) bool { return compat.Rule(r.Rule) == compat.NoImage })
}

// origins returns what needs the aspect of an entry: the first few, and how many there
// are. If there are none, the note says why that may be.
func (l *reasonList) origins(t *table, e *entry, most int) (list []string, n int, note string) {
	if compat.Rule(e.Rule) != compat.MissingAspect || e.generic {
		return nil, 0, ""
	}
	list, n = t.origins(e.kernels, e.Required, most, false)
	if n == 0 && slices.ContainsFunc(e.kernels, func(k uint32) bool { return l.of(t, e, k).image }) {
		note = imageNote
	}
	return list, n, note
}

// origins returns what needs an aspect in kernels: the first few, and how many there are.
// Functions that differ in their template arguments and parameters can count as one.
func (t *table) origins(kernels []uint32, aspect string, most int, joined bool) (list []string, n int) {
	var hash maphash.Hash
	seen := map[uint64]bool{}
	for _, k := range kernels {
		kernel := &t.Kernels[k]
		for _, o := range kernel.Origins {
			if o.Aspect.Name != aspect {
				continue
			}
			if joined {
				o.Function = outline(o.Function)
			}
			hash.Reset()
			maphash.WriteComparable(&hash, o)
			if o.Function == "" {
				hash.WriteString(kernel.ID)
			}
			if sum := hash.Sum64(); !seen[sum] {
				seen[sum] = true
				if len(list) < most {
					list = append(list, originText(kernel, o))
				}
			}
		}
	}
	return list, len(seen)
}

// outline returns the name of a function with "..." in place of what is between brackets.
func outline(name string) string {
	var b strings.Builder
	depth := 0
	for i := range len(name) {
		switch c := name[i]; {
		case strings.IndexByte("<(", c) >= 0 && !strings.HasPrefix(name[i:], "(anonymous"):
			if depth == 0 {
				b.WriteString(name[i:i+1] + "...")
			}
			depth++
		case strings.IndexByte(">)", c) >= 0 && depth > 0:
			if depth--; depth == 0 {
				b.WriteByte(c)
			}
		case depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func originText(k *report.Kernel, o srcloc.Origin) string {
	s := cmp.Or(safetext.Escape(o.Function), kernelName(k))
	if !o.Location.IsZero() {
		s += " at " + place(o.Location)
	}
	return s
}

// imageNote explains why a kernel may have a need that its own code does not have.
const imageNote = "Some kernel in the device image needs it, perhaps not each of these."

// mostListed is how many things a list has at most.
const mostListed = 6

// A quoter makes text part of a rendering.
type quoter func(string) string

func plain(s string) string { return s }

// all quotes each text.
func (q quoter) all(list []string) []string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = q(s)
	}
	return quoted
}

// someKernels lists the kernels of an entry with what each needs or its place in the
// source.
func (t *table) someKernels(l *reasonList, e *entry, quote quoter) string {
	var list []string
	for _, n := range e.kernels[:min(len(e.kernels), mostListed+1)] {
		k := &t.Kernels[n]
		name := quote(kernelName(k))
		if label := report.KernelTarget(k); label != "" {
			name += " of " + quote(safetext.Escape(label))
		}
		switch about := l.of(t, e, n).brief; {
		case about != "":
			name += " (" + quote(about) + ")"
		case !k.Location.IsZero():
			name += " (" + quote(place(k.Location)) + ")"
		}
		list = append(list, name)
	}
	return someOf(list, len(e.kernels), "kernels")
}

// some lists the first few things.
func some(list []string, what string) string { return someOf(list, len(list), what) }

// someOf is some for n things, of which list has the first ones.
func someOf(list []string, n int, what string) string {
	if n > mostListed {
		return fmt.Sprintf("%s and %d more %s", strings.Join(list[:mostListed], ", "), n-mostListed, what)
	}
	if n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return list[0]
}
