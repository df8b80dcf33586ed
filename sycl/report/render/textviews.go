package render

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// Maximum lines of the parts of a text, unless everything is requested. Including the lines between
// them, a text has about 200 lines.
const (
	deviceLines = 30
	tableLines  = 100
	reasonLines = 140

	reasonsOfTable = 50 // for a table of kernels
)

// section writes blocks of lines, at least one and as many as fit in a number of lines. It returns
// the number of omitted blocks and of written lines.
func (t *textWriter) section(lines, blocks int, write func(int)) (left, written int) {
	for i := range blocks {
		if t.o.All {
			write(i)
			continue
		}
		block := t.capture(func() { write(i) })
		if written+len(block) > lines && i > 0 {
			return blocks - i, written
		}
		written += len(block)
		for _, line := range block {
			t.line(line)
		}
	}
	return 0, written
}

// capture returns the lines that a function writes.
func (t *textWriter) capture(write func()) []string {
	outer := t.captured
	t.captured = new([]string)
	write()
	lines := *t.captured
	t.captured = outer
	return lines
}

// hint writes a command that shows omitted parts. It is never wrapped, so it can be copied.
func (t *textWriter) hint(flags ...string) {
	t.line("      " + t.command(flags...))
}

// command returns the command that shows the report, with additional flags.
func (t *textWriter) command(flags ...string) string { return commandWith(t.o.Command, flags...) }

// commandWith returns a command with additional flags.
func commandWith(command string, flags ...string) string {
	command = cmp.Or(command, "compat show REPORT.json")
	for _, f := range flags {
		command += " " + show.ShellQuote(f)
	}
	return command
}

// deviceSummary writes how many kernels each device runs, devices with problems first. If there are
// many devices, devices with the same cells share a line.
func (t *textWriter) deviceSummary() {
	list := t.deviceTallies(len(t.Devices) > deviceLines)
	wide := 0
	for _, d := range list {
		if len(d.devices) == 1 {
			wide = max(wide, show.Width(t.deviceNames(d.devices)[0]))
		}
	}
	left, _ := t.section(deviceLines, len(list), func(i int) {
		names := t.deviceNames(list[i].devices)
		if len(names) == 1 {
			t.line(names[0] + ":" + strings.Repeat(" ", max(0, wide-show.Width(names[0]))) + " " + list[i].deviceText())
			return
		}
		text := strings.Join(names, ", ")
		if !t.o.All {
			text = show.List(names, "devices")
		}
		t.wrap(fmt.Sprintf("%s: %s", text, list[i].deviceText()), "    ")
	})
	if left > 0 {
		t.line(fmt.Sprintf("%s with fewer problems:", safetext.Plural(left, "1 more line", fmt.Sprintf("%d more lines", left))))
		t.hint("--all")
	}
}

// A deviceTally holds devices with the same cells.
type deviceTally struct {
	column
	tally
}

// deviceTallies returns the devices, most problems first.
func (t *table) deviceTallies(group bool) (list []deviceTally) {
	kernels := make([]int, len(t.Rows))
	for i := range t.Kernels {
		kernels[t.Kernels[i].Row]++
	}
	for _, c := range t.columns(group, t.Rows) {
		list = append(list, deviceTally{column: c, tally: t.tallyOf(c.devices[0], kernels)})
	}
	slices.SortStableFunc(list, func(a, b deviceTally) int { return a.compare(b.tally) })
	return list
}

// tallyOf counts the kernels on a device by status, given the number of kernels of each pattern.
func (t *table) tallyOf(device int, ofPattern []int) (n tally) {
	for p, kernels := range ofPattern {
		if k := &t.kinds[t.Rows[p][device]]; !k.IsUnreported() {
			n.add(k.Status, kernels)
		}
	}
	return n
}

