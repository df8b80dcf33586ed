package report

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/internal/plural"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// table is a report as all renderings see it: cells by row and column, and what
// they say in the same words everywhere.
type table struct {
	*Report
	kinds []kind
	cells []int // indexes of kinds, by kernel and then by device
}

// kind is what cells that say the same have in common. A table of millions of
// cells has few kinds.
type kind struct {
	Cell  // its kernel, device and image are those of the first one
	words string
}

func newTable(r *Report) *table {
	t := &table{Report: r, cells: make([]int, len(r.Kernels)*len(r.Devices))}
	kernels, devices := map[string]int{}, map[string]int{}
	for i := range r.Kernels {
		kernels[r.Kernels[i].ID] = i
	}
	for i := range r.Devices {
		devices[r.Devices[i].ID] = i
	}
	// A cell that is missing, which Build and Decode do not allow, says nothing.
	t.kinds = append(t.kinds, kind{Cell: Cell{Verdict: compat.NotApplicable, Holds: Nothing}, words: "-"})
	known := map[string]int{}
	var key []byte
	for i := range r.Cells {
		c := &r.Cells[i]
		k, ok := kernels[c.Kernel]
		d, found := devices[c.Device]
		if !ok || !found {
			continue
		}
		key = appendKey(key[:0], c)
		n, ok := known[string(key)]
		if !ok {
			n = len(t.kinds)
			known[string(key)] = n
			t.kinds = append(t.kinds, kind{Cell: *c, words: cellWords(c)})
		}
		t.cells[k*len(r.Devices)+d] = n
	}
	return t
}

// appendKey appends what cells of one kind share.
func appendKey(key []byte, c *Cell) []byte {
	add := func(s string) {
		key = binary.AppendUvarint(key, uint64(len(s)))
		key = append(key, s...)
	}
	add(c.Verdict.String())
	add(string(c.Holds))
	add(string(c.Scope))
	for i := range c.Reasons {
		r := &c.Reasons[i]
		add(r.Rule)
		add(r.Required)
		add(r.Available)
		add(r.Verdict.String())
		if compat.Rule(r.Rule) != compat.NoImage { // whose text has the name of the kernel
			add(r.Text)
		}
	}
	return key
}

// row returns the cells of a kernel.
func (t *table) row(kernel int) []int {
	n := len(t.Devices)
	return t.cells[kernel*n : (kernel+1)*n]
}

func (t *table) cell(kernel, device int) *kind {
	return &t.kinds[t.cells[kernel*len(t.Devices)+device]]
}

// column is devices that share a column of a table.
type column struct {
	devices []int
}

// columns returns a column for each device or, in groups, for each set of
// devices whose cells have the same words for all kernels.
func (t *table) columns(group bool) []column {
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
			for k := range t.Kernels {
				key = binary.LittleEndian.AppendUint32(key, ids[t.cells[k*len(t.Devices)+d]])
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

// mostNames is how many devices of a group stand in the head of its column.
const mostNames = 4

// deviceNames returns the names of devices.
func (t *table) deviceNames(list []int) []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = safetext.Escape(t.Devices[d].Name)
	}
	return names
}

// kernelName returns what a kernel is called in renderings.
func kernelName(k *Kernel) string {
	return cmp.Or(safetext.Escape(k.DisplayName), safetext.Escape(k.Name), safetext.Escape(k.ID))
}

// lambdaPlace returns the place of a kernel that has no name but what compilers call
// lambdas by, such as main::{lambda(sycl::id<1>)#1}, as what a row adds to that.
func lambdaPlace(k *Kernel) string {
	if k.Location.IsZero() || !strings.Contains(k.DisplayName, "{lambda(") {
		return ""
	}
	return " at " + place(k.Location)
}

// KernelTarget returns the label of the report that a kernel of a merged report
// is from, "" for the kernels of any other report. See [Merge].
func KernelTarget(k *Kernel) string {
	label, _ := strings.CutSuffix(k.ID, "#"+k.Name)
	if label == k.ID {
		return ""
	}
	return label
}

// title returns what a report is about.
func (t *table) title() string {
	if t.Target.Label != "" {
		return safetext.Escape(t.Target.Label)
	}
	targets := map[string]bool{}
	for i := range t.Kernels {
		targets[KernelTarget(&t.Kernels[i])] = true
	}
	if len(targets) > 1 {
		return count(len(targets), "target")
	}
	return ""
}

// place returns a place as rows have it, without the column; "" for none.
func place(l srcloc.Location) string {
	if l.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s:%d", safetext.Escape(l.Path), l.Line)
}

// cellWords is what a cell of a table says.
func cellWords(c *Cell) string {
	switch {
	case c.Verdict == compat.Compatible && c.Holds == Native:
		return "yes (native)"
	case c.Verdict == compat.Compatible && c.Holds == NativeOrIR:
		return "yes (native or JIT)"
	case c.Verdict == compat.Compatible:
		return "yes (JIT)"
	case c.Verdict == compat.NotApplicable:
		return "-"
	}
	return verdictWord(c.Verdict) + ": " + briefly(c)
}

