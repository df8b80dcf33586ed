package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// TextOptions configure how a report is printed.
type TextOptions struct {
	Width   int     // of the terminal; default 80
	Color   bool    // whether to color words with escape sequences
	GroupBy GroupBy // default depends on the size of the report
	All     bool    // omit nothing
	Forms   bool    // list the forms of each kernel in tables, like All

	// Whole is the whole report if the printed report is a part of it. A shortened name then selects a
	// single kernel of the whole report.
	Whole *report.Report

	// Command is a shell command that shows this report. If the text omits parts, it states the flags
	// of this command that show them. The default is a command for REPORT.json.
	Command string
}

// Text prints a report. A report on up to 40 kernels is a table of kernels and devices, the reasons
// as sentences, and the result in one line. A larger report has about 200 lines, unless everything
// is requested: how many kernels each device runs, and the kernels with problems in groups. It
// states what is omitted, and the command that prints it.
//
// If the table of a small report is wider than the terminal, devices with the same cells share a
// column. Columns that still do not fit are in further tables below.
func Text(w io.Writer, r *report.Report, o TextOptions) error {
	t := textWriter{w: bufio.NewWriter(w), table: newTable(r), o: o}
	t.whole = o.Whole
	if t.o.Width <= 0 {
		t.o.Width = 80
	}
	t.write()
	return t.w.Flush()
}

// eitherText explains the cells for kernels with two kinds of code.
const eitherText = "native or JIT: the file has native code and SPIR-V for the device, and the runtime may use either. " +
	"Set the attribute ir of sycl_binary to make it use native code."

type textWriter struct {
	*table
	w        *bufio.Writer
	captured *[]string // receives lines while they are counted
	o        TextOptions
	names    []string // of the kernels of a small report
	by       GroupBy  // how the kernels of a large report are grouped
}

// line writes a line.
func (t *textWriter) line(s string) {
	if t.captured != nil {
		*t.captured = append(*t.captured, s)
		return
	}
	t.w.WriteString(s)
	t.w.WriteByte('\n')
}

// A textColumn is a table column with its width. The first column has names.
type textColumn struct {
	column
	head  []string // one element per line
	width int
}

// Maximum size of a report that is printed entirely, as a table.
const (
	smallKernels = 40
	smallLines   = 120
)

func (t *textWriter) write() {
	if len(t.Kernels) == 0 || len(t.Devices) == 0 {
		t.heading()
		t.line(fmt.Sprintf("There is nothing to compare: %s and %s.", safetext.Count(len(t.Kernels), "kernel"), safetext.Count(len(t.Devices), "device")))
		return
	}
	if t.o.GroupBy == "" && !t.o.All && len(t.Kernels) <= smallKernels {
		if lines := t.capture(t.small); len(lines) <= smallLines {
			for _, line := range lines {
				t.line(line)
			}
			return
		}
	}
	t.large()
}

// heading writes the subject of the report.
func (t *textWriter) heading() {
	if title := t.title(); title != "" {
		t.line(t.style(bold, title))
		t.line("")
	}
}

// small writes a table of all kernels and the reasons.
func (t *textWriter) small() {
	t.heading()
	names := t.nameColumn()
	columns := t.textColumns(false, t.Rows)
	legend := []string(nil)
	if names.width+total(columns) > t.o.Width {
		columns = t.textColumns(true, t.Rows)
		legend = t.shorten(columns, t.Rows)
	}
	names.width = t.nameWidth(names, columns)
	for i, block := range t.blocks(names.width, columns) {
		if i > 0 {
			t.line("")
		}
		t.block(names, block)
	}
	t.legend(legend)
	t.gpuLegend()
	entries := t.reasons()
	if len(entries) > 0 {
		t.line("")
	}
	for _, e := range entries {
		t.entry(e)
	}
	t.legendOfTwoKinds()
	t.images()
	t.line("")
	t.wrap(t.summary(plain), "")
}

// legend writes lines that explain the columns named by letters.
func (t *textWriter) legend(lines []string) {
	if lines != nil {
		t.line("")
	}
	for _, line := range lines {
		t.wrap(line, "     ")
	}
}

// gpuLegend writes the marketing names of devices.
func (t *textWriter) gpuLegend() {
	if line := t.gpus(plain); line != "" {
		t.line("")
		t.wrap(line, "    ")
	}
}

