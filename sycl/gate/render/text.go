package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// TextOptions configure which parts of a result are printed.
type TextOptions struct {
	All     bool   // include covered findings and notes
	Program string // the command prefix for compat commands; default "compat"
	Fix     string // the command that proposes edits; default: compat fix with the report
}

// Text prints a result like compiler diagnostics, most severe first, and a summary. Findings that
// differ only in the kernel share a line if they are at the same source line or if there are more than 50
// findings. It prints at most 50 lines.
func Text(w io.Writer, r *gate.Result, o TextOptions) error {
	out := diagnostics{bufio.NewWriter(w), o.Program}
	var list group
	for i := range r.Findings {
		f := &r.Findings[i]
		if o.All || f.Fails || !f.IsCovered() && f.Severity >= gate.Warning {
			list = append(list, f)
		}
	}
	shown := out.findings(list, 50, func(f *gate.Finding) (gate.Severity, string) { return f.Severity, plainWords.disposition(f) })
	shown = slices.DeleteFunc(shown, func(g group) bool { return g[0].IsCovered() }) // either all of a group or none
	out.steps("compat: next", steps(shown), edits(r, shown, o.Fix))
	if o.Fix == "" { // if it is set, the check is part of a build with a rule for baselines
		out.steps("compat: next", adoptionSteps(r, shown))
	}
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

// Warnings prints new findings that are severe enough to fail, and messages about the policy, like
// compiler warnings, for builds that continue. It prints nothing if there are none, and at most 20
// lines of findings, see [Text]. program is the same as in [TextOptions].
func Warnings(w io.Writer, r *gate.Result, program string) error {
	out := diagnostics{bufio.NewWriter(w), program}
	var list group
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.IsCovered() && f.Severity >= min(gate.Warning, r.Policy.FailOnSeverity) && f.State == gate.StateNew && f.Class == "" {
			list = append(list, f)
		}
	}
	shown := out.findings(list, 20, func(*gate.Finding) (gate.Severity, string) { return gate.Warning, "" })
	out.steps("compat: note: next", steps(shown))
	for i := range r.Notices {
		if n := &r.Notices[i]; n.Severity >= gate.Warning {
			out.notice(n, gate.Warning)
		}
	}
	return out.Flush()
}

// diagnostics writes lines in the format of compilers.
type diagnostics struct {
	*bufio.Writer
	program string
}

// commands replaces the compat commands in text with the prefix that the user can run.
func (d *diagnostics) commands(s string) string {
	if d.program == "" {
		return s
	}
	return strings.ReplaceAll(s, "'compat ", "'"+d.program+" ")
}

// steps prints what to do next about the printed findings.
func (d *diagnostics) steps(prefix string, lists ...[]string) {
	for _, s := range slices.Concat(lists...) {
		fmt.Fprintf(d, "%s: %s\n", prefix, d.commands(plainStep(s)))
	}
}

// findings prints findings in up to most lines and returns the printed groups.
func (d *diagnostics) findings(list group, most int, about func(*gate.Finding) (gate.Severity, string)) []group {
	groups := groupsOf(list)
	if len(list) <= most {
		groups = groupsByLine(list)
	}
	shown := groups[:min(len(groups), most)]
	left := len(list)
	in := plainWords.short(list)
	for _, g := range shown {
		left -= len(g)
		at := cmp.Or(g.file(), "compat")
		if places := g.places(); len(places) > 0 {
			at = place(places[0])
		}
		severity, disposition := about(g[0])
		fmt.Fprintf(d, "%s: %v: %s [%s]", at, severity, in.sentence(g), g[0].Rule)
		if disposition != "" {
			fmt.Fprintf(d, " (%s)", disposition)
		}
		d.WriteByte('\n')
	}
	switch {
	case left > 0:
		fmt.Fprintf(d, d.commands("compat: note: %d more; 'compat check --format json' lists all of them\n"), left)
	case len(groups) < len(list):
		fmt.Fprintf(d, d.commands("compat: note: %d problems in %s; 'compat check --format json' lists all of them\n"), len(list), safetext.Count(len(groups), "line"))
	}
	return shown
}

// file returns the file that all findings are about, or "". The label of a program is its path,
// unless a build system has set the label.
func (g group) file() string {
	label := g[0].Target
	if !safetext.IsPath(label) || slices.ContainsFunc(g, func(f *gate.Finding) bool { return f.Target != label }) {
		return ""
	}
	return label
}

func (d *diagnostics) notice(n *gate.Notice, severity gate.Severity) {
	at := cmp.Or(safetext.Escape(n.File), "compat")
	if n.File != "" && n.Line > 0 {
		at += fmt.Sprintf(":%d", n.Line)
	}
	fmt.Fprintf(d, "%s: %v: %s [%s]\n", at, severity, safetext.Escape(n.Text), n.Rule)
}
