package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// ChangeOptions configure how a difference is written.
type ChangeOptions struct {
	All      bool   // one line per change, even if there are many
	Old, New string // names of the compared reports
	Command  string // the command that compares them
}

// mostChanges is the maximum number of changes that are printed with one line each. If there are
// more, they are grouped.
const mostChanges = 40

const (
	mostRows  = 8 // per section of groups
	mostStems = 3 // names per group
)

// A ChangeSection holds the kernels with one kind of change, in groups.
type ChangeSection struct {
	Kind    string // see [gate.Change]
	Title   string
	Kernels int
	Rows    []ChangeRow // largest first
	all     bool        // show all rows
}

// ShownRows returns the rows of the section that are shown.
func (s ChangeSection) ShownRows() []ChangeRow {
	if s.all {
		return s.Rows
	}
	return s.Rows[:min(len(s.Rows), mostRows)]
}

// OmittedRows returns the number of omitted rows.
func (s ChangeSection) OmittedRows() int { return len(s.Rows) - len(s.ShownRows()) }

// omittedKernels returns the number of kernels in omitted rows.
func (s ChangeSection) omittedKernels() (n int) {
	for _, r := range s.Rows[len(s.ShownRows()):] {
		n += r.Kernels
	}
	return n
}

// sections returns the sections of a difference.
func (o ChangeOptions) sections(d *gate.Difference) []ChangeSection {
	list := ChangeSections(d)
	for i := range list {
		list[i].all = o.All
	}
	return list
}

// A ChangeRow is a group of kernels that change in the same way.
type ChangeRow struct {
	Kernels int
	What    string   // the kind of change; "" if the names suffice
	Devices []string // affected devices; empty for all
	Names   []string // common name prefixes, most kernels first
	stems   map[string]int
}

// FirstNames returns the first names of a row.
func (r ChangeRow) FirstNames() string { return safetext.JoinFirst(r.Names, mostStems) }

// ChangeSections groups the changes of kernels: status changes by statuses and devices, and added
// or removed kernels by problems and names. It escapes names.
func ChangeSections(d *gate.Difference) (list []ChangeSection) {
	byKind := map[string][]gate.Change{}
	for _, c := range d.Changes {
		if c.Kernel != "" {
			byKind[c.Kind] = append(byKind[c.Kind], c)
		}
	}
	for _, kind := range []string{"lost", "removed", "changed", "gained", "renamed", "added"} {
		s := ChangeSection{Kind: kind, Title: show.UpperFirst(kind)}
		switch changes := byKind[kind]; kind {
		case "renamed":
			s.Kernels = len(changes)
			for _, r := range d.Renames {
				s.Rows = append(s.Rows, ChangeRow{Kernels: r.Kernels, What: renaming(r)})
			}
		case "removed", "added":
			s.Kernels = len(changes)
			s.Rows = presenceRows(changes)
		default:
			s.Kernels, s.Rows = statusRows(changes)
		}
		if s.Kernels > 0 {
			list = append(list, s)
		}
	}
	return list
}

func renaming(r gate.Renaming) string {
	switch r.What {
	case gate.RenamedSymbol:
		return "same names, different symbols"
	case gate.RenamedTarget:
		return fmt.Sprintf("from %s to %s", safetext.Escape(r.From), safetext.Escape(r.To))
	}
	from, to := strings.Split(r.From, ", "), strings.Split(r.To, ", ")
	if r.What == gate.RenamedKernel || len(from) != len(to) {
		from, to = []string{r.From}, []string{r.To}
	}
	var list []string
	for i := range from {
		list = append(list, safetext.Escape(from[i])+" → "+safetext.Escape(to[i]))
	}
	return r.What + " " + strings.Join(list, ", ")
}

// statusRows groups kernels by how their statuses change and on which devices.
func statusRows(changes []gate.Change) (kernels int, rows []ChangeRow) {
	g := rowGrouper{at: map[string]*ChangeRow{}}
	list := byKernel(changes)
	for _, changes := range list {
		ways, devices := groupByChange(changes)
		for _, way := range ways {
			g.add(&changes[0], strings.TrimPrefix(way, ": "), devices[way])
		}
	}
	return len(list), g.sorted()
}

// presenceRows groups added or removed kernels by the devices that they run on and by problems.
func presenceRows(changes []gate.Change) []ChangeRow {
	g := rowGrouper{at: map[string]*ChangeRow{}}
	for i := range changes {
		c := &changes[i]
		var devices []string
		worst := compat.NoStatus
		for _, s := range c.Statuses {
			worst = max(worst, s.Status)
		}
		if worst == compat.Compatible || worst == compat.NoStatus {
			g.add(c, "", nil)
			continue
		}
		for _, s := range c.Statuses {
			if s.Status == worst {
				devices = append(devices, safetext.Escape(s.Device))
			}
		}
		g.add(c, statusText(worst, slices.Concat(c.OldReasons, c.NewReasons)), devices)
	}
	return g.sorted()
}

type rowGrouper struct {
	rows []*ChangeRow
	at   map[string]*ChangeRow
}

func (g *rowGrouper) add(c *gate.Change, what string, devices []string) {
	key := what + "\x00" + strings.Join(devices, "\x00")
	r := g.at[key]
	if r == nil {
		r = &ChangeRow{What: what, Devices: devices, stems: map[string]int{}}
		g.at[key] = r
		g.rows = append(g.rows, r)
	}
	r.Kernels++
	stem, arguments := kernelname.Stem(c.Kernel)
	if arguments != "" {
		stem += arguments[:1] + "..."
	}
	r.stems[safetext.Escape(stem)]++
}