// legendOfTwoKinds writes an explanation of the cells for kernels with two kinds of code.
func (t *textWriter) legendOfTwoKinds() {
	if slices.ContainsFunc(t.kinds, func(k kind) bool { return k.Code == report.NativeOrIR }) {
		t.line("")
		t.wrap(eitherText, "    ")
	}
}

// images writes the options and the specialization constants of images.
func (t *textWriter) images() {
	most := mostConstants
	if t.o.All {
		most = 0
	}
	options, constants := optionSentences(t.Report, plain), t.constantLines(most, plain)
	if len(options)+len(constants) > 0 {
		t.line("")
	}
	for _, line := range options {
		t.wrap(line+".", "    ")
	}
	if len(constants) > 0 {
		t.line(constantsTitle + ":")
	}
	for _, line := range constants {
		t.wrap("    "+line+".", "        ")
	}
}

const gap = 2

func total(columns []textColumn) int {
	n := 0
	for _, c := range columns {
		n += gap + c.width
	}
	return n
}

// blocks divides the columns into tables that fit the terminal.
func (t *textWriter) blocks(nameWidth int, columns []textColumn) [][]textColumn {
	var list [][]textColumn
	for len(columns) > 0 {
		n, width := 0, nameWidth
		for n < len(columns) && (n == 0 || width+gap+columns[n].width <= t.o.Width) {
			width += gap + columns[n].width
			n++
		}
		list = append(list, columns[:n])
		columns = columns[n:]
	}
	return list
}

// nameWidth returns the width of the name column: the width of the names, or less if that saves
// tables. Longer names continue on the next line.
func (t *textWriter) nameWidth(names textColumn, columns []textColumn) int {
	const least = 20
	best := min(names.width, max(least, t.o.Width*2/5))
	blocks := len(t.blocks(best, columns))
	for w := best - 1; w >= least; w-- {
		if n := len(t.blocks(w, columns)); n < blocks {
			best, blocks = w, n
		}
	}
	return best
}

const nameHead = "KERNEL"

func (t *textWriter) nameColumn() textColumn {
	c := textColumn{head: []string{nameHead}, width: len(nameHead)}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		name := kernelName(k) + nameSuffix(k)
		t.names = append(t.names, name)
		c.width = max(c.width, show.Width(name))
	}
	return c
}

// textColumns returns one column per device or, with group set, per set of devices with the same
// cells.
func (t *textWriter) textColumns(group bool, patterns [][]int32) []textColumn {
	var list []textColumn
	for _, c := range t.columns(group, patterns) {
		list = append(list, textColumn{column: c, head: t.deviceNames(c.devices)})
		t.measure(&list[len(list)-1], patterns)
	}
	return list
}

func (t *textWriter) measure(c *textColumn, patterns [][]int32) {
	c.width = 0
	for _, s := range c.head {
		c.width = max(c.width, show.Width(s))
	}
	for _, row := range patterns {
		c.width = max(c.width, show.Width(t.kinds[row[c.devices[0]]].words))
	}
}

// shorten replaces the headers of columns with many devices by letters, which the legend explains.
func (t *textWriter) shorten(columns []textColumn, patterns [][]int32) (legend []string) {
	for i, c := range columns {
		if len(c.head) > mostNames {
			name := "GROUP " + groupName(len(legend))
			names := strings.Join(c.head, ", ")
			if t.by != "" && !t.o.All {
				names = show.List(c.head, "devices")
			}
			legend = append(legend, name+": "+names)
			columns[i].head = []string{name, fmt.Sprintf("(%d devices)", len(c.head))}
			t.measure(&columns[i], patterns)
		}
	}
	return legend
}

func (t *textWriter) block(names textColumn, columns []textColumn) {
	for _, row := range headRows(append([]textColumn{names}, columns...)) {
		t.row(names, columns, row[0], row[1:], false)
	}
	target := ""
	for k := range t.Kernels {
		kernel := &t.Kernels[k]
		if label := t.Target(kernel); label != target {
			target = label
			t.wrap(safetext.Escape(label), "  ")
		}
		parts := splitName(t.names[k], names.width)
		if n := len(parts); n > mostLines {
			parts = append(parts[:mostLines-2:mostLines-2], "...", parts[n-1])
		}
		t.row(names, columns, parts[0], t.words(columns, kernel.Row), true)
		for _, part := range parts[1:] {
			t.line("  " + part)
		}
		t.forms(k, "  ")
	}
}

