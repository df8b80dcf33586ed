package testkit

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A Tool runs a program in the process of the test, with an empty standard input.
type Tool func() *cli.Tool

// Run returns the exit code and the output of a command line.
func (tool Tool) Run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = tool().Run(t.Context(), &cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, args)
	return code, out.String(), errs.String()
}

// Exit is [Tool.Run] without standard output.
func (tool Tool) Exit(t testing.TB, args ...string) (code int, stderr string) {
	t.Helper()
	code, _, stderr = tool.Run(t, args...)
	return code, stderr
}

// MustRun returns the standard output of a command line. It ends the test if the command line fails or
// writes to standard error.
func (tool Tool) MustRun(t testing.TB, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := tool.Run(t, args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit code %d\n%s", args, code, stderr)
	}
	return stdout
}

// CheckRun checks the exit code of a command line, and that its standard error contains a text.
func (tool Tool) CheckRun(t testing.TB, want int, text string, args ...string) {
	t.Helper()
	if code, stderr := tool.Exit(t, args...); code != want || !strings.Contains(stderr, text) {
		t.Errorf("%q: exit code %d, want %d and %q\n%s", args, code, want, text, stderr)
	}
}
