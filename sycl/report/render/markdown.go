package render

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// codeSpan returns text as a Markdown code span.
var codeSpan quoter = safetext.CodeSpan

// MarkdownOptions configure a Markdown report.
type MarkdownOptions struct {
	// MaxBytes is the maximum size of the text, or 0 for no limit. GitHub drops job summaries of
	// more than 1 MiB, and accepts comments of up to 65,536 characters, which are at least as many
	// bytes.
	MaxBytes int

	// Command is a shell command that shows this report. If the text omits parts, it states how to
	// show them with this command. The default is a command for REPORT.json.
	Command string
}

// Markdown writes a report in GitHub's dialect of Markdown: a table in which devices with the same
// cells share a column, and the reasons below it in collapsed sections. If that is too long, the
// table has only the kernels with problems. If that is still too long, there are only the reasons
// with kernel counts, and if necessary only numbers.
//
// All text from the report is in code spans, so it cannot be markup or mention a user.
func Markdown(w io.Writer, r *report.Report, o MarkdownOptions) error {
	out := bufio.NewWriter(w)
	t := newTable(r)
	if o.MaxBytes <= 0 {
		m := markdownWriter{table: t, out: out, command: o.Command}
		m.full()
		return out.Flush()
	}
	for _, write := range []func(*markdownWriter){(*markdownWriter).full, (*markdownWriter).problems, (*markdownWriter).groups, (*markdownWriter).numbers} {
		var text bytes.Buffer
		m := markdownWriter{table: t, out: &text, limit: o.MaxBytes, command: o.Command}
		write(&m)
		if !m.over {
			out.Write(text.Bytes())
			return out.Flush()
		}
	}
	text := t.markdownSummary() + "\n"
	out.WriteString(text[:min(len(text), o.MaxBytes)])
	return out.Flush()
}

// A markdownWriter writes one variant of the text. It stops when the text becomes too long.
type markdownWriter struct {
	*table
	out     io.Writer
	command string
	limit   int // 0 for no limit
	written int
	over    bool // the text exceeds the limit
}

func (m *markdownWriter) printf(format string, args ...any) {
	if m.over {
		return
	}
	s := fmt.Sprintf(format, args...)
	if m.written += len(s); m.limit > 0 && m.written > m.limit {
		m.over = true
		return
	}
	io.WriteString(m.out, s) // flush returns errors
}

// fits reports whether a text fits, with a note about omissions after it.
func (m *markdownWriter) fits(s string) bool {
	const forNotes = 300
	return m.limit == 0 || m.written+len(s)+forNotes+len(m.command) <= m.limit
}

// noteOmission writes the omitted parts and the command that shows them.
func (m *markdownWriter) noteOmission(what string, flags ...string) {
	m.printf("\n%s: omitted to keep the text short. To show all, run %s.\n", what, codeSpan(commandWith(m.command, flags...)))
}

func (m *markdownWriter) full() {
	m.kernelTable(func(int32) bool { return true }, func(k int) string { return kernelName(m.kernel(k)) + nameSuffix(m.kernel(k)) })
	m.reasons()
	m.images()
}

// images writes the options and the specialization constants of images.
func (m *markdownWriter) images() {
	most := 0
	if m.limit > 0 {
		most = mostConstants
	}
	for _, line := range optionSentences(m.Report, codeSpan) {
		m.printf("\n%s.\n", line)
	}
	constants := m.constantLines(most, codeSpan)
	if len(constants) == 0 {
		return
	}
	m.printf("\n<details>\n<summary>%s</summary>\n\n", constantsTitle)
	for _, line := range constants {
		m.printf("- %s\n", line)
	}
	m.printf("\n</details>\n")
}

// problems is like full for the kernels with problems.
func (m *markdownWriter) problems() {
	standings := m.worstStatuses()
	good := 0
	for i := range m.Kernels {
		if standings[m.Kernels[i].Row] == compat.Compatible {
			good++
		}
	}
	const leastRow = 20 // bytes

	if good == 0 || (len(m.Kernels)-good)*leastRow > m.limit { // not shorter, or too long
		m.over = true
		return
	}
	m.kernelTable(func(pattern int32) bool { return standings[pattern] != compat.Compatible }, m.rowName)
	m.noteOmission(safetext.Count(good, "kernel")+" that every device runs", "--all")
	m.printf("\n")
	m.reasons()
	m.images()
}

// head writes the subject of the report and its result. It reports whether there is more to write.
func (m *markdownWriter) head() bool {
	if title := m.title(); title != "" {
		m.printf("### Compatibility of %s\n\n", codeSpan(title))
	}
	if len(m.Kernels) == 0 || len(m.Devices) == 0 {
		m.printf("There is nothing to compare: %s and %s.\n", safetext.Count(len(m.Kernels), "kernel"), safetext.Count(len(m.Devices), "device"))
		return false
	}
	m.printf("%s\n\n", m.markdownSummary())
	return true
}

// kernelTable writes a table of kernels. Labels are in separate rows.
func (m *markdownWriter) kernelTable(shown func(pattern int32) bool, name func(int) string) {
	if !m.head() {
		return
	}
	columns := m.columns(true, m.Rows)
	heads, legend := m.markdownHeads(columns)
	m.printf("| Kernel |%s\n|---|%s\n", heads, strings.Repeat("---|", len(columns)))
	words := make([]string, len(m.kinds))
	for i := range m.kinds {
		words[i] = safetext.TableCell(markdownCell(m.kinds[i].Outcome))
	}
	target := ""
	for k := range m.Kernels {
		kernel := &m.Kernels[k]
		if m.over {
			return
		}
		if !shown(kernel.Row) {
			continue
		}
		if label := m.Target(kernel); label != target {
			target = label
			m.printf("| **%s** |%s\n", safetext.TableCell(codeSpan(safetext.Escape(label))), strings.Repeat(" |", len(columns)))
		}
		m.printf("| %s |", safetext.TableCell(codeSpan(name(k))))
		row := m.row(k)
		for _, c := range columns {
			m.printf(" %s |", words[row[c.devices[0]]])
		}
		m.printf("\n")
	}
	m.printf("\n%s", strings.Join(legend, "")+markdownLegend)
	m.gpuLegend()
}

