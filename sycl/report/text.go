package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// TextOptions says how reports are printed.
type TextOptions struct {
	Width int  // of the terminal; 0 is 80
	Color bool // whether it takes escape sequences
}

// WriteText prints reports for people: for each a table of kernels and devices,
// the reasons behind it in sentences, and what it comes to in one line.
//
// Devices that agree on all kernels share a column when the table would be wider
// than the terminal, and what is still too wide goes below.
func WriteText(w io.Writer, reports []*Report, o TextOptions) error {
	b := bufio.NewWriter(w)
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		t := textWriter{w: b, r: r, o: o}
		if t.o.Width <= 0 {
			t.o.Width = 80
		}
		t.write(len(reports) > 1)
	}
	return b.Flush()
}

type textWriter struct {
	w *bufio.Writer
	r *Report
	o TextOptions
}

// column is a column of the table: devices, and a cell for each kernel.
type column struct {
	head  []string // lines
	cells []string
	width int
}

func (t *textWriter) write(titled bool) {
	if label := t.r.Target.Label; label != "" || titled {
		fmt.Fprintf(t.w, "%s\n\n", cmp.Or(Escape(label), "(no label)"))
	}
	if len(t.r.Kernels) == 0 || len(t.r.Devices) == 0 {
		fmt.Fprintf(t.w, "There is nothing to compare: %s and %s.\n", count(len(t.r.Kernels), "kernel"), count(len(t.r.Devices), "device"))
		return
	}
	names := t.kernelColumn()
	columns := t.columns(false)
	legend := []string(nil)
	if names.width+total(columns) > t.o.Width {
		columns = t.columns(true)
		columns, legend = shorten(columns)
	}
	names.width = t.nameWidth(names, columns)
	for i, block := range t.blocks(names.width, columns) {
		if i > 0 {
			t.w.WriteString("\n")
		}
		t.block(names, block)
	}
	if legend != nil {
		t.w.WriteString("\n")
		for _, line := range legend {
			t.wrap(line, "     ")
		}
	}
	t.reasons()
	t.w.WriteString("\n")
	t.wrap(t.r.Summary(), "")
}

const gap = 2

func total(columns []column) int {
	n := 0
	for _, c := range columns {
		n += gap + c.width
	}
	return n
}

