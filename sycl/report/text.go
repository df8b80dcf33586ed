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
		t := text{w: b, r: r, o: o}
		if t.o.Width <= 0 {
			t.o.Width = 80
		}
		t.write(len(reports) > 1)
	}
	return b.Flush()
}

type text struct {
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

func (t *text) write(titled bool) {
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
	for i := 0; len(columns) > 0; i++ {
		if i > 0 {
			t.w.WriteString("\n")
		}
		n, width := 0, names.width
		for n < len(columns) && (n == 0 || width+gap+columns[n].width <= t.o.Width) {
			width += gap + columns[n].width
			n++
		}
		t.block(names, columns[:n])
		columns = columns[n:]
	}
	if legend != nil {
		t.w.WriteString("\n")
		for _, line := range legend {
			t.wrap(line, "     ")
		}
	}
	t.reasons()
	fmt.Fprintf(t.w, "\n%s\n", t.r.Summary())
}

const gap = 2

func total(columns []column) int {
	n := 0
	for _, c := range columns {
		n += gap + c.width
	}
	return n
}

// maxName is how wide the column of names gets; longer names go on below.
func (t *text) maxName() int { return max(16, t.o.Width*2/5) }

func (t *text) kernelColumn() column {
	c := column{head: []string{"KERNEL"}, width: len("KERNEL")}
	for _, k := range t.r.Kernels {
		name := Escape(k.DisplayName)
		c.cells = append(c.cells, name)
		c.width = max(c.width, min(width(name), t.maxName()))
	}
	return c
}

// columns returns a column for each device, or for each set of devices that
// agree.
func (t *text) columns(group bool) []column {
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

func (t *text) block(names column, columns []column) {
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
		parts := split(name, t.maxName())
		row := []string{parts[0]}
		for _, c := range columns {
			row = append(row, c.cells[k])
		}
		t.row(names, columns, row, true)
		for _, part := range parts[1:] {
			fmt.Fprintf(t.w, "%s\n", part)
		}
	}
}

func headLine(head []string, line, lines int) string {
	if i := line - (lines - len(head)); i >= 0 {
		return head[i]
	}
	return ""
}

func (t *text) row(names column, columns []column, row []string, cells bool) {
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

func (t *text) color(cell string) string {
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
	var word string
	switch c.Status {
	case Compatible:
		if c.Holds == Native {
			return "yes (native)"
		}
		return "yes (JIT)"
	case NotApplicable:
		return "-"
	case Undetermined:
		word = "?"
	default:
		word = "no"
	}
	var brief []string
	for _, r := range c.Reasons {
		if s := Brief(r); r.Status == c.Status && !slices.Contains(brief, s) {
			brief = append(brief, s)
		}
	}
	// That nothing was built follows from what stands before it.
	if len(brief) > 1 {
		brief = slices.DeleteFunc(brief, func(s string) bool { return s == "no image" })
	}
	const most = 2
	if n := len(brief); n > most {
		brief = append(brief[:most-1:most-1], fmt.Sprintf("%d more", n-most+1))
	}
	return word + ": " + strings.Join(brief, ", ")
}

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
		s = "no image"
	}
	const most = 32
	if width(s) > most {
		s = split(s, most-3)[0] + "..."
	}
	return s
}

// reasons prints each distinct reason with what it is about.
func (t *text) reasons() {
	type entry struct {
		brief, text      string
		kernels, devices []string
		origins          []string
		image            bool
		status           Status
	}
	var list []*entry
	index := map[string]*entry{}
	kernel := map[string]*Kernel{}
	for i := range t.r.Kernels {
		kernel[t.r.Kernels[i].ID] = &t.r.Kernels[i]
	}
	for _, c := range t.r.Cells {
		for _, r := range c.Reasons {
			k := kernel[c.Kernel]
			brief := Brief(r)
			sentence := Escape(r.Text)
			if compat.Rule(r.Rule) == compat.NoImage {
				if len(c.Reasons) > 1 {
					continue
				}
				sentence = "The file has neither native code for the device nor code that can be compiled for it"
			}
			key := string(r.Status) + "\x00" + r.Rule + "\x00" + r.Required + "\x00" + sentence
			e := index[key]
			if e == nil {
				e = &entry{brief: brief, text: sentence, status: r.Status}
				index[key] = e
				list = append(list, e)
			}
			add(&e.kernels, Escape(k.DisplayName))
			add(&e.devices, Escape(c.Device))
			if compat.Rule(r.Rule) != compat.MissingAspect {
				continue
			}
			if c.Scope == ScopeImage && !slices.ContainsFunc(k.Origins, func(o Origin) bool { return o.Aspect.Name == r.Required }) {
				e.image = true
			}
			for _, o := range k.Origins {
				if o.Aspect.Name == r.Required {
					add(&e.origins, origin(k, o))
				}
			}
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b *entry) int { return rank(b.status) - rank(a.status) })
	t.w.WriteString("\n")
	for _, e := range list {
		word := "no"
		switch e.status {
		case Undetermined:
			word = "?"
		case NotApplicable:
			word = "-"
		}
		t.wrap(fmt.Sprintf("%s: %s: %s.", word, e.brief, strings.TrimSuffix(e.text, ".")), "    ")
		t.wrap(fmt.Sprintf("    %s on %s.", some(e.kernels, "kernels"), some(e.devices, "devices")), "    ")
		if len(e.origins) > 0 {
			t.wrap(fmt.Sprintf("    Used by %s.", some(e.origins, "places")), "    ")
		} else if e.image {
			t.wrap("    Some kernel in the device image needs it, perhaps not each of these.", "    ")
		}
	}
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
func (t *text) wrap(s, indent string) {
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
	good, unknown, bad := 0, 0, 0
	for _, k := range r.Kernels {
		switch worst[k.ID] {
		case Compatible:
			good++
		case Undetermined:
			unknown++
		default:
			bad++
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
	case good == 1:
		s = fmt.Sprintf("1 of %s runs on %s", count(n, "kernel"), every)
	default:
		s = fmt.Sprintf("%d of %s run on %s", good, count(n, "kernel"), every)
	}
	if unknown > 0 {
		s += fmt.Sprintf("; whether %d more can is known only when the program runs", unknown)
		if good == 0 && bad == 0 {
			s = fmt.Sprintf("Whether %s on %s is known only when the program runs", plural(n, "the kernel runs", fmt.Sprintf("the %d kernels run", n)), every)
		}
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
