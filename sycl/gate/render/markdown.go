package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// MarkdownOptions says how long Markdown may become.
type MarkdownOptions struct {
	MaxBytes int // 0 is 900 KiB: GitHub drops a whole summary when it is above 1 MiB
}

// Markdown writes a result in the dialect of GitHub: what it comes to, the findings
// that count in a table, and what the policy covers in another one.
func Markdown(w io.Writer, r *gate.Result, o MarkdownOptions) error {
	m := markdown{limit: o.MaxBytes}
	if m.limit <= 0 {
		m.limit = 900 << 10
	}
	mark := "✅"
	if r.Conclusion == gate.Failure {
		mark = "❌"
	}
	fmt.Fprintf(&m, "## %s SYCL compatibility\n\n%s.\n", mark, upperFirst(Summary(r)))
	var counting, covered []*gate.Finding
	notes := 0
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.Covered():
			covered = append(covered, f)
		case f.Fails || f.Severity >= gate.Warning:
			counting = append(counting, f)
		default:
			notes++
		}
	}
	if len(counting) > 0 {
		m.table(counting)
	}
	if len(r.Notices) > 0 && m.Len()+rest < m.limit {
		m.notices(r.Notices)
	}
	if len(covered) > 0 && m.Len()+rest < m.limit {
		fmt.Fprintf(&m, "\n<details><summary>%d covered by the policy</summary>\n", len(covered))
		m.table(covered)
		m.WriteString("\n</details>\n")
	}
	if notes > 0 {
		fmt.Fprintf(&m, "\n%d notes are not shown.\n", notes)
	}
	_, err := io.WriteString(w, m.String())
	return err
}

// markdown is a page that must not become longer than its limit.
type markdown struct {
	strings.Builder
	limit int
}

// rest is the room for the lines after a list that was cut.
const rest = 2 << 10

// add writes a line of a list if there is room for it.
func (m *markdown) add(line string) bool {
	if m.Len()+len(line)+rest > m.limit {
		return false
	}
	m.WriteString(line)
	return true
}

func (m *markdown) table(list []*gate.Finding) {
	m.WriteString("\n| | Rule | Problem | Place |\n|---|---|---|---|\n")
	for i, f := range list {
		text := upperFirst(markdownWords.sentence(f))
		if status := markdownWords.status(f); status != "" {
			text += ". " + upperFirst(status)
		}
		at := ""
		if p := place(f); p != "" {
			at = codeSpan(p)
		}
		if !m.add(fmt.Sprintf("| %s | %s | %s | %s |\n", markdownSeverity(f), f.Rule, safetext.TableCell(text), safetext.TableCell(at))) {
			fmt.Fprintf(m, "\n%d more are left out here.\n", len(list)-i)
			return
		}
	}
}

func (m *markdown) notices(list []gate.Notice) {
	m.WriteString("\n")
	for i, n := range list {
		line := fmt.Sprintf("%v: %s\n", n.Severity, codeSpan(n.Text))
		switch {
		case n.File != "" && n.Line > 0:
			line = codeSpan(fmt.Sprintf("%s:%d", n.File, n.Line)) + ": " + line
		case n.File != "":
			line = codeSpan(n.File) + ": " + line
		}
		if !m.add("- " + line) {
			fmt.Fprintf(m, "- %d more\n", len(list)-i)
			return
		}
	}
}

func markdownSeverity(f *gate.Finding) string {
	switch {
	case f.Fails:
		return "❌ " + f.Severity.String()
	case f.Severity >= gate.Warning && !f.Covered():
		return "⚠️ " + f.Severity.String()
	}
	return f.Severity.String()
}

var markdownWords = words{name: codeSpan, value: codeSpan}

// codeSpan writes text as a code span: nothing in it is markup, a link or a
// mention.
func codeSpan(s string) string { return safetext.CodeSpan(safetext.Escape(s)) }

// upperFirst makes a sentence begin with a capital letter.
func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
