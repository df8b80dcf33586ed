package render

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// An entry is a reason with its kernels and devices.
type entry struct {
	report.Reason
	brief, text string // distinguish entries; the rule and the requirement for reasonGroups
	generic     bool   // about a generic target, see report.Device.IsGeneric
	devices     []int  // empty if generic
	kernels     []int  // indexes

	briefs   map[int32]string // requirements by pattern, if they differ between kernels
	image    map[int32]bool   // patterns with a status based on the device image
	number   int              // in order of discovery
	onDevice map[int]bool
}

// reasons returns the distinct reasons, worst first. Everything that is undetermined on a generic
// target is a single entry.
func (t *table) reasons() []*entry {
	list := t.entries((*entryFinder).findEntry)
	slices.SortStableFunc(list, func(a, b *entry) int { return cmp.Compare(b.Status, a.Status) })
	return list
}

// entries returns the entries of all reasons. of returns the entry of a reason and, if its kernels
// differ in their requirements, the requirement.
func (t *table) entries(of func(*entryFinder, report.Reason, *report.Device) (*entry, string)) []*entry {
	f := entryFinder{table: t, of: of, known: map[entryKey]*entry{}}
	for i := range t.kinds {
		f.counted = append(f.counted, t.kinds[i].counted())
	}
	ofPattern := make([][]*entry, len(t.Rows))
	for p, row := range t.Rows {
		ofPattern[p] = f.entries(int32(p), row)
	}
	t.listKernels(f.list, ofPattern)
	for _, e := range f.list {
		e.devices = slices.Sorted(maps.Keys(e.onDevice))
	}
	return f.list
}

// listKernels sets the kernels of each entry. The lists share memory.
func (t *table) listKernels(entries []*entry, ofPattern [][]*entry) {
	counts := make([]int, len(entries))
	all := 0
	for i := range t.Kernels {
		for _, e := range ofPattern[t.Kernels[i].Row] {
			counts[e.number]++
			all++
		}
	}
	memory := make([]int, all)
	for i, e := range entries {
		e.kernels, memory = memory[:0:counts[i]], memory[counts[i]:]
	}
	for k := range t.Kernels {
		for _, e := range ofPattern[t.Kernels[k].Row] {
			e.kernels = append(e.kernels, k)
		}
	}
}

// An entryFinder finds the entries of a table, once per row pattern.
type entryFinder struct {
	*table
	of      func(*entryFinder, report.Reason, *report.Device) (*entry, string)
	list    []*entry
	known   map[entryKey]*entry
	counted [][]report.Reason // by outcome kind
}

// An entryKey holds the fields that the reasons of an entry share.
type entryKey struct {
	status      compat.Status
	brief, text string // distinguish entries; the rule and the requirement for reasonGroups
}

// entries returns the entries of a pattern.
func (f *entryFinder) entries(pattern int32, row []int32) []*entry {
	var list []*entry
	known := map[*entry]bool{}
	needs := map[*entry][]string{} // for generic entries
	for d, kind := range row {
		for _, r := range f.counted[kind] {
			e, about := f.of(f, r, &f.Devices[d])
			if !known[e] {
				known[e] = true
				list = append(list, e)
			}
			if e.generic {
				needs[e] = append(needs[e], about)
			} else {
				e.onDevice[d] = true
			}
			if f.kinds[kind].Scope == report.ScopeImage {
				e.image[pattern] = true
			}
		}
	}
	for e, all := range needs {
		e.briefs[pattern] = strings.Join(distinct(all), ", ")
	}
	return list
}

// distinct returns the distinct texts in the order of first occurrence.
func distinct(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		known := seen[s]
		seen[s] = true
		return known
	})
}

