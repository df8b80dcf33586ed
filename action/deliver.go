package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	reportrender "github.com/rules-sycl/rules_sycl/sycl/report/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A delivery sends a result to the outputs, the files, the log, the summary and the comment.
type delivery struct {
	check
	out     *console
	unshown []error // why parts of the result are not shown
}

// deliver delivers the result. It sets the conclusion first, even if the rest fails. It reports
// whether the result is in the summary and the comment, if these can be written.
func deliver(ctx context.Context, out *console, c check) (isShown bool, err error) {
	d := delivery{check: c, out: out}
	if err := d.writeOutputs(ctx); err != nil {
		return false, err
	}
	if err := d.writeFiles(ctx); err != nil {
		return false, err
	}
	d.show(ctx)
	return true, out.reportUnshown(d.unshown, c.settings.strictDelivery)
}

// outputs are the outputs of the action. The outputs for files and the comment are set when these
// are written.
var outputs = []string{"conclusion", "exit-code", "total-cells", "incompatible", "undetermined", "new-problems", "fixed", "baselined", "allowed",
	"expired", "stale", "devices", "kernels", "report-digest", "result-file", "sarif-file", "html-file", "markdown-file", "report-file", "comment-url"}

// writeOutputs writes the conclusion.
func (d *delivery) writeOutputs(ctx context.Context) error {
	if d.out.github == nil {
		return nil
	}
	digest, err := gatefiles.Digest(ctx, d.evidence.options)
	if err != nil {
		return err
	}
	c := d.result.Counts
	list := []stepOutput{
		{Name: "conclusion", Value: wordValue(d.conclusion())},
		{Name: "exit-code", Value: numberValue(exitCode(d.result))},
		{Name: "report-digest", Value: wordValue("sha256:" + digest)},
	}
	for _, n := range []struct {
		name string
		n    int
	}{
		{"total-cells", c.Cells}, {"incompatible", c.Incompatible}, {"undetermined", c.Undetermined}, {"new-problems", c.New}, {"fixed", c.Absent},
		{"baselined", c.Unchanged + c.Updated}, {"allowed", c.Allowed}, {"expired", c.Expired}, {"stale", c.Stale}, {"devices", c.Devices}, {"kernels", c.Kernels},
	} {
		list = append(list, stepOutput{Name: n.name, Value: numberValue(n.n)})
	}
	return d.out.github.setOutputs(list...)
}

// fileOutputs maps formats to the outputs that name their files.
var fileOutputs = map[string]string{"json": "result-file", "sarif": "sarif-file", "html": "html-file", "markdown": "markdown-file", "report": "report-file"}

// writeFiles writes the requested files. A failure is an error, because later steps need the files.
func (d *delivery) writeFiles(ctx context.Context) error {
	var written []stepOutput
	var out outfile.Group
	defer out.Close()
	for _, format := range slices.Sorted(maps.Keys(d.paths.outputs)) {
		name := d.paths.outputs[format]
		if name == "" {
			continue
		}
		if err := prepare(d.place, name); err != nil {
			return err
		}
		write := func(w io.Writer) error {
			return gatefiles.Writers[format](w, d.result, gatefiles.WriteOptions{})
		}
		switch format {
		case "html":
			merged, err := d.evidence.merged(ctx)
			if err != nil {
				d.notShown("cannot write the page: %v", err)
				continue
			}
			write = func(w io.Writer) error { return reportrender.HTML(w, merged, reportrender.HTMLOptions{}) }
		case "report":
			built, err := report.Merge(d.evidence.options.Built...)
			if err != nil {
				return err
			}
			write = built.Encode
		case "proposed-baseline":
			write = gate.NewBaseline(d.result).Encode
		}
		if err := out.Write(name, write); err != nil {
			return err
		}
		if output := fileOutputs[format]; output != "" {
			written = append(written, stepOutput{Name: output, Value: pathValue(d.place.inWorkspace(name))})
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if d.out.github == nil || len(written) == 0 {
		return nil
	}
	return d.out.github.setOutputs(written...)
}

// prepare creates the directory of a file. It rejects links that lead out of the workspace or to
// Git's files, because a change may have added them.
func prepare(p place, name string) error {
	if filepath.IsAbs(name) {
		return nil
	}
	root, err := os.OpenRoot(p.outer)
	if err != nil {
		return err
	}
	defer root.Close()
	below, err := filepath.Rel(p.outer, p.path(name))
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(below), 0o755); err != nil {
		return fmt.Errorf("cannot write %s: cannot create its directory in the workspace: %v", name, workspace.Reason(err))
	}
	if _, err := root.Stat(below); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot write %s: the path leads out of the workspace: %v; remove the symbolic link", name, workspace.Reason(err))
	}
	if to, err := outfile.Destination(p.path(name)); err == nil && isInGit(to) { // Write reports other errors
		return fmt.Errorf("cannot write %s: the path leads to Git's own files; remove the symbolic link", name)
	}
	return nil
}

