package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// CommentOptions configure the length of a comment and the targets of its links.
type CommentOptions struct {
	MaxBytes int    // of the whole comment; default 60,000
	Sources  string // as in [MarkdownOptions]
	Summary  string // URL of a page with the whole result, or ""
}

// Limits of a comment.
const (
	commentSize    = 6000 // bytes; only new problems exceed it
	commentRows    = 5    // minimum
	commentSolved  = 5    // lines
	commentNotices = 1500 // bytes
	longestName    = 120  // bytes
	longestText    = 400
)

// Comment writes a comment on a change: new problems by kernel and module, solved problems and what
// to do. One line states the number of known problems.
func Comment(w io.Writer, r *gate.Result, o CommentOptions) error {
	c := comment{Result: r, options: o, limit: cmp.Or(o.MaxBytes, 60_000)}
	c.page.sources = o.Sources
	var rest strings.Builder
	c.solved(&rest)
	c.steps(&rest)
	c.notices(&rest)
	c.others(&rest)
	head := c.head()
	table := c.table(len(head) + rest.Len())
	_, err := io.WriteString(w, head+table+rest.String())
	return err
}

// commentWords are [markdownWords] with shortened names.
var commentWords = words{
	name:  func(s string) string { return show.CodeSpan(elide(s, longestName)) },
	value: func(s string) string { return show.CodeSpan(elide(s, longestText)) },
}

type comment struct {
	*gate.Result
	options CommentOptions
	limit   int
	page    markdown // for links to sources
	shown   []group  // failing or new findings
}

// head returns the conclusion and the numbers of changed kernels.
func (c *comment) head() string {
	mark := "✅"
	if c.Conclusion == gate.Failure {
		mark = "❌"
	}
	s := fmt.Sprintf("## %s SYCL compatibility\n\n%s.\n", mark, show.UpperFirst(Summary(c.Result)))
	if d := c.Difference(); d != nil {
		var counts []string
		for _, section := range ChangeSections(d) {
			counts = append(counts, fmt.Sprintf("%d %s", section.Kernels, section.Kind))
		}
		if len(counts) > 0 {
			s += fmt.Sprintf("\nKernels compared with the base branch: %s.\n", strings.Join(counts, ", "))
		}
	}
	return s
}

// failingOrNew returns the groups of findings that fail or are new, by module.
func (c *comment) failingOrNew() []group {
	if c.shown == nil {
		var list []*gate.Finding
		for i := range c.Findings {
			if f := &c.Findings[i]; isFailingOrNew(f) && !f.IsCovered() && (f.Fails || f.Severity >= gate.Warning) {
				list = append(list, f)
			}
		}
		c.shown = groupsBy(list, func(f *gate.Finding) string { return f.Target })
	}
	return c.shown
}

// table writes one row per group of kernels of a module that have the same problem. others is the
// size of the rest of the comment.
func (c *comment) table(others int) string {
	groups := c.failingOrNew()
	if len(groups) == 0 {
		return ""
	}
	problems := 0
	for _, g := range groups {
		problems += len(g)
	}
	what := "new"
	if slices.ContainsFunc(groups, func(g group) bool { return g[0].State != gate.StateNew }) {
		what = "failing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %d %s %s\n\n| | Kernel | Problem | Device | Module |\n|---|---|---|---|---|\n", problems, what, safetext.Plural(problems, "problem", "problems"))
	in := commentWords.short(slices.Concat(groups...))
	legend := gpus(groups)
	left := 0
	for i, g := range groups {
		row := c.row(in, g)
		size := others + b.Len() + len(row) + len(legend) + 200
		if left > 0 || size > c.limit || i >= commentRows && size > commentSize {
			left += len(g)
			continue
		}
		b.WriteString(row)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more in %s.\n", left, c.summary())
	}
	if legend != "" {
		b.WriteString("\n" + legend + "\n")
	}
	return b.String()
}

// row returns the table row for a group.
func (c *comment) row(in words, g group) string {
	f := g[0]
	mark := "⚠️"
	if f.Fails {
		mark = "❌"
	}
	var kernels, devices []string
	for _, f := range g[:min(len(g), mostKernels+1)] {
		if f.Kernel != "" {
			kernels = append(kernels, in.name(f.Kernel))
		}
	}
	if n := len(g) - mostKernels; n > 0 && len(kernels) > mostKernels {
		kernels = append(kernels[:mostKernels], fmt.Sprintf("%d more", n))
	}
	for _, d := range f.Devices {
		devices = append(devices, in.value(d.ID))
	}
	problem := in.problem(g)
	if disposition := in.disposition(f); disposition != "" {
		problem += "; " + disposition
	}
	module := ""
	if f.Target != "" {
		module = in.value(f.Target)
	}
	if f.Path != "" {
		if module != "" {
			module += ", "
		}
		module += c.page.places(g)
	}
	cells := []string{strings.Join(kernels, ", "), show.UpperFirst(problem), safetext.JoinFirst(devices, 4), module}
	for i, s := range cells {
		cells[i] = safetext.TableCell(s)
	}
	return fmt.Sprintf("| %s | %s |\n", mark, strings.Join(cells, " | "))
}

