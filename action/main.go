// Command action is the program of the GitHub Action: it checks the compatibility
// reports of a job against a policy, sets outputs, and shows the result to the people who
// look at the pull request. Outside of GitHub Actions it prints what it finds.
//
// Package gate makes the decision, and the tools' packages read the files; this program
// is about inputs, events and what GitHub shows. Docs/action.md describes it.
package main

import (
	"context"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func main() {
	cli.Main("action", func(ctx context.Context) int {
		return run(ctx, environment{args: os.Args[1:], getenv: os.Getenv, stdout: os.Stdout, stderr: os.Stderr})
	})
}
