package render

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// MarkdownOptions configure the length of Markdown and the targets of its links.
type MarkdownOptions struct {
	MaxBytes int    // default 100,000: the report has the details, and GitHub drops a summary above 1 MiB
	Sources  string // URL of the source tree of the change, ending with "/"; "" for locations without links
}

// Markdown writes a result in GitHub's dialect: the conclusion, the differences from the base
// branch, and a table of failing or new problems. Known and allowed problems are in collapsed
// tables. Kernels with the same problem share a row, and are listed below the table.
func Markdown(w io.Writer, r *gate.Result, o MarkdownOptions) error {
	m := markdown{limit: o.MaxBytes, sources: o.Sources}
	if m.limit <= 0 {
		m.limit = 100_000
	}
	mark := "✅"
	if r.Conclusion == gate.Failure {
		mark = "❌"
	}
	fmt.Fprintf(&m, "## %s SYCL compatibility\n\n%s.\n", mark, show.UpperFirst(Summary(r)))
	if d := r.Difference(); d != nil {
		m.changes(d)
	}
	// A change with many problems or notices must not displace the notices about the change itself.
	notices := markdown{limit: m.limit / 4}
	if len(r.Notices) > 0 {
		notices.notices(r.Notices)
	}
	m.limit -= notices.Len()
	counting, covered, notes := split(r.Findings)
	var known group
	counting = slices.DeleteFunc(counting, func(f *gate.Finding) bool {
		if !isFailingOrNew(f) {
			known = append(known, f)
		}
		return !isFailingOrNew(f)
	})
	groups := groupsOf(counting)
	if len(groups) > 0 {
		m.table(groups)
		if line := gpus(groups); line != "" {
			m.add("\n" + line + "\n")
		}
		m.steps(slices.Concat(steps(groups), edits(r, groups, ""), adoptionSteps(r, groups)))
		m.proposeExceptions(r, groups)
	}
	m.limit += notices.Len()
	m.WriteString(notices.String())
	m.lists(groups)
	m.fold(safetext.Plural(len(known), "known problem", "known problems"), known)
	m.fold("covered by the policy", covered)
	if notes > 0 {
		fmt.Fprintf(&m, "\n%d %s not shown.\n", notes, safetext.Plural(notes, "note is", "notes are"))
	}
	_, err := io.WriteString(w, m.String())
	return err
}

// fold writes a collapsed table of findings, and their kernels.
func (m *markdown) fold(what string, list group) {
	if len(list) == 0 || m.Len()+reserved >= m.limit {
		return
	}
	fmt.Fprintf(m, "\n<details><summary>%d %s</summary>\n", len(list), what)
	m.table(groupsOf(list))
	m.WriteString("\n</details>\n")
	m.lists(groupsOf(list))
}

// split returns the findings that count, the findings that the policy covers, and the number of
// notes.
func split(findings []gate.Finding) (counting, covered group, notes int) {
	for i := range findings {
		switch f := &findings[i]; {
		case f.IsCovered():
			covered = append(covered, f)
		case f.Fails || f.Severity >= gate.Warning:
			counting = append(counting, f)
		default:
			notes++
		}
	}
	return counting, covered, notes
}

// A markdown is a page with a size limit.
type markdown struct {
	strings.Builder
	limit   int
	sources string
}

// reserved is the number of bytes kept free for the lines after a truncated list.
const reserved = 2 << 10

// add writes a line of a list if there is space for it.
func (m *markdown) add(line string) bool {
	if m.Len()+len(line)+reserved > m.limit {
		return false
	}
	m.WriteString(line)
	return true
}

// changes writes the differences from the base branch. Added kernels are only counted.
func (m *markdown) changes(d *gate.Difference) {
	var counts []string
	var rows []ChangeRow
	var titles []string // of the sections of rows
	for _, s := range ChangeSections(d) {
		counts = append(counts, fmt.Sprintf("%d %s", s.Kernels, s.Kind))
		if s.Kind == "added" {
			continue
		}
		rows = append(rows, s.Rows...)
		titles = append(titles, slices.Repeat([]string{s.Title}, len(s.Rows))...)
	}
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(m, "\nKernels compared with the base branch: %s.\n", strings.Join(counts, ", "))
	if len(rows) == 0 {
		return
	}
	m.WriteString("\n| | Kernels | What | Names |\n|---|--:|---|---|\n")
	more := 0
	for i := range rows {
		if i >= mostRows || !m.add(fmt.Sprintf("| %s | %s |\n", titles[i], rows[i].cells())) {
			more += rows[i].Kernels
		}
	}
	if more > 0 {
		fmt.Fprintf(m, "| | %d | in other groups | |\n", more)
	}
}

