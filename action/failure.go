package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// deliverError reports an error and returns the exit code. A change that does not pass keeps its
// exit code even if something else fails.
func deliverError(ctx context.Context, out *console, c check, err error, isShown bool) int {
	code := cli.ExitCode(err)
	message := safetext.Escape(safetext.Shorten(err.Error()))
	if c.settings != nil && c.settings.token != "" {
		message = strings.ReplaceAll(message, c.settings.token, "***")
	}
	conclusion := "error"
	if c.result != nil && c.result.Conclusion == gate.Failure {
		code, conclusion = cli.ExitNo, string(gate.Failure)
	}
	if out.github == nil {
		fmt.Fprintf(out.stderr, "action: error: %s\n", message)
		return code
	}
	a := annotation{Level: levelError, Title: "SYCL compatibility", Message: message}
	a.File, a.Line = c.locate(err)
	if !out.github.annotate(a) {
		out.logf("error: %s", message)
	}
	wrong := out.github.setOutputs(stepOutput{Name: "conclusion", Value: wordValue(conclusion)}, stepOutput{Name: "exit-code", Value: numberValue(code)})
	if wrong != nil && c.result == nil {
		out.logf("error: %v", wrong)
	}
	if !isShown && c.settings != nil {
		showError(ctx, out, c, errorText(c, message, err))
	}
	return code
}

// locate returns the location of an error in a file of the change, or "".
func (c *check) locate(err error) (file string, line int) {
	wrong, ok := errors.AsType[*gate.SyntaxError](err)
	if !ok || c.settings.policyRef == "base" || c.job.event.forkRun() != nil { // the file may be the base's
		return "", 0
	}
	file = path.Join(c.place.inRepo, wrong.File)
	if !safetext.IsPath(file) {
		return "", 0
	}
	return file, wrong.Line
}

// showError writes the error to the summary and the comment, so that an older conclusion does not
// appear to be current.
func showError(ctx context.Context, out *console, c check, text string) {
	d := delivery{check: c, out: out}
	if c.settings.summary != "none" {
		if _, err := out.github.summary(func(int) (string, error) { return text, nil }); err != nil {
			d.notShown("cannot write the summary: %v", err)
		}
	}
	if d.job == nil {
		d.job, _ = readJob(out.getenv)
	}
	// A canceled run may have a successor, whose comment is newer.
	if c.settings.comment != "never" && c.settings.comment != "" && d.job != nil && !cli.IsStopped(ctx) {
		d.writeComment(ctx, text, true)
	}
	if err := out.reportUnshown(d.unshown, false); err != nil { // the error that is shown determines the exit code
		out.logf("error: %v", err)
	}
}

// A fixedError is an error with a fix that is too long for the message.
type fixedError struct {
	error
	fix string
}

func (e *fixedError) Unwrap() error { return e.error }

// Fix returns what to do, as Markdown.
func (e *fixedError) Fix() string { return e.fix }

// errorText returns the text of the summary and the comment for an error. The fix is part of the
// error's message, or its Fix method returns more.
func errorText(c check, message string, err error) string {
	var b strings.Builder
	b.WriteString("## ❌ SYCL compatibility\n\n")
	if c.settings.category != "" {
		fmt.Fprintf(&b, "%s\n\n", safetext.CodeSpan(safetext.Escape(c.settings.category)))
	}
	if c.result == nil {
		b.WriteString("The check failed with an error, so there is no conclusion about this change.\n\n")
	} else {
		fmt.Fprintf(&b, "The check failed with an error after reaching a conclusion: %s.\n\n", render.Summary(c.result))
	}
	fmt.Fprintf(&b, "%s\n", safetext.CodeSpan(message))
	var fix interface{ Fix() string }
	if errors.As(err, &fix) {
		b.WriteString("\n" + fix.Fix())
	}
	return b.String()
}
