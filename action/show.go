package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/compatinputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	reportrender "github.com/rules-sycl/rules_sycl/sycl/report/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// fileOutputs are the outputs with names of files, by format.
var fileOutputs = map[string]string{"json": "result-file", "sarif": "sarif-file", "html": "html-file", "markdown": "markdown-file", "report": "report-file"}

// writeFiles writes the files that were asked for. Not to be able to is an error:
// later steps need them.
func (a *action) writeFiles(ctx context.Context) error {
	fallback := a.prefix(a.options.First())
	var written []stepOutput
	var out outfile.Group
	defer out.Close()
	for _, format := range slices.Sorted(maps.Keys(a.files)) {
		name := a.files[format]
		if name == "" {
			continue
		}
		if err := prepare(name); err != nil {
			return err
		}
		write := func(w io.Writer) error {
			return compatinputs.Writers[format](w, a.result, compatinputs.WriteOptions{Fallback: fallback})
		}
		switch format {
		case "html":
			merged, err := a.merged(ctx)
			if err != nil {
				a.notShown("the page is not written: %v", err)
				continue
			}
			write = func(w io.Writer) error { return reportrender.HTML(w, merged, reportrender.HTMLOptions{}) }
		case "report":
			built, err := report.Merge(a.options.Built...)
			if err != nil {
				return err
			}
			write = built.Encode
		case "baseline":
			write = gate.NewBaseline(a.result).Encode
		}
		if err := out.Write(name, write); err != nil {
			return err
		}
		if output := fileOutputs[format]; output != "" {
			written = append(written, stepOutput{Name: output, Value: pathValue(a.prefix(name))})
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if a.github == nil || len(written) == 0 {
		return nil
	}
	return a.github.setOutputs(written...)
}

// prepare makes the folder of a file. Unless the file was named by its whole path, links
// do not lead out of the workspace: a change may have brought them.
func prepare(name string) error {
	if filepath.IsAbs(name) {
		return nil
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("%s cannot be written: its folder cannot be made in the workspace: %v", name, workspace.Reason(err))
	}
	if _, err := root.Stat(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s cannot be written: it leads out of the workspace: %v; remove the link", name, workspace.Reason(err))
	}
	return nil
}

// merged returns all reports as one.
func (a *action) merged(ctx context.Context) (*report.Report, error) {
	parts, err := compatinputs.ReadReports(ctx, a.options)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, errors.New("there is no report")
	}
	return report.Merge(parts...)
}

// notShown notes that something cannot be shown to people, which is an error only when
// that was asked for.
func (a *action) notShown(format string, args ...any) {
	a.unshown = append(a.unshown, fmt.Errorf(format, args...))
}

// show shows the result: in the log and, in GitHub Actions, as annotations, as the
// summary of the job and as a comment.
func (a *action) show(ctx context.Context) error {
	a.shown = true
	a.log(func(w io.Writer) error { return render.Text(w, a.result, render.TextOptions{}) })
	if a.github == nil {
		return a.reportUnshown()
	}
	if a.event.isRisky() {
		a.logf("This workflow runs for %s with rights that the fork does not have: code of the change must not be checked out or run in it.", a.event.name)
	}
	if a.annotations {
		a.annotate()
	}
	if a.summary != "none" {
		a.summarize(ctx)
	}
	if a.comment != "never" {
		a.commentResult(ctx)
	}
	return a.reportUnshown()
}

// reportUnshown reports what could not be shown to people.
func (a *action) reportUnshown() error {
	if a.github != nil {
		if err := a.github.out.err; err != nil {
			return fmt.Errorf("the log cannot be written: %v", err)
		}
	}
	if len(a.unshown) == 0 {
		return nil
	}
	if a.strictDelivery {
		return fmt.Errorf("%v", errors.Join(a.unshown...))
	}
	for _, err := range a.unshown {
		message := safetext.Escape(err.Error())
		if a.github == nil {
			fmt.Fprintf(a.stderr, "action: warning: %s\n", message)
		} else if !a.github.annotate(annotation{Level: levelWarning, Title: "SYCL compatibility", Message: message}) {
			if err := a.github.log(func(w io.Writer) error { _, err := fmt.Fprintf(w, "warning: %s\n", message); return err }); err != nil {
				return fmt.Errorf("%v", err)
			}
		}
	}
	return nil
}

// annotate shows problems at their places: what fails first, then the gravest.
// What the policy covers, what is known and does not fail, and notes are in the
// log and the summary.
func (a *action) annotate() {
	list := slices.Concat(a.problems(true), a.problems(false))
	shown := map[annotationLevel]int{}
	left := 0
	for _, n := range list {
		if shown[n.Level] < a.maxAnnotations && a.github.annotate(n) {
			shown[n.Level]++
		} else {
			left++
		}
	}
	if left > 0 {
		a.logf("%d more without an annotation: there are %d of a kind at most. The file of json-file has all.", left, a.maxAnnotations)
	}
}

// problems returns the annotations of findings and notices that fail, or of the others.
func (a *action) problems(fails bool) (list []annotation) {
	var shown []*gate.Finding
	for i := range a.result.Findings {
		f := &a.result.Findings[i]
		if f.Fails == fails && (fails || !f.Covered() && f.Severity >= gate.Warning && f.State == gate.StateNew) {
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
	for _, n := range a.result.Notices {
		if n.Fails == fails {
			list = append(list, annotation{Level: noticeLevel(n), File: n.File, Line: n.Line, Title: string(n.Rule), Message: n.Text})
		}
	}
	// That the change is not compared must not be left out when there are many problems.
	isFirst := func(a annotation) bool { return a.Title == string(gate.NotCompared) }
	first := slices.DeleteFunc(slices.Clone(list), func(a annotation) bool { return !isFirst(a) })
	return append(first, slices.DeleteFunc(list, isFirst)...)
}

// annotationText says what the findings of a cause are and what to do next.
func annotationText(c render.Cause) string {
	text := c.Message
	if next := render.Next(c.First); next != "" {
		text += ". Next: " + next
	}
	return text
}

// noticeLevel returns how a notice is shown: as an error only when it fails.
func noticeLevel(n gate.Notice) annotationLevel {
	switch {
	case n.Fails:
		return levelError
	case n.Severity == gate.Error || n.Severity == gate.Warning:
		return levelWarning
	}
	return levelNotice
}

// maxSummaryCells is how many statuses the table of a summary is made of: a larger
// one is cut to nothing.
const maxSummaryCells = 200_000

// summarize writes the summary of the job, as much as fits.
func (a *action) summarize(ctx context.Context) {
	var drafts []summaryDraft
	if a.summary == "full" && a.result.Counts.Cells > 0 && a.result.Counts.Cells <= maxSummaryCells {
		if merged, err := a.merged(ctx); err == nil {
			drafts = append(drafts, func(limit int) (string, error) {
				text, err := a.markdown(limit)
				if err != nil {
					return "", err
				}
				// Problems come first: the table gets what they leave.
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
	drafts = append(drafts, a.markdown, func(int) (string, error) {
		return fmt.Sprintf("## SYCL compatibility\n\n%s.\n\nThere is no space for more here.\n", render.Summary(a.result)), nil
	})
	n, err := a.github.summary(drafts...)
	switch {
	case err != nil:
		a.notShown("the summary is not written: %v", err)
	case n == len(drafts)-1:
		a.notShown("the summary has only numbers, as earlier parts of the step have used up its space")
	}
}

// markdown returns the result as Markdown in at most limit bytes.
func (a *action) markdown(limit int) (string, error) {
	head := ""
	if a.category != "" {
		head += fmt.Sprintf("%s\n\n", safetext.CodeSpan(safetext.Escape(a.category)))
	}
	foot := ""
	if a.artifactURL != "" {
		foot += fmt.Sprintf("\n[Files of this run](<%s>)\n", a.artifactURL)
	}
	const least = 2500 // below it there is no space for a problem
	room := limit - len(head) - len(foot)
	if room < least {
		return "", errTooLong
	}
	var b strings.Builder
	if err := render.Markdown(&b, a.result, render.MarkdownOptions{MaxBytes: room, Sources: a.sourcesURL()}); err != nil {
		return "", err
	}
	if b.Len() > room {
		return "", errTooLong
	}
	return head + b.String() + foot, nil
}