// writeFile writes one file of the workspace.
func writeFile(p place, name string, write func(w io.Writer) error) error {
	if err := prepare(p, name); err != nil {
		return err
	}
	return outfile.Write(name, write)
}

// notShown records that a part of the result cannot be shown. This is an error only if
// strict-delivery is set.
func (d *delivery) notShown(format string, args ...any) {
	d.unshown = append(d.unshown, fmt.Errorf(format, args...))
}

// show writes the result to the log and, in GitHub Actions, as annotations, job summary and
// comment.
func (d *delivery) show(ctx context.Context) {
	d.out.log(func(w io.Writer) error { return render.Text(w, d.result, render.TextOptions{}) })
	if name := d.firstBaseline(); name != "" {
		d.out.logf("To accept these problems as known, commit the proposed baseline %s and add to the step:\n  with:\n    baseline-file: %s", name, name)
	}
	if d.out.github == nil {
		return
	}
	if d.job.event.isRisky() {
		d.out.logf("This workflow runs for %s with permissions that the fork does not have. Do not check out or run the change's code in this workflow.", d.job.event.name)
	}
	for _, text := range d.notices {
		if !d.settings.annotations || !d.out.github.annotate(annotation{Level: levelNotice, Title: "SYCL compatibility", Message: text}) {
			d.out.logf("%s", text)
		}
	}
	if d.settings.annotations {
		d.annotate()
	}
	if d.settings.summary != "none" {
		d.summarize(ctx)
	}
	if d.settings.comment != "never" {
		d.commentResult(ctx)
	}
}

// reportUnshown reports what could not be shown. This is an error if strict is set.
func (out *console) reportUnshown(unshown []error, strict bool) error {
	if out.github != nil {
		if err := out.github.out.err; err != nil {
			return fmt.Errorf("cannot write the log: %v", err)
		}
	}
	unshown = slices.Concat(out.lost, unshown)
	if len(unshown) == 0 {
		return nil
	}
	if strict {
		return fmt.Errorf("%v", errors.Join(unshown...))
	}
	for _, err := range unshown {
		message := safetext.Escape(err.Error())
		if out.github == nil {
			fmt.Fprintf(out.stderr, "action: warning: %s\n", message)
		} else if !out.github.annotate(annotation{Level: levelWarning, Title: "SYCL compatibility", Message: message}) {
			if err := out.github.log(func(w io.Writer) error { _, err := fmt.Fprintf(w, "warning: %s\n", message); return err }); err != nil {
				return fmt.Errorf("%v", err)
			}
		}
	}
	return nil
}

// annotate annotates problems at their locations: failing problems first, then the most severe.
// Problems that the policy covers, known problems that do not fail, and notes are only in the log
// and the summary.
func (d *delivery) annotate() {
	list := slices.Concat(annotations(d.result, true), annotations(d.result, false))
	shown := map[annotationLevel]int{}
	left := 0
	for _, n := range list {
		if shown[n.Level] < d.settings.maxAnnotations && d.out.github.annotate(n) {
			shown[n.Level]++
		} else {
			left++
		}
	}
	if left > 0 {
		d.out.logf("%d more problems have no annotation (limit %d per level); json-file lists all problems.", left, d.settings.maxAnnotations)
	}
}