// byReason writes the reasons with their kernels, in at most lines lines. A third of the lines are
// for undetermined kernels.
func (t *textWriter) byReason(lines int) {
	groups := t.reasonGroups()
	open := slices.IndexFunc(groups, func(g *entry) bool { return g.Status != compat.Incompatible })
	room := lines - lines/3
	if open < 0 {
		open, room = len(groups), lines
	}
	used := t.reasonSection(room, groups[:open], compat.Incompatible)
	t.reasonSection(lines-used, groups[open:], compat.Undetermined)
	if t.o.All && t.by == ByReason {
		t.goodKernels()
	}
}

func (t *textWriter) reasonSection(lines int, groups []*entry, worst compat.Status) (written int) {
	left, written := t.section(lines, len(groups), func(i int) {
		t.line("")
		t.reasonGroup(groups[i])
	})
	if left > 0 {
		t.line("")
		t.line(fmt.Sprintf("%s with fewer kernels:", safetext.Count(left, "more reason")))
		t.hint("--group-by", "reason", "--all", "--status", worst.String())
	}
	return written
}

func (t *textWriter) reasonGroup(g *entry) {
	word := statusWord(g.Status)
	head := t.wrapped(fmt.Sprintf("%s: %s. [%s]", word, g.sentence(t.table, plain), safetext.Escape(string(g.Rule))), "    ")
	head[0] = t.style(styleOf(word), word) + strings.TrimPrefix(head[0], word)
	for _, line := range head {
		t.line(line)
	}
	t.causes(g)
	if t.o.All {
		if t.by == ByReason { // otherwise they are in the table
			for _, k := range g.kernels {
				t.line("    " + t.listed(k))
			}
		}
		return
	}
	families := t.families(g.kernels)
	shown := 0
	if len(families) == 1 || len(g.kernels) <= show.MostListed {
		for _, k := range g.kernels[:min(len(g.kernels), show.MostListed)] {
			t.line("    " + t.listed(k))
			shown++
		}
	} else {
		wide := len(fmt.Sprint(families[0].kernels))
		for _, f := range families[:min(len(families), show.MostListed)] {
			t.line(fmt.Sprintf("    %*d %s  %s", wide, f.kernels, safetext.Plural(f.kernels, "kernel ", "kernels"), t.familyName(&f)))
			shown += f.kernels
		}
	}
	if left := len(g.kernels) - shown; left > 0 {
		more := fmt.Sprintf("    %s", safetext.Count(left, "more kernel"))
		if n := len(families) - show.MostListed; n > 0 {
			more += fmt.Sprintf(" with %s", safetext.Count(n, "other name"))
		}
		t.line(more + ":")
		t.hint(append(g.flags(), "--group-by", "name")...)
	}
}

// flags returns the flags that select the kernels of a group.
func (g *entry) flags() []string {
	flags := []string{"--status", g.Status.String(), "--rules", string(g.Rule)}
	if g.Rule != compat.NoImage && g.Rule != report.NotReported {
		flags = append(flags, "--needs", g.Required)
	}
	return flags
}

// causes writes the causes of a group's aspect requirement.
func (t *textWriter) causes(g *entry) {
	if g.Rule != compat.MissingAspect {
		return
	}
	most := 2
	if t.o.All {
		most = math.MaxInt
	}
	list, n := t.origins(g.kernels, g.Required, most, !t.o.All)
	if n == 0 {
		return
	}
	s := strings.Join(list, ", ")
	if left := n - len(list); left > 0 {
		s += fmt.Sprintf(" and %s", safetext.Count(left, "more function"))
	}
	t.wrap("    Used by "+s+".", "    ")
}

// listed returns the name of a kernel for a list, with its source location.
func (t *table) listed(k int) string {
	kernel := t.kernel(k)
	s := t.shortName(k)
	if label := t.Target(kernel); label != "" {
		s += " of " + safetext.Escape(label)
	}
	if !kernel.Location.IsZero() {
		s += " (" + show.Place(kernel.Location) + ")"
	}
	return s
}

