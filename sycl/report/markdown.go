package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// MarkdownOptions says how a report is written as Markdown.
type MarkdownOptions struct {
	// MaxBytes is what the text may take up, 0 for any size. What does not fit is
	// left out, first the kernels without a problem, and the text says so.
	MaxBytes int
}

// WriteMarkdown writes a report in GitHub's dialect of Markdown: a table in which
// devices that agree share a column, and the reasons below in parts that unfold.
//
// All that comes from the report stands in code spans, where it can be neither
// markup nor a mention of somebody.
func WriteMarkdown(w io.Writer, r *Report, o MarkdownOptions) error {
	t := newTable(r)
	b := bufio.NewWriter(w)
	b.WriteString(t.markdown(o.MaxBytes))
	return b.Flush()
}

// Words of the reason for what a text lacks.
const (
	leftOutGood = "%s that every device runs: left out, as the text has to be short."
	leftOut     = "%s more: left out, as the text has to be short."
)

// markdown returns the text in at most limit bytes, if a limit is given and the
// first lines fit.
func (t *table) markdown(limit int) string {
	var head strings.Builder
	if title := t.title(); title != "" {
		fmt.Fprintf(&head, "### Compatibility of %s\n\n", CodeSpan(title))
	}
	if len(t.Kernels) == 0 || len(t.Devices) == 0 {
		fmt.Fprintf(&head, "There is nothing to compare: %s and %s.\n", count(len(t.Kernels), "kernel"), count(len(t.Devices), "device"))
		return head.String()
	}
	fmt.Fprintf(&head, "%s\n\n", t.markdownSummary())
	columns := t.columns(true)
	heads, legend := t.markdownHeads(columns)
	fmt.Fprintf(&head, "| Kernel |%s\n|---|%s\n", heads, strings.Repeat("---|", len(columns)))
	rows, good := t.markdownRows(columns)
	foot := strings.Join(legend, "") + markdownLegend
	reasons := t.markdownReasons()
	if limit <= 0 {
		return head.String() + strings.Join(rows, "") + "\n" + foot + "\n" + wrapReasons(reasons, nil)
	}
	const forNotes = 400 // what is left out is said, and parts have to be closed
	room := limit - head.Len() - len(foot) - forNotes
	var notes []string
	if size(rows) > room/2 && size(rows)+sizeAll(reasons) > room {
		var problems []string
		left := 0
		for i, row := range rows {
			if good[i] {
				left++
			} else {
				problems = append(problems, row)
			}
		}
		if left > 0 {
			rows = problems
			notes = append(notes, fmt.Sprintf(leftOutGood, count(left, "kernel")))
		}
	}
	// Reasons may take what the table leaves, and at least a half.
	kept, left := fit(rows, max(room/2, room-sizeAll(reasons)))
	if left > 0 {
		notes = append(notes, fmt.Sprintf(leftOut, count(left, "kernel")))
	}
	room -= size(kept)
	lost := make([]int, len(reasons))
	for i := range reasons {
		reasons[i].items, lost[i] = fit(reasons[i].items, room)
		room -= size(reasons[i].items)
	}
	text := head.String() + strings.Join(kept, "") + "\n"
	for _, n := range notes {
		text += n + "\n\n"
	}
	text += foot + "\n" + wrapReasons(reasons, lost)
	if len(text) > limit { // there is not even room for the heads
		text = t.markdownSummary() + "\n"
	}
	return text[:min(len(text), limit)]
}

func size(list []string) int {
	n := 0
	for _, s := range list {
		n += len(s)
	}
	return n
}

func sizeAll(reasons []markdownReasons) int {
	n := 0
	for _, r := range reasons {
		n += size(r.items)
	}
	return n
}

// fit returns the start of a list that has at most room bytes, and how many
// elements are left over.
func fit(list []string, room int) (kept []string, left int) {
	for i, s := range list {
		if room -= len(s); room < 0 {
			return list[:i], len(list) - i
		}
	}
	return list, 0
}

// markdownSummary is Summary, which can have the name of a device in it.
func (t *table) markdownSummary() string {
	s := t.Summary()
	if len(t.Devices) == 1 {
		name := safetext.Escape(t.Devices[0].Name)
		s = strings.Replace(s, " on "+name, " on "+CodeSpan(name), 1)
	}
	return "**" + s + "**"
}

func (t *table) markdownHeads(columns []column) (heads string, legend []string) {
	var b strings.Builder
	for _, c := range columns {
		names := t.deviceNames(c.devices)
		for i, name := range names {
			names[i] = CodeSpan(name)
		}
		if len(names) > mostNames {
			group := "Group " + groupName(len(legend))
			legend = append(legend, fmt.Sprintf("%s: %s\n\n", group, strings.Join(names, ", ")))
			fmt.Fprintf(&b, " %s (%d devices) |", group, len(names))
		} else {
			fmt.Fprintf(&b, " %s |", InTable(strings.Join(names, "<br>")))
		}
	}
	return b.String(), legend
}

const markdownLegend = "✅ runs: native code, or JIT code that is compiled when the program runs · ❌ does not run · ❓ known only when the program runs · ➖ not compared\n"