func (g *rowGrouper) sorted() (list []ChangeRow) {
	for _, r := range g.rows {
		r.Names = slices.SortedFunc(maps.Keys(r.stems), func(a, b string) int {
			return cmp.Or(cmp.Compare(r.stems[b], r.stems[a]), safetext.CompareNatural(a, b))
		})
		for i, name := range r.Names {
			if n := r.stems[name]; n > 1 {
				r.Names[i] = fmt.Sprintf("%s (%d)", name, n)
			}
		}
		list = append(list, *r)
	}
	slices.SortStableFunc(list, func(a, b ChangeRow) int {
		return cmp.Or(cmp.Compare(b.Kernels, a.Kernels), strings.Compare(a.What, b.What), slices.Compare(a.Devices, b.Devices))
	})
	return list
}

// Share returns how many of the kernels run on a device as text, or "-" for an absent device.
func Share(counts map[compat.Status]int) string {
	if counts == nil {
		return "-"
	}
	all := 0
	for _, n := range counts {
		all += n
	}
	return fmt.Sprintf("%d of %d", counts[compat.Compatible], all)
}

// deviceRows returns the rows of the device table, including the header.
func deviceRows(d *gate.Difference) [][]string {
	rows := [][]string{{"Device", "Ran", "Runs", "Lost", "Gained"}}
	for _, c := range d.Devices {
		rows = append(rows, []string{safetext.Escape(c.Device), Share(c.Old), Share(c.New), fmt.Sprint(c.Lost), fmt.Sprint(c.Gained)})
	}
	return rows
}

// changeTitle returns a line with the names of the compared reports and their differences.
func changeTitle(d *gate.Difference, o ChangeOptions) string {
	var parts []string
	for _, c := range d.Devices {
		if c.New == nil {
			parts = append(parts, "device "+safetext.Escape(c.Device)+" is gone")
		}
	}
	for _, c := range d.Devices {
		if c.Old == nil {
			parts = append(parts, "device "+safetext.Escape(c.Device)+" is new")
		}
	}
	for _, s := range ChangeSections(d) {
		parts = append(parts, fmt.Sprintf("%s %s", safetext.Count(s.Kernels, "kernel"), s.Kind))
	}
	if len(parts) == 0 {
		parts = []string{"no change"}
	}
	return fmt.Sprintf("%s → %s: %s", safetext.Escape(o.Old), safetext.Escape(o.New), strings.Join(parts, ", "))
}

// changeGroups prints a difference in groups.
func changeGroups(w io.Writer, d *gate.Difference, o ChangeOptions) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", changeTitle(d, o))
	if err := show.WriteTable(out, deviceRows(d)); err != nil {
		return err
	}
	for _, s := range ChangeSections(d) {
		fmt.Fprintf(out, "\n%s: %s\n", s.Title, safetext.Count(s.Kernels, "kernel"))
		for _, r := range s.ShownRows() {
			fmt.Fprintf(out, "%7d  %s\n", r.Kernels, r.Words())
			if len(r.Names) > 0 {
				fmt.Fprintf(out, "         %s\n", r.FirstNames())
			}
		}
		if n := s.OmittedRows(); n > 0 {
			fmt.Fprintf(out, "%7d  in %d more %s\n", s.omittedKernels(), n, safetext.Plural(n, "group", "groups"))
		}
	}
	if o.Command != "" {
		fmt.Fprintf(out, "\nTo list each change, run %s --all, or use --format json\n", o.Command)
	}
	return out.Flush()
}

// Words returns a description of how and where the kernels of a row change.
func (r ChangeRow) Words() string {
	if len(r.Devices) == 0 {
		if r.What == "" && len(r.Names) > 0 {
			return "compatible on every device"
		}
		return r.What
	}
	return safetext.JoinFirst(r.Devices, 4) + ": " + r.What
}

// cells returns the cells of a row in Markdown: number of kernels, kind of change and names.
func (r ChangeRow) cells() string {
	names := ""
	if len(r.Names) > 0 {
		names = safetext.TableCell(safetext.CodeSpan(r.FirstNames()))
	}
	return fmt.Sprintf("%d | %s | %s", r.Kernels, safetext.TableCell(safetext.CodeSpan(r.Words())), names)
}

// ChangesMarkdown writes a difference for a summary or a comment.
func ChangesMarkdown(w io.Writer, d *gate.Difference, o ChangeOptions) error {
	out := bufio.NewWriter(w)
	if len(d.Changes) == 0 {
		fmt.Fprintf(out, "%s → %s: no change\n", safetext.CodeSpan(safetext.Escape(o.Old)), safetext.CodeSpan(safetext.Escape(o.New)))
		return out.Flush()
	}
	fmt.Fprintf(out, "### %s → %s\n\n", safetext.CodeSpan(safetext.Escape(o.Old)), safetext.CodeSpan(safetext.Escape(o.New)))
	for i, row := range deviceRows(d) {
		if i > 0 {
			row[0] = safetext.TableCell(safetext.CodeSpan(row[0]))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			out.WriteString("|---|--:|--:|--:|--:|\n")
		}
	}
	for _, s := range o.sections(d) {
		fmt.Fprintf(out, "\n**%s**: %s\n\n| Kernels | What | Names |\n|--:|---|---|\n", s.Title, safetext.Count(s.Kernels, "kernel"))
		for _, r := range s.ShownRows() {
			fmt.Fprintf(out, "| %s |\n", r.cells())
		}
		if n := s.OmittedRows(); n > 0 {
			fmt.Fprintf(out, "| %d | in %d more %s | |\n", s.omittedKernels(), n, safetext.Plural(n, "group", "groups"))
		}
	}
	return out.Flush()
}