// briefly names the reasons of a cell in a few words.
func briefly(c *Cell) string {
	var brief []string
	for _, r := range c.Reasons {
		if s := Brief(r); r.Verdict == c.Verdict && !slices.Contains(brief, s) {
			brief = append(brief, s)
		}
	}
	// That nothing was built follows from what stands before it.
	if len(brief) > 1 {
		brief = slices.DeleteFunc(brief, func(s string) bool { return s == notBuilt })
	}
	const most = 2
	if n := len(brief); n > most {
		brief = append(brief[:most-1:most-1], fmt.Sprintf("%d more", n-most+1))
	}
	return strings.Join(brief, ", ")
}

// verdictWord is how cells and reasons begin.
func verdictWord(s compat.Verdict) string {
	switch s {
	case compat.Compatible:
		return "yes"
	case compat.NotApplicable:
		return "-"
	case compat.Undetermined:
		return "?"
	}
	return "no"
}

// notBuilt is brief for a kernel without an image for a device.
const notBuilt = "not built"

// Brief names what a reason is about in a few words.
func Brief(r Reason) string {
	s := need(r)
	switch compat.Rule(r.Rule) {
	case compat.MissingAspect:
		s = safetext.Escape(r.Required)
	case compat.UnsupportedJointMatrix:
		s = "joint_matrix"
	case compat.FixedTargetMismatch:
		s = "fixed targets"
	case compat.NoImage:
		s = notBuilt
	case NotReported:
		s = "not compared"
	}
	const most = 32
	if width(s) > most {
		s = split(s, most-3)[0] + "..."
	}
	return s
}

// need says what a kernel needs that is the reason.
func need(r Reason) string {
	s := safetext.Escape(r.Required)
	switch compat.Rule(r.Rule) {
	case compat.MissingAspect:
		return "aspect " + s
	case compat.UnsupportedSubGroupSize:
		return "sub-group size " + s
	case compat.UnsupportedWorkGroupSize:
		return "work-group size " + s
	case compat.UnsupportedWorkGroupDims:
		return s + " work-group dimensions"
	case compat.UnsupportedJointMatrix:
		return "joint_matrix " + s
	case compat.FixedTargetMismatch:
		return "one of the targets " + s
	case compat.CompileTargetMismatch:
		return "built for " + s
	case compat.NoImage:
		return "an image that the device can run"
	case NotReported:
		return "a report on the device"
	}
	return s
}

// offer says what a device, or the file for it, has instead.
func offer(r Reason) string {
	switch {
	case r.Available != "":
		return safetext.Escape(r.Available)
	case compat.Rule(r.Rule) == compat.NoImage:
		return "none in the file"
	case compat.Rule(r.Rule) == NotReported:
		return "none"
	case r.Verdict == compat.Undetermined:
		return "not known"
	}
	return "not supported"
}

// sentence says what a reason is, without a stop.
func sentence(r Reason) string {
	switch {
	case compat.Rule(r.Rule) == compat.NoImage:
		return "the file has neither native code for the device nor code that can be compiled for it"
	case compat.Rule(r.Rule) == compat.UnsupportedSubGroupSize && r.Available != "" && r.Verdict == compat.Incompatible:
		return safetext.Escape(r.Text) + ", which offers " + safetext.Escape(r.Available)
	case compat.Rule(r.Rule) == compat.UnsupportedWorkGroupSize && r.Available != "" && r.Verdict == compat.Incompatible:
		return safetext.Escape(r.Text) + ": it is " + safetext.Escape(r.Required) + ", and the device takes " + safetext.Escape(r.Available)
	}
	return strings.TrimSuffix(safetext.Escape(r.Text), ".")
}

// entry is a reason with the kernels and devices that it is about.
type entry struct {
	Reason
	brief, text string
	kernels     []entryKernel
	devices     []int    // none if generic
	generic     bool     // about a target that stands for all devices
	origins     []string // what needs it
	image       bool     // some kernel in the image is the cause, perhaps another one
}

// entryKernel is a kernel, by index, and what it needs if that differs within
// the entry.
type entryKernel struct {
	kernel int
	brief  string
}