// findEntry returns the entry of a reason in words.
func (f *entryFinder) findEntry(r report.Reason, d *report.Device) (e *entry, about string) {
	if r.Status == compat.Undetermined && d.IsGeneric() {
		e := f.entry(r, "", fmt.Sprintf("%s stands for devices that are known only when the program runs", safetext.Escape(d.Name)))
		e.generic = true
		return e, brief(r)
	}
	return f.entry(r, brief(r), sentence(r)), ""
}

// entry returns the entry for a reason with the given texts.
func (f *entryFinder) entry(r report.Reason, brief, text string) *entry {
	key := entryKey{r.Status, brief, text}
	e := f.known[key]
	if e == nil {
		e = &entry{Reason: r, brief: brief, text: text, number: len(f.list),
			onDevice: map[int]bool{}, briefs: map[int32]string{}, image: map[int32]bool{}}
		f.known[key] = e
		f.list = append(f.list, e)
	}
	return e
}

// counted returns the reasons of a cell to show. It omits a missing image for the device if there
// is another reason, because that reason explains it.
func (k *kind) counted() []report.Reason {
	if len(k.Reasons) < 2 {
		return k.Reasons
	}
	return slices.DeleteFunc(slices.Clone(k.Reasons), func(r report.Reason) bool { return r.Rule == compat.NoImage })
}

// origins returns the first few causes of an entry's aspect requirement, and their number. If there
// are none, note explains possible causes.
func (e *entry) origins(t *table, most int) (list []string, n int, note string) {
	if e.Rule != compat.MissingAspect || e.generic {
		return nil, 0, ""
	}
	list, n = t.origins(e.kernels, e.Required, most, false)
	if n == 0 && slices.ContainsFunc(e.kernels, func(k int) bool { return e.image[t.Kernels[k].Row] }) {
		note = imageNote
	}
	return list, n, note
}

// origins returns the first few causes of an aspect requirement in kernels, and their number. If
// joined is true, functions that differ only in template arguments and parameters count as one.
func (t *table) origins(kernels []int, aspect string, most int, joined bool) (list []string, n int) {
	type origin struct {
		srcloc.Origin
		kernel int // index of the kernel whose own code is the cause, or -1 for a function
	}
	seen := map[origin]bool{}
	for _, k := range kernels {
		for _, o := range t.Kernels[k].Origins {
			if o.Aspect.Name != aspect {
				continue
			}
			if joined {
				o.Function = outline(o.Function)
			}
			key := origin{o, -1}
			if o.Function == "" {
				key.kernel = k
			}
			if !seen[key] {
				seen[key] = true
				if len(list) < most {
					list = append(list, originText(t.kernel(k), o))
				}
			}
		}
	}
	return list, len(seen)
}

// outline returns the name of a function with "..." instead of the text in brackets.
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
		s += " at " + show.Place(o.Location)
	}
	return s
}

// imageNote explains why a kernel may have a requirement that the kernel's code does not cause.
const imageNote = "At least one kernel in the device image needs it, but not necessarily all of these kernels."

// A quoter formats text for a rendering.
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

// someKernels returns a list of some kernels of an entry with their requirements or source
// locations. Kernels with the same name in several targets are adjacent, and only the first is
// listed with the name.
func (t *table) someKernels(e *entry, quote quoter) string {
	name := func(n int) string { return kernelName(t.kernel(n)) }
	var list []string
	for _, same := range show.Group(e.kernels[:min(len(e.kernels), show.MostListed)], name) {
		for i, n := range same {
			k := t.kernel(n)
			label := t.Target(k)
			text := quote(name(n))
			if label != "" {
				in := "of " + quote(safetext.Escape(label))
				if i == 0 {
					in = text + " " + in
				}
				text = in
			}
			switch about := e.briefs[t.Kernels[n].Row]; {
			case about != "":
				text += " (" + quote(about) + ")"
			case !k.Location.IsZero():
				text += " (" + quote(show.Place(k.Location)) + ")"
			}
			list = append(list, text)
		}
	}
	return show.ListOf(list, len(e.kernels), "kernels")
}
