// Command action is the program of the GitHub Action: it holds the compatibility
// reports of a job against a policy, sets outputs, and tells the people who look
// at the pull request. Outside of GitHub Actions it prints what it finds.
//
// The decision is made by package gate, and reading files by what the tools
// share; this program is about inputs, events and what GitHub shows. Docs/action.md
// describes it.
package main

import (
	"context"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/interrupt"
)

func main() {
	interrupt.Main("action", func(ctx context.Context) int {
		return run(ctx, environment{args: os.Args[1:], getenv: os.Getenv, stdout: os.Stdout, stderr: os.Stderr})
	})
}