// blocks divides the columns among tables that fit the terminal.
func (t *textWriter) blocks(nameWidth int, columns []column) [][]column {
	var list [][]column
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

// nameWidth returns the width of the column of names: as wide as the names, or
// narrower where that saves tables. Longer names go on in the next line.
func (t *textWriter) nameWidth(names column, columns []column) int {
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

func (t *textWriter) kernelColumn() column {
	c := column{head: []string{"KERNEL"}, width: len("KERNEL")}
	for _, k := range t.r.Kernels {
		name := Escape(k.DisplayName)
		c.cells = append(c.cells, name)
		c.width = max(c.width, width(name))
	}
	return c
}

// columns returns a column for each device, or for each set of devices that
// agree.
func (t *textWriter) columns(group bool) []column {
	byCell := map[[2]string]*Cell{}
	for i := range t.r.Cells {
		c := &t.r.Cells[i]
		byCell[[2]string{c.Kernel, c.Device}] = c
	}
	var list []column
	place := map[string]int{}
	for _, d := range t.r.Devices {
		c := column{head: []string{Escape(d.Name)}}
		for _, k := range t.r.Kernels {
			c.cells = append(c.cells, cellText(byCell[[2]string{k.ID, d.ID}]))
		}
		key := strings.Join(c.cells, "\x00")
		if i, ok := place[key]; ok && group {
			list[i].head = append(list[i].head, c.head...)
			continue
		}
		place[key] = len(list)
		list = append(list, c)
	}
	for i := range list {
		list[i].measure()
	}
	return list
}

func (c *column) measure() {
	c.width = 0
	for _, s := range slices.Concat(c.head, c.cells) {
		c.width = max(c.width, width(s))
	}
}

// shorten gives columns with many devices a letter, which the legend explains.
func shorten(columns []column) (short []column, legend []string) {
	const most = 4
	for i, c := range columns {
		if len(c.head) > most {
			name := fmt.Sprintf("GROUP %c", 'A'+len(legend)%26)
			if round := len(legend) / 26; round > 0 {
				name += fmt.Sprint(round + 1)
			}
			legend = append(legend, name+": "+strings.Join(c.head, ", "))
			columns[i].head = []string{name, fmt.Sprintf("(%d devices)", len(c.head))}
			columns[i].measure()
		}
	}
	return columns, legend
}

func (t *textWriter) block(names column, columns []column) {
	lines := 1
	for _, c := range columns {
		lines = max(lines, len(c.head))
	}
	for line := range lines {
		// The last line of each head stands right above the cells.
		row := []string{headLine(names.head, line, lines)}
		for _, c := range columns {
			row = append(row, headLine(c.head, line, lines))
		}
		t.row(names, columns, row, false)
	}
	for k, name := range names.cells {
		parts := splitName(name, names.width)
		row := []string{parts[0]}
		for _, c := range columns {
			row = append(row, c.cells[k])
		}
		t.row(names, columns, row, true)
		for _, part := range parts[1:] {
			fmt.Fprintf(t.w, "  %s\n", part)
		}
	}
}

func headLine(head []string, line, lines int) string {
	if i := line - (lines - len(head)); i >= 0 {
		return head[i]
	}
	return ""
}

func (t *textWriter) row(names column, columns []column, row []string, cells bool) {
	var line strings.Builder
	for i, s := range row {
		pad := names.width
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
			pad = columns[i-1].width
		}
		fill := strings.Repeat(" ", max(0, pad-width(s)))
		if cells && i > 0 {
			s = t.color(s)
		}
		line.WriteString(s + fill)
	}
	fmt.Fprintf(t.w, "%s\n", strings.TrimRight(line.String(), " "))
}

func (t *textWriter) color(cell string) string {
	if !t.o.Color {
		return cell
	}
	code := "2" // faint
	switch {
	case strings.HasPrefix(cell, "yes"):
		code = "32"
	case strings.HasPrefix(cell, "no"):
		code = "31"
	case strings.HasPrefix(cell, "?"):
		code = "33"
	}
	return "\x1b[" + code + "m" + cell + "\x1b[0m"
}

// cellText is what a cell of the table says.
func cellText(c *Cell) string {
	switch {
	case c.Status == Compatible && c.Holds == Native:
		return "yes (native)"
	case c.Status == Compatible:
		return "yes (JIT)"
	case c.Status == NotApplicable:
		return "-"
	}
	var brief []string
	for _, r := range c.Reasons {
		if s := Brief(r); r.Status == c.Status && !slices.Contains(brief, s) {
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
	return statusWord(c.Status) + ": " + strings.Join(brief, ", ")
}

// notBuilt is brief for a kernel without an image for a device.
const notBuilt = "not built"

// Brief names what a reason is about in a few words.
func Brief(r Reason) string {
	s := Escape(r.Required)
	switch compat.Rule(r.Rule) {
	case compat.UnsupportedSubGroupSize:
		s = "sub-group size " + s
	case compat.UnsupportedWorkGroupSize:
		s = "work-group size " + s
	case compat.UnsupportedWorkGroupDims:
		s += " work-group dimensions"
	case compat.UnsupportedJointMatrix:
		s = "joint_matrix"
	case compat.FixedTargetMismatch:
		s = "fixed targets"
	case compat.CompileTargetMismatch:
		s = "built for " + s
	case compat.NoImage:
		s = notBuilt
	}
	const most = 32
	if width(s) > most {
		s = split(s, most-3)[0] + "..."
	}
	return s
}

// entry is a reason with what it is about.
type entry struct {
	status           Status
	text             string
	kernels, devices []string
	origins          []string
	image            bool // some kernel in the image is the cause, perhaps another one
}

// reasons prints each distinct reason with what it is about. What nothing is
// known of for a target that stands for all devices is said once.
func (t *textWriter) reasons() {
	var list []*entry
	index := map[string]*entry{}
	get := func(status Status, text string) *entry {
		key := string(status) + "\x00" + text
		if index[key] == nil {
			index[key] = &entry{status: status, text: text}
			list = append(list, index[key])
		}
		return index[key]
	}
	kernels := map[string]*Kernel{}
	for i := range t.r.Kernels {
		kernels[t.r.Kernels[i].ID] = &t.r.Kernels[i]
	}
	generic := map[string]bool{}
	for _, d := range t.r.Devices {
		generic[d.ID] = d.OpenWorld && len(d.Aspects) == 0 && len(d.SubGroupSizes) == 0
	}
	for _, c := range t.r.Cells {
		k := kernels[c.Kernel]
		for _, r := range c.Reasons {
			isImage := compat.Rule(r.Rule) == compat.NoImage
			switch {
			case isImage && len(c.Reasons) > 1:
				continue
			case r.Status == Undetermined && generic[c.Device]:
				e := get(r.Status, fmt.Sprintf("%s stands for devices that are known only when the program runs", Escape(c.Device)))
				add(&e.kernels, Escape(k.DisplayName)+" ("+Brief(r)+")")
				continue
			case isImage:
				e := get(r.Status, notBuilt+": the file has neither native code for the device nor code that can be compiled for it")
				add(&e.kernels, Escape(k.DisplayName))
				add(&e.devices, Escape(c.Device))
				continue
			}
			e := get(r.Status, Brief(r)+": "+strings.TrimSuffix(Escape(r.Text), "."))
			add(&e.kernels, Escape(k.DisplayName))
			add(&e.devices, Escape(c.Device))
			if compat.Rule(r.Rule) != compat.MissingAspect {
				continue
			}
			known := false
			for _, o := range k.Origins {
				if o.Aspect.Name == r.Required {
					add(&e.origins, origin(k, o))
					known = true
				}
			}
			e.image = e.image || !known && c.Scope == ScopeImage
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b *entry) int { return rank(b.status) - rank(a.status) })
	t.w.WriteString("\n")
	for _, e := range list {
		t.wrap(fmt.Sprintf("%s: %s.", statusWord(e.status), e.text), "    ")
		about := "    " + some(e.kernels, "kernels")
		if e.devices != nil {
			about += " on " + some(e.devices, "devices")
		}
		t.wrap(about+".", "    ")
		if len(e.origins) > 0 {
			t.wrap(fmt.Sprintf("    Used by %s.", some(e.origins, "functions")), "    ")
		} else if e.image {
			t.wrap("    Some kernel in the device image needs it, perhaps not each of these.", "    ")
		}
	}
}

// statusWord is how cells and reasons begin.
func statusWord(s Status) string {
	switch s {
	case Compatible:
		return "yes"
	case NotApplicable:
		return "-"
	case Undetermined:
		return "?"
	}
	return "no"
}

func origin(k *Kernel, o Origin) string {
	s := cmp.Or(Escape(o.Function), Escape(k.DisplayName))
	if o.Location != nil {
		s += fmt.Sprintf(" at %s:%d", Escape(o.Location.Path), o.Location.Line)
	}
	return s
}

func add(list *[]string, s string) {
	if !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

// some lists a few of many.
func some(list []string, what string) string {
	const most = 6
	if len(list) > most {
		return fmt.Sprintf("%s and %d more %s", strings.Join(list[:most], ", "), len(list)-most, what)
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return list[0]
}

// wrap prints text in lines of the terminal's width; all but the first line get
// the indent.
func (t *textWriter) wrap(s, indent string) {
	line := ""
	first := true
	flush := func() {
		fmt.Fprintf(t.w, "%s\n", line)
		first = false
	}
	lead := s[:len(s)-len(strings.TrimLeft(s, " "))]
	for word := range strings.FieldsSeq(s) {
		switch {
		case line == "":
			line = lead + word
		case width(line)+1+width(word) <= t.o.Width:
			line += " " + word
		default:
			flush()
			line = indent + word
		}
	}
	if line != "" || first {
		flush()
	}
}

// Summary says in one line what a report comes to.
func (r *Report) Summary() string {
	worst := map[string]Status{}
	for _, c := range r.Cells {
		if w, ok := worst[c.Kernel]; !ok || rank(c.Status) > rank(w) {
			worst[c.Kernel] = c.Status
		}
	}
	n := len(r.Kernels)
	good, unknown := 0, 0
	for _, k := range r.Kernels {
		switch worst[k.ID] {
		case Compatible:
			good++
		case Undetermined:
			unknown++
		}
	}
	every := "every device"
	if len(r.Devices) == 1 {
		every = Escape(r.Devices[0].Name)
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
		s = fmt.Sprintf("%d of %d kernels %s on %s", good, n, plural(good, "runs", "run"), every)
	}
	switch {
	case unknown == n:
		s = fmt.Sprintf("Whether %s on %s is known only when the program runs", plural(n, "the kernel runs", fmt.Sprintf("the %d kernels run", n)), every)
	case unknown > 0:
		more := "more"
		if good == 0 {
			more = "of them"
		}
		s += fmt.Sprintf("; whether %d %s can is known only when the program runs", unknown, more)
	}
	return s + "."
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func count(n int, what string) string {
	return fmt.Sprintf("%d %s", n, plural(n, what, what+"s"))
}

// width counts characters; those that take no place or two are rare in names.
func width(s string) int { return utf8.RuneCountInString(s) }

// splitName cuts a name into lines: after a separator, if there is one in the
// second half of the line. Lines after the first leave room for an indent of 2,
// and none begins with a colon, see Escape.
func splitName(name string, n int) []string {
	var parts []string
	for width(name) > n {
		line := split(name, n)[0]
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

// split cuts text into pieces of at most n characters.
func split(s string, n int) []string {
	var parts []string
	for width(s) > n {
		i := 0
		for range n {
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
		}
		parts = append(parts, s[:i])
		s = s[i:]
	}
	return append(parts, s)
}