// problem returns a description of a problem for a table that has a column for the kernels.
func (w words) problem(g group) string {
	f := g[0]
	switch f.Rule {
	case gate.CoverageLost, gate.ReportInvalid:
		return w.value(f.Text)
	case gate.KernelLost:
		return "no longer in any report"
	case gate.Undetermined:
		return "known only when the program runs: " + w.need(g, f.Cause)
	}
	need := w.need(g, f.Rule)
	for _, who := range []string{"it ", "they "} {
		need = strings.TrimPrefix(need, who)
	}
	return need
}

// solved lists the known problems that no longer exist.
func (c *comment) solved(b *strings.Builder) {
	type key struct {
		rule                     gate.RuleID
		required, device, target string
		gone                     bool
	}
	list := c.Solved()
	if len(list) == 0 {
		return
	}
	total := 0
	for _, s := range list {
		total += s.Count
	}
	groups := show.Group(list, func(s gate.Solved) key { return key{s.Rule, s.Required, s.Device, s.Target, s.Gone} })
	slices.SortStableFunc(groups, func(a, b []gate.Solved) int { return cmp.Compare(len(b), len(a)) })
	fmt.Fprintf(b, "\n### %d solved %s\n\n", total, safetext.Plural(total, "problem", "problems"))
	for i, g := range groups {
		k := g[0]
		if i == commentSolved {
			fmt.Fprintf(b, "- %d more\n", len(groups)-i)
			break
		}
		var names []string
		for _, s := range g[:min(len(g), mostKernels)] {
			names = append(names, show.CodeSpan(elide(s.Kernel, longestName)))
		}
		if n := len(g) - len(names); n > 0 {
			names = append(names, fmt.Sprintf("%d more", n))
		}
		verb := safetext.Plural(len(g), "runs", "run") + " on " + show.CodeSpan(k.Device) + " now"
		if k.Gone {
			verb = safetext.Plural(len(g), "is", "are") + " gone, and so is the problem on " + show.CodeSpan(k.Device)
		}
		line := fmt.Sprintf("- %s %s", strings.Join(names, ", "), verb)
		if k.Rule == compat.MissingAspect {
			line += " (aspect " + show.CodeSpan(k.Required) + ")"
		}
		if k.Target != "" {
			line += ", in " + show.CodeSpan(elide(k.Target, longestName))
		}
		b.WriteString(line + "\n")
	}
}

// steps lists what the author should do.
func (c *comment) steps(b *strings.Builder) {
	groups := c.failingOrNew()
	list := slices.Concat(steps(groups), edits(c.Result, groups, ""), adoptionSteps(c.Result, groups))
	if lines, _ := exceptions(c.Result, groups); len(lines) > 0 {
		list = append(list, "to accept a problem for some time, paste its lines from "+c.summary()+" into the policy")
	}
	if len(list) == 0 {
		return
	}
	b.WriteString("\n### What to do\n\n")
	for _, s := range list {
		fmt.Fprintf(b, "- %s\n", s)
	}
}

// notices lists warnings about the policy and the baseline.
func (c *comment) notices(b *strings.Builder) {
	if len(c.Notices) == 0 {
		return
	}
	m := markdown{limit: commentNotices + reserved}
	m.notices(c.Notices)
	b.WriteString(m.String())
}

// others writes the numbers of findings that are not shown.
func (c *comment) others(b *strings.Builder) {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	known, data, covered, notes := 0, 0, 0, 0
	for i := range c.Findings {
		switch f := &c.Findings[i]; {
		case f.IsCovered():
			covered++
		case isFailingOrNew(f) && (f.Fails || f.Severity >= gate.Warning):
		case f.State != gate.StateNew:
			known++
		case f.Class == gate.ClassDeviceData:
			data++
		default:
			notes++
		}
	}
	add(known, safetext.Plural(known, "known problem", "known problems"))
	add(data, safetext.Plural(data, "problem", "problems")+" from changed data of devices")
	add(covered, "covered by the policy")
	add(notes, safetext.Plural(notes, "note", "notes"))
	if len(parts) > 0 {
		fmt.Fprintf(b, "\nNot shown: %s. See %s.\n", strings.Join(parts, ", "), c.summary())
	}
}

// summary returns a link to the page with the whole result.
func (c *comment) summary() string {
	if c.options.Summary == "" {
		return "the summary of the run"
	}
	return fmt.Sprintf("[the summary](<%s>)", c.options.Summary)
}

// elide returns s, with the middle omitted if s is too long for a comment.
func elide(s string, most int) string {
	if len(s) <= most {
		return s
	}
	half := most/2 - 2
	return strings.ToValidUTF8(s[:half], "") + "..." + strings.ToValidUTF8(s[len(s)-half:], "")
}