// annotations returns annotations for the findings and notices that fail, or for the rest.
func annotations(r *gate.Result, fails bool) (list []annotation) {
	var shown []*gate.Finding
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Fails == fails && (fails || !f.IsCovered() && f.Severity >= gate.Warning && f.State == gate.StateNew) {
			shown = append(shown, f)
		}
	}
	level := levelWarning
	if fails {
		level = levelError
	}
	for _, c := range render.Causes(shown) {
		f := c.First
		list = append(list, annotation{Level: level, File: f.Path, Line: f.Line, Column: f.Column, Title: string(f.Rule), Message: annotationText(c)})
	}
	for _, n := range r.Notices {
		if n.Fails == fails {
			list = append(list, annotation{Level: noticeLevel(n), File: n.File, Line: n.Line, Title: string(n.Rule), Message: n.Text})
		}
	}
	// The notice that the change is not compared must be visible even if there are many problems.
	isFirst := func(a annotation) bool { return a.Title == string(gate.NotCompared) }
	first := slices.DeleteFunc(slices.Clone(list), func(a annotation) bool { return !isFirst(a) })
	return append(first, slices.DeleteFunc(list, isFirst)...)
}

// annotationText describes the findings of a cause and what to do next.
func annotationText(c render.Cause) string {
	text := c.Message
	if next := render.Next(c.First); next != "" {
		if !strings.HasSuffix(text, "?") {
			text += "."
		}
		text += " Next: " + next
	}
	return text
}

// noticeLevel returns the annotation level of a notice, which is an error only if the notice fails.
func noticeLevel(n gate.Notice) annotationLevel {
	switch {
	case n.Fails:
		return levelError
	case n.Severity == gate.Error || n.Severity == gate.Warning:
		return levelWarning
	}
	return levelNotice
}

// maxSummaryCells is the maximum number of statuses for the table of a summary. A larger table is
// omitted, not truncated.
const maxSummaryCells = 200_000

// summarize writes as much of the job summary as fits.
func (d *delivery) summarize(ctx context.Context) {
	var drafts []summaryDraft
	if d.settings.summary == "full" && d.result.Counts.Cells > 0 && d.result.Counts.Cells <= maxSummaryCells {
		if merged, err := d.evidence.merged(ctx); err == nil {
			drafts = append(drafts, func(limit int) (string, error) {
				text, err := d.markdown(limit)
				if err != nil {
					return "", err
				}
				// Problems come first; the table gets the remaining space.
				const least = 2000
				room := limit - len(text) - 1
				if room < least {
					return "", errTooLong
				}
				var table strings.Builder
				if err := reportrender.Markdown(&table, merged, reportrender.MarkdownOptions{MaxBytes: room}); err != nil {
					return "", err
				}
				return text + "\n" + table.String(), nil
			})
		}
	}
	drafts = append(drafts, d.markdown, func(int) (string, error) {
		return fmt.Sprintf("## SYCL compatibility\n\n%s.\n\nThe summary has no space for details.\n", render.Summary(d.result)), nil
	})
	n, err := d.out.github.summary(drafts...)
	switch {
	case err != nil:
		d.notShown("cannot write the summary: %v", err)
	case n == len(drafts)-1:
		d.notShown("the summary contains only numbers, because earlier parts of the step used all of its space")
	}
}

// firstBaseline returns the path of the proposed baseline of a failing check without a baseline, or
// "" for other checks. Names with special characters are not shown.
func (c *check) firstBaseline() string {
	name := c.place.inWorkspace(c.paths.outputs["proposed-baseline"])
	if c.result.Compared || c.result.Conclusion != gate.Failure || !plainName.MatchString(name) {
		return ""
	}
	return c.paths.outputs["proposed-baseline"]
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

// markdown returns the result as Markdown in at most limit bytes.
func (c *check) markdown(limit int) (string, error) {
	head := ""
	if c.settings.category != "" {
		head += fmt.Sprintf("%s\n\n", safetext.CodeSpan(safetext.Escape(c.settings.category)))
	}
	foot := ""
	if name := c.firstBaseline(); name != "" {
		foot += fmt.Sprintf("\nTo accept these problems as known, commit the proposed baseline `%s` and add these lines to the step:\n\n```yaml\nwith:\n  baseline-file: %s\n```\n", name, name)
	}
	if c.settings.artifactURL != "" {
		foot += fmt.Sprintf("\n[Files of this run](<%s>)\n", c.settings.artifactURL)
	}
	const least = 2500 // too small for a problem
	room := limit - len(head) - len(foot)
	if room < least {
		return "", errTooLong
	}
	var b strings.Builder
	if err := render.Markdown(&b, c.result, render.MarkdownOptions{MaxBytes: room, Sources: c.job.sourcesURL()}); err != nil {
		return "", err
	}
	if b.Len() > room {
		return "", errTooLong
	}
	return head + b.String() + foot, nil
}