// entries returns each distinct reason once, the worst first. What nothing is
// known of for a target that stands for all devices is one entry.
func (t *table) entries() []*entry {
	type key struct{ status, brief, text string }
	var list []*entry
	index := map[key]*entry{}
	get := func(r Reason, brief, text string) *entry {
		k := key{r.Verdict.String(), brief, text}
		e := index[k]
		if e == nil {
			e = &entry{Reason: r, brief: brief, text: text}
			index[k] = e
			list = append(list, e)
		}
		return e
	}
	// Entries are looked up for each kind and generic device, not for each cell.
	byKind := make([][]*entry, len(t.kinds))
	type genericKind struct{ kind, device int }
	byGeneric := map[genericKind][]*entry{}
	generic := make([]bool, len(t.Devices))
	for i, d := range t.Devices {
		generic[i] = d.OpenWorld && len(d.Aspects) == 0 && len(d.SubGroupSizes) == 0
	}
	counted := make([][]Reason, len(t.kinds))
	for i := range t.kinds {
		counted[i] = t.kinds[i].counted()
	}
	find := func(n, device int) []*entry {
		found, ok := byKind[n], byKind[n] != nil
		if generic[device] {
			found, ok = byGeneric[genericKind{n, device}]
		}
		if ok {
			return found
		}
		for _, r := range counted[n] {
			switch {
			case r.Verdict == compat.Undetermined && generic[device]:
				e := get(r, "", fmt.Sprintf("%s stands for devices that are known only when the program runs", safetext.Escape(t.Devices[device].Name)))
				e.generic = true
				found = append(found, e)
			default:
				found = append(found, get(r, Brief(r), sentence(r)))
			}
		}
		if generic[device] {
			byGeneric[genericKind{n, device}] = found
		} else {
			byKind[n] = found
		}
		return found
	}
	devices := map[*entry][]bool{}
	origins := map[*entry]map[string]bool{}
	for k := range t.Kernels {
		kernel := &t.Kernels[k]
		for d, n := range t.row(k) {
			if len(t.kinds[n].Reasons) == 0 {
				continue
			}
			for i, e := range find(n, d) {
				about := entryKernel{kernel: k}
				if e.generic {
					about.brief = Brief(counted[n][i])
				}
				isNew := len(e.kernels) == 0 || e.kernels[len(e.kernels)-1].kernel != k
				if isNew || e.generic && !slices.Contains(e.kernels[len(e.kernels)-1:], about) {
					e.kernels = append(e.kernels, about)
				}
				if e.generic {
					continue
				}
				if devices[e] == nil {
					devices[e] = make([]bool, len(t.Devices))
					origins[e] = map[string]bool{}
				}
				devices[e][d] = true
				if compat.Rule(e.Rule) != compat.MissingAspect {
					continue
				}
				known := false
				for _, o := range kernel.Origins {
					if o.Aspect.Name != e.Required {
						continue
					}
					known = true
					if !isNew {
						break // what it is has been added with the kernel
					}
					if s := originText(kernel, o); !origins[e][s] {
						origins[e][s] = true
						e.origins = append(e.origins, s)
					}
				}
				e.image = e.image || !known && t.kinds[n].Scope == ScopeImage
			}
		}
	}
	for _, e := range list {
		for d, is := range devices[e] {
			if is {
				e.devices = append(e.devices, d)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *entry) int { return int(b.Verdict) - int(a.Verdict) })
	return list
}

// counted returns the reasons of a cell that say something: that nothing was
// built for a device follows from any other.
func (k *kind) counted() []Reason {
	if len(k.Reasons) < 2 {
		return k.Reasons
	}
	return slices.DeleteFunc(slices.Clone(k.Reasons), func(r Reason) bool { return compat.Rule(r.Rule) == compat.NoImage })
}

func originText(k *Kernel, o srcloc.Origin) string {
	s := cmp.Or(safetext.Escape(o.Function), kernelName(k))
	if !o.Location.IsZero() {
		s += " at " + place(o.Location)
	}
	return s
}

// Summary says in one line what a report comes to.
func (r *Report) Summary() string {
	worst := map[string]compat.Verdict{}
	compared := true
	for _, c := range r.Cells {
		if len(c.Reasons) == 1 && c.Reasons[0].Rule == NotReported {
			compared = false
			continue
		}
		if w, ok := worst[c.Kernel]; !ok || c.Verdict > w {
			worst[c.Kernel] = c.Verdict
		}
	}
	n := len(r.Kernels)
	good, unknown := 0, 0
	for _, k := range r.Kernels {
		switch worst[k.ID] {
		case compat.Compatible:
			good++
		case compat.Undetermined:
			unknown++
		}
	}
	every := "every device"
	switch {
	case len(r.Devices) == 1:
		every = safetext.Escape(r.Devices[0].Name)
	case !compared:
		every = "every device that they were compared with"
	}
	var s string
	switch {
	case good == n && n == 1:
		s = "The kernel runs on " + every
	case good == n:
		s = fmt.Sprintf("All %d kernels run on %s", n, every)
	case good == 0 && n == 1:
		s = "The kernel does not run on " + every
	case good == 0:
		s = fmt.Sprintf("None of the %d kernels runs on %s", n, every)
	default:
		s = fmt.Sprintf("%d of %d kernels %s on %s", good, n, plural.Of(good, "runs", "run"), every)
	}
	switch {
	case unknown == n:
		s = fmt.Sprintf("Whether %s on %s is known only when the program runs", plural.Of(n, "the kernel runs", fmt.Sprintf("the %d kernels run", n)), every)
	case unknown > 0:
		more := "more"
		if good == 0 {
			more = "of them"
		}
		s += fmt.Sprintf("; whether %d %s can is known only when the program runs", unknown, more)
	}
	return s + "."
}

func count(n int, what string) string {
	return fmt.Sprintf("%d %s", n, plural.Of(n, what, what+"s"))
}
