package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// failed reports an error and returns the exit code: a change that does not pass
// stays one when something else fails.
func (a *action) failed(ctx context.Context, err error) int {
	code := cli.ExitCode(err)
	cause := code
	message := safetext.Escape(safetext.Shorten(err.Error()))
	if a.settings != nil && a.token != "" {
		message = strings.ReplaceAll(message, a.token, "***")
	}
	conclusion := "error"
	if a.result != nil && a.result.Conclusion == gate.Failure {
		code, conclusion = cli.ExitNo, string(gate.Failure)
	}
	if a.github == nil {
		fmt.Fprintf(a.stderr, "action: error: %s\n", message)
		return code
	}
	if !a.github.annotate(annotation{Level: levelError, Title: "SYCL compatibility", Message: message}) {
		a.logf("error: %s", message)
	}
	err = a.github.setOutputs(stepOutput{Name: "conclusion", Value: wordValue(conclusion)}, stepOutput{Name: "exit-code", Value: numberValue(code)})
	if err != nil && a.result == nil {
		a.logf("error: %v", err)
	}
	if !a.shown && a.settings != nil {
		a.showError(ctx, message, cause)
	}
	return code
}

// showError writes to the summary and the comment what went wrong, so that no older
// conclusion seems to hold.
func (a *action) showError(ctx context.Context, message string, code int) {
	a.unshown = nil
	text := a.errorText(message, code)
	if a.summary != "none" {
		if _, err := a.github.summary(func(int) (string, error) { return text, nil }); err != nil {
			a.notShown("the summary is not written: %v", err)
		}
	}
	// A run that is stopped may have a successor, whose comment is newer.
	if a.comment == "always" || a.comment == "on-problem" {
		if event, err := readEvent(a.getenv); err == nil && !cli.Stopped(ctx) {
			a.event = event
			a.writeComment(ctx, text, false)
		}
	}
	a.strictDelivery = false // there is an error already
	if err := a.reportUnshown(); err != nil {
		a.logf("error: %v", err)
	}
}

// errorText is what the summary and the comment say of an error.
func (a *action) errorText(message string, code int) string {
	var b strings.Builder
	b.WriteString("## ❌ SYCL compatibility\n\n")
	if a.category != "" {
		fmt.Fprintf(&b, "%s\n\n", safetext.CodeSpan(safetext.Escape(a.category)))
	}
	if a.result == nil {
		b.WriteString("The check ended with an error, so there is no conclusion on this change.\n\n")
	} else {
		fmt.Fprintf(&b, "The check ended with an error after its conclusion: %s.\n\n", render.Summary(a.result))
	}
	fmt.Fprintf(&b, "%s\n\n%s\n", safetext.CodeSpan(message), remedies[code])
	return b.String()
}

// remedies say what to do about errors, by exit code.
var remedies = map[int]string{
	cli.ExitUsage:    "Exit code 2. Next: correct the input, the policy or the baseline that the message names. An older baseline is made again with `compat baseline update`.",
	cli.ExitBadInput: "Exit code 3. Next: look at the step that makes the reports. It has to run before this one, and make the file that the message names with this version of rules_sycl.",
	cli.ExitFailure:  "Exit code 4. Next: look at the log of this step and at the disk and rights of the runner, then run the job again.",
}