// familyName returns the pattern that selects the kernels of a family, or the name of a single
// kernel.
func (t *table) familyName(f *family) string {
	if f.kernels == 1 {
		return t.listed(f.first)
	}
	return safetext.Escape(stemPattern(f.stem))
}

// goodKernels writes a list of the kernels that run on every device.
func (t *textWriter) goodKernels() {
	first := true
	for k := range t.Kernels {
		if t.worstStatus(t.Kernels[k].Row) != compat.Compatible {
			continue
		}
		if first {
			t.line("")
			t.line("Kernels that run on every device:")
			first = false
		}
		t.line("    " + t.listed(k))
	}
}

// A textRow is a table row: kernels with the same cells.
type textRow struct {
	heading string // for this row and the following ones
	name    string
	pattern int32
	kernel  int
}

// order is the display order of kernels: problems first.
var order = []compat.Status{compat.Incompatible, compat.Undetermined, compat.NotApplicable, compat.NoStatus, compat.Compatible}

// kernelRows returns one row per kernel.
func (t *textWriter) kernelRows() iter.Seq[textRow] {
	return func(yield func(textRow) bool) {
		standings := t.worstStatuses()
		shown := order
		if !t.o.All {
			shown = order[:len(order)-1]
		}
		for _, v := range shown {
			for k := range t.Kernels {
				kernel := &t.Kernels[k]
				if standings[kernel.Row] != v {
					continue
				}
				if !yield(textRow{safetext.Escape(t.Target(kernel)), t.rowName(k), kernel.Row, k}) {
					return
				}
			}
		}
	}
}

func (t *table) rowName(k int) string { return t.shortName(k) + nameSuffix(t.kernel(k)) }

func (t *table) worstStatuses() []compat.Status {
	list := make([]compat.Status, len(t.Rows))
	for p := range t.Rows {
		list[p] = t.worstStatus(int32(p))
	}
	return list
}

// large writes a report that is too large for a table of all kernels.
func (t *textWriter) large() {
	t.by = t.o.GroupBy
	if t.by == "" {
		t.by = t.defaultGrouping()
	}
	t.heading()
	t.wrap(t.summary(plain), "")
	t.line("")
	t.deviceSummary()
	t.gpuLegend()
	switch t.by {
	case ByReason:
		t.byReason(reasonLines)
	case ByKernel:
		t.line("")
		t.rowTable(t.kernelRows())
		t.byReason(reasonsOfTable)
	default:
		t.byGroup()
	}
	t.footer()
}

// defaultGrouping returns the default grouping of kernels: ByKernel if a table of the kernels with
// problems is short.
func (t *textWriter) defaultGrouping() GroupBy {
	if t.o.All {
		return ByKernel
	}
	standings := t.worstStatuses()
	n := 0
	for i := range t.Kernels {
		if standings[t.Kernels[i].Row] != compat.Compatible {
			n++
		}
	}
	if n > smallKernels {
		return ByReason
	}
	patterns := t.patternsOf(t.firstRows(t.kernelRows(), smallKernels))
	columns := t.textColumns(true, patterns)
	t.shorten(columns, patterns)
	if len(t.rowTables(columns)) > 1 {
		return ByReason
	}
	return ByKernel
}

// byGroup writes groups of kernels, with kernels with the same cells together.
func (t *textWriter) byGroup() {
	groups := t.groups(t.by)
	good := 0
	if !t.o.All {
		for n := len(groups); n > 0 && groups[n-1].problems+groups[n-1].open == 0; n-- {
			groups = groups[:n-1]
			good++
		}
	}
	standings := t.worstStatuses()
	left, _ := t.section(reasonLines, len(groups), func(i int) {
		t.line("")
		t.group(groups[i], standings)
	})
	what := map[GroupBy]string{ByName: "name", BySource: "source", ByFile: "file"}[t.by]
	if left > 0 {
		t.line("")
		t.line(safetext.Count(left, "more "+what) + " with fewer problems:")
		t.hint("--group-by", string(t.by), "--all")
	}
	if good > 0 {
		t.line("")
		t.line(safetext.Count(good, "more "+what) + " with kernels that all run on every device:")
		t.hint("--group-by", string(t.by), "--all")
	}
	if len(groups) > 0 && !t.o.All && groups[0].value != "" {
		t.line("")
		t.line("The kernels of one " + what + ":")
		t.hint(t.groupFlags(groups[0])...)
	}
}

