package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// TextOptions says what of a result is printed.
type TextOptions struct {
	All bool // also what is covered, and notes
}

// Text prints a result as compilers print diagnostics, the gravest first, and its
// summary. It prints at most 50 findings.
func Text(w io.Writer, r *gate.Result, o TextOptions) error {
	out := diagnostics{Writer: bufio.NewWriter(w), most: 50}
	for i := range r.Findings {
		f := &r.Findings[i]
		if o.All || f.Fails || !f.Covered() && f.Severity >= gate.Warning {
			out.finding(f, f.Severity, plainWords.status(f))
		}
	}
	if out.left > 0 {
		fmt.Fprintf(out, "compat: note: %d more; --format json has them all\n", out.left)
	}
	groups := groupsOf(out.shown)
	out.steps("compat: next", steps(groups), edits(r, groups))
	for i := range r.Notices {
		n := &r.Notices[i]
		severity := n.Severity
		if n.Fails {
			severity = gate.Error
		}
		out.notice(n, severity)
	}
	fmt.Fprintf(out, "compat: %s\n", Summary(r))
	return out.Flush()
}

// Warnings prints what is new and grave enough to fail, or is about the policy, as
// warnings in the form of compilers, and nothing when all is well. It is for builds
// that go on. It prints at most 20 findings.
func Warnings(w io.Writer, r *gate.Result) error {
	out := diagnostics{Writer: bufio.NewWriter(w), most: 20}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Covered() && f.Severity >= min(gate.Warning, r.Policy.FailOnSeverity) && f.State == gate.StateNew && f.Class == "" {
			out.finding(f, gate.Warning, "")
		}
	}
	if out.left > 0 {
		fmt.Fprintf(out, "compat: warning: %d more problems\n", out.left)
	}
	out.steps("compat: note: next", steps(groupsOf(out.shown)))
	for i := range r.Notices {
		if n := &r.Notices[i]; n.Severity >= gate.Warning {
			out.notice(n, gate.Warning)
		}
	}
	return out.Flush()
}

// diagnostics are lines in the form of compilers.
type diagnostics struct {
	*bufio.Writer
	most  int   // findings that are still printed
	left  int   // findings that were left out
	shown group // findings that were printed and that nothing covers
}

// steps prints what to do next about the findings that were printed.
func (d *diagnostics) steps(prefix string, lists ...[]string) {
	for _, s := range slices.Concat(lists...) {
		fmt.Fprintf(d, "%s: %s\n", prefix, plainStep(s))
	}
}

func (d *diagnostics) finding(f *gate.Finding, severity gate.Severity, status string) {
	if d.most == 0 {
		d.left++
		return
	}
	d.most--
	if !f.Covered() {
		d.shown = append(d.shown, f)
	}
	fmt.Fprintf(d, "%s: %v: %s [%s]", cmp.Or(place(f), "compat"), severity, Message(f), f.Rule)
	if status != "" {
		fmt.Fprintf(d, " (%s)", status)
	}
	d.WriteByte('\n')
}

func (d *diagnostics) notice(n *gate.Notice, severity gate.Severity) {
	at := cmp.Or(safetext.Escape(n.File), "compat")
	if n.File != "" && n.Line > 0 {
		at += fmt.Sprintf(":%d", n.Line)
	}
	fmt.Fprintf(d, "%s: %v: %s [%s]\n", at, severity, safetext.Escape(n.Text), n.Rule)
}