// gpuLegend writes the marketing names of devices.
func (m *markdownWriter) gpuLegend() {
	if line := m.gpus(codeSpan); line != "" {
		m.printf("\n%s\n", line)
	}
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

func markdownCell(c *report.Outcome) string {
	switch c.Status {
	case compat.Compatible:
		return "✅ " + codeWords(c.Code)
	case compat.NotApplicable:
		return "➖"
	case compat.Undetermined:
		return "❓ maybe: " + codeSpan(briefReasons(c))
	}
	return "❌ no: " + codeSpan(briefReasons(c))
}

// reasons writes the reasons in collapsed sections.
func (m *markdownWriter) reasons() {
	if len(m.Kernels) == 0 || len(m.Devices) == 0 || m.over {
		return
	}
	m.printf("\n")
	entries := m.table.reasons()
	for _, part := range []struct {
		status compat.Status
		title  string
	}{{compat.Incompatible, "❌ Why not"}, {compat.Undetermined, "❓ Why maybe"}} {
		n := 0
		for _, e := range entries {
			if e.Status == part.status {
				n++
			}
		}
		if n == 0 {
			continue
		}
		m.printf("<details>\n<summary>%s: %s</summary>\n\n", part.title, safetext.Count(n, "reason"))
		for _, e := range entries {
			if e.Status == part.status && !m.over {
				m.printf("%s", m.markdownReason(e))
			}
		}
		m.printf("\n</details>\n")
	}
}

// markdownReason returns a reason as a list item.
func (t *table) markdownReason(e *entry) string {
	var b strings.Builder
	b.WriteString("- ")
	if e.brief != "" {
		fmt.Fprintf(&b, "%s: ", codeSpan(e.brief))
	}
	fmt.Fprintf(&b, "%s\n  - Kernels: %s\n", codeSpan(e.text), t.someKernels(e, codeSpan))
	if e.devices != nil {
		fmt.Fprintf(&b, "  - Devices: %s\n", show.List(codeSpan.all(t.deviceNames(e.devices)), "devices"))
	}
	origins, n, note := e.origins(t, show.MostListed+1)
	if n > 0 {
		fmt.Fprintf(&b, "  - Used by %s\n", show.ListOf(codeSpan.all(origins), n, "functions"))
	} else if note != "" {
		fmt.Fprintf(&b, "  - %s\n", note)
	}
	return b.String()
}

// groups writes as many reasons with kernel counts as fit.
func (m *markdownWriter) groups() {
	if !m.head() {
		return
	}
	m.devices()
	m.printf("\n")
	groups := m.reasonGroups()
	for i, g := range groups {
		s := m.markdownGroup(g)
		if !m.fits(s) {
			if i == 0 {
				m.over = true
			}
			m.noteOmission(safetext.Count(len(groups)-i, "more reason")+" and the names of kernels", "--group-by", string(ByReason), "--all")
			return
		}
		m.printf("%s", s)
	}
	m.noteOmission("The names of kernels", "--all")
}

// markdownGroup returns a reason with the number and the names of kernels.
func (m *markdownWriter) markdownGroup(g *entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s %s\n", map[compat.Status]string{compat.Incompatible: "❌", compat.Undetermined: "❓", compat.NotApplicable: "➖"}[g.Status], g.sentence(m.table, codeSpan))
	families := m.families(g.kernels)
	for _, f := range families[:min(len(families), show.MostListed)] {
		fmt.Fprintf(&b, "  - %s: %s\n", safetext.Count(f.kernels, "kernel"), codeSpan(m.familyName(&f)))
	}
	if n := len(families) - show.MostListed; n > 0 {
		fmt.Fprintf(&b, "  - %s\n", safetext.Count(n, "other name"))
	}
	if list, n := m.origins(g.kernels, g.Required, 2, true); n > 0 && g.Rule == compat.MissingAspect {
		s := strings.Join(codeSpan.all(list), ", ")
		if n > len(list) {
			s += " and " + safetext.Count(n-len(list), "more function")
		}
		fmt.Fprintf(&b, "  - Used by %s\n", s)
	}
	return b.String()
}

// devices writes a table of devices with kernel counts, with as many rows as fit.
func (m *markdownWriter) devices() {
	m.printf("| Device | ✅ runs | ❌ does not run | ❓ known only when the program runs |\n|---|---|---|---|\n")
	list := m.deviceTallies(false)
	for i, d := range list {
		n := d.tally
		row := fmt.Sprintf("| %s | %d | %d | %d |\n", safetext.TableCell(codeSpan(m.deviceNames(d.devices)[0])), n.all-n.problems-n.open, n.problems, n.open)
		if !m.fits(row) {
			m.noteOmission(safetext.Count(len(list)-i, "more device"), "--all")
			return
		}
		m.printf("%s", row)
	}
}

// numbers writes how many kernels run on each device.
func (m *markdownWriter) numbers() {
	if !m.head() {
		return
	}
	m.devices()
	m.noteOmission("The reasons and kernels", "--all")
}
