package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// TextOptions says how a report is printed.
type TextOptions struct {
	Width   int     // of the terminal; 0 is 80
	Color   bool    // whether to color words by escape sequences
	GroupBy GroupBy // "": by the size of the report
	All     bool    // leave nothing out
	Forms   bool    // list the forms of each kernel in tables, as All does

	// Whole is the report that this is a part of, if it is one: names that are shortened
	// select one kernel of it.
	Whole *report.Report

	// Command is the command that shows this report, for a shell. The text says by which
	// flags it shows what is left out. Without it, the command has REPORT.json.
	Command string
}

// Text prints a report. One of up to 40 kernels is a table of kernels and devices, the
// reasons in sentences, and the result in one line. A larger one is about 200 lines,
// unless all is asked for: how many kernels each device runs, and the kernels with
// problems in groups. It says what is left out, and the command that prints it.
//
// If the table of a small report would be wider than the terminal, devices with the same
// cells share a column. Columns that still do not fit go into more tables below.
func Text(w io.Writer, r *report.Report, o TextOptions) error {
	t := textWriter{w: bufio.NewWriter(w), table: newTable(r), o: o}
	t.whole = o.Whole
	if t.o.Width <= 0 {
		t.o.Width = 80
	}
	t.write()
	return t.w.Flush()
}

// eitherText explains the cells of kernels with two images.
const eitherText = "native or JIT: the file has native code and SPIR-V for the device, and the runtime takes either. " +
	"With the attribute ir of sycl_binary it certainly takes native code."

type textWriter struct {
	*table
	w        *bufio.Writer
	captured *[]string // where lines go while they are counted
	o        TextOptions
	names    []string // of the kernels of a small report
	by       GroupBy  // how kernels of a large report are grouped
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

// textColumn is a column of the table and its width. The first one has names.
type textColumn struct {
	column
	head  []string // lines
	width int
}

// What a report has at most that is printed whole, as a table.
const (
	smallKernels = 40
	smallLines   = 120
)

func (t *textWriter) write() {
	if len(t.Kernels) == 0 || len(t.Devices) == 0 {
		t.heading()
		t.line(fmt.Sprintf("There is nothing to compare: %s and %s.", count(len(t.Kernels), "kernel"), count(len(t.Devices), "device")))
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

// heading writes what the report is about.
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
	entries := t.reasons()
	if len(entries) > 0 {
		t.line("")
	}
	for _, e := range entries {
		t.entry(e)
	}
	t.either()
	t.images()
	t.line("")
	t.wrap(t.summary(plain), "")
}

// legend says which devices columns are about that have letters.
func (t *textWriter) legend(lines []string) {
	if lines != nil {
		t.line("")
	}
	for _, line := range lines {
		t.wrap(line, "     ")
	}
}

// either explains cells that say so little that it has to be explained.
func (t *textWriter) either() {
	if slices.ContainsFunc(t.kinds, func(k kind) bool { return k.Code == report.NativeOrIR }) {
		t.line("")
		t.wrap(eitherText, "    ")
	}
}

// images lists the options and the specialization constants of images.
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

// nameWidth returns the width of the column of names: that of the names, or less if that
// saves tables. Longer names continue on the next line.
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
		name := kernelName(k) + addition(k)
		t.names = append(t.names, name)
		c.width = max(c.width, width(name))
	}
	return c
}

// textColumns returns a column for each device or, in groups, for each set of devices with
// the same cells.
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
		c.width = max(c.width, width(s))
	}
	for _, row := range patterns {
		c.width = max(c.width, width(t.kinds[row[c.devices[0]]].words))
	}
}

// shorten names columns with many devices by a letter. The legend says which devices they
// are.
func (t *textWriter) shorten(columns []textColumn, patterns [][]int32) (legend []string) {
	for i, c := range columns {
		if len(c.head) > mostNames {
			name := "GROUP " + groupName(len(legend))
			names := strings.Join(c.head, ", ")
			if t.by != "" && !t.o.All {
				names = Some(c.head, "devices")
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

// mostLines is how many lines a name takes at most. Longer ones lack the middle.
const mostLines = 6

// headRows returns the rows of heads. The last line of each head is right above the cells.
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

// words returns the words in the cells of a pattern.
func (t *textWriter) words(columns []textColumn, pattern int32) (row []string) {
	for _, c := range columns {
		row = append(row, t.kinds[t.Rows[pattern][c.devices[0]]].words)
	}
	return row
}

// row writes a name, and the cells behind it.
func (t *textWriter) row(names textColumn, columns []textColumn, name string, row []string, styled bool) {
	fill := strings.Repeat(" ", max(0, names.width-width(name))+gap)
	t.line(strings.TrimRight(name+fill+t.cells(columns, row, styled), " "))
}

// cells returns the cells of a row, each as wide as its column.
func (t *textWriter) cells(columns []textColumn, row []string, styled bool) string {
	var line []string
	for i, s := range row {
		fill := strings.Repeat(" ", max(0, columns[i].width-width(s)))
		if styled {
			s = t.style(styleOf(s), s)
		}
		line = append(line, s+fill)
	}
	return strings.Join(line, strings.Repeat(" ", gap))
}

// Parameters of the escape sequence that sets how terminals draw.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// styleOf returns how words of a status are drawn.
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
		about += " on " + Some(t.deviceNames(e.devices), "devices")
	}
	t.wrap(about+".", "    ")
	origins, n, note := e.origins(t.table, mostListed+1)
	if n > 0 {
		t.wrap(fmt.Sprintf("    Used by %s.", someOf(origins, n, "functions")), "    ")
	} else if note != "" {
		t.wrap("    "+note, "    ")
	}
}

// wrap prints text in lines of the terminal's width. All lines but the first are
// indented.
func (t *textWriter) wrap(s, indent string) {
	for _, line := range t.wrapped(s, indent) {
		t.line(line)
	}
}

// wrapped returns the lines of text for wrap, at least one.
func (t *textWriter) wrapped(s, indent string) []string {
	var lines []string
	line := ""
	lead := s[:len(s)-len(strings.TrimLeft(s, " "))]
	for word := range strings.FieldsSeq(s) {
		switch {
		case line == "":
			line = lead + word
		case width(line)+1+width(word) <= t.o.Width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = indent + word
		}
	}
	return append(lines, line)
}

// columnsOf measures text in columns of a terminal: wide characters take two. It does not
// depend on the environment, so that the output does not either.
var columnsOf = runewidth.Condition{StrictEmojiNeutral: true}

// isASCII reports whether each byte of a text is a character.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// width returns the columns that escaped text takes.
func width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return columnsOf.StringWidth(s)
}

// splitName cuts a name into lines, after a separator if there is one in the second half
// of the line. Lines after the first leave room for an indent of 2. No line begins with a
// colon: two of them would begin a command, see [safetext.Escape].
func splitName(name string, n int) []string {
	var parts []string
	for line := firstColumns(name, n); len(line) < len(name); line = firstColumns(name, n) {
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

// firstColumns returns the start of a text that takes at most n columns, and not many more
// bytes, as a text may have any number of characters without a width.
func firstColumns(s string, n int) string {
	if most := 16 * n; len(s) > most {
		for range utf8.UTFMax - 1 {
			if utf8.RuneStart(s[most]) {
				break
			}
			most--
		}
		s = s[:most]
	}
	if isASCII(s) {
		return s[:min(n, len(s))]
	}
	return columnsOf.Truncate(s, n, "")
}