// markdownRows returns the lines of the table, and which of them are about
// kernels without a problem. Labels are rows of their own.
func (t *table) markdownRows(columns []column) (rows []string, good []bool) {
	target := ""
	words := make([]string, len(t.kinds))
	for i := range t.kinds {
		words[i] = InTable(markdownCell(&t.kinds[i].Cell))
	}
	for k := range t.Kernels {
		if label := KernelTarget(&t.Kernels[k]); label != target {
			target = label
			rows = append(rows, fmt.Sprintf("| **%s** |%s\n", InTable(CodeSpan(safetext.Escape(label))), strings.Repeat(" |", len(columns))))
			good = append(good, false)
		}
		var b strings.Builder
		isGood := true
		fmt.Fprintf(&b, "| %s |", InTable(CodeSpan(kernelName(&t.Kernels[k])+lambdaPlace(&t.Kernels[k]))))
		for _, c := range columns {
			n := t.cells[k*len(t.Devices)+c.devices[0]]
			fmt.Fprintf(&b, " %s |", words[n])
			isGood = isGood && t.kinds[n].Verdict == compat.Compatible
		}
		b.WriteString("\n")
		rows = append(rows, b.String())
		good = append(good, isGood)
	}
	return rows, good
}

func markdownCell(c *Cell) string {
	switch {
	case c.Verdict == compat.Compatible && c.Holds == Native:
		return "✅ native"
	case c.Verdict == compat.Compatible && c.Holds == NativeOrIR:
		return "✅ native or JIT"
	case c.Verdict == compat.Compatible:
		return "✅ JIT"
	case c.Verdict == compat.NotApplicable:
		return "➖"
	case c.Verdict == compat.Undetermined:
		return "❓ maybe: " + CodeSpan(briefly(c))
	}
	return "❌ no: " + CodeSpan(briefly(c))
}

// markdownReasons is a part that unfolds.
type markdownReasons struct {
	title string // what the items are
	items []string
}

func (t *table) markdownReasons() []markdownReasons {
	parts := []markdownReasons{{title: "❌ Why not"}, {title: "❓ Why maybe"}}
	for _, e := range t.entries() {
		var b strings.Builder
		if e.brief != "" {
			fmt.Fprintf(&b, "- %s: ", CodeSpan(e.brief))
		} else {
			b.WriteString("- ")
		}
		fmt.Fprintf(&b, "%s\n", CodeSpan(e.text))
		var list []string
		for _, about := range e.kernels[:min(len(e.kernels), mostListed+1)] {
			k := &t.Kernels[about.kernel]
			name := CodeSpan(kernelName(k))
			if label := KernelTarget(k); label != "" {
				name += " of " + CodeSpan(safetext.Escape(label))
			}
			switch {
			case about.brief != "":
				name += " (" + CodeSpan(about.brief) + ")"
			case !k.Location.IsZero():
				name += " (" + CodeSpan(place(k.Location)) + ")"
			}
			list = append(list, name)
		}
		fmt.Fprintf(&b, "  - Kernels: %s\n", someOf(list, len(e.kernels), "kernels"))
		if e.devices != nil {
			names := t.deviceNames(e.devices)
			for i, name := range names {
				names[i] = CodeSpan(name)
			}
			fmt.Fprintf(&b, "  - Devices: %s\n", some(names, "devices"))
		}
		if len(e.origins) > 0 {
			spans := make([]string, len(e.origins))
			for i, o := range e.origins {
				spans[i] = CodeSpan(o)
			}
			fmt.Fprintf(&b, "  - Used by %s\n", some(spans, "functions"))
		} else if e.image {
			fmt.Fprintf(&b, "  - %s\n", imageNote)
		}
		switch e.Verdict {
		case compat.Incompatible:
			parts[0].items = append(parts[0].items, b.String())
		case compat.Undetermined:
			parts[1].items = append(parts[1].items, b.String())
		}
	}
	return parts
}

func wrapReasons(parts []markdownReasons, lost []int) string {
	var b strings.Builder
	for i, p := range parts {
		n := len(p.items)
		if lost != nil {
			n += lost[i]
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(&b, "<details>\n<summary>%s: %s</summary>\n\n%s\n", p.title, count(n, "reason"), strings.Join(p.items, ""))
		if lost != nil && lost[i] > 0 {
			fmt.Fprintf(&b, leftOut+"\n\n", count(lost[i], "reason"))
		}
		b.WriteString("</details>\n")
	}
	return b.String()
}

// CodeSpan returns text, which [Escape] has escaped, as a code span of Markdown: between more
// backticks than it has in a row.
func CodeSpan(s string) string {
	if strings.Trim(s, " ") == "" {
		s = fmt.Sprintf("%q", s)
	}
	longest, run := 0, 0
	for _, c := range []byte(s) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// InTable escapes what would end a cell of a Markdown table, in code spans, too.
// Readers do not agree on a backslash before an escaped stroke, so such a stroke
// is written like characters that cannot be shown.
func InTable(s string) string {
	if !strings.Contains(s, "|") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		switch {
		case s[i] != '|':
			b.WriteByte(s[i])
		case i > 0 && s[i-1] == '\\':
			b.WriteString(`\u{7c}`)
		default:
			b.WriteString(`\|`)
		}
	}
	return b.String()
}
