package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// codeSpan makes text a code span of Markdown.
var codeSpan quoter = safetext.CodeSpan

// MarkdownOptions says how a report is written as Markdown.
type MarkdownOptions struct {
	// MaxBytes is the size that the text may have, 0 for any. What does not fit is
	// left out, first the kernels without a problem. The text says what is left out.
	MaxBytes int
}

// Markdown writes a report in GitHub's dialect of Markdown: a table in which devices with
// the same cells share a column, and the reasons below it in parts that unfold.
//
// All text of the report is in code spans. There it can be neither markup nor a mention of
// a user.
func Markdown(w io.Writer, r *report.Report, o MarkdownOptions) error {
	t := newTable(r)
	b := bufio.NewWriter(w)
	b.WriteString(t.markdown(o.MaxBytes))
	return b.Flush()
}

// Sentences about what is left out.
const (
	leftOutGood = "%s that every device runs: left out, as the text has to be short."
	leftOut     = "%s more: left out, as the text has to be short."
)

// markdown returns the text, in at most limit bytes if there is a limit.
func (t *table) markdown(limit int) string {
	var head strings.Builder
	if title := t.title(); title != "" {
		fmt.Fprintf(&head, "### Compatibility of %s\n\n", codeSpan(title))
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
	const forNotes = 400 // for sentences about what is left out, and the ends of parts
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
	// Reasons may take what the table leaves, and at least half of the room.
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
	if len(text) > limit { // there is no room for the heads
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

// fit returns the start of a list that has at most room bytes, and the number of
// elements that are left.
func fit(list []string, room int) (kept []string, left int) {
	for i, s := range list {
		if room -= len(s); room < 0 {
			return list[:i], len(list) - i
		}
	}
	return list, 0
}

// markdownSummary returns the line with the result of the report.
func (t *table) markdownSummary() string { return "**" + t.summary(codeSpan) + "**" }

func (t *table) markdownHeads(columns []column) (heads string, legend []string) {
	var b strings.Builder
	for _, c := range columns {
		names := codeSpan.all(t.deviceNames(c.devices))
		if len(names) > mostNames {
			group := "Group " + groupName(len(legend))
			legend = append(legend, fmt.Sprintf("%s: %s\n\n", group, strings.Join(names, ", ")))
			fmt.Fprintf(&b, " %s (%d devices) |", group, len(names))
		} else {
			fmt.Fprintf(&b, " %s |", safetext.TableCell(strings.Join(names, "<br>")))
		}
	}
	return b.String(), legend
}

const markdownLegend = "✅ runs: native code, or JIT code that is compiled when the program runs · ❌ does not run · ❓ known only when the program runs · ➖ not compared\n"

// markdownRows returns the rows of the table, and which of them are kernels without a
// problem. Labels have rows of their own.
func (t *table) markdownRows(columns []column) (rows []string, good []bool) {
	target := ""
	words := make([]string, len(t.kinds))
	for i := range t.kinds {
		words[i] = safetext.TableCell(markdownCell(&t.kinds[i].Cell))
	}
	for k := range t.Kernels {
		if label := report.KernelTarget(&t.Kernels[k]); label != target {
			target = label
			rows = append(rows, fmt.Sprintf("| **%s** |%s\n", safetext.TableCell(codeSpan(safetext.Escape(label))), strings.Repeat(" |", len(columns))))
			good = append(good, false)
		}
		var b strings.Builder
		isGood := true
		fmt.Fprintf(&b, "| %s |", safetext.TableCell(codeSpan(kernelName(&t.Kernels[k])+lambdaPlace(&t.Kernels[k]))))
		for _, c := range columns {
			n := t.row(k)[c.devices[0]]
			fmt.Fprintf(&b, " %s |", words[n])
			isGood = isGood && t.kinds[n].Verdict == compat.Compatible
		}
		b.WriteString("\n")
		rows = append(rows, b.String())
		good = append(good, isGood)
	}
	return rows, good
}

func markdownCell(c *report.Cell) string {
	switch {
	case c.Verdict == compat.Compatible && c.Code == report.Native:
		return "✅ native"
	case c.Verdict == compat.Compatible && c.Code == report.NativeOrIR:
		return "✅ native or JIT"
	case c.Verdict == compat.Compatible:
		return "✅ JIT"
	case c.Verdict == compat.NotApplicable:
		return "➖"
	case c.Verdict == compat.Undetermined:
		return "❓ maybe: " + codeSpan(briefly(c))
	}
	return "❌ no: " + codeSpan(briefly(c))
}

// markdownReasons are reasons in a part that unfolds.
type markdownReasons struct {
	title string // what the items are
	items []string
}

func (t *table) markdownReasons() []markdownReasons {
	parts := []markdownReasons{{title: "❌ Why not"}, {title: "❓ Why maybe"}}
	l := t.reasons()
	for _, e := range l.entries {
		switch e.Verdict {
		case compat.Incompatible:
			parts[0].items = append(parts[0].items, t.markdownReason(l, e))
		case compat.Undetermined:
			parts[1].items = append(parts[1].items, t.markdownReason(l, e))
		}
	}
	return parts
}

// markdownReason returns a reason as an item of a list.
func (t *table) markdownReason(l *reasonList, e *entry) string {
	var b strings.Builder
	b.WriteString("- ")
	if e.brief != "" {
		fmt.Fprintf(&b, "%s: ", codeSpan(e.brief))
	}
	fmt.Fprintf(&b, "%s\n  - Kernels: %s\n", codeSpan(e.text), t.someKernels(l, e, codeSpan))
	if e.devices != nil {
		fmt.Fprintf(&b, "  - Devices: %s\n", some(codeSpan.all(t.deviceNames(e.devices)), "devices"))
	}
	origins, n, note := l.origins(t, e, mostListed+1)
	if n > 0 {
		fmt.Fprintf(&b, "  - Used by %s\n", someOf(codeSpan.all(origins), n, "functions"))
	} else if note != "" {
		fmt.Fprintf(&b, "  - %s\n", note)
	}
	return b.String()
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
