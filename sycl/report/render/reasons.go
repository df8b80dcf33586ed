package render

import (
	"cmp"
	"fmt"
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
	kernels     []entryKernel
	devices     []int    // none if generic
	generic     bool     // about a generic target, see report.Device.IsGeneric
	origins     []string // what needs it
	image       bool     // some kernel in the image needs it, perhaps another one

	onDevice   []bool // by device
	hasOrigins map[string]bool
}

// entryKernel is a kernel, by index, and what it needs if the kernels of the entry differ
// in that.
type entryKernel struct {
	kernel int
	brief  string
}

// entries returns each distinct reason once, the worst first. All that is undetermined on
// a generic target is one entry.
func (t *table) entries() []*entry {
	l := newEntryList(t)
	for k := range t.Kernels {
		for d, kind := range t.row(k) {
			if len(t.kinds[kind].Reasons) == 0 {
				continue
			}
			for i, e := range l.of(kind, d) {
				if e.generic {
					e.addGeneric(k, brief(l.counted[kind][i]))
				} else {
					e.add(t, k, d, kind)
				}
			}
		}
	}
	for _, e := range l.list {
		for d, is := range e.onDevice {
			if is {
				e.devices = append(e.devices, d)
			}
		}
	}
	slices.SortStableFunc(l.list, func(a, b *entry) int { return cmp.Compare(b.Verdict, a.Verdict) })
	return l.list
}

// An entryList has the entries of a table. It looks them up once for each kind of cells,
// not for each cell.
type entryList struct {
	*table
	list    []*entry
	known   map[entryKey]*entry
	counted [][]report.Reason // by kind
	found   [][][]*entry      // by device and kind; all devices that are not generic share a list
}

// An entryKey is what reasons of one entry have in common.
type entryKey struct {
	verdict     compat.Verdict
	brief, text string
}

func newEntryList(t *table) *entryList {
	l := &entryList{table: t, known: map[entryKey]*entry{}}
	for i := range t.kinds {
		l.counted = append(l.counted, t.kinds[i].counted())
	}
	shared := make([][]*entry, len(t.kinds))
	for i := range t.Devices {
		if t.Devices[i].IsGeneric() {
			l.found = append(l.found, make([][]*entry, len(t.kinds)))
		} else {
			l.found = append(l.found, shared)
		}
	}
	return l
}

// of returns the entries of the counted reasons of a kind.
func (l *entryList) of(kind, device int) []*entry {
	found := &l.found[device][kind]
	if *found != nil {
		return *found
	}
	for _, r := range l.counted[kind] {
		if d := &l.Devices[device]; r.Verdict == compat.Undetermined && d.IsGeneric() {
			e := l.entry(r, "", fmt.Sprintf("%s stands for devices that are known only when the program runs", safetext.Escape(d.Name)))
			e.generic = true
			*found = append(*found, e)
		} else {
			*found = append(*found, l.entry(r, brief(r), sentence(r)))
		}
	}
	return *found
}

// entry returns the entry of a reason with these words.
func (l *entryList) entry(r report.Reason, brief, text string) *entry {
	key := entryKey{r.Verdict, brief, text}
	e := l.known[key]
	if e == nil {
		e = &entry{Reason: r, brief: brief, text: text, onDevice: make([]bool, len(l.Devices)), hasOrigins: map[string]bool{}}
		l.known[key] = e
		l.list = append(l.list, e)
	}
	return e
}

// addGeneric adds a kernel to an entry about a generic target.
func (e *entry) addGeneric(kernel int, brief string) {
	about := entryKernel{kernel, brief}
	if n := len(e.kernels); n == 0 || e.kernels[n-1] != about {
		e.kernels = append(e.kernels, about)
	}
}

// add adds a cell. Cells are added in the order of kernels.
func (e *entry) add(t *table, kernel, device, kind int) {
	e.onDevice[device] = true
	n := len(e.kernels)
	isNew := n == 0 || e.kernels[n-1].kernel != kernel
	if isNew {
		e.kernels = append(e.kernels, entryKernel{kernel: kernel})
	}
	if compat.Rule(e.Rule) != compat.MissingAspect {
		return
	}
	k := &t.Kernels[kernel]
	if isNew {
		e.addOrigins(k)
	}
	if !e.image && t.kinds[kind].Scope == report.ScopeImage {
		e.image = !slices.ContainsFunc(k.Origins, func(o srcloc.Origin) bool { return o.Aspect.Name == e.Required })
	}
}

// addOrigins adds what needs the aspect in a kernel.
func (e *entry) addOrigins(k *report.Kernel) {
	for _, o := range k.Origins {
		if o.Aspect.Name != e.Required {
			continue
		}
		if s := originText(k, o); !e.hasOrigins[s] {
			e.hasOrigins[s] = true
			e.origins = append(e.origins, s)
		}
	}
}

// counted returns the reasons of a cell that are shown. That there is no image for the
// device follows from any other reason.
func (k *kind) counted() []report.Reason {
	if len(k.Reasons) < 2 {
		return k.Reasons
	}
	return slices.DeleteFunc(slices.Clone(k.Reasons), func(r report.Reason) bool { return compat.Rule(r.Rule) == compat.NoImage })
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
func (t *table) someKernels(e *entry, quote quoter) string {
	var list []string
	for _, about := range e.kernels[:min(len(e.kernels), mostListed+1)] {
		k := &t.Kernels[about.kernel]
		name := quote(kernelName(k))
		if label := report.KernelTarget(k); label != "" {
			name += " of " + quote(safetext.Escape(label))
		}
		switch {
		case about.brief != "":
			name += " (" + quote(about.brief) + ")"
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
