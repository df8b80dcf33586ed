package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// MarkdownOptions says how long Markdown may become.
type MarkdownOptions struct {
	MaxBytes int // 0 is 900 KiB: summaries above 1 MiB are dropped whole by GitHub
}

// WriteMarkdown writes a result in the dialect of GitHub: what it comes to, the
// findings that count in a table, and what the policy covers in another one.
func WriteMarkdown(w io.Writer, r *Result, o MarkdownOptions) error {
	limit := o.MaxBytes
	if limit <= 0 {
		limit = 900 << 10
	}
	var b strings.Builder
	mark := "✅"
	if r.Conclusion == Failure {
		mark = "❌"
	}
	fmt.Fprintf(&b, "## %s SYCL compatibility\n\n%s.\n", mark, upperFirst(r.Summary()))
	var counting, covered []*Finding
	notes := 0
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.Covered():
			covered = append(covered, f)
		case f.Fails || f.Severity >= Warning:
			counting = append(counting, f)
		default:
			notes++
		}
	}
	// Room for the lines after a table that was cut.
	const rest = 2 << 10
	table := func(list []*Finding) {
		b.WriteString("\n| | Rule | Problem | Place |\n|---|---|---|---|\n")
		for i, f := range list {
			text := upperFirst(markdownWords.sentence(f))
			if status := markdownWords.status(f); status != "" {
				text += ". " + upperFirst(status)
			}
			row := fmt.Sprintf("| %s | %s | %s | %s |\n", markdownSeverity(f), f.Rule, report.InTable(text), report.InTable(markdownPlace(f)))
			if b.Len()+len(row)+rest > limit {
				fmt.Fprintf(&b, "\n%d more are left out here.\n", len(list)-i)
				return
			}
			b.WriteString(row)
		}
	}
	if len(counting) > 0 {
		table(counting)
	}
	if len(r.Notices) > 0 && b.Len()+rest < limit {
		b.WriteString("\n")
		for i, n := range r.Notices {
			line := fmt.Sprintf("- %v: %s\n", n.Severity, codeSpan(n.Text))
			if n.File != "" {
				line = fmt.Sprintf("- %s: %v: %s\n", codeSpan(n.place()), n.Severity, codeSpan(n.Text))
			}
			if b.Len()+len(line)+rest > limit {
				fmt.Fprintf(&b, "- %d more\n", len(r.Notices)-i)
				break
			}
			b.WriteString(line)
		}
	}
	if len(covered) > 0 && b.Len()+rest < limit {
		fmt.Fprintf(&b, "\n<details><summary>%d covered by the policy</summary>\n", len(covered))
		table(covered)
		b.WriteString("\n</details>\n")
	}
	if notes > 0 {
		fmt.Fprintf(&b, "\n%d notes are not shown.\n", notes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (n *Notice) place() string {
	if n.Line > 0 {
		return fmt.Sprintf("%s:%d", n.File, n.Line)
	}
	return n.File
}

func markdownSeverity(f *Finding) string {
	switch {
	case f.Fails:
		return "❌ " + f.Severity.String()
	case f.Severity >= Warning && !f.Covered():
		return "⚠️ " + f.Severity.String()
	}
	return f.Severity.String()
}

func markdownPlace(f *Finding) string {
	if p := f.Place(); p != "" {
		return codeSpan(p)
	}
	return ""
}

var markdownWords = words{name: codeSpan, value: codeSpan}

// codeSpan writes text as a code span: nothing in it is markup, a link or a
// mention.
func codeSpan(s string) string { return report.CodeSpan(safetext.Escape(s)) }

// upperFirst makes a sentence begin with a capital letter.
func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