// mostLines is the maximum number of lines of a name. The middle of longer names is omitted.
const mostLines = 6

// headRows returns the header rows, aligned to the bottom.
func headRows(columns []textColumn) [][]string {
	lines := 1
	for _, c := range columns {
		lines = max(lines, len(c.head))
	}
	rows := make([][]string, lines)
	for _, c := range columns {
		head := append(make([]string, lines-len(c.head)), c.head...)
		for line := range rows {
			rows[line] = append(rows[line], head[line])
		}
	}
	return rows
}

// words returns the text in the cells of a pattern.
func (t *textWriter) words(columns []textColumn, pattern int32) (row []string) {
	for _, c := range columns {
		row = append(row, t.kinds[t.Rows[pattern][c.devices[0]]].words)
	}
	return row
}

// row writes a name followed by the cells.
func (t *textWriter) row(names textColumn, columns []textColumn, name string, row []string, styled bool) {
	fill := strings.Repeat(" ", max(0, names.width-show.Width(name))+gap)
	t.line(strings.TrimRight(name+fill+t.cells(columns, row, styled), " "))
}

// cells returns the cells of a row, padded to the column widths.
func (t *textWriter) cells(columns []textColumn, row []string, styled bool) string {
	var line []string
	for i, s := range row {
		fill := strings.Repeat(" ", max(0, columns[i].width-show.Width(s)))
		if styled {
			s = t.style(styleOf(s), s)
		}
		line = append(line, s+fill)
	}
	return strings.Join(line, strings.Repeat(" ", gap))
}

// Parameters of escape sequences that set text styles.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// styleOf returns the style of a status.
func styleOf(words string) string {
	switch {
	case strings.HasPrefix(words, statusWord(compat.Compatible)):
		return green
	case strings.HasPrefix(words, statusWord(compat.Incompatible)):
		return red
	case strings.HasPrefix(words, statusWord(compat.Undetermined)):
		return yellow
	}
	return faint
}

func (t *textWriter) style(code, s string) string {
	if !t.o.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// entry prints a reason with its kernels and devices.
func (t *textWriter) entry(e *entry) {
	word, text := statusWord(e.Status), e.text
	if e.brief != "" {
		text = e.brief + ": " + text
	}
	t.wrap(fmt.Sprintf("%s: %s.", word, text), "    ")
	about := "    " + t.someKernels(e, plain)
	if e.devices != nil {
		about += " on " + show.List(t.deviceNames(e.devices), "devices")
	}
	t.wrap(about+".", "    ")
	origins, n, note := e.origins(t.table, show.MostListed+1)
	if n > 0 {
		t.wrap(fmt.Sprintf("    Used by %s.", show.ListOf(origins, n, "functions")), "    ")
	} else if note != "" {
		t.wrap("    "+note, "    ")
	}
}

// wrap prints text wrapped to the width of the terminal. All lines except the first are indented.
func (t *textWriter) wrap(s, indent string) {
	for _, line := range t.wrapped(s, indent) {
		t.line(line)
	}
}

// wrapped returns the lines of wrapped text, at least one.
func (t *textWriter) wrapped(s, indent string) []string {
	var lines []string
	line := ""
	lead := s[:len(s)-len(strings.TrimLeft(s, " "))]
	for word := range strings.FieldsSeq(s) {
		switch {
		case line == "":
			line = lead + word
		case show.Width(line)+1+show.Width(word) <= t.o.Width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = indent + word
		}
	}
	return append(lines, line)
}

// splitName splits a name into lines, after a separator if there is one in the second half of the
// line. Lines after the first leave space for an indent of 2. No line begins with a colon, because
// two colons could begin a command, see [safetext.Escape].
func splitName(name string, n int) []string {
	var parts []string
	for line := show.FirstColumns(name, n); len(line) < len(name); line = show.FirstColumns(name, n) {
		for i := len(line) - 1; i > len(line)/2; i-- {
			if strings.IndexByte(" ,:<>()", line[i]) >= 0 && name[i+1] != ':' {
				line = line[:i+1]
				break
			}
		}
		for len(line) > 1 && name[len(line)] == ':' {
			_, size := utf8.DecodeLastRuneInString(line)
			line = line[:len(line)-size]
		}
		name = strings.TrimLeft(name[len(line):], " ")
		parts = append(parts, strings.TrimRight(line, " "))
		if len(parts) == 1 {
			n -= 2
		}
	}
	return append(parts, name)
}