// groupFlags returns the flags that select a group.
func (t *textWriter) groupFlags(g *group) []string {
	switch t.by {
	case ByName:
		return []string{"--kernels", stemPattern(g.value), "--group-by", "kernel"}
	case BySource:
		return []string{"--sources", g.value, "--group-by", "kernel"}
	}
	return []string{"--files", g.value, "--group-by", "kernel"}
}

// group writes a group of kernels.
func (t *textWriter) group(g *group, standings []compat.Status) {
	t.line(t.style(bold, g.title) + ": " + g.groupText())
	pattern := func(k int) int32 { return t.Kernels[k].Row }
	same := show.Group(g.kernels, pattern)
	slices.SortStableFunc(same, func(a, b []int) int {
		return cmp.Or(cmp.Compare(slices.Index(order, standings[pattern(a[0])]), slices.Index(order, standings[pattern(b[0])])), cmp.Compare(len(b), len(a)))
	})
	const most = 5
	others := 0
	for i, kernels := range same {
		switch p := pattern(kernels[0]); {
		case !t.o.All && standings[p] == compat.Compatible: // the heading includes their number
		case !t.o.All && i >= most:
			others += len(kernels)
		default:
			t.sameCells(p, kernels)
		}
	}
	if others > 0 {
		t.line("    " + safetext.Count(others, "more kernel") + " with other problems")
	}
}

// sameCells writes kernels with the same cells.
func (t *textWriter) sameCells(pattern int32, kernels []int) {
	if !t.o.All && len(kernels) == 1 {
		t.line("    " + t.listed(kernels[0]))
		t.wrap("        "+t.cellsOf(pattern), "        ")
		return
	}
	t.wrap(fmt.Sprintf("    %s: %s", safetext.Count(len(kernels), "kernel"), t.cellsOf(pattern)), "        ")
	switch {
	case t.o.All:
		for _, k := range kernels {
			t.line("        " + t.listed(k))
		}
	case t.by != ByName:
		families := t.families(kernels)
		const most = 3
		for _, f := range families[:min(len(families), most)] {
			t.line("        " + t.familyName(&f))
		}
		if left := len(families) - most; left > 0 {
			t.line("        " + safetext.Count(left, "other name"))
		}
	}
}

// cellsOf returns the text of the cells of a pattern, with their devices. It omits cells without a
// problem, unless everything is requested.
func (t *textWriter) cellsOf(pattern int32) string {
	row := t.Rows[pattern]
	devices := make([]int, len(row))
	for d := range row {
		devices[d] = d
	}
	same := show.Group(devices, func(d int) string { return t.kinds[row[d]].words })
	var list []string
	statuses := []compat.Status{compat.Incompatible, compat.Undetermined, compat.NotApplicable, compat.Compatible}
	if !t.o.All {
		statuses = statuses[:3]
	}
	for _, v := range statuses {
		for _, on := range same {
			if words := t.kinds[row[on[0]]].words; strings.HasPrefix(words, statusWord(v)) {
				list = append(list, words+" on "+show.List(t.deviceNames(on), "devices"))
			}
		}
	}
	return strings.Join(list, "; ")
}

