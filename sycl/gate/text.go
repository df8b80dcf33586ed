package gate

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// TextOptions says what of a result is printed.
type TextOptions struct {
	All  bool // also what is covered, and notes
	Most int  // findings; 0 is 50
}

// WriteText prints a result as compilers print diagnostics, the gravest first,
// and its summary.
func WriteText(w io.Writer, r *Result, o TextOptions) error {
	out := bufio.NewWriter(w)
	most := cmp.Or(o.Most, 50)
	left := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if !o.All && !f.Fails && (f.Covered() || f.Severity < Warning) {
			continue
		}
		if most--; most < 0 {
			left++
			continue
		}
		line := fmt.Sprintf("%s: %v: %s [%s]", cmp.Or(f.Place(), "compat"), f.Severity, f.Message(), f.Rule)
		if s := plainWords.status(f); s != "" {
			line += " (" + s + ")"
		}
		fmt.Fprintln(out, line)
	}
	if left > 0 {
		fmt.Fprintf(out, "compat: note: %d more; --format json has them all\n", left)
	}
	for _, n := range r.Notices {
		fmt.Fprintln(out, n.line())
	}
	fmt.Fprintf(out, "compat: %s\n", r.Summary())
	return out.Flush()
}

// line prints a notice as compilers print diagnostics.
func (n *Notice) line() string {
	place := cmp.Or(safetext.Escape(n.File), "compat")
	if n.File != "" && n.Line > 0 {
		place += fmt.Sprintf(":%d", n.Line)
	}
	severity := n.Severity
	if n.Fails {
		severity = Error
	}
	return fmt.Sprintf("%s: %v: %s [%s]", place, severity, safetext.Escape(n.Text), n.Rule)
}

// WriteWarnings prints what is new and grave enough to fail, or is about the
// policy, as warnings in the form of compilers, and nothing when all is well. It
// is for builds that go on.
func WriteWarnings(w io.Writer, r *Result) error {
	const most = 20
	out := bufio.NewWriter(w)
	n, left := 0, 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Covered() || f.Severity < min(Warning, r.Policy.FailOnSeverity) || f.State != StateNew || f.Class != "" {
			continue
		}
		if n++; n > most {
			left++
			continue
		}
		fmt.Fprintf(out, "%s: warning: %s [%s]\n", cmp.Or(f.Place(), "compat"), f.Message(), f.Rule)
	}
	if left > 0 {
		fmt.Fprintf(out, "compat: warning: %d more problems\n", left)
	}
	for i := range r.Notices {
		if n := r.Notices[i]; n.Severity >= Warning {
			n.Severity, n.Fails = Warning, false
			fmt.Fprintln(out, n.line())
		}
	}
	return out.Flush()
}