func (m *markdown) table(groups []group) {
	m.WriteString("\n| | Rule | Problem | Location |\n|---|---|---|---|\n")
	in := markdownWords.short(slices.Concat(groups...))
	for i, g := range groups {
		text := show.UpperFirst(in.sentence(g))
		if disposition := in.disposition(g[0]); disposition != "" {
			text += ". " + show.UpperFirst(disposition)
		}
		if !m.add(fmt.Sprintf("| %s | %s | %s | %s |\n", markdownSeverity(g[0]), ruleLink(g[0].Rule), safetext.TableCell(text), safetext.TableCell(m.places(g)))) {
			left := 0
			for _, g := range groups[i:] {
				left += len(g)
			}
			fmt.Fprintf(m, "\n%d more %s not shown here.\n", left, safetext.Plural(left, "is", "are"))
			return
		}
	}
}

// places returns the locations of a group, or some of many.
func (m *markdown) places(g group) string {
	var list []string
	for _, f := range g.places() {
		list = append(list, m.place(f))
	}
	if len(list) == 0 { // only the module is known
		for _, f := range g {
			if span := show.CodeSpan(f.Target); f.Target != "" && !slices.Contains(list, span) {
				list = append(list, span)
			}
		}
	}
	return safetext.JoinFirst(list, mostKernels)
}

// place returns the location of a finding, as a link if it is a file of the source tree.
func (m *markdown) place(f *gate.Finding) string {
	span := show.CodeSpan(place(f))
	if m.sources == "" || !safetext.IsPath(f.Path) {
		return span
	}
	parts := strings.Split(f.Path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	address := m.sources + strings.Join(parts, "/")
	if f.Line > 0 {
		address += fmt.Sprintf("#L%d", f.Line)
	}
	return fmt.Sprintf("[%s](<%s>)", span, address)
}

// steps lists what to do next.
func (m *markdown) steps(list []string) {
	if len(list) == 0 || !m.add("\nNext:\n\n") {
		return
	}
	for _, s := range list {
		if !m.add("- " + s + "\n") {
			return
		}
	}
}

// mostLinks is the maximum number of kernels in a list with links, because links are much longer
// than names.
const mostLinks = 100

// lists writes a list for each group whose row omits kernels.
func (m *markdown) lists(groups []group) {
	sources := m.sources
	defer func() { m.sources = sources }()
	for _, g := range groups {
		if len(g) <= mostKernels || g[0].Kernel == "" {
			continue
		}
		if !m.add(fmt.Sprintf("\n<details><summary>%s: %d kernels</summary>\n\n", g[0].Rule, len(g))) {
			return
		}
		if len(g) > mostLinks {
			m.sources = ""
		}
		for i, f := range g {
			line := "- " + show.CodeSpan(f.Kernel)
			if len(f.Origins) > 0 && g.origin() == "" {
				line += ", by " + show.CodeSpan(f.Origins[0])
			}
			if place(f) != "" {
				line += ", " + m.place(f)
			}
			if !m.add(line + "\n") {
				fmt.Fprintf(m, "- %d more %s not shown here\n", len(g)-i, safetext.Plural(len(g)-i, "is", "are"))
				break
			}
		}
		m.WriteString("\n</details>\n")
	}
}

// notices writes notices, beginning with those about a weakened or possibly weakened policy.
func (m *markdown) notices(list []gate.Notice) {
	m.WriteString("\n")
	list = slices.Clone(list)
	rank := func(n *gate.Notice) int {
		if n.Rule == gate.PolicyWeakened || n.Rule == gate.NotCompared {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b gate.Notice) int { return cmp.Compare(rank(&a), rank(&b)) })
	for i, n := range list {
		line := fmt.Sprintf("%v: %s\n", n.Severity, show.CodeSpan(n.Text))
		switch {
		case n.File != "" && n.Line > 0:
			line = show.CodeSpan(fmt.Sprintf("%s:%d", n.File, n.Line)) + ": " + line
		case n.File != "":
			line = show.CodeSpan(n.File) + ": " + line
		}
		if !m.add("- " + line) {
			fmt.Fprintf(m, "- %d more\n", len(list)-i)
			return
		}
	}
}

// ruleLink returns a rule id as a link to its page.
func ruleLink(id gate.RuleID) string {
	if _, ok := gate.LookupRule(id); !ok {
		return show.CodeSpan(string(id))
	}
	return fmt.Sprintf("[%s](%s#%s)", id, helpURI, id)
}

func markdownSeverity(f *gate.Finding) string {
	switch {
	case f.Fails:
		return "❌ " + f.Severity.String()
	case f.Severity >= gate.Warning && !f.IsCovered():
		return "⚠️ " + f.Severity.String()
	}
	return f.Severity.String()
}

var markdownWords = words{name: show.CodeSpan, value: show.CodeSpan}