// rowTable writes a table in which the names are at the end of the lines, so they need not be
// shortened.
func (t *textWriter) rowTable(rows iter.Seq[textRow]) {
	if t.o.All {
		columns := t.textColumns(true, t.Rows)
		legend := t.shorten(columns, t.Rows)
		t.rowBlocks([][]textColumn{columns}, rows)
		t.legend(legend)
		return
	}
	list := t.firstRows(rows, tableLines)
	if len(list) == 0 {
		return
	}
	patterns := t.patternsOf(list)
	columns := t.textColumns(true, patterns)
	legend := t.shorten(columns, patterns)
	tables := t.rowTables(columns)
	const mostTables = 8
	otherDevices := 0
	for _, table := range tables[min(len(tables), mostTables):] {
		for _, c := range table {
			otherDevices += len(c.devices)
		}
	}
	tables = tables[:min(len(tables), mostTables)]
	list = list[:min(len(list), tableLines/len(tables))]
	t.rowBlocks(tables, slices.Values(list))
	t.legend(legend)
	otherKernels := -len(list)
	for range rows {
		otherKernels++
	}
	var left []string
	if otherKernels > 0 {
		left = append(left, safetext.Count(otherKernels, "more kernel")+" with problems")
	}
	if otherDevices > 0 {
		left = append(left, safetext.Count(otherDevices, "more device"))
	}
	if left != nil {
		t.line("")
		t.line(strings.Join(left, " and ") + ":")
		t.hint("--all", "--group-by", string(t.by))
	}
}

// rowTables divides columns into tables with space for names.
func (t *textWriter) rowTables(columns []textColumn) [][]textColumn {
	return t.blocks(min(30, t.o.Width/3), columns)
}

func (t *textWriter) rowBlocks(tables [][]textColumn, rows iter.Seq[textRow]) {
	for i, columns := range tables {
		if i > 0 {
			t.line("")
		}
		t.rowBlock(columns, rows)
	}
}

// firstRows returns the first few rows.
func (t *textWriter) firstRows(rows iter.Seq[textRow], most int) (list []textRow) {
	for row := range rows {
		if len(list) == most {
			break
		}
		list = append(list, row)
	}
	return list
}

// patternsOf returns the patterns of rows.
func (t *textWriter) patternsOf(rows []textRow) (patterns [][]int32) {
	seen := map[int32]bool{}
	for _, row := range rows {
		if !seen[row.pattern] {
			seen[row.pattern] = true
			patterns = append(patterns, t.Rows[row.pattern])
		}
	}
	return patterns
}

func (t *textWriter) rowBlock(columns []textColumn, rows iter.Seq[textRow]) {
	heads := headRows(columns)
	for i, row := range heads {
		name := ""
		if i == len(heads)-1 {
			name = nameHead
		}
		t.cellsThenName(columns, row, name, false)
	}
	heading := ""
	for r := range rows {
		if r.heading != heading {
			heading = r.heading
			t.wrap(heading, "  ")
		}
		t.cellsThenName(columns, t.words(columns, r.pattern), r.name, true)
		t.forms(r.kernel, strings.Repeat(" ", total(columns)+gap))
	}
}

// forms writes the forms of a kernel, if requested.
func (t *textWriter) forms(k int, indent string) {
	if t.o.Forms || t.o.All {
		for _, form := range forms(t.kernel(k)) {
			t.line(indent + form)
		}
	}
}

func (t *textWriter) cellsThenName(columns []textColumn, row []string, name string, styled bool) {
	t.line(strings.TrimRight(t.cells(columns, row, styled)+strings.Repeat(" ", gap)+name, " "))
}

// footer writes the result, and the commands that show more.
func (t *textWriter) footer() {
	t.legendOfTwoKinds()
	t.images()
	if t.o.All {
		return
	}
	t.line("")
	t.wrap("In names, * matches any text. --kernels 'NAME' selects the kernels with this name.", "")
	t.line("To show all kernels, including kernels that run on every device, or other groups:")
	t.hint("--all")
	for _, g := range t.groupings() {
		if g != t.by {
			t.hint("--group-by", string(g))
		}
	}
}
